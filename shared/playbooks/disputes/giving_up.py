"""Giving up a chargeback, and what goes with it: errands for our people, a letter, subscriptions that must end.

Closing is the only way to accept (docs.stripe.com/disputes/responding, read 2026-05): the bank keeps the money, so the
charge is never refunded as well. Whoever is told of it is told once Stripe says that the dispute is lost.
"""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind
from shared.case.evidence import Evidence
from shared.case.money import currency_code
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.claims.model import Errand, Letter, Ruling
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.snapshots import dispute_snapshot
from shared.team.exhibits import text, whole

LOST = "dispute.lost"
_RUNNING = frozenset({"active", "trialing", "past_due", "unpaid", "paused"})


def close(matter: Matter) -> ActionDraft:
    """Close the dispute as lost; it cannot be taken back."""
    dispute = matter.dispute.row.record_id
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_CLOSE_DISPUTE,
        purpose=purposes.CLOSE,
        target=dispute,
        account=matter.case.subject.account,
        at_risk_minor=matter.disputed_minor,
        at_risk_currency=currency_code(matter.dispute_currency),
        payload={"dispute": dispute},
        description=f"Accept the chargeback of {disputed} by closing it; the bank keeps the money for the customer",
        snapshot=dispute_snapshot(matter),
    )


def beside(matter: Matter, ruling: Ruling) -> list[ActionDraft]:
    """What is done beside the answer to the bank, whatever that answer is."""
    return [*(_ticket(matter, item) for item in ruling.errands), *(cancel(matter, item) for item in ruling.ends)]


def tell(matter: Matter, letter: Letter) -> ActionDraft | None:
    """The letter, sent once the dispute is closed. None without an address that our records hold."""
    to = telling.recipient(matter)
    if not to:
        return None
    closing = "If anything about this is unclear, just reply to this message."
    drafted = telling.customer_email(
        to=to,
        subject=letter.subject,
        body=f"Hello,\n\n{letter.body}\n\n{closing}",
        purpose=purposes.TELL_OF_CLOSE,
        description=f"Write to {to} once the dispute is closed",
        after=purposes.CLOSE,
    )
    waits = Dependency(kind=DependencyKind.OUTCOME, ref=LOST)
    return drafted.model_copy(update={"depends_on": (*drafted.depends_on, waits)})


def running(subscription: Evidence) -> bool:
    """Whether a subscription will bill again."""
    ends = subscription.row.fields.get("cancel_at_period_end") is True or whole(subscription, "cancel_at") is not None
    return text(subscription, "status") in _RUNNING and not ends


def cancel(matter: Matter, subscription: Evidence) -> ActionDraft:
    """End a subscription at once, without a proration: what it billed wrongly is returned by itself."""
    named = text(subscription, "price__nickname") or subscription.row.record_id
    each = (whole(subscription, "price__unit_amount") or 0) * (whole(subscription, "quantity") or 1)
    return ActionDraft(
        kind=ActionKind.STRIPE_CANCEL_SUBSCRIPTION,
        purpose=purposes.END_SUBSCRIPTION,
        target=subscription.row.record_id,
        account=matter.case.subject.account,
        at_risk_minor=each,
        at_risk_currency=currency_code(matter.currency),
        payload={"subscription": subscription.row.record_id, "prorate": False},
        description=f"End the subscription {named}, which must not bill again",
        snapshot={"subscription.status": text(subscription, "status")},
    )


def _ticket(matter: Matter, errand: Errand) -> ActionDraft:
    owner = next(
        (
            address
            for row in matter.exhibits.rows("salesforce.accounts", "hubspot.companies")
            if (address := text(row, "owner_email"))
        ),
        "",
    )
    return ActionDraft(
        kind=ActionKind.TICKET,
        purpose=errand.purpose,
        target=owner or matter.dispute.row.record_id,
        payload={"title": errand.title, "body": errand.body, "assignee": owner},
        description=f"Open a ticket: {errand.title}",
    )
