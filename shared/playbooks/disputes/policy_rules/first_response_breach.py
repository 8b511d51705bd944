"""first_response_breach: what is given when an urgent ticket was not answered for too long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument, instrument
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
)

KIND = "first_response_breach"
_PARAMETERS: Parameters = {
    "priorities": (None, subset(frozenset({"urgent", "high", "normal", "low"}))),
    "breach_after_hours": (None, whole(1, 24 * 366)),
    "hours": ("elapsed", one_of("elapsed", "business")),
    "business_day_starts": (9, whole(0, 23)),
    "business_day_ends": (17, whole(1, 24)),
    "target_business_hours": (None, absent_or(whole(1, 1000))),
    "goodwill": (None, one_of("month_of_arr")),
    "rounding": ("smallest_unit", one_of("smallest_unit", "nearest_major")),
    "instrument": (None, instrument),
}


@dataclass(frozen=True, slots=True)
class FirstResponseBreach:
    """A rule of this kind. `after`: longer than this without an answer is a breach, in hours that pass or, with
    `in_business_hours`, in hours of Monday to Friday between the two hours of `business_day` in the org's time zone.

    `target`: what support promises, in business hours; named, never paid for. `whole_units`: what is given is rounded
    to whole major units, half up.
    """

    priorities: frozenset[str]
    after: timedelta
    in_business_hours: bool
    business_day: tuple[int, int]
    target: timedelta | None
    whole_units: bool
    instrument: Instrument


def first_response_breach(policy: Policy) -> FirstResponseBreach:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    day = number(found["business_day_starts"]), number(found["business_day_ends"])
    if day[0] >= day[1]:
        raise Unevaluable("its rule has a business day that ends before it starts")
    priorities = frozenset(names(found["priorities"]))
    if not priorities:
        raise Unevaluable("its rule names no priority of tickets")
    target = found["target_business_hours"]
    return FirstResponseBreach(
        priorities=priorities,
        after=timedelta(hours=number(found["breach_after_hours"])),
        in_business_hours=found["hours"] == "business",
        business_day=day,
        target=None if target is None else timedelta(hours=number(target)),
        whole_units=found["rounding"] == "nearest_major",
        instrument=Instrument(str(found["instrument"])),
    )
