"""The pure router: which business object a Stripe event is about, and what it says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from shared.case.actions import Json
from shared.case.case import Outcome, Subject
from shared.errors import InvalidInput
from shared.playbooks.disputes import facts
from shared.playbooks.disputes.facts import Object
from shared.playbooks.disputes.stages import TERMINAL_STATUSES
from shared.team.contract import Ignored, Observation, Routing

NAME = "disputes"

CLOSED_OUTCOMES = {
    "won": "dispute.won",
    "lost": "dispute.lost",
    "warning_closed": "dispute.warning_closed",
    "prevented": "dispute.prevented",
}
_INVOICE_OUTCOMES = {"paid": "invoice.paid", "void": "invoice.void", "uncollectible": "invoice.uncollectible"}
_REFUND_OUTCOMES = {"failed": "refund.failed", "succeeded": "refund.succeeded", "canceled": "refund.canceled"}


def route(event: Mapping[str, Json]) -> Routing | Ignored | None:
    """What an event means; None for a type that is not ours.

    Raises InvalidInput, saying what is missing, when the object of one of our types cannot be identified.
    """
    handler = _HANDLERS.get(str(event.get("type")))
    return handler(_Event(event)) if handler else None


class _Event:
    """The parts of an event that routing reads."""

    def __init__(self, event: Mapping[str, Json]) -> None:
        self.id = event.get("id")
        self.type = str(event["type"])
        data = event.get("data")
        found = data.get("object") if isinstance(data, dict) else None
        if not isinstance(found, dict):
            raise InvalidInput(f"{self.type} carries no data.object: a thin event, or one that was cut")
        if not isinstance(found.get("id"), str) or not found["id"]:
            raise InvalidInput(f"{self.type}: data.object has no id")
        self.object: Object = found
        self.created = facts.seconds(event, "created")
        account = event.get("account")
        self.account = account if isinstance(account, str) and account else None
        self.livemode = event.get("livemode") is True

    def subject(self, kind: str) -> Subject:
        """The object as the subject of a case."""
        return Subject(kind=kind, id=str(self.object["id"]), account=self.account, livemode=self.livemode)

    def outcome(self, name: str | None, detail: str = "") -> Outcome | None:
        """What the event says has come about; None without a name."""
        if name is None:
            return None
        at = datetime.fromtimestamp(self.created or 0, UTC)
        return Outcome(name=name, at=at, event_id=str(self.id or ""), detail=detail)

    def routing(
        self,
        subject: Subject,
        summary: str,
        known: dict[str, Json],
        *,
        opens: bool,
        outcome: Outcome | None = None,
        case_id: str | None = None,
        waits: bool = True,
    ) -> Routing:
        """Where the event goes, with what it says."""
        return Routing(
            subject=subject,
            case_id=case_id,
            playbook=NAME,
            opens=opens,
            waits=waits,
            summary=summary,
            observation=Observation(facts=known, outcome=outcome),
        )


def _dispute_opened(event: _Event) -> Routing:
    known = _told(event)
    if known.get("dispute.status") == "lost":
        known["dispute.lost_on_arrival"] = True
    return event.routing(event.subject("dispute"), facts.dispute_in_words(event.object), known, opens=True)


def _told(event: _Event) -> dict[str, Json]:
    return facts.of_dispute(event.object, event.created) | facts.of_books(event.object, event.created)


def _dispute_updated(event: _Event) -> Routing:
    known = _told(event)
    # Only the closing event may say how a dispute ended; an update that already knows it leaves the status alone.
    if known.get("dispute.status") in TERMINAL_STATUSES:
        del known["dispute.status"]
    opens = "dispute.status" in known
    return event.routing(event.subject("dispute"), facts.dispute_in_words(event.object), known, opens=opens)


def _dispute_closed(event: _Event) -> Routing:
    # Only this event type may say how a dispute ended: a reinstatement was seen on a lost one.
    known = _told(event)
    outcome = event.outcome(CLOSED_OUTCOMES.get(str(event.object.get("status"))))
    summary = f"dispute closed: {event.object.get('status')}"
    return event.routing(event.subject("dispute"), summary, known, opens=False, outcome=outcome)


def _dispute_funds(event: _Event) -> Routing:
    what = event.type.rpartition("_")[2]
    known: dict[str, Json] = {"funds.state": what, **facts.of_books(event.object, event.created)}
    if event.created is not None:
        known["funds.as_of"] = event.created
    return event.routing(event.subject("dispute"), f"disputed funds {what}", known, opens=False)


def _early_fraud_warning(event: _Event) -> Routing:
    known = facts.of_warning(event.object, event.created)
    summary = f"early fraud warning on {known.get('charge.id', 'an unnamed charge')}"
    return event.routing(event.subject("early_fraud_warning"), summary, known, opens=True)


def _invoice_failed(event: _Event) -> Routing | Ignored:
    return _invoice_owed(event, "payment of invoice {} failed")


def _invoice_overdue(event: _Event) -> Routing | Ignored:
    return _invoice_owed(event, "invoice {} is overdue")


def _invoice_owed(event: _Event, summary: str) -> Routing | Ignored:
    if facts.whole(event.object, "amount_due") == 0:
        return Ignored(f"invoice {event.object['id']} has nothing due")
    if event.object.get("status") in ("paid", "void", "draft"):
        return Ignored(f"invoice {event.object['id']} is {event.object['status']}: there is nothing to collect")
    known = facts.of_invoice(event.object, event.created)
    named = summary.format(event.object.get("number") or event.object["id"])
    return event.routing(event.subject("invoice"), named, known, opens=True)


def _invoice_settled(event: _Event) -> Routing:
    # Most invoices are paid and never a case: such an event waits for none. A case that opens later reads the invoice.
    status = str(event.object.get("status"))
    known = facts.of_invoice(event.object, event.created)
    outcome = event.outcome(_INVOICE_OUTCOMES.get(status))
    summary = f"invoice {event.object.get('number') or event.object['id']} is {status}"
    return event.routing(event.subject("invoice"), summary, known, opens=False, outcome=outcome, waits=False)


def _refund(event: _Event) -> Routing | Ignored:
    metadata = event.object.get("metadata")
    ours = metadata if isinstance(metadata, dict) else {}
    case, action = ours.get("manthan_case"), ours.get("manthan_action")
    if not isinstance(case, str) or not case or not isinstance(action, str) or not action:
        return Ignored(f"refund {event.object['id']} is not a refund of ours")
    status = "failed" if event.type == "refund.failed" else str(event.object.get("status"))
    known = facts.of_refund(event.object, event.created, action, status)
    outcome = event.outcome(_REFUND_OUTCOMES.get(status), action)
    summary = f"our refund {event.object['id']} is {status}"
    return event.routing(event.subject("refund"), summary, known, opens=False, outcome=outcome, case_id=case)


def _request_by_a_person(event: _Event) -> Routing:
    known = facts.of_request(event.object, event.created)
    summary = f"a request by {known.get('request.from', 'somebody')} ({known.get('request.channel', 'no channel')})"
    return event.routing(event.subject("request"), summary, known, opens=True)


_HANDLERS: dict[str, Callable[[_Event], Routing | Ignored]] = {
    "charge.dispute.created": _dispute_opened,
    "charge.dispute.updated": _dispute_updated,
    "charge.dispute.closed": _dispute_closed,
    "charge.dispute.funds_withdrawn": _dispute_funds,
    "charge.dispute.funds_reinstated": _dispute_funds,
    "radar.early_fraud_warning.created": _early_fraud_warning,
    "invoice.payment_failed": _invoice_failed,
    "invoice.overdue": _invoice_overdue,
    "invoice.paid": _invoice_settled,
    "invoice.voided": _invoice_settled,
    "invoice.marked_uncollectible": _invoice_settled,
    "refund.updated": _refund,
    "refund.failed": _refund,
    "manthan.request.created": _request_by_a_person,
}

EVENT_TYPES = frozenset(_HANDLERS)
"""Exactly the event types this playbook takes: Stripe's, and the request by a person that our own intake makes."""
