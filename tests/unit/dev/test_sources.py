"""Sources that grow with the requests people open, while questions are under way."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from infra.dev.sources import GrowingSources
from infra.sources.duckdb_files import DuckDbSources
from shared.errors import InvalidInput
from shared.ports.sources import QueryResult


class Edition:
    """One loading of the sources: answers with its number."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.closed = threading.Event()
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        self.asked.set()
        assert self.may_answer.wait(timeout=10)
        return QueryResult(("edition",), ({"edition": self.number},), (), self.closed.is_set(), 0)

    def link(self, table: str, record_id: str) -> str:
        return f"{table}:{record_id}"

    def close(self) -> None:
        self.closed.set()


class Library:
    """Editions as they come about; `files` is what the present one depends on."""

    def __init__(self) -> None:
        self.files: tuple[str, ...] = ()
        self.editions: list[Edition] = []
        self.broken = False

    def load(self) -> DuckDbSources:
        if self.broken:
            raise InvalidInput("a request cannot be read")
        self.editions.append(Edition(len(self.editions)))
        return cast(DuckDbSources, self.editions[-1])

    def sources(self) -> GrowingSources:
        return GrowingSources(lambda: self.files, self.load)


def asked(sources: GrowingSources) -> int:
    number = sources.sql("SELECT 1").rows[0]["edition"]
    assert isinstance(number, int)
    return number


def test_nothing_is_loaded_again_while_nothing_is_new() -> None:
    library = Library()
    sources = library.sources()
    assert [asked(sources), asked(sources)] == [0, 0]
    assert sources.link("stripe.charges", "ch_1") == "stripe.charges:ch_1"
    assert len(library.editions) == 1


def test_a_new_request_is_there_with_the_next_question_and_the_past_edition_is_closed() -> None:
    library = Library()
    sources = library.sources()
    library.files = ("request.json",)
    assert asked(sources) == 1
    assert [edition.closed.is_set() for edition in library.editions] == [True, False]


def test_a_question_under_way_is_answered_by_the_edition_it_was_asked_of() -> None:
    library = Library()
    sources = library.sources()
    first = library.editions[0]
    first.may_answer.clear()
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(sources.sql, "SELECT 1")
        assert first.asked.wait(timeout=10)
        library.files = ("request.json",)
        assert asked(sources) == 1
        assert not first.closed.is_set()
        first.may_answer.set()
        answer = under_way.result(timeout=10)
    assert (answer.rows[0]["edition"], answer.truncated) == (0, False)
    assert first.closed.is_set()


def test_what_cannot_be_loaded_is_an_error_of_that_question_and_the_present_edition_stays() -> None:
    library = Library()
    sources = library.sources()
    library.files, library.broken = ("request.json",), True
    with pytest.raises(InvalidInput):
        asked(sources)
    library.files = ()
    assert asked(sources) == 0


def test_closing_closes_the_present_edition() -> None:
    library = Library()
    library.sources().close()
    assert library.editions[0].closed.is_set()
