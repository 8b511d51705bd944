"""world.yaml: who the merchant is, and when the story starts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, StrictInt, model_validator

from infra.worlds.documents import yaml_document
from infra.worlds.folder import Folder
from infra.worlds.validation import Entry, validated
from shared.case.money import currency_code
from shared.errors import InvalidInput
from shared.ports.directory import Member, Org, Role

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_DECIMAL = re.compile(r"\d+(\.\d+)?")
APPROVING = frozenset({Role.ADMIN, Role.APPROVER})


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is not an IANA time zone such as Europe/Berlin or UTC") from None
    return name


def _currency(code: str) -> str:
    try:
        known = currency_code(code)
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    if known != code:
        raise ValueError(f"write the code in lower case: {known}")
    return code


def _email(address: str) -> str:
    if not _EMAIL.fullmatch(address):
        raise ValueError(f"{address!r} is not an e-mail address")
    return address


def _rate(value: object) -> Decimal:
    text = str(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or not _DECIMAL.fullmatch(text):
        raise ValueError("a rate is a whole number or decimal text in quotes, such as '1.08'")
    rate = Decimal(text)
    if rate <= 0:
        raise ValueError("a rate is greater than zero")
    return rate


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


CurrencyCode = Annotated[str, AfterValidator(_currency)]
EmailAddress = Annotated[str, AfterValidator(_email)]
Rate = Annotated[Decimal, BeforeValidator(_rate)]
Moment = Annotated[AwareDatetime, AfterValidator(_utc)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")]


class MemberEntry(Entry):
    """A person of the org. `limit_minor` bounds the money at risk they may approve (minor units); null: no bound."""

    email: EmailAddress
    name: str = Field(min_length=1)
    role: Role
    limit_minor: Annotated[StrictInt, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _limit_is_stated(self) -> MemberEntry:
        if self.role in APPROVING and "limit_minor" not in self.model_fields_set:
            raise ValueError("who approves needs a limit_minor: an amount in minor units, or null for no bound")
        return self


class OrgEntry(Entry):
    """The merchant. `fx`: one major unit of the key in the org's currency, exact."""

    id: Slug
    currency: CurrencyCode
    timezone: Annotated[str, AfterValidator(_timezone)] = "UTC"
    fx: dict[CurrencyCode, Rate] = Field(default_factory=dict)
    members: tuple[MemberEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> OrgEntry:
        if self.currency in self.fx:
            raise ValueError(f"fx holds other currencies only; {self.currency} is the org's own")
        emails = [member.email.casefold() for member in self.members]
        twice = next((email for email in emails if emails.count(email) > 1), None)
        if twice:
            raise ValueError(f"members holds {twice} twice")
        return self

    def org(self, approval_policy: str | None) -> Org:
        """The org as the directory knows it, with the text of its approval policy (None: the shipped tiers)."""
        members = tuple(
            Member(email=m.email, name=m.name, role=m.role, limit_minor=m.limit_minor) for m in self.members
        )
        fx: Mapping[str, str] = {code: f"{rate:f}" for code, rate in self.fx.items()}
        return Org(
            id=self.id,
            currency=self.currency,
            timezone=self.timezone,
            fx=dict(fx),
            members=members,
            approval_policy=approval_policy,
        )


class NoiseEntry(Entry):
    """Unrelated life around the facts: the same seed and scale give the same rows. Scale 1 is some hundreds of rows."""

    seed: StrictInt
    scale: Annotated[StrictInt, Field(ge=0, le=20)] = 1


RefundCourse = Literal["pending", "pending_fails", "fails"]
"""How a refund goes: settled later, failed instead of settling, or failed after it had already succeeded."""


class StripeEntry(Entry):
    """How the simulated Stripe behaves. `issuer_days`: days from a submission to the issuer's ruling.

    `refunds`: charge id to how refunds of that charge go; of any other charge they succeed at once and for good.
    `refund_days`: days from the creation of such a refund to its settling or failing.
    """

    issuer_days: Annotated[StrictInt, Field(ge=1, le=180)] = 62
    refunds: dict[str, RefundCourse] = Field(default_factory=dict)
    refund_days: Annotated[StrictInt, Field(ge=1, le=30)] = 5


class Manifest(Entry):
    """world.yaml as a whole. `now` is the instant at which the clock starts, in UTC."""

    name: Slug
    title: str = Field(min_length=1)
    now: Moment
    org: OrgEntry
    noise: NoiseEntry | None = None
    stripe: StripeEntry = StripeEntry()


def read_manifest(folder: Folder) -> Manifest:
    """Read world.yaml. Raises InvalidInput with file and line for anything that is not as described above."""
    return validated(folder, yaml_document(folder, folder.root / "world.yaml"), Manifest)
