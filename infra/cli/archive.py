"""Reading a data folder's store without running anything: what is there can be looked at while others work on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.cli import folder as folders
from infra.cli.folder import DATABASE, DataFolder
from infra.local.clock import SystemClock
from infra.local.database import Database
from infra.local.inbox import SqliteInbox
from infra.local.store import SqliteStore
from infra.local.trace import SqliteTrace
from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.case.lifecycle import State
from shared.errors import InvalidInput, NotFound
from shared.ports.store import CaseQuery, CaseStore, Inbox
from shared.ports.trace import TraceReader
from shared.steps.reports import EvidenceDamaged, read_evidence
from shared.steps.texts import with_texts

_MOST_CASES = 1000


@dataclass(frozen=True, slots=True)
class Archive:
    """The cases of one folder's org, with their logs, evidence and trace."""

    folder: DataFolder
    store: CaseStore
    inbox: Inbox
    trace: TraceReader

    def cases(self, states: Sequence[State] = ()) -> list[Case]:
        """Its cases, the latest change first."""
        query = CaseQuery(states=tuple(state.value for state in states), limit=_MOST_CASES)
        return list(self.store.list_cases(self.folder.org, query).cases)

    def has(self, case_id: str) -> bool:
        """Whether there is such a case."""
        return self.store.read(self.folder.org, case_id) is not None

    def case(self, case_id: str) -> Case:
        """One case with its texts. Raises NotFound."""
        record = self.store.read(self.folder.org, case_id)
        if record is None:
            raise NotFound(f"there is no case {case_id} in {self.folder.path}; see `manthan cases list`")
        return with_texts(self.store, record.case)

    def evidence(self, case: Case) -> tuple[Evidence, ...]:
        """The case's evidence; empty when it is damaged, which `audit verify` explains."""
        try:
            return read_evidence(self.store, case)
        except EvidenceDamaged:
            return ()


@contextmanager
def opened(folder: DataFolder) -> Iterator[Archive]:
    """The folder's archive. Raises NotFound when nothing has run in the folder yet."""
    dev = folder.dev
    if dev is not None and dev.cloud:
        from infra.cloud.visiting import visiting  # only here: its libraries take half a second

        with visiting(dev.cloud) as cloud:
            yield Archive(folder, cloud.stores.store, cloud.stores.inbox, cloud.stores.trace)
        return
    path = folder.path / DATABASE
    if not path.is_file():
        raise NotFound(f"nothing has run in {folder.path} yet: run `manthan demo` first")
    with Database(path) as database:
        yield Archive(folder, SqliteStore(database), SqliteInbox(database), SqliteTrace(database, SystemClock()))


def anything_in(folder: DataFolder) -> bool:
    """Whether something has run in the folder that can be looked at."""
    dev = folder.dev
    return (folder.path / DATABASE).is_file() or (dev is not None and bool(dev.cloud))


def holding(case_id: str, data: Path | None) -> DataFolder:
    """The folder that holds this case: the one named, or the only one of the default ones that does.

    Raises NotFound, and InvalidInput when several hold a case of this id: a copied world has the original's ids.
    """
    candidates = folders.chosen(data)
    found = [candidate for candidate in candidates if _holds(candidate, case_id)]
    if len(found) > 1:
        places = " or ".join(f"--data {candidate.path}" for candidate in found)
        raise InvalidInput(f"several folders hold a case {case_id}: say which with {places}")
    if found:
        return found[0]
    where = str(data) if data is not None else ", ".join(str(candidate.path) for candidate in candidates)
    raise NotFound(f"there is no case {case_id} in {where}; see `manthan cases list`")


def _holds(candidate: DataFolder, case_id: str) -> bool:
    if not anything_in(candidate):
        return False
    with opened(candidate) as archive:
        return archive.has(case_id)


def require_state(name: str) -> State:
    """The state of this name. Raises InvalidInput, listing them."""
    try:
        return State(name)
    except ValueError:
        raise InvalidInput(f"{name!r} is not a state; states: {', '.join(state.value for state in State)}") from None
