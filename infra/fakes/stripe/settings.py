"""What a test or a world may choose: the account, the issuer, refunds, cards, webhooks. Kept in the database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields
from random import Random
from typing import Literal, TypeAlias, get_args

from .cards import OUTCOMES
from .errors import Invalid
from .wire import JsonObject

RefundCourse: TypeAlias = Literal["pending", "pending_fails", "fails"]


@dataclass(frozen=True)
class Webhooks:
    """How events reach their endpoints: several times, out of order, late, or not at all."""

    duplicate: int = 1
    """How often each event is delivered to each endpoint."""
    shuffle: int | None = None
    """A seed: deliveries that are pending together go out in an order that depends on it. None: as they came."""
    drop: tuple[str, ...] = ()
    """Types of events that are written but never delivered."""
    hold: bool = False
    """Nothing is delivered until this is false again."""

    @classmethod
    def of(cls, value: JsonObject) -> Webhooks:
        """From JSON; what is left out is as usual. Raises Invalid for what is unknown or of the wrong type."""
        if not set(value) <= {item.name for item in fields(cls)}:
            raise Invalid("webhooks knows `duplicate`, `shuffle`, `drop` and `hold`.", param="webhooks")
        types = value.get("drop") or []
        if not isinstance(types, list) or not all(isinstance(item, str) for item in types):
            raise Invalid("webhooks: drop is a list of event types.", param="webhooks")
        webhooks = cls(**{**value, "drop": tuple(types)})
        if type(webhooks.duplicate) is not int or webhooks.duplicate < 1:
            raise Invalid("webhooks: an event is delivered a whole number of times, at least once.", param="webhooks")
        if type(webhooks.shuffle) not in (int, type(None)) or type(webhooks.hold) is not bool:
            raise Invalid("webhooks: shuffle is a whole number or null, hold is true or false.", param="webhooks")
        return webhooks

    def place(self, event: str, endpoint: int, copy: int) -> float:
        """Where a delivery stands among the pending ones: before 1.0, which is long past, so due at once."""
        return 0.0 if self.shuffle is None else Random(f"{self.shuffle} {event} {endpoint} {copy}").random()


@dataclass(frozen=True)
class Settings:
    """Durations are in days of the double's clock, amounts in minor units of `fee_currency`."""

    account: str = "acct_double"
    decision_days: int = 62
    """From the submission of a chargeback's evidence to the issuer's ruling."""
    inquiry_days: int = 120
    """From the creation of an inquiry to its closing without a chargeback."""
    escalation_days: int = 14
    """From an answer that does not hold to the inquiry's escalation."""
    answer_days: int = 9
    """From an escalation to the new `due_by`, at the end of that day in UTC."""
    received_fee: int = 1500
    """Taken when a chargeback arrives, never returned."""
    countered_fee: int = 1500
    """Taken when evidence is submitted, returned on a win."""
    compliance_fee: int = 50000
    """Taken in addition when a compliance dispute is contested, returned on a win."""
    fee_currency: str = "usd"
    refund_days: int = 5
    """From the creation of a refund that does not settle at once to its settling."""
    refunds: dict[str, RefundCourse] = field(default_factory=dict)
    """Charge id -> how refunds of it go: `pending` (then succeeded), `pending_fails`, `fails` (succeeded first)."""
    refund_failure: str = "lost_or_stolen_card"
    """The `failure_reason` of a refund that fails."""
    invoices: dict[str, str] = field(default_factory=dict)
    """Invoice id -> how an attempt to pay it ends: `paid`, `requires_action`, or a decline code (see `cards`)."""
    webhooks: Webhooks = field(default_factory=Webhooks)

    def to_json(self) -> JsonObject:
        """The settings as JSON."""
        return {**asdict(self), "webhooks": {**asdict(self.webhooks), "drop": list(self.webhooks.drop)}}

    def changed(self, changes: JsonObject) -> Settings:
        """A copy with some settings changed; raises Invalid for an unknown name or a value of the wrong type."""
        current = self.to_json()
        for name, value in changes.items():
            if name not in current or type(value) is not type(current[name]):
                raise Invalid(f"No such setting, or not of its type: {name}", param=name)
            if isinstance(value, int) and value < 0:
                raise Invalid(f"A setting cannot be negative: {name}", param=name)
        _check_words("refunds", changes, get_args(RefundCourse))
        _check_words("invoices", changes, sorted(OUTCOMES))
        return Settings.from_json({**current, **changes})

    @classmethod
    def from_json(cls, value: JsonObject) -> Settings:
        """Settings as they were stored; names this version does not know are dropped."""
        known = {item.name for item in fields(cls)}
        named = {name: item for name, item in value.items() if name in known}
        return cls(**{**named, "webhooks": Webhooks.of(value.get("webhooks", {}))})


def _check_words(name: str, changes: JsonObject, words: Collection[str]) -> None:
    if not all(value in words for value in changes.get(name, {}).values()):
        raise Invalid(f"{name}: each must be one of {', '.join(words)}", param=name)
