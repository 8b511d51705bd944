"""The guard lets honest analysis through and nothing else, and says what to write instead."""

from __future__ import annotations

import logging

import pytest

from infra.sources.catalog import catalogue
from infra.sources.guard import MAX_NESTING, MAX_SQL_CHARS, check
from shared.ports.sources import QueryRefused
from tests.unit.sources.statements import ATTACKS, HONEST, NOT_ANALYSIS, PASSING_RUNAWAYS, RUNAWAYS

TABLES = frozenset({*catalogue(), "custom.things"})


def refusal(sql: str) -> str:
    with pytest.raises(QueryRefused) as refused:
        check(sql, TABLES)
    return str(refused.value)


@pytest.mark.parametrize("sql", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_is_refused(sql: str) -> None:
    refusal(sql)


@pytest.mark.parametrize("sql", RUNAWAYS.values(), ids=RUNAWAYS)
def test_a_runaway_is_refused(sql: str) -> None:
    refusal(sql)


@pytest.mark.parametrize("sql", NOT_ANALYSIS.values(), ids=NOT_ANALYSIS)
def test_what_analysis_does_not_need_is_refused(sql: str) -> None:
    refusal(sql)


@pytest.mark.parametrize("sql", HONEST.values(), ids=HONEST)
def test_honest_analysis_passes(sql: str) -> None:
    assert check(sql, TABLES).sql


@pytest.mark.parametrize("sql", PASSING_RUNAWAYS.values(), ids=PASSING_RUNAWAYS)
def test_what_only_grows_while_it_runs_is_left_to_the_limits(sql: str) -> None:
    assert check(sql, TABLES).sql


@pytest.mark.parametrize("sql", HONEST.values(), ids=HONEST)
def test_its_rendering_passes_again_and_stays_the_same(sql: str) -> None:
    once = check(sql, TABLES)
    assert check(once.sql, TABLES) == once


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        ("SELECT * FROM disputes", "tables need their schema: write stripe.disputes instead of disputes"),
        ("SELECT * FROM stripe.dispute", "nearest: stripe.disputes"),
        ("SELECT * FROM information_schema.tables", "list_catalog and describe_table"),
        ("SELECT 1; SELECT 2", "exactly one statement"),
        ("DELETE FROM stripe.disputes", "only SELECT is allowed, not DELETE"),
        ("SELECT * FROM stripe.disputes, stripe.charges", "write JOIN ... ON or USING instead of a comma"),
        ("SELECT * FROM stripe.disputes CROSS JOIN stripe.charges", "CROSS join is not allowed: write JOIN ... ON"),
        ("SELECT 1 FROM stripe.disputes a JOIN stripe.charges b ON true", "must compare columns"),
        ("SELECT now()", "write the instant, like TIMESTAMPTZ"),
        ("SELECT to_char(id) FROM stripe.disputes", "use strftime"),
        ("SELECT lowercase(id) FROM stripe.disputes", "lowercase is not allowed: nearest: lower"),
        ("SELECT id FROM stripe.disputes WHERE id = $1", "write the value as a literal"),
        ("SELECT id FROM stripe.disputes FETCH FIRST 3 ROWS ONLY", "write LIMIT n"),
        ("SELECT id FROM stripe.disputes WHERE (", "not SQL that can be read (line 1, column"),
        ("SELECT 'open", "not SQL that can be read"),
        (f"SELECT '{'x' * MAX_SQL_CHARS}'", f"at most {MAX_SQL_CHARS}"),
        ("SELECT 'a\x00b'", "control characters"),
        (f"SELECT {'(' * 99}1{')' * 99}", f"nested more than {MAX_NESTING} deep"),
        (f"SELECT {'NOT ' * 2000} true", "nested too deeply"),
    ],
)
def test_a_refusal_names_the_rule_and_what_to_write(sql: str, advice: str) -> None:
    assert advice in refusal(sql)


def test_it_tells_which_tables_are_read_in_lower_case_and_order() -> None:
    sql = "WITH a AS (SELECT id FROM Stripe.Disputes) SELECT * FROM a JOIN stripe.charges USING (id)"
    assert check(sql, TABLES).tables == ("stripe.charges", "stripe.disputes")


def test_a_cte_is_visible_in_subqueries_but_not_outside_its_own_query() -> None:
    inner = "SELECT (WITH a AS (SELECT 1 AS x) SELECT max(x) FROM (SELECT x FROM a))"
    assert check(inner, TABLES).tables == ()
    assert "tables need their schema" in refusal(f"{inner}, (SELECT max(x) FROM a)")


def test_a_cte_cannot_stand_for_a_qualified_table() -> None:
    assert "no table stripe.secrets" in refusal("WITH secrets AS (SELECT 1) SELECT * FROM stripe.secrets")


def test_only_the_tables_that_the_caller_allows_can_be_read() -> None:
    with pytest.raises(QueryRefused):
        check("SELECT * FROM stripe.disputes", {"stripe.charges"})


def test_the_engine_never_sees_comments_or_the_text_as_written() -> None:
    guarded = check("SELECT/**/id/* ; DROP TABLE x */FROM stripe.disputes WHERE id='--' -- ;", TABLES)
    assert guarded.sql == "SELECT id FROM stripe.disputes WHERE id = '--'"


def test_literals_keep_their_quotes_and_backslashes() -> None:
    guarded = check(r"SELECT 'it''s', 'a\', $$it's$$", TABLES)
    assert guarded.sql == r"SELECT 'it''s', 'a\', 'it''s'"


@pytest.mark.parametrize("sql", [*ATTACKS.values(), *NOT_ANALYSIS.values(), "SELECT 1 FOR UPDATE"])
def test_refusing_warns_of_nothing(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        refusal(sql)
    assert not caplog.records
