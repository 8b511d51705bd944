"""Exhibits as PDF: A4 portrait, 12 point, black on white, no links (docs.stripe.com/disputes/best-practices).

The bytes follow from the document alone: core fonts that every reader has, no compression (whose output depends on the
library), the document's own date and a file id made from its text. Core fonts know the Latin letters of Western Europe;
any other character is shown as its code point in brackets, and the last page says which ones and where the original is.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from shared.case.canonical import canonical, sha256
from shared.case.document import Document, Line, Quote, Section
from shared.ports.exhibits import Rendered

if TYPE_CHECKING:
    from fpdf import FPDF

_FONT = "Helvetica"
_BODY_PT, _HEADING_PT, _TITLE_PT = 12, 14, 18
_LINE_MM, _GAP_MM, _MARGIN_MM = 5.8, 2.5, 20
_LABEL_MM, _QUOTE_MM = 48, 8
"""The most that a label takes beside its text; a wider one stands above it."""
_CODEC = "cp1252"
_ALIKE = str.maketrans({"\u2212": "-", "\u2010": "-", "\u2011": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})
"""Characters that have a twin every reader takes for the same: not counted as replaced."""


def render(document: Document) -> Rendered:
    """The document as a PDF."""
    drawing = _Drawing(document)
    content = drawing.finished()
    return Rendered(content, drawing.pages, hashlib.sha256(content).hexdigest(), tuple(sorted(drawing.replaced)))


class _Drawing:
    """One document on its way to paper."""

    def __init__(self, document: Document) -> None:
        self.replaced: set[str] = set()
        self._pdf = _blank(document)
        self._draw(document)

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return int(self._pdf.page_no())

    def finished(self) -> bytes:
        """The file."""
        return bytes(self._pdf.output())

    def _draw(self, document: Document) -> None:
        self._write(document.title, _TITLE_PT, bold=True)
        self._write(document.subtitle, _BODY_PT)
        for section in document.sections:
            self._section(section)
        if document.sources:
            numbered = tuple(Line(label=f"[{n}]", text=told) for n, told in enumerate(document.sources, 1))
            self._section(Section(heading="Records", lines=numbered))
        if self.replaced:
            self._note()

    def _section(self, section: Section) -> None:
        self._pdf.ln(_GAP_MM)
        self._write(section.heading, _HEADING_PT, bold=True)
        for paragraph in section.paragraphs:
            self._write(paragraph, _BODY_PT)
            self._pdf.ln(_GAP_MM)
        self._lines(section.lines)
        for quote in section.quotes:
            self._quote(quote)

    def _lines(self, lines: tuple[Line, ...]) -> None:
        """Labels beside texts, whose left edges are in line."""
        self._pdf.set_font(_FONT, "", _BODY_PT)
        widest = max((self._pdf.get_string_width(self._printable(line.label)) for line in lines), default=0.0)
        for line in lines:
            self._line(line, min(widest + _GAP_MM, _LABEL_MM))

    def _line(self, line: Line, width: float) -> None:
        """The text keeps its left edge over several lines and pages."""
        self._pdf.set_font(_FONT, "", _BODY_PT)
        if self._pdf.will_page_break(_LINE_MM):
            self._pdf.add_page()
        top = self._pdf.get_y()
        label = self._printable(line.label)
        wide = self._pdf.get_string_width(label) > width
        self._pdf.cell(width, _LINE_MM, label)
        if wide:
            self._pdf.ln(_LINE_MM)
            top = self._pdf.get_y()
        self._pdf.set_y(top)
        self._indented(width, _with_sources(line.text, line.sources))

    def _quote(self, quote: Quote) -> None:
        self._write(quote.label, _BODY_PT, bold=True)
        self._indented(_QUOTE_MM, _with_sources(f"\u201c{quote.text}\u201d", quote.sources))
        self._pdf.ln(_GAP_MM)

    def _indented(self, indent: float, text: str) -> None:
        self._pdf.set_left_margin(_MARGIN_MM + indent)
        self._pdf.set_x(_MARGIN_MM + indent)
        self._write(text, _BODY_PT)
        self._pdf.set_left_margin(_MARGIN_MM)
        self._pdf.set_x(_MARGIN_MM)

    def _note(self) -> None:
        listed = ", ".join(f"U+{ord(character):04X}" for character in sorted(self.replaced))
        self._pdf.ln(_GAP_MM)
        self._write(
            "Characters that this document's font lacks are shown by their Unicode number in brackets, here "
            f"{listed}; the records hold the original text.",
            _BODY_PT,
        )

    def _write(self, text: str, size: int, *, bold: bool = False) -> None:
        self._pdf.set_font(_FONT, "B" if bold else "", size)
        self._pdf.multi_cell(
            0, _LINE_MM * size / _BODY_PT, self._printable(text), align="L", new_x="LMARGIN", new_y="NEXT"
        )

    def _printable(self, text: str) -> str:
        return "".join(map(self._character, text.translate(_ALIKE)))

    def _character(self, character: str) -> str:
        if character == "\n":
            return character
        if character.isspace():
            return " "
        try:
            character.encode(_CODEC)
        except UnicodeEncodeError:
            self.replaced.add(character)
            return f"[U+{ord(character):04X}]"
        return character if character.isprintable() else ""


def _blank(document: Document) -> FPDF:
    """An empty file whose properties come from the document."""
    from fpdf import FPDF  # half a second and an image library, which only whoever draws needs

    class Numbered(FPDF):
        def footer(self) -> None:
            self.set_y(-15)
            self.set_font(_FONT, "", 9)
            self.cell(0, 5, f"Page {self.page_no()}", align="C")

        def file_id(self) -> str:
            digest = sha256(canonical(document))[:32].upper()
            return f"<{digest}><{digest}>"

    pdf = Numbered(orientation="portrait", unit="mm", format="A4")
    pdf.core_fonts_encoding = _CODEC
    pdf.set_compression(False)
    pdf.set_creation_date(document.dated)
    pdf.set_producer("Manthan")
    pdf.set_title(document.title.encode(_CODEC, "replace").decode(_CODEC))
    pdf.set_margins(_MARGIN_MM, _MARGIN_MM)
    pdf.set_auto_page_break(True, margin=_MARGIN_MM)
    pdf.add_page()
    return pdf


def _with_sources(text: str, sources: tuple[int, ...]) -> str:
    return f"{text} {''.join(f'[{number}]' for number in sources)}" if sources else text
