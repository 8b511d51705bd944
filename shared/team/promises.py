"""What a sentence by a member of staff promises a customer: a number of seats, or a day until which a trial lasts.

Lexical and narrow, as language.py: a question, a condition or a maybe promises nothing.
"""

from __future__ import annotations

import re
from datetime import date

from shared.team.language import own_words

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_SEATS = re.compile(r"\b(\d{1,3}(?:,\d{3})+|\d{1,6}) (?:active )?(seats|users|licen[cs]es)\b", re.IGNORECASE)
_GRANTED = re.compile(
    r"\b((at )?no (extra|additional) (cost|charge)|free of (charge|overage)|without (any )?(extra|additional|overage)"
    r"|(is|are|be|all) (included|covered)|won.?t (be )?(bill|charg)\w*|(will )?not (be )?(bill|charg)\w*|no overage"
    r"|good (for|to go|up) (up )?to|cover(s|ed)? (you )?(for )?up to|honou?r)",
    re.IGNORECASE,
)
_TRIAL = re.compile(r"\btrial\b", re.IGNORECASE)
_LASTS = re.compile(
    r"\b(extend(ed|ing|s)?|extension|prolong\w*|runs?|running|free|lasts?|no charge|not be (billed|charged)"
    r"|continues?)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\?|\b(if|unless|whether|once (legal|finance|we)|subject to|pending|may|might|could|would need|needs? approval"
    r"|ask(ed|ing|s)? (for|whether|me|us)|request(ed|ing|s)?|wants?|not (able|possible)|can.?t|cannot|no longer)\b",
    re.IGNORECASE,
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NAMED = "|".join(_MONTHS)
_DAY = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d\d-\d\d)\b"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)? (?P<m1>{_NAMED})(?:,? (?P<y1>\d{{4}}))?\b"
    rf"|\b(?P<m2>{_NAMED}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y2>\d{{4}}))?\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(until|till|through|thru|up to|to|ends? on|ending)\s+(and including )?(the )?$", re.IGNORECASE)


def promised_seats(text: str) -> int | None:
    """The number of seats that may be used at no extra charge. The caller knows that a member of staff wrote it."""
    for sentence in _sentences(text):
        found = _SEATS.search(sentence)
        if found and _GRANTED.search(sentence) and not _MAYBE.search(sentence):
            return int(found[1].replace(",", ""))
    return None


def promised_trial_end(text: str, written: date) -> date | None:
    """The last day of a trial that was extended; a day without a year is the next such day after it was written."""
    for sentence in _sentences(text):
        if not (_TRIAL.search(sentence) and _LASTS.search(sentence)) or _MAYBE.search(sentence):
            continue
        for found in _DAY.finditer(sentence):
            if _UNTIL.search(sentence[: found.start()]):
                return _day(found, written)
    return None


def _day(found: re.Match[str], written: date) -> date | None:
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        month = _MONTHS.index((found["m1"] or found["m2"]).lower()) + 1
        day, year = int(found["d1"] or found["d2"]), found["y1"] or found["y2"]
        named = date(int(year) if year else written.year, month, day)
        return named if year or named >= written else named.replace(year=written.year + 1)
    except ValueError:
        return None


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(own_words(text)) if sentence.strip()]
