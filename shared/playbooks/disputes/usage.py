"""What the customer's people used, from product analytics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes import product
from shared.playbooks.disputes.setting import Setting
from shared.team.exhibits import text
from shared.team.moments import moment


@dataclass(frozen=True, slots=True)
class Use:
    """One event of use, names in lower case. `tier` and `region` are empty where the event does not say."""

    evidence: Evidence
    at: datetime
    person: str
    event: str
    service: str
    tier: str
    region: str


def uses(matter: Setting) -> list[Use]:
    """The events of use in the cycle, or since the payment where it has none, in order.

    Buying, accepting terms, opening a notice and cancelling are no use of the product.
    """
    since = matter.cycle.start if matter.cycle else matter.paid_at
    events = matter.exhibits.rows("posthog.events")
    found = [use for item in events if (use := _use(item)) is not None and use.at >= since]
    return sorted(found, key=lambda use: (use.at, use.evidence.index))


def per_day(found: Iterable[Use]) -> dict[date, int]:
    """How many events each day (UTC) has."""
    return dict(sorted(Counter(use.at.date() for use in found).items()))


def people(found: Iterable[Use]) -> int:
    """How many different people there are."""
    return len({use.person for use in found})


def _use(item: Evidence) -> Use | None:
    at = moment(item.row.fields.get("timestamp"))
    if at is None or text(item, "event") in product.NOT_USE:
        return None
    properties = product.properties(item)
    return Use(
        evidence=item,
        at=at,
        person=text(item, "person_email").lower(),
        event=text(item, "event"),
        service=str(properties.get("service") or "").strip().lower(),
        tier=str(properties.get("tier") or "").lower(),
        region=str(properties.get("region") or "").lower(),
    )
