"""A window for refunds: the whole charge inside of it, a reasoned no after it, and exceptions that are left open."""

from __future__ import annotations

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence
from shared.playbooks.disputes import derive, labels
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.policy_rules.refund_window import RefundWindow, refund_window
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import payment_meant
from shared.playbooks.disputes.requests.model import Owed, Ruling, declined, person
from shared.team.contract import Material
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, day


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """Everything that is left of the charge until the window ends. Raises Said, Unevaluable."""
    rule = refund_window(policy)
    payment = payment_meant(material, claim)
    if not rule.covers(_interval(payment)):
        return f"it is for plans by the {rule.plan_interval}"
    end = rule.last_instant(payment.paid_at, claim.org.timezone)
    if claim.received_at > end:
        return _late(claim, policy, rule, payment)
    if claim.asked_minor is not None and claim.asked_minor < (payment.left_minor or 0):
        raise person("they ask for less than the policy gives back: which of the two is meant?", payment.charge)
    owed = Owed(derive.left_of(payment.charge, payment.currency), Instrument.CHARGE_REFUND, "")
    reason = f"{policy.name} refunds in full until {day(end)}, and they asked on {claim.when}"
    return Ruling(owed.kind, (reason,), policy=policy, payment=payment, owed=owed)


def _late(claim: Claim, policy: Policy, rule: RefundWindow, payment: Payment) -> Ruling:
    end = rule.last_instant(payment.paid_at, claim.org.timezone)
    asked, paid = (at.astimezone(end.tzinfo) for at in (claim.received_at, payment.paid_at))
    asked_on = f"they asked on {day(asked)}, day {(asked.date() - paid.date()).days}"
    reason = f"{policy.name} refunds until {day(end)}, and {asked_on}"
    told = f"we can refund a payment within {rule.within_days} days, which was until {day(end)}"
    used = _used(claim, rule, payment)
    loyal = _strategic(claim) if rule.exception_for_strategic else []
    if loyal:
        why = f"{reason}; the account is marked as strategic, and the policy leaves an exception open for those"
        raise person(
            why, policy.evidence, payment.charge, *loyal, payment=payment, weighed=_weighed(claim, payment, used)
        )
    if used is None:
        return declined(reason, told, policy.evidence, payment.charge, policy=policy, payment=payment)
    times = f"{count(len(used), 'event')} of the kind {rule.exception_event} since the charge"
    most = rule.exception_max_events or 0
    if len(used) <= most:
        why = (
            f"{reason}; with {times} (at most {most}) the policy leaves an exception open, which a person grants or not"
        )
        rows = [policy.evidence, payment.charge, *used]
        raise person(why, *rows, payment=payment, weighed=_weighed(claim, payment, used))
    found = claimed(f"they used it: {times}, the last on {_last(used)}", READ_OUT, *used)
    return Ruling(
        kind=DecisionKind.DECLINE,
        reasons=(reason, f"they have {times}, more than the {most} for which the policy leaves an exception open"),
        cites=(policy.evidence, payment.charge),
        policy=policy,
        payment=payment,
        told=told,
        found=(found,) if found else (),
        weighed=_weighed(claim, payment, used),
    )


def _used(claim: Claim, rule: RefundWindow, payment: Payment) -> list[Evidence] | None:
    """The events since the charge that an exception counts; None where the policy asks for none. Raises Said."""
    if rule.exception_event is None:
        return None
    uses = [
        row
        for row in claim.exhibits.rows("posthog.events")
        if text(row, "event") == rule.exception_event
        and (at := moment(row.row.fields.get("timestamp"))) is not None
        and payment.paid_at <= at <= claim.received_at
    ]
    enough = len(uses) > (rule.exception_max_events or 0)
    unread = labels.USE in claim.unread or not (claim.exhibits.rows("posthog.events") or _proven_unused(claim))
    if not enough and (unread or payment.paid_at < claim.read_since):
        raise person("how much they used it since the charge could not be read whole", payment.charge, payment=payment)
    return uses


def _proven_unused(claim: Claim) -> bool:
    return bool(claim.exhibits.absences(labels.NO_USE))


def _strategic(claim: Claim) -> list[Evidence]:
    return [row for row in claim.accounts if row.row.fields.get("strategic") is True]


def _weighed(claim: Claim, payment: Payment, used: list[Evidence] | None) -> str:
    """What speaks for each way, in words."""
    left = payment.money(payment.left_minor or 0)
    owners = sorted({text(row, "owner_name") for row in claim.accounts} - {""})
    yearly = next((str(row.row.fields["arr"]) for row in claim.accounts if row.row.fields.get("arr") is not None), "")
    return (
        f"For a refund: it keeps the goodwill of {claim.customer_name}"
        + (f", who are worth {yearly} a year," if yearly else "")
        + " and rules out a chargeback with its fee. Against it: "
        + (f"they used it ({count(len(used), 'event')}), " if used else "")
        + f"{left} are lost, and others will ask for the same."
        + (f" Ask {' or '.join(owners)} first." if owners else "")
    )


def _last(used: list[Evidence]) -> str:
    moments = [at for row in used if (at := moment(row.row.fields.get("timestamp"))) is not None]
    return day(max(moments))


def _interval(payment: Payment) -> str:
    """The interval of the plan that the charge paid; empty for a charge of no subscription."""
    named = {text(line, "subscription") for line in payment.paid_lines} - {""}
    found = {
        text(row, "price__interval")
        for row in payment.exhibits.rows("stripe.subscriptions")
        if row.row.record_id in named
    }
    return found.pop() if len(found) == 1 else ""
