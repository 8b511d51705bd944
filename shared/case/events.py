"""The typed, append-only events of a case. They hold references and decisions, never customers' text."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from shared.case.actions import Action, ActionState, Json, Verdict
from shared.case.brief import Brief
from shared.case.canonical import Record
from shared.case.case import Answer, Assignment, Outcome, PostMortem, Question, Subject, Trigger, Waiting
from shared.case.evidence import ReportPointer
from shared.case.lifecycle import State


class CaseOpened(Record):
    """The first event: a business object became a case."""

    type: Literal["case_opened"] = "case_opened"
    case_id: str
    org: str
    subject: Subject
    playbook: str
    trigger: Trigger
    facts: dict[str, Json]
    trace: str = ""


class Moved(Record):
    """The case changed its state, and why."""

    type: Literal["moved"] = "moved"
    to: State
    reason: str
    waiting: Waiting | None = None
    decide_by: datetime | None = None


class RoundPlanned(Record):
    """Specialists were assigned."""

    type: Literal["round_planned"] = "round_planned"
    round: int
    assignments: tuple[Assignment, ...]


class RoundJoined(Record):
    """Every assignment of the round has ended; their rows now have indexes."""

    type: Literal["round_joined"] = "round_joined"
    round: int
    reports: tuple[ReportPointer, ...]


class BriefDrafted(Record):
    """Findings, decision and drafted actions of a round. Replaces what was drafted before and has not happened."""

    type: Literal["brief_drafted"] = "brief_drafted"
    brief: Brief
    brief_hash: str
    actions: tuple[Action, ...]
    facts: dict[str, Json] = Field(default_factory=dict)
    """What the investigation established about the object and the customer, by name."""


class QuestionAsked(Record):
    """A person is asked something."""

    type: Literal["question_asked"] = "question_asked"
    question: Question


class QuestionAnswered(Record):
    """A person answered."""

    type: Literal["question_answered"] = "question_answered"
    question_id: str
    answer: Answer


class PolicyChecked(Record):
    """Who must approve what, under which policy."""

    type: Literal["policy_checked"] = "policy_checked"
    policy_version: str
    verdicts: dict[str, Verdict]
    """By action id."""
    complete: bool = True
    """False when only single actions were judged again, and the draft as a whole was not."""


class ActionApproved(Record):
    """One person approved one action's content."""

    type: Literal["action_approved"] = "action_approved"
    action_id: str
    hash: str
    email: str
    role: str


class ActionEdited(Record):
    """A person changed an action; whatever approvals it and its dependants had are gone."""

    type: Literal["action_edited"] = "action_edited"
    action_id: str
    payload: dict[str, Json]
    amount_minor: int | None
    hash: str
    by: str


class ActionIntended(Record):
    """We are about to call the outside world: the intent, its key and the lease, recorded before the call."""

    type: Literal["action_intended"] = "action_intended"
    action_id: str
    attempt: int
    idempotency_key: str
    lease_until: datetime
    lease_owner: str


class ActionMoved(Record):
    """An action changed its state: what the other side said, or why it will not run."""

    type: Literal["action_moved"] = "action_moved"
    action_id: str
    to: ActionState
    reason: str = ""
    external_ref: str | None = None
    error: str | None = None
    approvals_fall: bool = False
    """Back to people: the approvals it had no longer count."""
    pending: bool = False
    """With `succeeded`: the other side accepted it, and has not said yet that it is final."""


class OutsideChanged(Record):
    """The outside world said something about the business object."""

    type: Literal["outside_changed"] = "outside_changed"
    event_id: str
    event_type: str
    facts: dict[str, Json]
    outcome: Outcome | None = None


class Reminded(Record):
    """A deadline is near and a person was told."""

    type: Literal["reminded"] = "reminded"
    what: str


class Rescheduled(Record):
    """The time that people have to decide changed, because the object's own deadline did."""

    type: Literal["rescheduled"] = "rescheduled"
    decide_by: datetime


class PostMortemWritten(Record):
    """The outside world has settled the object: what came of our advice. A later one replaces it."""

    type: Literal["post_mortem_written"] = "post_mortem_written"
    post_mortem: PostMortem


class EpisodeRecorded(Record):
    """The case was committed to memory: what we decided, why, and how it ended."""

    type: Literal["episode_recorded"] = "episode_recorded"
    customer: str
    decision: str
    amount_minor: int | None
    currency: str | None
    outcome: str
    lesson: str = ""


Event = Annotated[
    CaseOpened
    | Moved
    | RoundPlanned
    | RoundJoined
    | BriefDrafted
    | QuestionAsked
    | QuestionAnswered
    | PolicyChecked
    | ActionApproved
    | ActionEdited
    | ActionIntended
    | ActionMoved
    | OutsideChanged
    | Reminded
    | Rescheduled
    | PostMortemWritten
    | EpisodeRecorded,
    Field(discriminator="type"),
]
"""Any event of a case."""


class Entry(Record):
    """One line of the log: an event with its place in the chain, who caused it and when it was recorded."""

    v: int = 1
    """Schema version of the event; older ones are upcast after their hash was verified."""
    seq: int
    at: datetime
    actor: str
    trace: str
    commit: str
    event: Event
    prev_hash: str
