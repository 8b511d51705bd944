"""What happened in a simulated world, as an outside observer would have written it down: all that the auditor sees.

`tick` orders everything: it rises with every entry, whatever any clock says. Times are virtual seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime

from infra.simulation.memory import MemoryState
from shared.case.actions import Json
from shared.ports.directory import Org


@dataclass(slots=True)
class Call:
    """One call to a service that changes something, as the service would have logged it."""

    tick: int
    at: float
    process: int
    case_id: str
    action_id: str
    attempt: int
    key: str
    kind: str
    target: str
    amount_minor: int | None
    currency: str | None
    payload: Mapping[str, Json]
    timeout_s: float
    answer: str = "none"
    """none (the caller died), done, refused, unknown, unavailable."""
    beyond_refundable: bool = False
    """It asked for more money than was left on the charge."""


@dataclass(slots=True)
class Effect:
    """A change of the outside world: what a call has done."""

    tick: int
    at: float
    case_id: str
    action_id: str
    kind: str
    ref: str
    amount_minor: int
    charge: str | None
    undone: bool = False
    """A refund that failed later."""


@dataclass(frozen=True, slots=True)
class Look:
    """A process has read the outside world: look_up, observe or the kill switch, and what it was told."""

    tick: int
    at: float
    process: int
    what: str
    action_id: str
    told: object


@dataclass(frozen=True, slots=True)
class Wrote:
    """A commit that the store has applied, whatever its writer was told."""

    tick: int
    at: float
    process: int
    case_id: str
    first_seq: int


@dataclass(slots=True)
class Journal:
    """Everything of one run."""

    calls: list[Call] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    writes: list[Wrote] = field(default_factory=list)
    accepted: dict[str, float] = field(default_factory=dict)
    """Events whose webhook delivery was answered with 2xx."""
    orgs: list[tuple[float, Org]] = field(default_factory=list)
    """Who the members were, and the policy, from when on."""
    foreign_refunds: list[tuple[float, str]] = field(default_factory=list)
    """Refunds that somebody else made: when, on which charge."""
    faults_of_ours: list[tuple[str, str]] = field(default_factory=list)
    """Unexpected errors: where, and what."""
    refused_orders: Counter[str] = field(default_factory=Counter)
    """What people were refused, by error."""
    story: list[tuple[float, str]] = field(default_factory=list)
    steps: int = 0
    names: list[str] = field(default_factory=list)
    """Every port call by name, in order."""
    ticks: int = 0

    @property
    def port_calls(self) -> int:
        """How many port calls were made."""
        return len(self.names)

    def tick(self) -> int:
        """The next tick."""
        self.ticks += 1
        return self.ticks

    def tell(self, at: float, line: str) -> None:
        """One line of the story."""
        self.story.append((at, line))


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a run: all that the auditor is given."""

    journal: Journal
    state: MemoryState
    started_at: datetime
    seconds: float
    """Virtual seconds from start to end."""
    captured: Mapping[str, int]
    """What was captured on each charge, in minor units."""
    provably_dead: Set[str] = frozenset()
    """Processes that were known to be dead by whoever asked."""
