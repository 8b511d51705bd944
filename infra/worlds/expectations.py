"""expect.yaml: what the evaluation expects of a world. Nothing else may read it: it is the answer.

A key that this evaluation does not know is kept and listed as not checked: a world made for a later edition still runs,
and nothing is taken for checked that was not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StrictInt, model_validator

from infra.worlds.documents import yaml_document
from infra.worlds.folder import Folder
from infra.worlds.manifest import CurrencyCode
from infra.worlds.validation import Entry, validated
from shared.case.actions import ActionKind, Tier
from shared.case.brief import DecisionKind
from shared.case.lifecycle import State

Citation = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*:\S+$")]
"""A record that must be cited: schema.table:record_id."""


class Forbidden(Entry):
    """Something the case must not hold: it offends when everything given is true of it."""

    model_config = ConfigDict(extra="allow")

    decision: DecisionKind | None = None
    action: ActionKind | None = None
    amount_minor: StrictInt | None = None
    cites: Citation | None = None
    says: str | None = None
    """Text (case is ignored) that the rationale and the drafted messages must not contain."""

    @model_validator(mode="after")
    def _names_something(self) -> Forbidden:
        if not self.model_fields_set:
            raise ValueError("names at least one of: decision, action, amount_minor, cites, says")
        return self


class Packet(Entry):
    """What the evidence for the bank must hold: Stripe's names of fields, those that must stay empty, and whether every
    field that decides claims of this code is filled."""

    model_config = ConfigDict(extra="allow")

    fields: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    complete: bool | None = None


class Expectation(Entry):
    """What one case must look like when it has run. Amounts are in minor units of `currency`."""

    model_config = ConfigDict(extra="allow")

    subject: str = Field(min_length=1)
    """The Stripe id of the business object, or the id of a request."""
    decision: DecisionKind | None = None
    decision_any: tuple[DecisionKind, ...] = ()
    amount_minor: Annotated[StrictInt, Field(ge=0)] | None = None
    currency: CurrencyCode | None = None
    verdicts: dict[ActionKind, Tier] = Field(default_factory=dict)
    requires: dict[DecisionKind, tuple[ActionKind, ...]] = Field(default_factory=dict)
    cites: tuple[Citation, ...] = ()
    cites_any: tuple[tuple[Citation, ...], ...] = ()
    """Groups of which at least one record each must be cited."""
    forbids: tuple[Forbidden, ...] = ()
    packet: Packet | None = None
    state: State

    @model_validator(mode="after")
    def _consistent(self) -> Expectation:
        if (self.decision is None) == (not self.decision_any):
            raise ValueError("names either decision or decision_any")
        if (self.amount_minor is None) != (self.currency is None):
            raise ValueError("amount_minor and currency are given together or not at all")
        return self

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What is expected here that this evaluation does not know, by its place."""
        unknown = [*(self.model_extra or {})]
        unknown += [f"packet.{name}" for name in (self.packet.model_extra or {} if self.packet else ())]
        for place, forbidden in enumerate(self.forbids):
            unknown += [f"forbids[{place}].{name}" for name in forbidden.model_extra or {}]
        return tuple(unknown)

    @property
    def decisions(self) -> frozenset[DecisionKind]:
        """The decisions that are right."""
        return frozenset(self.decision_any if self.decision is None else (self.decision,))


def load_expectations(path: Path) -> tuple[Expectation, ...]:
    """The expectations of the world at `path`, one per case; empty when nothing should be opened.

    Raises InvalidInput when expect.yaml is missing or is not as described above.
    """
    folder = Folder.open(path)
    document = yaml_document(folder, folder.root / "expect.yaml")
    data = document.data
    if not isinstance(data, dict) or "cases" not in data:
        return (validated(folder, document, Expectation),)
    if len(data) > 1 or not isinstance(data["cases"], list):
        raise folder.fault(document.path, "cases is a list and stands alone", document.line_of(["cases"]))
    found = [
        validated(folder, document, Expectation, data=item, within=("cases", index))
        for index, item in enumerate(data["cases"])
    ]
    subjects = [case.subject for case in found]
    for index, subject in enumerate(subjects):
        if subject in subjects[:index]:
            line = document.line_of(["cases", index, "subject"])
            raise folder.fault(document.path, f"the subject {subject!r} has two cases", line)
    return tuple(found)
