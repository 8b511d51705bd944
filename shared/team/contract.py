"""What a playbook and its specialists are to the pipeline: the interface that rules and models share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from shared.case.actions import Action, ActionDraft, Json
from shared.case.brief import Brief, Decision, Option
from shared.case.case import Case, Outcome, PostMortem, Subject
from shared.case.evidence import Evidence, EvidenceRow, Gap
from shared.ports.directory import Org
from shared.ports.exhibits import Render
from shared.ports.sources import Sources


class OutOfTime(Exception):
    """The soft budget of a specialist is used up; what was gathered so far is handed over with a gap."""


@dataclass(slots=True)
class Findings:
    """What a specialist has gathered so far; kept outside of it so that a failure loses nothing."""

    rows: list[EvidenceRow] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at an assignment."""

    case: Case
    org: Org
    specialist: str
    round: int
    attempt: int
    now: datetime
    sources: Sources
    remaining_s: float
    """Seconds of the soft budget left at the start of this attempt."""


class Specialist(Protocol):
    """One specialist: gathers evidence and gaps, never decides, never drafts."""

    @property
    def name(self) -> str:
        """Stable name, e.g. payments_analyst."""
        ...

    @property
    def deadline_s(self) -> float:
        """Seconds from planning within which all its attempts must end."""
        ...

    def investigate(self, job: Job, findings: Findings) -> None:
        """Add rows and gaps to `findings`. Raises Retryable when a source is down; what was added by then is kept."""
        ...


@dataclass(frozen=True, slots=True)
class AskHuman:
    """A concrete question to a person, with options; the answer makes synthesize due again."""

    text: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What the synthesizer concludes: a brief with drafted actions, or a question. `actions` refer to each other in
    depends_on by their `purpose`, which is unique within a draft."""

    brief: Brief | None
    actions: tuple[ActionDraft, ...] = ()
    question: AskHuman | None = None
    facts: Mapping[str, Json] = field(default_factory=dict)
    """What the evidence established, for the case to remember: customer.id, customer.email, customer.name, and for
    money on a charge charge.refundable_now_minor and charge.refundable_later_minor (once the awaited outcome came)."""


@dataclass(frozen=True, slots=True)
class Material:
    """Everything the synthesizer sees."""

    case: Case
    org: Org
    round: int
    evidence: Sequence[Evidence]
    gaps: Sequence[Gap]
    now: datetime
    render: Render | None = None
    """Draws documents, where something here can."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What an event says about the business object: facts to merge and, perhaps, an outcome.

    `reopens`: the object needs a new round whatever state the case is in (an inquiry escalated).
    """

    facts: Mapping[str, Json]
    outcome: Outcome | None = None
    reopens: bool = False
    why: str = "the business object needs another look"
    """For people: why it reopens."""


@dataclass(frozen=True, slots=True)
class Routing:
    """Where an event goes. `opens`: it may open the case; else it only attaches to one that exists."""

    subject: Subject
    case_id: str | None
    """Set where the event names its case itself (our own refund); else it follows from the subject."""
    playbook: str
    opens: bool
    summary: str
    observation: Observation
    waits: bool = True
    """Whether an event that opens nothing waits for its case; else it is ignored where there is none."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """An event that concerns nothing, with the reason."""

    reason: str


class Playbook(Protocol):
    """What a kind of case adds to the pipeline."""

    @property
    def name(self) -> str:
        """Stable name, e.g. disputes."""
        ...

    def route(self, org: str, event: Mapping[str, Json]) -> Routing | Ignored | None:
        """Pure: what an event means to this playbook. None: not one of its event types. Never raises for odd payloads
        of a known type: raises InvalidInput only when the object cannot be identified."""
        ...

    def observe(self, case: Case, observation: Observation) -> Observation:
        """Pure: the observation as this case should take it: older news than what is known changes nothing."""
        ...

    def team(self, case: Case) -> Sequence[Specialist]:
        """The specialists for the next round; empty: this case needs none and goes to a person (manual review)."""
        ...

    def synthesize(self, material: Material) -> Draft:
        """Findings, decision and drafted actions from the evidence. Deterministic."""
        ...

    def illegal(self, case: Case, decision: Decision, action: Action | None) -> str | None:
        """Why a decision, or one of its actions, is not legal in the known state of the object; None: legal."""
        ...

    def settled_by(self, case: Case) -> str | None:
        """Why the outside world has settled this case, from its facts and outcomes; None: it has not."""
        ...

    def awaits(self, case: Case) -> tuple[str, datetime | None] | None:
        """What the case still waits for outside once its own actions are done, and until when; None: nothing."""
        ...

    def reconsiders(self, case: Case, world: Mapping[str, Json]) -> str | None:
        """Why what was read of the world before an action calls for another round; None: a person looks."""
        ...

    def post_mortem(self, case: Case) -> PostMortem | None:
        """What came of our advice, once the outside world has settled the object; None before, and where none is."""
        ...

    def looks_again(self, case: Case) -> str | None:
        """Why a wait that ended without a word is followed by another round, where the sources themselves tell what
        became of the object; None: a person is asked."""
        ...

    def outcome_of(self, case: Case) -> str:
        """One word for memory: how it ended (won, lost, withdrawn, paid ...)."""
        ...
