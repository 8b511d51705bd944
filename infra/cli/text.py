"""Text for a terminal. Whatever customers or the outside world wrote is data: it can be read, and does nothing else."""

from __future__ import annotations

import re
import shutil
import textwrap
from datetime import UTC, datetime
from typing import Final

from shared.case.money import format_minor

_WIDEST: Final = 110
_STYLING: Final = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff]")
"""Control characters, and those that hide text or turn its direction around; tab and line feed are harmless."""


def clean(text: str) -> str:
    """The text without escape sequences and control characters; what can be read in it stays, so that nothing hides."""
    visible = _CONTROLS.sub("", _STYLING.sub("", text))
    return visible.encode("utf-8", "replace").decode("utf-8")


def inline(text: str) -> str:
    """The text cleaned and on one line: customers' line breaks cannot pass for lines of ours."""
    return " ".join(clean(text).split())


def wrapped(text: str, indent: int = 0, hanging: int | None = None) -> str:
    """One paragraph within the width of the terminal; `hanging` indents its further lines."""
    further = indent if hanging is None else hanging
    return textwrap.fill(
        inline(text),
        width=min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST),
        initial_indent=" " * indent,
        subsequent_indent=" " * further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def money(minor: int | None, currency: str | None) -> str:
    """An amount as people read it, "560.00 USD"; "no amount" where there is none."""
    if minor is None or currency is None:
        return "no amount"
    return f"{format_minor(minor, currency)} {currency.upper()}"


def moment(at: datetime) -> str:
    """An instant to the second, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 case", "2 cases"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def words(name: str) -> str:
    """A name from code as words: awaiting_approval is "awaiting approval"."""
    return name.replace("_", " ")
