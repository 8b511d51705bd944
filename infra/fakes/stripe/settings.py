"""What a test or a world may choose about the account, the issuer and how refunds go. Kept in the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Literal, TypeAlias, cast, get_args

from .errors import Invalid
from .wire import JsonObject

RefundCourse: TypeAlias = Literal["pending", "pending_fails", "fails"]


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

    def to_json(self) -> JsonObject:
        """The settings as JSON."""
        return asdict(self)

    def changed(self, changes: JsonObject) -> Settings:
        """A copy with some settings changed; raises Invalid for an unknown name or a value of the wrong type."""
        current = self.to_json()
        for name, value in changes.items():
            if name not in current or type(value) is not type(current[name]):
                raise Invalid(f"No such setting, or not of its type: {name}", param=name)
            if isinstance(value, int) and value < 0:
                raise Invalid(f"A setting cannot be negative: {name}", param=name)
        courses = cast(dict[str, str], changes.get("refunds", {}))
        if not set(courses.values()) <= set(get_args(RefundCourse)):
            raise Invalid(f"refunds: each must be one of {', '.join(get_args(RefundCourse))}", param="refunds")
        return Settings.from_json({**current, **changes})

    @classmethod
    def from_json(cls, value: JsonObject) -> Settings:
        """Settings as they were stored; names this version does not know are dropped."""
        known = {item.name for item in fields(cls)}
        return cls(**{name: item for name, item in value.items() if name in known})
