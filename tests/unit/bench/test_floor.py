"""The floor is only worth comparing with if it writes what the pipeline writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.bench.floor import Floor
from infra.bench.pipeline import ORG, Pipeline
from infra.bench.workload import BYTES_PER_ROW, NAMES, ROWS_EACH
from shared.case.canonical import canonical, sha256
from shared.case.case import Case
from shared.case.evidence import Report
from shared.case.log import StoredEntry, compare_state, verify
from shared.ports.store import CaseQuery
from shared.steps.audit import audit

CASES = 3


@dataclass(frozen=True)
class Stored:
    """A case of the floor as its file holds it."""

    case: Case
    commits: list[list[StoredEntry]]
    reports: list[Report]

    @property
    def entries(self) -> list[StoredEntry]:
        return [entry for commit in self.commits for entry in commit]


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with Floor(tmp_path) as floor:
        yield floor


@pytest.fixture
def stored(floor: Floor, tmp_path: Path) -> list[Stored]:
    floor.prepare(range(CASES))()
    connection = sqlite3.connect(tmp_path / "floor.db")
    try:
        ids = [found for (found,) in connection.execute("SELECT id FROM cases")]
        return [_stored(connection, case_id) for case_id in ids]
    finally:
        connection.close()


def _stored(connection: sqlite3.Connection, case_id: str) -> Stored:
    (body,) = connection.execute("SELECT body FROM cases WHERE id = ?", (case_id,)).fetchone()
    commits = connection.execute(
        "SELECT entries, hashes FROM commits WHERE case_id = ? ORDER BY first_seq", (case_id,)
    ).fetchall()
    reports = connection.execute("SELECT body FROM reports WHERE case_id = ? ORDER BY specialist", (case_id,))
    return Stored(
        case=Case.model_validate_json(body),
        commits=[
            [StoredEntry(text, digest) for text, digest in zip(json.loads(entries), json.loads(hashes), strict=True)]
            for entries, hashes in commits
        ],
        reports=[Report.model_validate_json(report) for (report,) in reports],
    )


def test_its_logs_verify_as_the_products_own_and_fold_into_its_cases(stored: list[Stored]) -> None:
    assert len(stored) == CASES
    for found in stored:
        verification = verify(found.entries, org=ORG, case_id=found.case.id)
        assert verification.problems == []
        assert compare_state(verification, found.case) == []
        assert found.case.state == "resolved"


def test_its_reports_hold_all_rows_under_the_hashes_that_the_case_records(stored: list[Stored]) -> None:
    for found in stored:
        assert [report.specialist for report in found.reports] == list(NAMES)
        assert found.case.evidence_count == len(NAMES) * ROWS_EACH
        pointers = found.case.rounds[0].reports
        for report, pointer in zip(found.reports, pointers, strict=True):
            assert sha256("\n".join(canonical(row) for row in report.rows)) == pointer.sha256
            assert {len(canonical(row.fields)) for row in report.rows} == {BYTES_PER_ROW}


def test_every_durable_step_is_one_flushed_transaction(floor: Floor) -> None:
    traffic = floor.count_traffic(floor.prepare(range(CASES)))
    assert traffic.transactions == 12 * CASES
    assert traffic.flushed == 12 * CASES


def test_every_connection_flushes_each_commit(floor: Floor) -> None:
    floor.prepare(range(CASES))()
    levels = {connection.execute("PRAGMA synchronous").fetchone()[0] for connection in floor.connections()}
    assert levels == {2}, "2 is FULL"


def test_it_writes_the_same_events_in_the_same_commits_as_the_pipeline(stored: list[Stored], tmp_path: Path) -> None:
    (tmp_path / "pipeline").mkdir()
    with Pipeline(tmp_path / "pipeline") as pipeline:
        pipeline.prepare([1])()
        store = pipeline.composition.store
        (case,) = store.list_cases(ORG, CaseQuery()).cases
        commits = [list(commit.entries) for commit in store.log(ORG, case.id)]
        reports = store.reports(ORG, case.id, 1)
        assert audit(store, ORG, case.id).ok
    ours = stored[1]
    bare = [[entry.text for entry in commit] for commit in ours.commits]
    assert [_types(commit) for commit in bare] == [_types(commit) for commit in commits]
    assert _length(bare) == pytest.approx(_length(commits), rel=0.01)
    assert len(canonical(ours.case)) == pytest.approx(len(canonical(case)), rel=0.01)
    assert [report.rows for report in ours.reports] == [report.rows for report in reports]


def _types(entries: list[str]) -> list[str]:
    return [json.loads(entry)["event"]["type"] for entry in entries]


def _length(commits: list[list[str]]) -> int:
    return sum(len(entry) for commit in commits for entry in commit)
