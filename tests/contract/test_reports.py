"""Reports and chunks: the first report stands, and bulk is found under its hash."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.case.canonical import canonical, sha256
from shared.case.evidence import Chunk, Ended, EvidenceKind, Gap
from shared.errors import InvalidInput, NotFound
from shared.ports.store import CaseStore
from tests.contract.factories import ORG, at, report, row
from tests.contract.test_cases import AWKWARD

CASE = "case_1"


def test_a_report_is_read_back_as_it_was_handed_over(store: CaseStore) -> None:
    absence = row(2).model_copy(
        update={"kind": EvidenceKind.ABSENCE, "question": "any cancellation?", "untrusted": True}
    )
    gap = Gap(specialist="payments", what="refunds", why="the query timed out")
    given = report(rows=(row(1, AWKWARD), absence), gaps=(gap,), attempt=2, summary=AWKWARD)
    assert store.create_report(ORG, CASE, given)
    assert list(store.reports(ORG, CASE, 1)) == [given]


def test_a_second_report_of_the_same_specialist_and_round_loses(store: CaseStore) -> None:
    first, late = report(summary="first"), report(ended=Ended.TIMED_OUT, summary="late", rows=())
    assert store.create_report(ORG, CASE, first)
    assert not store.create_report(ORG, CASE, late)
    assert not store.create_report(ORG, CASE, first)
    assert list(store.reports(ORG, CASE, 1)) == [first]


def test_of_twenty_reports_at_once_exactly_one_stands(store: CaseStore) -> None:
    given = [report(summary=f"attempt {n}", attempt=n) for n in range(20)]
    with ThreadPoolExecutor(20) as threads:
        created = list(threads.map(lambda item: store.create_report(ORG, CASE, item), given))
    assert created.count(True) == 1
    assert list(store.reports(ORG, CASE, 1)) == [given[created.index(True)]]


def test_rounds_and_specialists_have_reports_of_their_own(store: CaseStore) -> None:
    for round_number in (1, 2):
        for specialist in ("usage", "payments", "tickets"):
            assert store.create_report(ORG, CASE, report(specialist, round_number=round_number))
    assert [item.specialist for item in store.reports(ORG, CASE, 2)] == ["payments", "tickets", "usage"]
    assert {item.round for item in store.reports(ORG, CASE, 2)} == {2}
    assert list(store.reports(ORG, CASE, 3)) == []


def test_whoever_creates_the_last_report_sees_all_of_them(store: CaseStore) -> None:
    names = [f"specialist-{n}" for n in range(6)]

    def hand_over(name: str) -> int:
        assert store.create_report(ORG, CASE, report(name))
        return len(store.reports(ORG, CASE, 1))

    with ThreadPoolExecutor(6) as threads:
        assert max(threads.map(hand_over, names)) == 6


def test_creating_a_report_says_how_many_its_round_has(store: CaseStore) -> None:
    assert [store.create_report(ORG, CASE, report(name)) for name in ("a", "b", "c")] == [1, 2, 3]
    assert store.create_report(ORG, CASE, report("b", summary="late")) is None
    assert store.create_report(ORG, CASE, report("a", round_number=2)) == 1
    assert store.create_report(ORG, "case_2", report("a")) == 1


def test_of_reports_created_at_once_each_is_told_another_number(store: CaseStore) -> None:
    names = [f"specialist-{n}" for n in range(12)]
    with ThreadPoolExecutor(12) as threads:
        told = list(threads.map(lambda name: store.create_report(ORG, CASE, report(name)), names))
    assert sorted(number or 0 for number in told) == list(range(1, 13))


def test_heads_say_how_reports_ended_without_their_rows(store: CaseStore) -> None:
    gap = Gap(specialist="usage", what="logins", why="the source is down")
    given = [report("payments", rows=(row(1), row(2))), report("usage", ended=Ended.DEGRADED, gaps=(gap,))]
    for item in given:
        store.create_report(ORG, CASE, item)
    heads = list(store.report_heads(ORG, CASE, 1))
    assert heads == [item.model_copy(update={"rows": ()}) for item in given]
    assert [head.count for head in heads] == [2, 1]
    assert list(store.report_heads(ORG, CASE, 2)) == []


def test_a_large_chunk_is_read_back_row_by_row(store: CaseStore) -> None:
    rows = tuple(row(n, "x" * 2000 + AWKWARD) for n in range(120))
    text = canonical([item.model_dump(mode="json") for item in rows])
    assert len(text) > 256 * 1024
    store.put_chunk(ORG, CASE, sha256(text), rows, at(3600))
    found = store.read_chunk(ORG, CASE, sha256(text))
    assert found is not None
    assert tuple(found) == rows
    assert sha256(canonical([item.model_dump(mode="json") for item in found])) == sha256(text)


def test_cells_keep_their_types(store: CaseStore) -> None:
    fields = {"zero": 0, "one": 1, "no": False, "yes": True, "text": "1", "none": None, "big": 2**62, "empty": ""}
    store.put_chunk(ORG, CASE, "h", (row().model_copy(update={"fields": fields}),), at(3600))
    found = store.read_chunk(ORG, CASE, "h")
    assert found is not None
    assert canonical(found[0].fields) == canonical(fields)


def test_storing_a_chunk_again_changes_nothing(store: CaseStore) -> None:
    for _ in range(2):
        store.put_chunk(ORG, CASE, "h", (row(1),), at(3600))
    found = store.read_chunk(ORG, CASE, "h")
    assert found is not None
    assert tuple(found) == (row(1),)


def test_a_chunk_that_was_never_stored_is_none_and_an_empty_one_is_empty(store: CaseStore) -> None:
    assert store.read_chunk(ORG, CASE, "nowhere") is None
    store.put_chunk(ORG, CASE, "empty", (), at(3600))
    assert store.read_chunk(ORG, CASE, "empty") == ()


def test_a_report_cannot_name_a_chunk_that_is_not_stored(store: CaseStore) -> None:
    store.put_chunk(ORG, CASE, "here", (row(1),), at(3600))
    chunks = (Chunk(sha256="here", first=0, count=1), Chunk(sha256="gone", first=1, count=1))
    with pytest.raises(NotFound):
        store.create_report(ORG, CASE, report(rows=(), chunks=chunks))
    assert list(store.reports(ORG, CASE, 1)) == []


def test_evidence_with_a_lone_surrogate_is_refused(store: CaseStore) -> None:
    with pytest.raises(InvalidInput):
        store.put_chunk(ORG, CASE, "h", (row(1, "\ud800"),), at(3600))
    with pytest.raises(InvalidInput):
        store.create_report(ORG, CASE, report(rows=(row(1, "\udfff"),)))
    assert store.read_chunk(ORG, CASE, "h") is None
    assert list(store.reports(ORG, CASE, 1)) == []
