"""seat_proration: seats that were given up within a billing cycle are paid back for the rest of it."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument, instrument
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    number,
    one_of,
    text,
    values,
    whole,
)

KIND = "seat_proration"
_PARAMETERS: Parameters = {
    "removed_event": ("seats_removed", text),
    "added_event": ("seats_added", text),
    "basis": (None, one_of("billing_cycle_days", "fixed_days")),
    "basis_days": (None, absent_or(whole(1, 366))),
    "rounding": ("half_up", one_of("half_up")),
    "instrument": (None, instrument),
}


@dataclass(frozen=True, slots=True)
class SeatProration:
    """A rule of this kind. `removed_event`, `added_event`: usage events whose property `seats` counts the seats.

    `basis_days`: a fixed number of days, None for the real days of the billing cycle. Durations are exact.
    """

    removed_event: str
    added_event: str
    basis_days: int | None
    instrument: Instrument


def seat_proration(policy: Policy) -> SeatProration:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    days = found["basis_days"]
    if (found["basis"] == "fixed_days") != (days is not None):
        raise Unevaluable("its rule names a basis and a number of days that do not fit together")
    removed, added = str(found["removed_event"]), str(found["added_event"])
    if removed == added:
        raise Unevaluable("its rule gives one name to seats that come and seats that go")
    return SeatProration(removed, added, None if days is None else number(days), Instrument(str(found["instrument"])))
