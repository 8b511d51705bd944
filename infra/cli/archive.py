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
from shared.ports.store import CaseQuery
from shared.steps.reports import EvidenceDamaged, read_evidence

_MOST_CASES = 1000


@dataclass(frozen=True, slots=True)
class Archive:
    """The cases of one folder's org, with their logs, evidence and trace."""

    folder: DataFolder
    store: SqliteStore
    inbox: SqliteInbox
    trace: SqliteTrace

    def cases(self, states: Sequence[State] = ()) -> list[Case]:
        """Its cases, the latest change first."""
        query = CaseQuery(states=tuple(state.value for state in states), limit=_MOST_CASES)
        return list(self.store.list_cases(self.folder.org, query).cases)

    def case(self, case_id: str) -> Case:
        """One case. Raises NotFound."""
        record = self.store.read(self.folder.org, case_id)
        if record is None:
            raise NotFound(f"there is no case {case_id} in {self.folder.path}; see `manthan cases list`")
        return record.case

    def evidence(self, case: Case) -> tuple[Evidence, ...]:
        """The case's evidence; empty when it is damaged, which `audit verify` explains."""
        try:
            return read_evidence(self.store, case)
        except EvidenceDamaged:
            return ()


@contextmanager
def opened(folder: DataFolder) -> Iterator[Archive]:
    """The folder's archive. Raises NotFound when nothing has run in the folder yet."""
    path = folder.path / DATABASE
    if not path.is_file():
        raise NotFound(f"nothing has run in {folder.path} yet: run `manthan demo` first")
    with Database(path) as database:
        yield Archive(folder, SqliteStore(database), SqliteInbox(database), SqliteTrace(database, SystemClock()))


def holding(case_id: str, data: Path | None) -> DataFolder:
    """The folder that holds this case: the one named, or the first of the default ones. Raises NotFound."""
    candidates = folders.chosen(data)
    for candidate in candidates:
        if not (candidate.path / DATABASE).is_file():
            continue
        with opened(candidate) as archive:
            if archive.store.read(candidate.org, case_id) is not None:
                return candidate
    where = str(data) if data is not None else ", ".join(str(candidate.path) for candidate in candidates)
    raise NotFound(f"there is no case {case_id} in {where}; see `manthan cases list`")


def require_state(name: str) -> State:
    """The state of this name. Raises InvalidInput, listing them."""
    try:
        return State(name)
    except ValueError:
        raise InvalidInput(f"{name!r} is not a state; states: {', '.join(state.value for state in State)}") from None
