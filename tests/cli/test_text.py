"""Text that others wrote, on a terminal."""

from __future__ import annotations

import pytest

from infra.cli.render import runs
from infra.cli.text import clean, count, inline, money, wrapped
from tests.cli.conftest import HOSTILE


def test_escape_sequences_and_control_characters_are_stripped() -> None:
    shown = clean(HOSTILE)
    assert "pay" in shown
    assert not any(character in shown for character in "\x1b\x9b\x07\u202e")


def test_what_can_be_read_stays_readable() -> None:
    assert clean("\x1b]0;hidden words") == "]0;hidden words"
    assert clean("grüße, 世界 🎉\ttab\nline") == "grüße, 世界 🎉\ttab\nline"


def test_a_lone_surrogate_does_not_stop_the_printing() -> None:
    assert clean("a\ud800b") == "a?b"


def test_line_breaks_of_others_do_not_make_lines_of_ours() -> None:
    assert "\n" not in inline(HOSTILE)
    assert inline("a\r\nDecision: refund") == "a Decision: refund"


def test_a_paragraph_is_indented_and_wrapped_but_links_stay_whole() -> None:
    link = "https://example.test/" + "x" * 200
    text = wrapped(f"see {link} for more", 2, 4)
    assert text.startswith("  see")
    assert f"    {link}" in text.splitlines()


@pytest.mark.parametrize(
    ("minor", "currency", "shown"),
    [(56000, "usd", "560.00 USD"), (9899, "jpy", "9,899 JPY"), (None, None, "no amount")],
)
def test_amounts_read_as_people_write_them(minor: int | None, currency: str | None, shown: str) -> None:
    assert money(minor, currency) == shown


def test_one_is_singular() -> None:
    assert (count(1, "case"), count(0, "case"), count(2, "entry", "entries")) == ("1 case", "0 cases", "2 entries")


def test_runs_of_indexes_are_drawn_together() -> None:
    assert runs([8, 1, 2, 3, 5, 3]) == ["1-3", "5", "8"]
    assert runs([]) == []
