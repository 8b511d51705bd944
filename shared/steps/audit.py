"""Audit: re-read a case from the store on its own and check that nothing was changed behind the log's back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.case.canonical import sha256
from shared.case.case import Case
from shared.case.log import StoredEntry, compare_state, verify
from shared.case.texts import REFERENCE
from shared.errors import NotFound, Terminal
from shared.ports.store import CaseStore
from shared.steps.reports import read_evidence


@dataclass(frozen=True, slots=True)
class Audit:
    """What was checked and what was found."""

    case_id: str
    events: int
    evidence: int
    texts: int
    erased: int
    """How many of the texts that the log refers to are not stored any more; their hashes still verify."""
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the log, the state and the evidence agree."""
        return not self.problems


def audit(store: CaseStore, org: str, case_id: str) -> Audit:
    """Verify hashes, chain, seq, state = fold, and the hashes of all evidence and texts. Raises NotFound.

    A text that was erased is counted and no problem: the log holds its hash, not the text.
    """
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
    texts, erased, changed = _texts(store, record.case, entries)
    return Audit(case_id, len(entries), evidence, texts, erased, (*problems, *damage, *changed))


def _texts(store: CaseStore, case: Case, entries: Sequence[StoredEntry]) -> tuple[int, int, list[str]]:
    """How many texts the log refers to, how many of them are gone, and which are not what was recorded."""
    named = {match["sha256"] for entry in entries for match in REFERENCE.finditer(entry.text)}
    stored = store.read_texts(case.org, case.id, named) if named else {}
    changed = sorted(digest for digest, text in stored.items() if sha256(text) != digest)
    return (
        len(named),
        len(named) - len(stored),
        [f"text {digest[:12]} is not the one that was recorded" for digest in changed],
    )


def _evidence(store: CaseStore, case: Case) -> tuple[int, list[str]]:
    try:
        evidence = read_evidence(store, case)
    except Terminal as error:
        return 0, [f"evidence: {error}"]
    if [item.index for item in evidence] != list(range(len(evidence))):
        return len(evidence), ["evidence: the indexes have a gap"]
    return len(evidence), []
