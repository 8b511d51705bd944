"""The evidence packet against a claim of a cancellation: the terms and notices, that nobody asked, and the use."""

from __future__ import annotations

from datetime import datetime

from shared.playbooks.disputes import cancelling, labels, product
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.packet import check, common
from shared.playbooks.disputes.usage import people, per_day
from shared.team.exhibits import text
from shared.team.words import count, day, listed, minute


def packet(matter: Matter, seen: Assessment, ruling: Ruling) -> dict[str, str]:
    """The fields of the evidence. Raises InvalidInput when they break one of Stripe's limits."""
    fields = {
        **common(matter, seen),
        "cancellation_policy_disclosure": _disclosure(matter),
        "cancellation_rebuttal": _rebuttal(matter, seen),
        "uncategorized_text": _statement(matter, seen, ruling),
    }
    filled = {name: value for name, value in fields.items() if value}
    check(filled)
    return filled


def _disclosure(matter: Matter) -> str:
    """Which terms they accepted, when and from where, and the notice that they opened."""
    return " ".join(sentence for _, sentence in _consent(matter))


def _consent(matter: Matter) -> list[tuple[datetime, str]]:
    told = []
    accepted, opened = product.terms(matter), product.notice(matter)
    if accepted is not None and (at := product.happened_at(accepted)) is not None:
        version = product.properties(accepted).get("terms_version")
        address = text(accepted, "ip")
        told.append((at, f"{minute(at)}: the customer accepted our terms, version {version}, from {address}."))
    if opened is not None and (at := product.happened_at(opened)) is not None:
        told.append((at, f"{minute(at)}: the customer opened our notice of the coming renewal."))
    return told


def _rebuttal(matter: Matter, seen: Assessment) -> str:
    absent = matter.exhibits.absences(*labels.CANCELLATION_CHANNELS)
    searched = listed([labels.CANCELLATION_CHANNELS[item.row.record_id] for item in absent])
    where = f" We searched {searched}, and found none." if searched else ""
    late = [item for item in seen.cancellations.formal if item.at > matter.paid_at]
    after = f" A request of {day(late[0].at)} came after this payment and does not concern it." if late else ""
    return (
        f"Before the payment of {day(matter.paid_at)} we received no request to cancel the subscription.{where}{after} "
        "The subscription was active when the payment was made, and the customer used it afterwards."
    )


def _statement(matter: Matter, seen: Assessment, ruling: Ruling) -> str:
    entries = [*_consent(matter), (matter.paid_at, f"{minute(matter.paid_at)}: payment for {matter.plan}.")]
    subscription = cancelling.active_at(matter, matter.paid_at)
    started = product.started_at(subscription) if subscription else None
    if started is not None:
        entries.append((started, f"{minute(started)}: the subscription began."))
    if seen.uses:
        days, who = count(len(per_day(seen.uses)), "day"), count(people(seen.uses), "person")
        entries.append(
            (seen.uses[-1].at, f"{minute(seen.uses[0].at)} to {minute(seen.uses[-1].at)}: used by {who} on {days}.")
        )
    timeline = "\n".join(f"- {line}" for _, line in sorted(entries, key=lambda entry: entry[0]))
    closing = "the inquiry be closed" if matter.is_inquiry else "the dispute be decided in our favour"
    return (
        f"{matter.customer_name} paid {matter.money(matter.paid_minor)} for {matter.plan} and did not cancel before."
        f"\n\nWhat happened (times in UTC):\n{timeline}\n\nThe customer had and used what was paid for. We ask that "
        f"{closing}."
    )
