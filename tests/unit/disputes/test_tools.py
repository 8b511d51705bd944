"""Asking: rows become evidence, nothing found an absence, failure a gap; and time and size have their bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from shared.case.canonical import canonical
from shared.case.evidence import EvidenceKind
from shared.errors import InvalidInput, NotFound
from shared.ports.directory import Org
from shared.ports.sources import QueryFailed, QueryRefused, QueryResult, Row, Sources, Table
from shared.team.contract import Findings, Job, OutOfTime
from shared.team.literals import instant, mentions, one_of, quote
from shared.team.moments import moment
from shared.team.tools import MAX_ROW_BYTES, MAX_ROWS, Tools
from shared.team.twin import Twin
from shared.team.words import count, feature, hours_and_days, listed, number, quoted
from tests.unit.disputes.cases import NOW, case

Reply = Callable[[str, float], QueryResult]


@dataclass
class Asked(Sources):
    """Sources that answer with a function and remember what they were asked."""

    reply: Reply
    queries: list[tuple[str, float]] = field(default_factory=list)

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        self.queries.append((query, timeout_s))
        return self.reply(query, timeout_s)

    def link(self, table: str, record_id: str) -> str:
        return f"https://example.com/{table}/{record_id}"

    def list_catalog(self) -> Sequence[Table]:
        return ()

    def describe_table(self, table: str) -> Table:
        raise NotFound(table)


def rows(*found: Row, truncated: bool = False, ms: int = 1) -> Reply:
    return lambda query, timeout: QueryResult(tuple(found[0]) if found else (), found, (), truncated, ms)


def refused(error: Exception) -> Reply:
    def reply(query: str, timeout: float) -> QueryResult:
        raise error

    return reply


def asking(reply: Reply, remaining_s: float = 60.0) -> tuple[Tools, Findings, Asked]:
    found, asked = Findings(), Asked(reply)
    org = Org(id="acme", currency="usd")
    return Tools(Job(case(), org, "twin", 1, 0, NOW, asked, remaining_s), found), found, asked


def test_every_row_becomes_evidence_with_its_query_its_link_and_the_time() -> None:
    tools, found, _ = asking(rows({"id": "a", "n": 1}, {"id": "b", "n": 2}))
    tools.gather("things", "SELECT 1", table="stripe.charges")
    first = found.rows[0]
    assert [row.record_id for row in found.rows] == ["a", "b"]
    assert (first.source, first.query, first.link) == ("stripe", "SELECT 1", "https://example.com/stripe.charges/a")
    assert (first.retrieved_at, first.fields, first.untrusted) == (NOW, {"id": "a", "n": 1}, False)


def test_the_same_record_is_handed_over_once_also_in_a_second_attempt() -> None:
    tools, found, asked = asking(rows({"id": "a"}))
    tools.gather("things", "SELECT 1", table="t.x")
    tools.gather("things", "SELECT 2", table="t.x")
    tools.gather("things", "SELECT 2", table="t.y")
    again = Tools(Job(case(), Org(id="acme", currency="usd"), "twin", 1, 1, NOW, asked, 60.0), found)
    again.gather("things", "SELECT 1", table="t.x")
    assert [row.table for row in found.rows] == ["t.x", "t.y"]


def test_who_wrote_a_row_decides_whether_it_is_trusted() -> None:
    tools, found, _ = asking(rows({"id": "a", "by": "user"}, {"id": "b", "by": "admin"}))
    tools.gather("things", "SELECT 1", table="t.x", untrusted=lambda row: row["by"] != "admin")
    assert [row.untrusted for row in found.rows] == [True, False]


def test_a_failed_query_is_a_gap_and_never_evidence_and_the_rest_goes_on() -> None:
    for error in (QueryFailed("the source is down"), QueryRefused("no such table")):
        tools, found, _ = asking(refused(error))
        answer = tools.gather("things", "SELECT 1", table="t.x")
        assert not answer.ok
        assert not tools.absence(answer, table="t.x", label="none", question="any?")
        assert found.rows == []
        assert [(gap.specialist, gap.what) for gap in found.gaps] == [("twin", "things")]
        assert str(error) in found.gaps[0].why


def test_an_essential_query_that_fails_raises_so_that_the_queue_tries_again() -> None:
    tools, found, _ = asking(refused(QueryFailed("down")))
    with pytest.raises(QueryFailed):
        tools.gather("the dispute", "SELECT 1", table="t.x", essential=True)
    assert found.gaps == []


def test_an_absence_needs_an_answer_that_was_whole_and_empty() -> None:
    tools, found, _ = asking(rows())
    answer = tools.ask("things", "SELECT 1")
    assert tools.absence(answer, table="t.x", label="none", question="Any at all?")
    assert not tools.absence(answer, table="t.x", label="none", question="Any at all?")
    (row,) = found.rows
    assert (row.kind, row.record_id, row.fields, row.query) == (EvidenceKind.ABSENCE, "none", {"count": 0}, "SELECT 1")
    assert row.question == "Any at all?"


@pytest.mark.parametrize("reply", [rows({"id": "a"}), rows(truncated=True)])
def test_rows_or_a_cut_answer_prove_no_absence(reply: Reply) -> None:
    tools, found, _ = asking(reply)
    assert not tools.absence(tools.ask("things", "SELECT 1"), table="t.x", label="none", question="?")
    assert found.rows == []


def test_a_cut_answer_is_a_gap() -> None:
    tools, found, _ = asking(rows({"id": "a"}, truncated=True))
    tools.gather("things", "SELECT 1", table="t.x")
    assert found.gaps[0].why == "there is more than the 1 rows that were read"


def test_a_limit_is_asked_for_and_what_is_beyond_it_is_a_gap() -> None:
    tools, found, asked = asking(rows({"id": "a"}, {"id": "b"}, {"id": "c"}))
    tools.gather("things", "SELECT 1", table="t.x", limit=2)
    assert asked.queries[0][0] == "SELECT 1 LIMIT 3"
    assert [row.record_id for row in found.rows] == ["a", "b"]
    assert len(found.gaps) == 1


def test_time_is_what_the_sources_took_and_ends_before_the_next_question() -> None:
    tools, _, asked = asking(rows(ms=700), remaining_s=1.0)
    tools.ask("things", "SELECT 1")
    tools.ask("things", "SELECT 2")
    assert [timeout for _, timeout in asked.queries] == [1.0, pytest.approx(0.3)]
    with pytest.raises(OutOfTime, match="no time was left to read the third"):
        tools.ask("the third", "SELECT 3")


def test_a_failure_counts_as_its_whole_timeout() -> None:
    tools, _, _ = asking(refused(QueryFailed("down")), remaining_s=15.0)
    tools.ask("things", "SELECT 1")
    tools.ask("things", "SELECT 1")
    with pytest.raises(OutOfTime):
        tools.ask("things", "SELECT 1")


def test_an_assignment_hands_over_a_bounded_number_of_rows() -> None:
    tools, found, _ = asking(rows(*[{"id": f"r{place}"} for place in range(MAX_ROWS + 5)]))
    tools.gather("things", "SELECT 1", table="t.x")
    tools.add("t.y", "more", {}, query="SELECT 2")
    assert len(found.rows) == MAX_ROWS
    assert {gap.what for gap in found.gaps} == {"things", "rows of t.y"}


def test_a_row_that_is_too_large_is_cut_and_the_cut_is_a_gap() -> None:
    tools, found, _ = asking(rows({"id": "a", "body": "ü" * 20_000, "n": 7}))
    tools.gather("things", "SELECT 1", table="t.x")
    row = found.rows[0]
    assert len(canonical(row.fields).encode()) <= MAX_ROW_BYTES
    assert str(row.fields["body"]).endswith("…")
    assert row.fields["n"] == 7
    assert found.gaps[0].what == "the whole of body in t.x a"


def test_a_twin_sums_up_what_it_found_also_when_it_fails() -> None:
    def ask(job: Job, tools: Tools) -> None:
        tools.gather("things", "SELECT 1", table="t.x")
        raise OutOfTime("late")

    found = Findings()
    twin = Twin("twin", ask)
    with pytest.raises(OutOfTime):
        twin.investigate(
            Job(case(), Org(id="a", currency="usd"), "twin", 1, 0, NOW, Asked(rows({"id": "a"})), 9.0), found
        )
    assert found.summary == "1 rows and 0 absences from t; 0 gaps"
    assert twin.deadline_s == 180


def test_literals_are_quoted_and_control_characters_refused() -> None:
    assert quote("O'Brien") == "'O''Brien'"
    assert one_of(["b", "a", "b"]) == "('a', 'b')"
    assert one_of([]) == "(NULL)"
    assert mentions("x", []) == "(1 = 0)"
    assert instant(datetime(2026, 4, 12, 11, tzinfo=UTC)) == "CAST('2026-04-12T11:00:00+00:00' AS TIMESTAMPTZ)"
    for bad in ("a\x00", "a\nb", "\x7f"):
        with pytest.raises(InvalidInput):
            quote(bad)


def test_moments_are_epoch_seconds_or_iso_text_with_an_offset() -> None:
    expected = datetime(2026, 4, 12, 9, tzinfo=UTC)
    assert moment(int(expected.timestamp())) == expected
    assert moment("2026-04-12T11:00:00+02:00") == expected
    for nothing in (None, True, "", "soon", "2026-04-12", "2026-04-12T09:00:00", 10**18, -(10**18)):
        assert moment(nothing) is None


def test_words() -> None:
    assert number(Fraction(1, 3)) == "0.33"
    assert number(Fraction(5, 2)) == "2.5"
    assert count(1, "day") == "1 day"
    assert count(2, "person") == "2 people"
    assert hours_and_days(int(timedelta(hours=48).total_seconds())) == "48 h (2 days)"
    assert feature("custom-reports-svc") == "Custom Reports"
    assert feature("api") == "Api"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert quoted('say "hi"\n now') == "\"say 'hi' now\""
    assert quoted("word " * 200).endswith(' […]"')
