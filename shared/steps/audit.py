"""Audit: re-read a case from the store on its own and check that nothing was changed behind the log's back."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.case import Case
from shared.case.log import StoredEntry, compare_state, verify
from shared.errors import NotFound, Terminal
from shared.ports.store import CaseStore
from shared.steps.reports import read_evidence


@dataclass(frozen=True, slots=True)
class Audit:
    """What was checked and what was found."""

    case_id: str
    events: int
    evidence: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the log, the state and the evidence agree."""
        return not self.problems


def audit(store: CaseStore, org: str, case_id: str) -> Audit:
    """Verify hashes, chain, seq, state = fold, and the hashes of all evidence. Raises NotFound."""
    record = store.read(org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    commits = list(store.log(org, case_id))
    entries = [
        StoredEntry(text, digest)
        for commit in commits
        for text, digest in zip(commit.entries, commit.hashes, strict=True)
    ]
    verification = verify(entries, org=org, case_id=case_id)
    problems = [*verification.problems, *compare_state(verification, record.case)]
    if verification.head != record.head.hash or record.head.seq != len(entries):
        problems.append("the case's head is not the end of its log")
    evidence, damage = _evidence(store, record.case)
    return Audit(case_id, len(entries), evidence, tuple(problems + damage))


def _evidence(store: CaseStore, case: Case) -> tuple[int, list[str]]:
    try:
        evidence = read_evidence(store, case)
    except Terminal as error:
        return 0, [f"evidence: {error}"]
    if [item.index for item in evidence] != list(range(len(evidence))):
        return len(evidence), ["evidence: the indexes have a gap"]
    return len(evidence), []
