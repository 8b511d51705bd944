"""sales_promise: what a member of staff promised in writing binds, and what was billed against it is given back."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument, instrument
from shared.playbooks.disputes.policy_rules.reading import Parameters, Unevaluable, names, one_of, subset, values

KIND = "sales_promise"
CHANNELS = {"email": "hubspot.emails", "call_note": "hubspot.notes"}
"""Where a promise may stand, and the table that holds it."""

SEATS, TRIAL = "seats", "trial"

_PARAMETERS: Parameters = {
    "about": (None, subset(frozenset({SEATS, TRIAL}))),
    "channels": (None, subset(frozenset(CHANNELS))),
    "promised_by": ("staff", one_of("staff", "account_owner")),
    "binds": (None, one_of("good_faith_reliance")),
    "amendment": ("ticket", one_of("ticket")),
    "instrument": (None, instrument),
}


@dataclass(frozen=True, slots=True)
class SalesPromise:
    """A rule of this kind. `about`: seats (a number that may be used at no extra charge), trial (a day until which it
    lasts). `tables`: where a promise counts. `owner_only`: only the owner of the account can promise, else any staff.
    """

    about: frozenset[str]
    tables: tuple[str, ...]
    owner_only: bool
    instrument: Instrument


def sales_promise(policy: Policy) -> SalesPromise:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    about, channels = names(found["about"]), names(found["channels"])
    if not about or not channels:
        raise Unevaluable("its rule names nothing that can be promised, or nowhere to promise it")
    return SalesPromise(
        about=frozenset(about),
        tables=tuple(CHANNELS[name] for name in sorted(channels)),
        owner_only=found["promised_by"] == "account_owner",
        instrument=Instrument(str(found["instrument"])),
    )
