"""The ports around a step, each as unreliable as its contract allows: clock, registry, switch, stale queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from infra.simulation.baton import Baton
from infra.simulation.gate import Gate, identity
from infra.simulation.journal import Journal, Look, Wrote
from infra.simulation.memory import MemoryInbox, MemoryState, MemoryStore
from infra.simulation.weather import Weather
from shared.case.case import Case
from shared.errors import NotFound
from shared.ports.directory import Org, Role
from shared.ports.store import InboxEntry, Version, Write

_VISIBLE_AFTER: Final = timedelta(seconds=3)
_REMEMBERED_S: Final = 60.0
"""How long a registry may go on showing what it showed before."""
STRICT_POLICY: Final = "version: 1\ntiers: [{approvers: two}]\n"


class SeenStore(MemoryStore):
    """The store, watched: every commit is written down. Its queries may show what they showed the last time."""

    def __init__(
        self, state: MemoryState, baton: Baton, gate: Gate, weather: Weather, journal: Journal, on_change: OnChange
    ) -> None:
        super().__init__(state)
        self._baton, self._gate, self._weather, self._journal = baton, gate, weather, journal
        self._on_change = on_change
        self._due: Sequence[tuple[str, str]] = ()

    def write(self, write: Write) -> Version:
        """Apply the batch, and tell whoever is interested."""
        version = super().write(write)
        journal, commit = self._journal, write.commit
        journal.writes.append(
            Wrote(journal.tick(), self._baton.now, self._gate.process, commit.case_id, commit.first_seq)
        )
        self._on_change(write.case)
        return version

    def due(self, org: str | None, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """A query: it may be stale."""
        if not self._weather.strikes("query_stale"):
            self._due = super().due(org, now, limit)
        return self._due


OnChange = Callable[[Case], None]


class SeenInbox(MemoryInbox):
    """The inbox; what was just stored may not be visible yet to another process."""

    def __init__(self, state: MemoryState, weather: Weather, gate: Gate, clock: Callable[[], datetime]) -> None:
        super().__init__(state)
        self._weather, self._gate, self._clock = weather, gate, clock
        self._seen: set[tuple[int, str]] = set()
        self._unsettled: Sequence[InboxEntry] = ()

    def get(self, org: str, entry_id: str) -> InboxEntry | None:
        """An entry by id, a moment late perhaps; whoever has seen it once sees it from then on."""
        found, seen = super().get(org, entry_id), (self._gate.process, entry_id)
        fresh = found is not None and self._clock() - found.received_at < _VISIBLE_AFTER and seen not in self._seen
        if fresh and self._weather.strikes("entry_not_yet_visible"):
            return None
        self._seen.add(seen)
        return found

    def unsettled(self, now: datetime | None, limit: int) -> Sequence[InboxEntry]:
        """A query: it may be stale."""
        if not self._weather.strikes("query_stale"):
            self._unsettled = super().unsettled(now, limit)
        return self._unsettled


class SimulatedDirectory:
    """The registry with its one org, which changes while cases are open; implements Directory."""

    def __init__(self, baton: Baton, weather: Weather, journal: Journal, org: Org) -> None:
        self._baton, self._weather, self._journal = baton, weather, journal
        self._journal.orgs.append((0.0, org))

    def org(self, org_id: str) -> Org:
        """The org; for a while after a change perhaps as it was before."""
        versions = self._journal.orgs
        since, present = versions[-1]
        if org_id != present.id:
            raise NotFound(f"there is no org {org_id}")
        fresh = len(versions) > 1 and self._baton.now - since < _REMEMBERED_S
        return versions[-2][1] if fresh and self._weather.strikes("directory_stale") else present

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        """The one org."""
        return self._journal.orgs[-1][1].id

    def demote(self, email: str) -> None:
        """From now on this member only looks."""
        org = self._journal.orgs[-1][1]
        members = tuple(
            member.model_copy(update={"role": Role.VIEWER}) if member.email == email else member
            for member in org.members
        )
        self._change(org.model_copy(update={"members": members}), f"{email} only looks from now on")

    def tighten(self) -> None:
        """From now on two people must approve whatever puts money at risk."""
        org = self._journal.orgs[-1][1]
        self._change(org.model_copy(update={"approval_policy": STRICT_POLICY}), "the policy asks for two people now")

    def _change(self, org: Org, line: str) -> None:
        self._journal.orgs.append((self._baton.now, org))
        self._journal.tell(self._baton.now, line)


class SimulatedSwitch:
    """The kill switch; implements Switch."""

    def __init__(self, baton: Baton, gate: Gate, journal: Journal) -> None:
        self._baton, self._gate, self._journal = baton, gate, journal
        self._stopped = False

    def turn(self, stopped: bool) -> None:
        """Stop or start effects."""
        if stopped is not self._stopped:
            self._stopped = stopped
            self._journal.tell(self._baton.now, "effects are stopped" if stopped else "effects are started again")

    def effects_stopped(self, org: str) -> bool:
        """Whether effects are stopped."""
        journal = self._journal
        journal.looks.append(Look(journal.tick(), self._baton.now, self._gate.process, "switch", "", self._stopped))
        return self._stopped


class SimulatedClock:
    """Virtual time, shown by the clock of the machine that asks; implements Clock."""

    def __init__(self, baton: Baton, start: datetime) -> None:
        self._baton, self._start = baton, start

    def now(self) -> datetime:
        """The present instant; a machine's clock may be a little ahead."""
        current = self._baton.current
        return self._start + timedelta(seconds=self._baton.now + (current.skew_s if current is not None else 0.0))

    def monotonic(self) -> float:
        """Virtual seconds."""
        return self._baton.now

    def pause(self, seconds: float) -> None:
        """Let others run meanwhile."""
        self._baton.sleep(seconds)


class SimulatedWorkers:
    """Processes by number; implements Workers."""

    def __init__(self, gate: Gate, dead: set[str], *, provable: bool) -> None:
        self._gate, self._dead, self._provable = gate, dead, provable

    def this(self) -> str:
        """The number of this process."""
        return identity(self._gate.process)

    def provably_dead(self, identity: str) -> bool:
        """Whether it is known to have died."""
        return self._provable and identity in self._dead


_PASSING: Final = frozenset({"Unavailable", "Contended"})


class SimulatedTrace:
    """A trace that nobody reads; implements Trace. What the sweeper says of cases it could not sweep is kept."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def say(self, org: str, case_id: str, lane: str, what: str, **details: str | int) -> None:
        """One line."""
        if lane == "sweep" and details.get("error", "Unavailable") not in _PASSING:
            self._journal.faults_of_ours.append(("sweep", str(details["error"])))
