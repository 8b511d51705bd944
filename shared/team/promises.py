"""What a member of staff promises a customer: all of a payment, a number of seats, the last day of a trial.

Only a plain affirmative sentence of a known form promises (plain.py). Whatever else speaks of the same thing is
unclear: `speaks_of_seats`, `speaks_of_trial` and `speaks_of_money` find it, and a person reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from shared.case.money import format_minor
from shared.team import named_days
from shared.team.plain import plain, unquoted

_UNTIL = r"(?:until|till|through|thru|up to|to)(?: and including)?(?: the)?"

_SEAT_TOPIC = re.compile(r"\b(seats?|users?|licen[cs]es?|overage)\b", re.IGNORECASE)
_SEATS = r"(?P<{0}>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}) (?:active )?(?:seats|users|licen[cs]es)"
_FREE = (
    r" (?:at no (?:extra|additional) (?:cost|charge)|free of (?:charge|overage)"
    r"|without (?:any )?(?:extra|additional) (?:cost|charge))"
)
_SEAT_FORM = re.compile(
    rf"(?:you(?: are|'re) good (?:for|to go)(?: up to)?|you (?:can|may) use(?: up to)?"
    rf"|we(?: will|'ll)? cover(?: you for)?(?: up to)?) {_SEATS.format('n1')}{_FREE}(?P<u1> until .+)?"
    rf"|(?:all |up to |your |the )?{_SEATS.format('n2')} are (?:included|covered)(?:{_FREE})?"
    rf"(?:, no overage(?: for you)?)?"
    rf"(?P<u2> until .+)?"
    rf"|we (?:won't|will not) (?:bill|charge)(?: you)?(?: for)?(?: anything)? up to "
    rf"{_SEATS.format('n3')}(?P<u3> until .+)?",
    re.IGNORECASE,
)
_SEATS_UNTIL = re.compile(rf" until (?:(?:the|your) renewal in )?(?P<month>{named_days.NAMES})", re.IGNORECASE)

_TRIAL_TOPIC = re.compile(r"\btrial\b", re.IGNORECASE)
_TRIAL_FORM = re.compile(
    r"(?:(?:(?:i|we) )?told (?:her|him|them|you) (?:that )?)?"
    r"(?:(?:we|i)(?: will|'ll| have)? (?:extend(?:ed)?|prolong(?:ed)?) (?:the|your|their) trial"
    r"|(?:the|your|their) trial (?:runs|lasts|continues|will run|will last|is extended|has been extended))"
    rf" {_UNTIL} (?:{named_days.DAY})(?:(?:,| and)(?: that)? nothing is billed before(?: then| that)?)?",
    re.IGNORECASE,
)

_MONEY_TOPIC = re.compile(
    r"\b(credit(s|ed|ing)?(?! ?cards?\b)|refund\w*|reimburs\w*|compensat\w*|pro-?rat\w+|money back|give \w+ back"
    r"|charge ?back)\b",
    re.IGNORECASE,
)
_SYMBOLS = {"usd": r"\$", "eur": "€", "gbp": "£"}
_ALL = r"(?:the |your )?(?:whole|entire|full) (?:amount|payment|charge)"
_TO = r"(?: (?:back )?to (?:your|the same|the original) (?:card|account|payment method))?"
_DAYS = r"(?:\w+|\d+)(?: ?(?:to|-) ?(?:\w+|\d+))? (?:business |working )?days"
_SOON = rf"(?: today| now)?(?:,? (?:within )?{_DAYS}(?: until your bank shows it)?)?"


@dataclass(frozen=True, slots=True)
class SeatPromise:
    """Seats that may be used at no extra charge; `until`: the first day on which that may have ended, where named."""

    seats: int
    until: date | None


def promised_seats(text: str, written: date) -> SeatPromise | None:
    """The seats that are plainly promised. The caller knows that a member of staff wrote it, and when."""
    found = plain(text, _SEAT_FORM, _SEAT_TOPIC)
    if found is None:
        return None
    number = int((found["n1"] or found["n2"] or found["n3"]).replace(",", ""))
    limit = found["u1"] or found["u2"] or found["u3"]
    if not limit:
        return SeatPromise(number, None)
    named = _SEATS_UNTIL.fullmatch(limit)
    if named is None:
        return None
    month = named_days.MONTHS.index(named["month"].lower()) + 1
    return SeatPromise(number, named_days.following(written, month, 1))


def speaks_of_seats(text: str) -> bool:
    """Whether it speaks of seats at all, also in what it passes on."""
    return _SEAT_TOPIC.search(unquoted(text)) is not None


def promised_trial_end(text: str, written: date) -> date | None:
    """The last day of a trial that was extended; a day without a year is the next such day after it was written."""
    found = plain(text, _TRIAL_FORM, _TRIAL_TOPIC)
    return named_days.read(found, written) if found else None


def speaks_of_trial(text: str) -> bool:
    """Whether it speaks of a trial at all, also in what it passes on."""
    return _TRIAL_TOPIC.search(unquoted(text)) is not None


def promise_of_all(text: str, minor: int, currency: str) -> str | None:
    """The sentence that plainly promises to refund all of an amount (minor units), in words or by that very figure."""
    found = plain(text, _all_of(minor, currency), _MONEY_TOPIC)
    return f"{found[0]}." if found else None


def speaks_of_money(text: str) -> bool:
    """Whether it speaks of money coming back at all, also in what it passes on."""
    return _MONEY_TOPIC.search(unquoted(text)) is not None


def _all_of(minor: int, currency: str) -> re.Pattern[str]:
    exact = format_minor(minor, currency)
    whole, _, cents = exact.partition(".")
    figures = {exact, exact.replace(",", "")} | ({whole, whole.replace(",", "")} if not cents.strip("0") else set())
    sign = _SYMBOLS.get(currency.lower())
    figure = f"(?:{'|'.join(map(re.escape, sorted(figures)))})(?: {re.escape(currency)})?"
    figure = f"(?:{sign})?{figure}" if sign else figure
    return re.compile(
        rf"(?:we|i)(?: will|'ll| are going to| am going to) (?:"
        rf"(?:refund|return)(?: you)? (?:{_ALL}(?: of {figure})?|(?:the |your )?{figure})"
        rf"|(?:issue|process|make|give)(?: you)? (?:a|the) full refund(?: of {figure})?){_TO}{_SOON}",
        re.IGNORECASE,
    )
