"""Finding pages by their words: BM25 over stemmed words, by SQLite's full-text index (sqlite.org/fts5.html).

The index lives in memory for one question: a policy library is some hundreds of pages, and indexing it takes
milliseconds. The same pages and words give the same answer.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

TITLE_WEIGHT = 5.0
"""A word in a title says more about a page than one in its text."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_SAYS_NOTHING = frozenset(
    """and are for from has have his her its not our out she that the their them they this was were will with you
    your""".split()  # noqa: SIM905  a list of words is easier read as words
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a library."""

    id: str
    title: str
    body: str


def words_of(*texts: str) -> tuple[str, ...]:
    """The words of some texts that can tell pages apart, each once, in order."""
    found = (word.casefold() for text in texts for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in found if word not in _SAYS_NOTHING))


def search(pages: Iterable[Page], words: Collection[str], *, limit: int, at_least: int = 2) -> Sequence[str]:
    """The ids of the pages that hold at least `at_least` of the words, the best first; by id where none is better."""
    wanted = tuple(dict.fromkeys(words))
    if not wanted:
        return ()
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE page USING fts5(id UNINDEXED, title, body, tokenize='porter unicode61')")
        index.executemany("INSERT INTO page VALUES (?, ?, ?)", ((page.id, page.title, page.body) for page in pages))
        held: dict[str, int] = {}
        for word in wanted:
            for (found,) in index.execute("SELECT id FROM page WHERE page MATCH ?", (_literal(word),)):
                held[found] = held.get(found, 0) + 1
        ranked = index.execute(
            f"SELECT id FROM page WHERE page MATCH ? ORDER BY bm25(page, 0.0, {TITLE_WEIGHT}, 1.0), id",
            (" OR ".join(map(_literal, wanted)),),
        )
        enough = min(at_least, len(wanted))
        return tuple(found for (found,) in ranked if held[found] >= enough)[:limit]


def _literal(word: str) -> str:
    """A word as the index's query language takes it: never an operator of that language."""
    return '"' + word.replace('"', '""') + '"'
