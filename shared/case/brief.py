"""What the synthesizer leaves: findings, a decision with its derivation, and a question for the approver."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from shared.case.canonical import Record
from shared.case.evidence import Cell, Gap


class DecisionKind(StrEnum):
    """What is recommended; each kind's meaning is in docs/architecture.md."""

    FIGHT = "fight"
    ANSWER = "answer"
    REFUND = "refund"
    CREDIT = "credit"
    ACCEPT = "accept"
    DECLINE = "decline"
    RECOVER = "recover"
    RECORD = "record"
    ESCALATE = "escalate"


class Option(Record):
    """One way to answer a question; `effect` says what it does, in words."""

    id: str
    label: str
    effect: str = ""


class Finding(Record):
    """One claim, the evidence it rests on, and how sure we are, in per cent."""

    text: str
    citations: tuple[int, ...] = Field(min_length=1)
    confidence_pct: int = Field(ge=0, le=100)


class Input(Record):
    """A value of a derivation: taken from one field of one cited row, or a constant with the rule that fixes it."""

    value: Cell
    evidence: int | None = None
    field: str | None = None
    unit: str = ""
    note: str = ""


class Derivation(Record):
    """How an amount came about: an expression over inputs, evaluated exactly and rounded once at the end.

    `value_minor` is what the author claims; the policy check recomputes it and refuses a different one.
    """

    expression: str
    inputs: dict[str, Input]
    currency: str
    value_minor: int
    words: str = ""
    """The arithmetic in words, as the expression gives them (derivation_words.py): "2 of 30 days of 8,400.00"."""


class Decision(Record):
    """The recommendation. `amount_minor` is in `currency`; None where the kind has no amount.

    `after_win`: what else a merchant's policy gives back once a contested dispute is won; only a fight has it.
    """

    kind: DecisionKind
    amount_minor: int | None = None
    currency: str | None = None
    derivation: Derivation | None = None
    after_win: Derivation | None = None
    rationale: str
    confidence_pct: int = Field(ge=0, le=100)


class Brief(Record):
    """The cited brief of one round."""

    round: int
    tldr: str
    findings: tuple[Finding, ...]
    decision: Decision
    gaps: tuple[Gap, ...] = ()
    approver_question: str
    """The decision-quality question: the trade-off, the risk, the alternative."""
    notes: tuple[str, ...] = ()
    """What was considered and why it was not proposed, e.g. remedies that are not legal here."""
    ways_out: tuple[Option, ...] = ()
    """For a decision to escalate: what a person may choose beside the usual; the choice starts another round."""
