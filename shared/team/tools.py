"""How a specialist asks the connected systems: a question becomes rows of evidence, an absence, or a gap.

A query that failed proves nothing: it becomes a gap, and the rest goes on. An absence is recorded only after a query
that was answered in full and found nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.canonical import canonical
from shared.case.evidence import Cell, EvidenceKind, EvidenceRow, Gap
from shared.ports.sources import QueryFailed, QueryRefused, Row
from shared.team.contract import Findings, Job, OutOfTime

MAX_ROWS = 500
"""Rows that one assignment may hand over."""

MAX_ROW_BYTES = 16 * 1024
"""Size of one row's fields in canonical bytes."""

QUERY_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question. `ok`: the source answered; `truncated`: a cap cut the answer."""

    sql: str
    rows: tuple[Row, ...] = ()
    ok: bool = False
    truncated: bool = False

    @property
    def proves_absence(self) -> bool:
        """Whether the answer shows that there is nothing, rather than that we did not see it."""
        return self.ok and not self.truncated and not self.rows


class Tools:
    """The questions of one attempt, and what they add to its findings."""

    def __init__(self, job: Job, findings: Findings) -> None:
        self._job = job
        self._findings = findings
        self._spent_s = 0.0
        self._seen = {(row.kind, row.table, row.record_id) for row in findings.rows}

    def ask(self, what: str, sql: str, *, essential: bool = False) -> Answer:
        """Look something up that is not evidence by itself. `what` names it for a gap.

        Raises OutOfTime when the soft budget is used up, and QueryFailed or QueryRefused when an `essential` question
        could not be answered; any other unanswered question becomes a gap and an answer that is not `ok`.
        """
        left = self._job.remaining_s - self._spent_s
        if left <= 0:
            raise OutOfTime(f"no time was left to read {what}")
        timeout = min(QUERY_TIMEOUT_S, left)
        try:
            result = self._job.sources.sql(sql, timeout_s=timeout)
        except (QueryFailed, QueryRefused) as error:
            # How long a failure took is not known here; the whole timeout is the safe assumption.
            self._spent_s += timeout
            if essential:
                raise
            self.gap(what, f"the query was not answered: {error}")
            return Answer(sql)
        self._spent_s += result.elapsed_ms / 1000
        return Answer(sql, tuple(result.rows), ok=True, truncated=result.truncated)

    def gather(
        self,
        what: str,
        sql: str,
        *,
        table: str,
        id_column: str = "id",
        untrusted: bool | Callable[[Row], bool] = False,
        essential: bool = False,
        limit: int = MAX_ROWS,
    ) -> Answer:
        """Ask, and hand over at most `limit` rows of the answer as evidence from `table`. Raises as `ask` does."""
        answer = self.ask(what, f"{sql} LIMIT {limit + 1}" if limit < MAX_ROWS else sql, essential=essential)
        rows = answer.rows[:limit]
        if answer.truncated or len(answer.rows) > limit:
            self.gap(what, f"there is more than the {len(rows)} rows that were read")
        for row in rows:
            outside = untrusted(row) if callable(untrusted) else untrusted
            self.add(table, str(row[id_column]), dict(row), query=answer.sql, untrusted=outside)
        return answer

    def add(self, table: str, record_id: str, fields: dict[str, Cell], *, query: str, untrusted: bool = False) -> None:
        """Hand over one row; the same record is handed over once. What does not fit is recorded as a gap."""
        key = (EvidenceKind.ROW, table, record_id)
        if key in self._seen:
            return
        row = EvidenceRow(
            source=table.partition(".")[0],
            table=table,
            record_id=record_id,
            fields=self._fitting(table, record_id, fields),
            query=query,
            retrieved_at=self._job.now,
            link=self._job.sources.link(table, record_id),
            untrusted=untrusted,
        )
        self._keep(row)

    def absence(self, answer: Answer, *, table: str, label: str, question: str) -> bool:
        """Record that `question` was asked and found nothing; False, and no record, unless the answer proves it."""
        if not answer.proves_absence or (EvidenceKind.ABSENCE, table, label) in self._seen:
            return False
        row = EvidenceRow(
            kind=EvidenceKind.ABSENCE,
            source=table.partition(".")[0],
            table=table,
            record_id=label,
            fields={"count": 0},
            query=answer.sql,
            retrieved_at=self._job.now,
            link=self._job.sources.link(table, label),
            untrusted=False,
            question=question,
        )
        self._keep(row)
        return True

    def gap(self, what: str, why: str) -> None:
        """Record what we do not know, and why."""
        gap = Gap(specialist=self._job.specialist, what=what, why=why)
        if gap not in self._findings.gaps:
            self._findings.gaps.append(gap)

    def _keep(self, row: EvidenceRow) -> None:
        if len(self._findings.rows) >= MAX_ROWS:
            self.gap(f"rows of {row.table}", f"an assignment hands over at most {MAX_ROWS} rows")
            return
        self._seen.add((row.kind, row.table, row.record_id))
        self._findings.rows.append(row)

    def _fitting(self, table: str, record_id: str, fields: dict[str, Cell]) -> dict[str, Cell]:
        fitting = dict(fields)
        while len(canonical(fitting).encode("utf-8", "surrogatepass")) > MAX_ROW_BYTES:
            longest = max(fitting, key=lambda name: len(str(fitting[name])))
            text = str(fitting[longest])
            fitting[longest] = f"{text[: len(text) // 2]}…"
            self.gap(f"the whole of {longest} in {table} {record_id}", f"a row holds at most {MAX_ROW_BYTES} bytes")
        return fitting
