"""The guard: reads a query's text and lets through one SELECT over known tables, made of what `allowed` lists.

It is a pure function of the text. What it lets through is not the text but its own rendering of what it understood, so
that nothing it did not understand (comments, odd quoting, a second statement) can reach the engine. It cannot bound
the work of a query: the child's limits of time and memory do that.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel, ParseError, TokenError, UnsupportedError

from infra.sources.allowed import CONSTRUCTS, FUNCTIONS, INSTEAD, NAMED_FUNCTIONS, STRUCTURE, TYPES
from infra.sources.guard_tables import DISCOVER, check_join, table_name
from shared.ports.sources import QueryRefused

MAX_SQL_CHARS = 10_000
MAX_NESTING = 40

_DIALECT = DuckDB()
_STARTS = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.L_PAREN})
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that may run: rendered for the engine, with the qualified names of the tables it reads, sorted."""

    sql: str
    tables: tuple[str, ...]


def check(sql: str, allowed_tables: Collection[str]) -> GuardedQuery:
    """Let a query through, or raise QueryRefused with the rule that it breaks and what to write instead.

    `allowed_tables` are qualified names in lower case.
    """
    _check_text(sql)
    try:
        query = _parse(_statement(_DIALECT.tokenize(sql)), sql)
        for node in query.walk():
            _check_node(node)
        for join in query.find_all(exp.Join):
            check_join(join)
        tables = {name for table in query.find_all(exp.Table) if (name := table_name(table, allowed_tables))}
        rendered = query.sql(_DIALECT, comments=False, unsupported_level=ErrorLevel.RAISE)
    except (ParseError, TokenError) as error:
        raise QueryRefused(f"this is not SQL that can be read{_place(error)}") from None
    except UnsupportedError:
        raise QueryRefused("this uses something that the engine does not have") from None
    except RecursionError:
        raise QueryRefused("the query is nested too deeply: split it into CTEs") from None
    return GuardedQuery(rendered, tuple(sorted(tables)))


def _check_text(sql: str) -> None:
    if len(sql) > MAX_SQL_CHARS:
        raise QueryRefused(f"the query has {len(sql)} characters, at most {MAX_SQL_CHARS} are allowed")
    if _CONTROL.search(sql):
        raise QueryRefused("control characters are not allowed")


def _statement(tokens: list[Token]) -> list[Token]:
    """The tokens of the one statement; what needs no parser to be refused is refused here."""
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if not tokens:
        raise QueryRefused("the query is empty: write one SELECT")
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise QueryRefused("exactly one statement is allowed: send the others as queries of their own")
    if tokens[0].token_type not in _STARTS:
        raise QueryRefused(f"only SELECT is allowed, not {tokens[0].text.upper()[:20]}; {DISCOVER}")
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth > MAX_NESTING:
            raise QueryRefused(f"the query is nested more than {MAX_NESTING} deep: split it into CTEs")
    return tokens


def _parse(tokens: list[Token], sql: str) -> exp.Expr:
    statement = _DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, sql)[0]
    query = statement.unnest() if isinstance(statement, exp.Subquery) else statement
    if statement is None or not isinstance(query, exp.Select | exp.Union | exp.Intersect | exp.Except):
        raise QueryRefused("only SELECT is allowed, also combined with UNION, INTERSECT or EXCEPT")
    return statement


def _check_node(node: exp.Expr) -> None:
    kind = type(node)
    if kind is exp.Anonymous:
        _check_named_function(node)
    elif kind is exp.With and node.args.get("recursive"):
        raise QueryRefused("WITH RECURSIVE is not allowed")
    elif kind is exp.DataType and node.this not in TYPES:
        raise QueryRefused("a cast is allowed to text, numbers, boolean, times and JSON only")
    elif kind not in STRUCTURE and kind not in FUNCTIONS:
        raise QueryRefused(_objection(node))


def _check_named_function(node: exp.Expr) -> None:
    name = node.name.lower()
    if name not in NAMED_FUNCTIONS:
        raise QueryRefused(_function_objection(name))
    if name == "age" and len(node.expressions) != 2:
        raise QueryRefused(_function_objection("now"))


def _objection(node: exp.Expr) -> str:
    if type(node) in CONSTRUCTS:
        return CONSTRUCTS[type(node)]
    if isinstance(node, exp.Func):
        return _function_objection(node.sql_name().lower())
    return f"{type(node).__name__} is not allowed"


def _function_objection(name: str) -> str:
    instead = INSTEAD.get(name)
    if instead is None:
        near = get_close_matches(name, _function_names(), n=3)
        instead = f"nearest: {', '.join(near)}" if near else "it is not among the functions for analysis"
    return f"the function {name[:40]} is not allowed: {instead}"


@cache
def _function_names() -> tuple[str, ...]:
    typed = (function.sql_name().lower() for function in FUNCTIONS if issubclass(function, exp.Func))
    return tuple(sorted({*typed, *NAMED_FUNCTIONS}))


def _place(error: ParseError | TokenError) -> str:
    """Where the parser stopped; its own message quotes the query with control characters, so it is not passed on."""
    details = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    return f" (line {details['line']}, column {details['col']})" if details.get("line") else ""
