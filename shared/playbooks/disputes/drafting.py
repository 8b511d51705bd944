"""The drafted actions of a decision, from the remedy table: what each would do, to what, and after what."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind, Json
from shared.case.brief import Derivation
from shared.case.money import currency_code
from shared.playbooks.disputes import fraud_packet, purposes, telling
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.codes import OF_FRAUD
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.packet import packet
from shared.playbooks.disputes.snapshots import dispute_snapshot
from shared.playbooks.disputes.standing import left_minor
from shared.team.exhibits import text
from shared.team.words import day, feature, listed

WON = "dispute.won"


def contest(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    """Stage the packet once its submission is approved, then submit it. Raises InvalidInput when it breaks a limit.

    An inquiry is answered in the same way; the chargeback that it may become needs an answer of its own.
    """
    stage, submit = (
        (purposes.STAGE_ANSWER, purposes.SUBMIT_ANSWER) if matter.is_inquiry else (purposes.STAGE, purposes.SUBMIT)
    )
    what = "the answer to the inquiry about" if matter.is_inquiry else "the evidence against the chargeback of"
    if matter.rule.family in OF_FRAUD and ruling.argument is None:
        evidence = fraud_packet.packet(matter, seen, ruling.compelling)
    else:
        evidence = {**packet(matter, seen, ruling)}
    payload: dict[str, Json] = {"dispute": matter.dispute.row.record_id, "evidence": evidence}
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    snapshot = dispute_snapshot(matter)
    return [
        ActionDraft(
            kind=ActionKind.STRIPE_STAGE_EVIDENCE,
            purpose=stage,
            target=matter.dispute.row.record_id,
            account=matter.case.subject.account,
            payload=payload,
            description=f"Stage {what} {disputed}, without submitting it",
            depends_on=(Dependency(kind=DependencyKind.APPROVAL, ref=submit),),
            snapshot=snapshot,
        ),
        ActionDraft(
            kind=ActionKind.STRIPE_SUBMIT_EVIDENCE,
            purpose=submit,
            target=matter.dispute.row.record_id,
            account=matter.case.subject.account,
            at_risk_minor=matter.disputed_minor,
            at_risk_currency=currency_code(matter.dispute_currency),
            payload=payload,
            description=f"Submit {what} {disputed}; the bank takes it once",
            depends_on=(Dependency(kind=DependencyKind.ACTION, ref=stage),),
            snapshot=snapshot,
        ),
    ]


def refund_after_win(matter: Matter, due: Derivation) -> ActionDraft:
    """Pay what is owed as a refund on the charge, once the dispute is won; if it is lost, nothing more is paid."""
    owed = due.value_minor
    charge = matter.charge.row.record_id
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=purposes.REFUND_AFTER_WIN,
        target=charge,
        account=matter.case.subject.account,
        amount_minor=owed,
        currency=currency_code(matter.currency),
        payload={
            "charge": charge,
            "dispute": matter.dispute.row.record_id,
            "amount_minor": owed,
            "currency": currency_code(matter.currency),
            "reason": "requested_by_customer",
        },
        description=f"Refund {matter.money(owed)} of {matter.money(matter.paid_minor)} once the dispute is won",
        depends_on=(Dependency(kind=DependencyKind.OUTCOME, ref=WON),),
        snapshot={
            "charge.amount": matter.paid_minor,
            "charge.amount_refunded": matter.charge.row.fields.get("amount_refunded"),
            "charge.currency": text(matter.charge, "currency"),
            "dispute.status": matter.now_at["status"],
        },
    )


def refund_in_full(matter: Matter) -> ActionDraft:
    """Give back everything that is left of the charge, now: it resolves an inquiry."""
    left, charge = left_minor(matter.charge) or 0, matter.charge.row.record_id
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=purposes.REFUND,
        target=charge,
        account=matter.case.subject.account,
        amount_minor=left,
        currency=currency_code(matter.currency),
        payload={
            "charge": charge,
            "dispute": matter.dispute.row.record_id,
            "amount_minor": left,
            "currency": currency_code(matter.currency),
            "reason": "requested_by_customer",
        },
        description=f"Refund all {matter.money(left)} of the charge, which resolves the inquiry",
        snapshot={
            "charge.amount": matter.paid_minor,
            "charge.amount_refunded": matter.charge.row.fields.get("amount_refunded"),
            "charge.currency": text(matter.charge, "currency"),
            "dispute.status": matter.now_at["status"],
        },
    )


def tell_of_full_refund(matter: Matter) -> ActionDraft | None:
    """Tell the customer that everything went back, after it did. None without an address that our records hold."""
    to = telling.recipient(matter)
    if not to:
        return None
    left = matter.money(left_minor(matter.charge) or 0)
    body = (
        f"Hello,\n\nyou asked your bank about our charge of {matter.money(matter.paid_minor)}. We have refunded "
        f"{left} to the card you paid with. It usually takes five to ten business days until the bank shows it.\n\n"
        "If anything about this is unclear, just reply to this message."
    )
    return telling.customer_email(
        to=to,
        subject=f"Your refund of {left}",
        body=body,
        purpose=purposes.TELL_OF_REFUND,
        description=f"Tell {to} that {left} were refunded, once they were",
        after=purposes.REFUND,
    )


def tell_customer(matter: Matter, credit: Credit) -> ActionDraft | None:
    """Tell the customer of the refund after a win, once it was made. None without an address in our records."""
    to = telling.recipient(matter)
    if not to:
        return None
    owed = matter.money(credit.derivation.value_minor)
    features = listed(sorted({feature(item.service) for item in credit.troubles}))
    start, end = credit.windows[0].start, credit.windows[-1].end
    when = f"on {day(start)}" if start.date() == end.date() else f"from {day(start)} to {day(end)}"
    body = (
        f"Hello,\n\n{when} {features} did not work as it should have. We are sorry about that.\n\n"
        f"We have refunded {owed} to the card you paid with. That is the share of your {matter.plan} payment of "
        f"{matter.money(matter.paid_minor)} for that time ({credit.derivation.words}). It usually takes five to ten "
        "business days until the bank shows it.\n\nIf anything about this is unclear, just reply to this message."
    )
    return telling.customer_email(
        to=to,
        subject=f"Your refund of {owed}",
        body=body,
        purpose=purposes.TELL_OF_REFUND,
        description=f"Tell {to} that {owed} were refunded, once they were",
        after=purposes.REFUND_AFTER_WIN,
    )
