"""The case: everything that is true about one business object, small enough to be read and written whole."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from shared.case.actions import Action, Json
from shared.case.brief import Brief, DecisionKind, Option
from shared.case.canonical import Record, short_hash
from shared.case.evidence import Ended, ReportPointer
from shared.case.lifecycle import TERMINAL, State


class Subject(Record):
    """The business object a case is about: a dispute, an early fraud warning, an invoice, a request."""

    kind: str
    id: str
    account: str | None = None
    """The connected account, None for the platform's own."""
    livemode: bool = False


class Trigger(Record):
    """What opened the case."""

    event_id: str
    type: str
    summary: str
    created_at: datetime


class Assignment(Record):
    """One specialist's piece of work in a round; `deadline_at` covers all of its attempts."""

    specialist: str
    deadline_at: datetime
    ended: Ended | None = None


class Round(Record):
    """One fan-out of specialists. `joined` once every assignment has ended; `base` is its first evidence index."""

    number: int
    assignments: tuple[Assignment, ...]
    planned_at: datetime
    base: int = 0
    joined: bool = False
    reports: tuple[ReportPointer, ...] = ()


class QuestionKind(StrEnum):
    """`ask_human`: the team needs one fact. `manual_review`: a person must decide what becomes of the case."""

    ASK_HUMAN = "ask_human"
    MANUAL_REVIEW = "manual_review"


class Answer(Record):
    """What a person chose."""

    option: str
    note: str
    by: str
    at: datetime


class Question(Record):
    """A question to a person, with its ways out. Unanswered at `due_by`, the case goes to manual review."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[Option, ...]
    asked_at: datetime
    due_by: datetime | None = None
    answer: Answer | None = None


class Outcome(Record):
    """Something the outside world has said, as a fact: dispute.won, refund.succeeded ..."""

    name: str
    at: datetime
    event_id: str
    detail: str = ""


class PostMortem(Record):
    """What came of our advice once the outside world had settled the object.

    `fees_minor` and `net_minor` are what Stripe booked for it, in `currency`, that of the account's balance; None where
    that is not known. The net is what the object moved in all: negative when it cost us.
    """

    advice: DecisionKind | None
    advised_minor: int | None
    advised_currency: str | None
    carried_out: bool
    """Whether the advice was followed by its action."""
    outcome: str
    in_words: str
    fees_minor: int | None
    net_minor: int | None
    currency: str | None
    paid_minor: int | None
    """What we paid beside it because it was owed, in `paid_currency`; None where nothing was paid."""
    paid_currency: str | None
    lesson: str


class Waiting(Record):
    """What a case in awaiting_outcome waits for, and until when we expect to hear."""

    what: str
    until: datetime | None


class Case(Record):
    """One case. Nothing here is bulk: rows live in reports, customer text only by reference."""

    id: str
    org: str
    subject: Subject
    playbook: str
    state: State
    trigger: Trigger
    opened_at: datetime
    updated_at: datetime
    facts: dict[str, Json]
    """What is known of the outside world, flat: dispute.status, dispute.amount, charge.id, due_by ..."""
    trace: str = ""
    """The trace in which it was opened: whatever is sent about the case carries it. Empty for cases of before."""
    rounds: tuple[Round, ...] = ()
    brief: Brief | None = None
    brief_hash: str | None = None
    checked: bool = False
    """Whether the policy check has spoken about the present brief and actions."""
    policy_version: str | None = None
    actions: tuple[Action, ...] = ()
    questions: tuple[Question, ...] = ()
    outcomes: dict[str, Outcome] = Field(default_factory=dict)
    waiting: Waiting | None = None
    post_mortem: PostMortem | None = None
    """Our advice against the outcome, once the outside world has settled the object."""
    decide_by: datetime | None = None
    """When the time to decide ends; approvals after it are refused."""
    state_reason: str = ""
    state_since: datetime | None = None
    """Since when it is in this state."""
    reminded: tuple[str, ...] = ()
    """Which deadline reminders have been given."""
    events: int = 0
    """How many events the log holds: the seq of the next one."""

    @property
    def terminal(self) -> bool:
        """Whether nothing more is expected of anybody."""
        return self.state in TERMINAL

    @property
    def round(self) -> Round | None:
        """The current round, if one was planned."""
        return self.rounds[-1] if self.rounds else None

    @property
    def evidence_count(self) -> int:
        """How many evidence rows are indexed: indexes run from 0 to this minus 1."""
        return sum(pointer.count for round_ in self.rounds for pointer in round_.reports)

    @property
    def open_question(self) -> Question | None:
        """The question that still waits for an answer."""
        for question in reversed(self.questions):
            if question.answer is None:
                return question
        return None

    def action(self, action_id: str) -> Action | None:
        """The action with this id."""
        return next((action for action in self.actions if action.id == action_id), None)

    def text_fact(self, name: str) -> str | None:
        """A fact that should be text; None when unknown."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else None

    def int_fact(self, name: str) -> int | None:
        """A fact that should be an integer; None when unknown."""
        value = self.facts.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def case_id(org: str, subject: Subject) -> str:
    """The id of the one case about this object: every event about it, in any order, leads here."""
    mode = "live" if subject.livemode else "test"
    return "case_" + short_hash(org, subject.account or "", mode, subject.kind, subject.id)
