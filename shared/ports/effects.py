"""Changing the outside world. Only `act` is given these, and they are the only holders of write credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.case.actions import Action, Json
from shared.errors import ManthanError, Retryable


@dataclass(frozen=True, slots=True)
class EffectContext:
    """What every call carries so that its effect can be found again: who, for which case, under which key."""

    org: str
    case_id: str
    idempotency_key: str
    attempt: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Done:
    """What the other side said it did. `external_ref` is its own id, never one of ours; `pending`: not final yet."""

    external_ref: str
    summary: str
    pending: bool = False


class EffectRefused(ManthanError):
    """The other side refused for good, in its own words. Nothing happened there."""

    code = "effect_refused"


class EffectUnknown(ManthanError):
    """The call may or may not have had its effect: look it up before trying again."""

    code = "effect_unknown"


class EffectUnavailable(Retryable):
    """The other side certainly did nothing (rate limit, refused connection): try again later."""

    code = "effect_unavailable"


class Effects(Protocol):
    """All services that `act` can change, behind one contract."""

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """Re-read the world: present values of the fields in the action's snapshot, and for money out
        `refundable_minor` (captured minus refunded). Raises EffectUnavailable."""
        ...

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """Whether this action's effect exists already, found by its own metadata or key; of every status.

        Raises EffectRefused for an effect of ours that the other side has undone or failed, and EffectUnavailable.
        """
        ...

    def perform(self, action: Action, context: EffectContext) -> Done:
        """One call, with our idempotency key. Raises EffectRefused, EffectUnknown or EffectUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Stop:
    """Who stopped effects, when and why. `org` None: for all orgs."""

    org: str | None
    by: str
    reason: str
    at: datetime


class Switch(Protocol):
    """The kill switch: while it is on, no effect is carried out."""

    def effects_stopped(self, org: str) -> bool:
        """Whether effects are stopped, read fresh."""
        ...
