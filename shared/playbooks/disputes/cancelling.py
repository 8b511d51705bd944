"""Cancellations, in every channel: who asked, when, and whether it was a formal request or only may have been one.

Formal is what one of the customer's people asked for in writing, clearly: to us, in a mail that a colleague shared, in
the product or at Stripe. What a colleague says in their own words that somebody said is not; a person reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from shared.case.evidence import Evidence
from shared.playbooks.disputes import product, testimony
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.testimony import Statement
from shared.team import language
from shared.team.exhibits import text
from shared.team.forwarded import shared_mail
from shared.team.moments import moment
from shared.team.plain import is_foreign


@dataclass(frozen=True, slots=True)
class Request:
    """A formal request to cancel: when it was made, where, and its words."""

    evidence: Evidence
    at: datetime
    where: str
    words: str


@dataclass(frozen=True, slots=True)
class Cancellations:
    """What was found in all channels, in order. `unclear`: what speaks of cancelling and a person has to read."""

    formal: tuple[Request, ...]
    unclear: tuple[Evidence, ...]
    mentions: tuple[Statement, ...] = ()
    """What the customer's people wrote about cancelling without asking for it."""

    def before(self, instant: datetime) -> list[Request]:
        """The formal requests made at an instant or before."""
        return [item for item in self.formal if item.at <= instant]


def cancellations(matter: Matter, said: list[Statement]) -> Cancellations:
    """Read every channel. `said`: what was written in chat and tickets."""
    asked_for = testimony.cancellations(said)
    asked = {item.evidence.index for item in asked_for}
    spoken = [item for item in said if item.theirs and item.evidence.index not in asked]
    formal = [_written(item) for item in asked_for]
    unclear = [item.evidence for item in spoken if _is_unclear(item.text)]
    unclear += [item for item in testimony.undated(matter) if _is_unclear(text(item, *item.row.fields))]
    doubted = {item.index for item in unclear}
    for found, doubtful in (
        _in_mails(matter),
        _shared(matter),
        _in_requests(matter),
        _in_product(matter),
        _at_stripe(matter),
    ):
        formal += found
        unclear += doubtful
    kept = [item.at for item in said if item.theirs and language.takes_back(item.text)]
    doubtful_requests = [item for item in formal if not _stands(matter, item, kept)]
    unclear += [item.evidence for item in doubtful_requests]
    formal = [item for item in formal if item not in doubtful_requests]
    mentions = [
        item for item in spoken if item.evidence.index not in doubted and language.mentions_cancelling(item.text)
    ]
    in_order = sorted(formal, key=lambda item: (item.at, item.evidence.index))
    return Cancellations(tuple(in_order), tuple(unclear), tuple(mentions))


def _is_unclear(written: str) -> bool:
    return language.may_be_cancellation(written) or language.is_cancellation(written) or is_foreign(written)


def _stands(matter: Matter, asked: Request, kept: list[datetime]) -> bool:
    """Whether a request is one for this subscription, covers the charge as far as it can, and was never taken back.

    A later day than the charge, a part of the plan, and a request in a text that was first seen after the charge but
    bears an earlier date, are for a person to read.
    """
    if any(at >= asked.at for at in kept):
        return False
    if asked.where in _UNWORDED:
        return True
    ends = language.cancels_on(asked.words, asked.at.date())
    late = ends is not None and asked.at <= matter.paid_at and ends > matter.paid_at.date()
    return language.is_plain_cancellation(asked.words) and not late


def days_before(matter: Matter, request: Request) -> int:
    """How many calendar days, in the org's time zone, a request was made before the payment."""
    zone = ZoneInfo(matter.org.timezone)
    return (matter.paid_at.astimezone(zone).date() - request.at.astimezone(zone).date()).days


_UNWORDED = frozenset({"in the product", "at Stripe"})
"""Where a request is a step that was taken, whatever was written beside it."""

_WHERE = {"intercom": "in chat", "zendesk": "by ticket"}


def _written(item: Statement) -> Request:
    return Request(item.evidence, item.at, _WHERE.get(item.evidence.row.source, "in writing"), item.text)


_Found = tuple[list[Request], list[Evidence]]
_NOTES = {
    "hubspot.notes": ("body", "created_at", "in a mail kept in the CRM"),
    "slack.messages": ("text", "ts", "in a mail shared in our team"),
    "hubspot.emails": ("body", "sent_at", "in a mail that was passed on"),
}


def _shared(matter: Matter) -> _Found:
    """Mails of the customer that colleagues keep in CRM notes or share with each other."""
    formal, unclear = [], []
    for item in matter.exhibits.rows(*_NOTES):
        if matter.is_theirs(text(item, "from_email")):
            continue
        column, when, where = _NOTES[item.row.table]
        written = text(item, column)
        mail = shared_mail(written)
        at = moment(item.row.fields.get(when))
        if mail is not None and matter.is_theirs(mail.author):
            sent = mail.sent_at or at
            # A date that is typed into a text proves nothing where we first saw the text after the charge.
            seen_late = at is None or (sent is not None and sent <= matter.paid_at < at)
            if language.is_cancellation(mail.words) and sent is not None and not seen_late:
                formal.append(Request(item, sent, where, mail.words))
            elif _is_unclear(mail.words):
                unclear.append(item)
        elif item.row.table == "hubspot.emails":
            continue
        elif language.is_cancellation(written) or language.may_be_cancellation(written):
            unclear.append(item)
    return formal, unclear


def _in_mails(matter: Matter) -> _Found:
    """What they wrote by e-mail, as the CRM keeps it."""
    return _letters(matter, "hubspot.emails", "from_email", ("subject", "body"), "sent_at", "by e-mail")


def _in_requests(matter: Matter) -> _Found:
    """What they asked of us by other ways."""
    return _letters(matter, "manthan.requests", "sender", ("text",), "received_at", "in a request sent to us")


def _letters(matter: Matter, table: str, author: str, words: tuple[str, ...], when: str, where: str) -> _Found:
    formal, unclear = [], []
    for item in matter.exhibits.rows(table):
        written, at = text(item, *words), moment(item.row.fields.get(when))
        if not matter.is_theirs(text(item, author)):
            continue
        if language.is_cancellation(written) and at is not None:
            formal.append(Request(item, at, where, written))
        elif _is_unclear(written):
            unclear.append(item)
    return formal, unclear


def _in_product(matter: Matter) -> _Found:
    formal, unclear = [], []
    for item in _theirs(matter, matter.exhibits.rows("posthog.events")):
        at = product.happened_at(item)
        if text(item, "event") in product.CANCELLED and at is not None:
            formal.append(Request(item, at, "in the product", text(item, "event").replace("_", " ")))
        elif "cancel" in text(item, "event").lower():
            unclear.append(item)
    return formal, unclear


def _at_stripe(matter: Matter) -> _Found:
    """The subscription that the charge paid for, where the customer ended it. What we ended ourselves is no request."""
    formal, unclear = [], []
    for item in subscriptions(matter):
        at = moment(item.row.fields.get("canceled_at"))
        if at is not None and text(item, "cancellation_details__reason") in ("", "cancellation_requested"):
            comment = text(item, "cancellation_details__comment")
            formal.append(Request(item, at, "at Stripe", comment or "subscription cancelled"))
        elif at is None and (item.row.fields.get("cancel_at_period_end") is True or item.row.fields.get("cancel_at")):
            unclear.append(item)
    return formal, unclear


def subscriptions(matter: Matter) -> list[Evidence]:
    """The subscription that the charge paid for; without a line that names one, all of the customer's."""
    named = text(matter.line, "subscription") if matter.line else ""
    rows = matter.exhibits.rows("stripe.subscriptions")
    return [item for item in rows if not named or item.row.record_id == named]


def active_at(matter: Matter, instant: datetime) -> Evidence | None:
    """The subscription, where it ran at an instant; None where it did not, or there is not exactly one."""
    running = [item for item in subscriptions(matter) if _ran(item, instant)]
    return running[0] if len(running) == 1 else None


def _ran(item: Evidence, instant: datetime) -> bool:
    fields = item.row.fields
    start = product.started_at(item)
    end = moment(fields.get("ended_at"))
    if end is None and text(item, "status") in ("canceled", "incomplete_expired"):
        end = moment(fields.get("canceled_at")) or start
    return start is not None and start <= instant and (end is None or end > instant)


def _theirs(matter: Matter, rows: Iterable[Evidence]) -> list[Evidence]:
    return [item for item in rows if matter.is_theirs(text(item, "person_email"))]
