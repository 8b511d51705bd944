"""Policies that do not say what they are for are found by their words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shared.case.brief import DecisionKind
from shared.team.retrieval import Page, search, words_of
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import World, investigate, opened, sources

LIBRARY = (
    Page("outages", "Outages and chargebacks", "When a customer disputes a charge because the service was degraded."),
    Page("travel", "Travel expenses", "Book trains. A dispute over a receipt goes to your manager."),
    Page("parties", "Summer party", "Bring a cake."),
)


def test_the_page_that_is_most_about_it_comes_first() -> None:
    found = search(LIBRARY, words_of("dispute about a degraded service, chargeback"), limit=3)
    assert found == ("outages",)


def test_words_are_stemmed_and_one_word_alone_is_too_little() -> None:
    assert search(LIBRARY, words_of("disputing receipts"), limit=3) == ("travel",)
    assert search(LIBRARY, words_of("dispute cake holiday"), limit=3) == ()
    assert search(LIBRARY, words_of("cake"), limit=3) == ("parties",)


def test_equal_pages_are_ordered_by_id_and_cut_at_the_limit() -> None:
    twins = [Page(name, "Refund request", "refund request") for name in ("c", "a", "b")]
    assert search(twins, ("refund", "request"), limit=2) == ("a", "b")


@pytest.mark.parametrize("text", ['" OR id:*', "NEAR(a b)", "NOT", "*", "'; DROP TABLE page; --", "", "12 34"])
def test_no_text_is_taken_for_an_operator_of_the_index(text: str) -> None:
    assert set(search(LIBRARY, words_of(text, "chargeback degraded"), limit=3)) == {"outages"}
    assert set(search(LIBRARY, (text, "degraded"), limit=3, at_least=1)) >= {"outages"}


Library = Callable[..., Dossier]


@pytest.fixture
def with_page(world: World, tmp_path: Path) -> Library:
    """The shipped world's case, investigated again with one more page in the library."""

    def look(**page: object) -> Dossier:
        blank: dict[str, object] = {
            "id": "handbook-7",
            "title": "Handbook, chapter 7",
            "status": "current",
            "effective_from": "2025-01-01",
            "applies_to": "",
            "rule": None,
            "url": "https://wiki.example.test/7",
            "body": "",
        }
        tables = {**world.tables, "policies.documents": [*world.tables["policies.documents"], blank | page]}
        changed = World(tables, world.org, world.now, world.event)
        case = opened(changed)
        with sources(tmp_path / "world.duckdb", tables) as engine:
            evidence, gaps = investigate(case, changed, engine)
        return Dossier(case, world.org, world.now, tuple(evidence), tuple(gaps))

    return look


def pages(dossier: Dossier) -> set[str]:
    return {item.row.record_id for item in dossier.evidence if item.row.table == "policies.documents"}


ABOUT_IT = "If a chargeback says that merchandise or services were defective or not as described, ask Nadia first."


def test_a_page_without_topics_that_is_about_the_claim_is_quoted_and_a_person_decides(with_page: Library) -> None:
    dossier = with_page(body=ABOUT_IT)
    assert "handbook-7" in pages(dossier)
    decision = dossier.brief().decision
    assert decision.kind is DecisionKind.ESCALATE
    assert "handbook-7" in decision.rationale


def test_a_page_without_topics_about_something_else_changes_nothing(with_page: Library) -> None:
    dossier = with_page(body="Bring a cake to the summer party.")
    assert "handbook-7" not in pages(dossier)
    assert dossier.brief().decision.kind is DecisionKind.CREDIT


def test_what_a_page_declares_wins_over_its_words(with_page: Library) -> None:
    dossier = with_page(body=ABOUT_IT, applies_to="travel")
    assert "handbook-7" not in pages(dossier)
    assert dossier.brief().decision.kind is DecisionKind.CREDIT


def test_a_superseded_page_without_topics_is_named_and_not_applied(with_page: Library) -> None:
    dossier = with_page(body=ABOUT_IT, status="superseded")
    assert "handbook-7" in pages(dossier)
    assert dossier.brief().decision.kind is DecisionKind.CREDIT
