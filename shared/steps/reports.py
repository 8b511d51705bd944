"""Packing what a specialist found into a report, and reading it back as indexed evidence.

Bulk first, pointer by commit: rows are stored before the case knows of them. What does not fit is a recorded gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from shared.case.canonical import canonical, sha256
from shared.case.case import Case
from shared.case.evidence import Chunk, Ended, Evidence, EvidenceRow, Gap, Report, ReportPointer
from shared.errors import Terminal
from shared.ports.store import CaseStore
from shared.steps.budgets import ORPHANS_EXPIRE_AFTER
from shared.team.contract import Findings

MAX_ROWS = 500
MAX_ROW_BYTES = 16 * 1024
MAX_INLINE_BYTES = 256 * 1024
MAX_CHUNK_BYTES = 256 * 1024
MAX_GAPS = 12
MAX_GAP_CHARS = 240
"""Gaps are kept in the case itself, which must stay small."""


class EvidenceDamaged(Terminal):
    """Stored evidence does not have the hash that the case recorded."""

    code = "evidence_damaged"


def pack(
    store: CaseStore,
    case: Case,
    *,
    round_number: int,
    specialist: str,
    ended: Ended,
    findings: Findings,
    now: datetime,
    attempt: int,
) -> Report:
    """The report of these findings, its bulk already stored; creating the report itself is the caller's fence."""
    rows, texts, gaps = _within_limits(specialist, findings)
    inline = sum(len(text.encode()) for text in texts) <= MAX_INLINE_BYTES
    chunks = () if inline else tuple(_store_chunks(store, case, rows, texts, now))
    return Report(
        round=round_number,
        specialist=specialist,
        ended=ended,
        summary=findings.summary,
        count=len(rows),
        sha256=sha256("\n".join(texts)),
        rows=tuple(rows) if inline else (),
        chunks=chunks,
        gaps=_kept_gaps(specialist, gaps),
        created_at=now,
        attempt=attempt,
    )


def _within_limits(specialist: str, findings: Findings) -> tuple[list[EvidenceRow], list[str], list[Gap]]:
    """The rows that are kept, each with its canonical text, and what was cut as gaps."""
    gaps = list(findings.gaps)
    written = [(row, canonical(row)) for row in findings.rows]
    kept = [(row, text) for row, text in written if len(text.encode()) <= MAX_ROW_BYTES]
    if len(kept) < len(written):
        cut = len(written) - len(kept)
        gaps.append(Gap(specialist=specialist, what=f"{cut} rows", why=f"each is larger than {MAX_ROW_BYTES} bytes"))
    if len(kept) > MAX_ROWS:
        cut = len(kept) - MAX_ROWS
        gaps.append(Gap(specialist=specialist, what=f"{cut} further rows", why=f"at most {MAX_ROWS} rows are kept"))
    rows, texts = [row for row, _ in kept[:MAX_ROWS]], [text for _, text in kept[:MAX_ROWS]]
    return rows, texts, gaps


def _kept_gaps(specialist: str, gaps: Sequence[Gap]) -> tuple[Gap, ...]:
    """The gaps as the case keeps them: each as one short line, and what is beyond a number of them as one more."""
    kept = [
        Gap(specialist=gap.specialist, what=_line(gap.what), why=_line(gap.why))
        for gap in (gaps if len(gaps) <= MAX_GAPS else gaps[: MAX_GAPS - 1])
    ]
    if len(gaps) > len(kept):
        further = f"{len(gaps) - len(kept)} further gaps"
        kept.append(Gap(specialist=specialist, what=further, why=f"at most {MAX_GAPS} are kept"))
    return tuple(kept)


def _line(text: str) -> str:
    return text if len(text) <= MAX_GAP_CHARS else text[: MAX_GAP_CHARS - 1] + "…"


def _store_chunks(
    store: CaseStore, case: Case, rows: Sequence[EvidenceRow], texts: Sequence[str], now: datetime
) -> Iterator[Chunk]:
    first, size = 0, 0
    for index, text in enumerate(texts):
        length = len(text.encode())
        if index > first and size + length > MAX_CHUNK_BYTES:
            yield _store_chunk(store, case, rows, texts, first, index, now)
            first, size = index, 0
        size += length
    yield _store_chunk(store, case, rows, texts, first, len(texts), now)


def _store_chunk(
    store: CaseStore,
    case: Case,
    rows: Sequence[EvidenceRow],
    texts: Sequence[str],
    first: int,
    end: int,
    now: datetime,
) -> Chunk:
    digest = sha256("\n".join(texts[first:end]))
    store.put_chunk(case.org, case.id, digest, rows[first:end], now + ORPHANS_EXPIRE_AFTER)
    return Chunk(sha256=digest, first=first, count=end - first)


def pointers(case: Case, reports: Sequence[Report]) -> tuple[ReportPointer, ...]:
    """What the case records of a complete round: in the order of its assignments, indexes without a gap."""
    current = case.round
    if current is None:
        return ()
    by_name = {report.specialist: report for report in reports}
    base, result = current.base, []
    for assignment in current.assignments:
        report = by_name[assignment.specialist]
        result.append(
            ReportPointer(
                specialist=report.specialist,
                ended=report.ended,
                base=base,
                count=report.count,
                sha256=report.sha256,
                gaps=report.gaps,
            )
        )
        base += report.count
    return tuple(result)


def read_evidence(store: CaseStore, case: Case) -> tuple[Evidence, ...]:
    """All evidence of the joined rounds, by index. Raises EvidenceDamaged when a report is not what was recorded."""
    evidence: list[Evidence] = []
    for round_ in case.rounds:
        if not round_.joined:
            continue
        by_name = {report.specialist: report for report in store.reports(case.org, case.id, round_.number)}
        for pointer in round_.reports:
            rows = _rows(store, case, by_name.get(pointer.specialist), pointer)
            evidence.extend(
                Evidence(index=pointer.base + ordinal, specialist=pointer.specialist, row=row)
                for ordinal, row in enumerate(rows)
            )
    return tuple(evidence)


def _rows(store: CaseStore, case: Case, report: Report | None, pointer: ReportPointer) -> list[EvidenceRow]:
    if report is None:
        raise EvidenceDamaged(f"the report of {pointer.specialist} is gone")
    rows = list(report.rows)
    for chunk in report.chunks:
        stored = store.read_chunk(case.org, case.id, chunk.sha256)
        if stored is None:
            raise EvidenceDamaged(f"a chunk of the report of {pointer.specialist} is gone")
        rows.extend(stored)
    if len(rows) != pointer.count or sha256("\n".join(canonical(row) for row in rows)) != pointer.sha256:
        raise EvidenceDamaged(f"the rows of {pointer.specialist} do not have the hash that the case recorded")
    return rows
