"""Exhibits as PDF: the same document is the same bytes, and no text breaks it."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from datetime import UTC, datetime

from pypdf import PdfReader

from infra.effects.exhibits import render
from shared.case.document import Document, Line, Quote, Section
from shared.ports.exhibits import Rendered

DATED = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)
SPAN = "2026-04-13 08:00 UTC to 2026-04-15 08:00 UTC"


def document(said: str = "They used it.", lines: int = 3) -> Document:
    return Document(
        title="Evidence about a disputed payment",
        subtitle="Acme, 8,400.00 USD",
        dated=DATED,
        sections=(
            Section(
                heading="What happened",
                lines=tuple(Line(label=f"2026-04-{n % 28 + 1:02d}", text=said, sources=(1,)) for n in range(lines)),
            ),
            Section(heading="Trouble", lines=(Line(label=SPAN, text="It was down."),)),
            Section(heading="Their words", quotes=(Quote(label="On 14 April", text=said, sources=(1, 2)),)),
            Section(heading="In short", paragraphs=("Nothing is owed.",)),
        ),
        sources=("Stripe, charges: ch_1", "Zendesk, tickets: 7"),
    )


def words(drawn: Rendered) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(drawn.content)).pages)


def test_it_says_what_the_document_says() -> None:
    drawn = render(document())
    told = words(drawn)
    for said in (
        "Evidence about a disputed payment",
        "They used it. [1]",
        SPAN,
        "“They used it.” [1][2]",
        "[2] Zendesk",
    ):
        assert said in told
    assert "Nothing is owed." in told
    assert drawn.replaced == ()
    assert "its font lacks" not in told


def test_the_same_document_is_the_same_bytes_in_another_process_too() -> None:
    first = render(document())
    assert first == render(document())
    assert first.sha256 == hashlib.sha256(first.content).hexdigest()
    code = (
        "import sys; from infra.effects.exhibits import render; from shared.case.document import Document; "
        "print(render(Document.model_validate_json(sys.stdin.read())).sha256)"
    )
    given = document().model_dump_json()
    other = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == first.sha256


def test_another_word_is_another_digest() -> None:
    assert render(document("They used it!")).sha256 != render(document()).sha256


def test_its_properties_come_from_the_matter_and_not_from_a_clock() -> None:
    found = PdfReader(io.BytesIO(render(document()).content)).metadata
    assert found is not None
    assert found.creation_date == DATED
    assert (found.title, found.producer) == ("Evidence about a disputed payment", "Manthan")


def test_pages_are_counted_and_are_a4_portrait() -> None:
    drawn = render(document(lines=90))
    pages = PdfReader(io.BytesIO(drawn.content)).pages
    assert drawn.pages == len(pages) == 3
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in pages} == {(595, 842)}


def test_characters_that_the_font_lacks_are_shown_by_number_and_said_to_be() -> None:
    drawn = render(document("日本 → naïve € “q” −5 ok\x00\u200b"))
    told = words(drawn)
    assert "[U+65E5][U+672C] [U+2192] naïve € “q” -5 ok" in told
    assert drawn.replaced == ("\u200b", "→", "日", "本")
    assert "U+2192, U+65E5, U+672C" in told
    assert "the records hold the original text" in told


def test_no_text_breaks_it() -> None:
    for said in ("", " ", "x" * 5_000, "😀" * 500, "a\n\n\nb\tc", "\ud800", "**bold** <b>x</b> %PDF", "שלום مرحبا"):
        assert render(document(said)).pages >= 1
