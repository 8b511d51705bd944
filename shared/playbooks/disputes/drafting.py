"""The drafted actions of a decision, from the remedy table: what each would do, to what, and after what."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind, Json
from shared.case.brief import Derivation
from shared.case.money import currency_code
from shared.playbooks.disputes import cancellation_packet, fraud_packet, purposes, telling
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ending, Ruling
from shared.playbooks.disputes.codes import LIKE_FRAUD, Family
from shared.playbooks.disputes.conclusion import sentences
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.packet import packet
from shared.playbooks.disputes.standing import left_minor
from shared.team.exhibits import text, whole
from shared.team.words import day, feature, listed

WON = "dispute.won"


def _of_service(matter: Matter, seen: Assessment, ruling: Ruling) -> dict[str, Json]:
    return {**packet(matter, seen, ruling)}


def _of_cancellation(matter: Matter, seen: Assessment, ruling: Ruling) -> dict[str, Json]:
    return {**cancellation_packet.packet(matter, seen, ruling)}


_PACKETS: Mapping[Family, Callable[[Matter, Assessment, Ruling], dict[str, Json]]] = {
    **dict.fromkeys(LIKE_FRAUD, fraud_packet.packet),
    Family.SUBSCRIPTION_CANCELED: _of_cancellation,
}
"""The packet of each family; any other claim is answered as one about the service."""


def contest(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    """Stage the packet once its submission is approved, then submit it. Raises InvalidInput when it breaks a limit.

    An inquiry is answered in the same way; the chargeback that it may become needs an answer of its own.
    """
    stage, submit = (
        (purposes.STAGE_ANSWER, purposes.SUBMIT_ANSWER) if matter.is_inquiry else (purposes.STAGE, purposes.SUBMIT)
    )
    what = "the answer to the inquiry about" if matter.is_inquiry else "the evidence against the chargeback of"
    evidence = _PACKETS.get(matter.rule.family, _of_service)(matter, seen, ruling)
    payload: dict[str, Json] = {"dispute": matter.dispute.row.record_id, "evidence": evidence}
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    snapshot = _dispute_snapshot(matter)
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


def refund_after_win(matter: Matter, owed: Derivation) -> ActionDraft:
    """Pay what is owed as a refund on the charge, once the dispute is won; if it is lost, nothing more is paid."""
    charge, paid = matter.charge.row.record_id, matter.money(matter.paid_minor)
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=purposes.REFUND_AFTER_WIN,
        target=charge,
        account=matter.case.subject.account,
        amount_minor=owed.value_minor,
        currency=currency_code(matter.currency),
        payload={
            "charge": charge,
            "dispute": matter.dispute.row.record_id,
            "amount_minor": owed.value_minor,
            "currency": currency_code(matter.currency),
            "reason": "requested_by_customer",
        },
        description=f"Refund {matter.money(owed.value_minor)} of {paid} once the dispute is won",
        depends_on=(Dependency(kind=DependencyKind.OUTCOME, ref=WON),),
        snapshot={
            "charge.amount": matter.paid_minor,
            "charge.amount_refunded": matter.charge.row.fields.get("amount_refunded"),
            "charge.currency": text(matter.charge, "currency"),
            "dispute.status": matter.now_at["status"],
        },
    )


def accept(matter: Matter) -> ActionDraft:
    """Give the chargeback up by closing it: it is lost for good, and never refunded as well."""
    dispute = matter.dispute.row.record_id
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_CLOSE_DISPUTE,
        purpose=purposes.ACCEPT,
        target=dispute,
        account=matter.case.subject.account,
        at_risk_minor=matter.disputed_minor,
        at_risk_currency=currency_code(matter.dispute_currency),
        payload={"dispute": dispute},
        description=f"Accept the chargeback of {disputed} by closing it; that cannot be undone",
        snapshot=_dispute_snapshot(matter),
    )


def end_subscription(matter: Matter, ending: Ending) -> ActionDraft:
    """End the subscription once the evidence is in, without a credit: its unused time goes back after a win alone."""
    row = ending.subscription.row
    price, quantity = whole(ending.subscription, "price__unit_amount"), whole(ending.subscription, "quantity")
    involved = max(matter.paid_minor, (price or 0) * (quantity or 1))
    return ActionDraft(
        kind=ActionKind.STRIPE_CANCEL_SUBSCRIPTION,
        purpose=purposes.END_SUBSCRIPTION,
        target=row.record_id,
        account=matter.case.subject.account,
        at_risk_minor=involved,
        at_risk_currency=currency_code(matter.currency),
        payload={"subscription": row.record_id, "prorate": False},
        description=f"End the subscription {row.record_id} of {matter.customer_name}, without a credit",
        depends_on=(Dependency(kind=DependencyKind.ACTION, ref=purposes.SUBMIT),),
        snapshot={"subscription.status": row.fields.get("status"), "subscription.customer": row.fields.get("customer")},
    )


def warn_owner(matter: Matter, ruling: Ruling) -> ActionDraft:
    """A ticket for the owner of the account: this customer disputes again and again."""
    crm = [*matter.exhibits.rows("salesforce.accounts"), *matter.exhibits.rows("hubspot.companies")]
    owner = next((text(row, "owner_email") for row in crm if text(row, "owner_email")), "")
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    return ActionDraft(
        kind=ActionKind.TICKET,
        purpose=purposes.WARN_OWNER,
        target=owner or matter.dispute.row.record_id,
        payload={
            "title": f"{matter.customer_name}: another dispute, of {disputed}",
            "body": f"{sentences(ruling.reasons)} Please talk to them before the next renewal.",
            "assignee": owner or None,
        },
        description="Open a ticket for the owner of the account: flagged as a repeat disputer",
        needed=False,
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


def _dispute_snapshot(matter: Matter) -> dict[str, Json]:
    fields = matter.dispute.row.fields
    return {
        "dispute.status": matter.now_at["status"],
        "dispute.amount": fields.get("amount"),
        "dispute.currency": fields.get("currency"),
        "dispute.charge": fields.get("charge"),
        "dispute.submission_count": matter.submissions,
    }
