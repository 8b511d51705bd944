"""What is said to the bank against a claim of a cancellation: the terms and notices, that nobody asked, and the use."""

from __future__ import annotations

from datetime import datetime

from shared.playbooks.disputes import cancelling, labels, product
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Argument
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text
from shared.team.words import day, listed, minute


def nobody_asked(matter: Matter, seen: Assessment) -> Argument:
    """The argument; the use is told by every packet."""
    agreed = _agreed(matter)
    fields = {
        "cancellation_policy_disclosure": " ".join(sentence for _, sentence in agreed),
        "cancellation_rebuttal": _rebuttal(matter, seen),
    }
    subscription = cancelling.active_at(matter, matter.paid_at)
    began = product.started_at(subscription) if subscription else None
    entries = [*agreed, *([(began, f"{minute(began)}: the subscription began.")] if began else [])]
    closing = "The subscription was not cancelled before this payment, and the customer used what was paid for."
    return Argument({name: value for name, value in fields.items() if value}, tuple(entries), closing)


def _agreed(matter: Matter) -> list[tuple[datetime, str]]:
    """Which terms they accepted, when and from where, and the notice of the renewal that they opened."""
    told = []
    accepted, opened = product.terms(matter), product.notice(matter)
    if accepted is not None and (at := product.happened_at(accepted)) is not None:
        version, address = product.properties(accepted).get("terms_version"), text(accepted, "ip")
        told.append((at, f"{minute(at)}: the customer accepted our terms, version {version}, from {address}."))
    if opened is not None and (at := product.happened_at(opened)) is not None:
        told.append((at, f"{minute(at)}: the customer opened our notice of the coming renewal."))
    return told


def _rebuttal(matter: Matter, seen: Assessment) -> str:
    # One answer proves all of these absences: with any of them, every channel was searched.
    proven = matter.exhibits.absences(*labels.CANCELLATION_CHANNELS)
    where = f" We searched {listed(list(labels.CANCELLATION_CHANNELS.values()))}." if proven else ""
    asides = listed([day(item.at) for item in seen.cancellations.mentions[:3]])
    where += f" What the customer wrote on {asides} speaks of it and does not ask for it." if asides else ""
    late = [item for item in seen.cancellations.formal if item.at > matter.paid_at]
    after = f" A request of {day(late[0].at)} came after this payment and does not concern it." if late else ""
    return (
        f"Before the payment of {day(matter.paid_at)} we received no request to cancel the subscription.{where}{after} "
        "The subscription was active when the payment was made."
    )
