"""A printable document as data: what an exhibit says, before anybody draws it.

It is stored and hashed as canonical text. The same document always becomes the same bytes, so whoever approves the
digest of the bytes approves what is printed.
"""

from __future__ import annotations

from datetime import datetime

from shared.case.canonical import Record


class Line(Record):
    """One line of a timeline or a table: a label, what is said, and the numbers of the sources that show it."""

    label: str
    text: str
    sources: tuple[int, ...] = ()


class Quote(Record):
    """Somebody's own words, whole, with who said them and when."""

    label: str
    text: str
    sources: tuple[int, ...] = ()


class Section(Record):
    """A heading with paragraphs, then lines, then quotes; what is empty is left out."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    quotes: tuple[Quote, ...] = ()


class Document(Record):
    """A document. `dated` goes into the file's properties: an instant of the matter itself, never a clock's."""

    title: str
    subtitle: str
    dated: datetime
    sections: tuple[Section, ...]
    sources: tuple[str, ...] = ()
    """What the numbers refer to: sources[0] is 1."""
