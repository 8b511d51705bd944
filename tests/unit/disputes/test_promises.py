"""What staff promised: a number of seats, the last day of a trial; a question, a condition or a maybe is no promise."""

from __future__ import annotations

from datetime import date

import pytest

from shared.team.promises import promised_seats, promised_trial_end

WRITTEN = date(2026, 6, 24)


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("You are good to go up to 220 seats at no extra cost until October.", 220),
        ("1,200 users are included, no overage for you.", 1200),
        ("We won't bill anything up to 35 seats.", 35),
        ("Can you use 220 seats at no extra cost?", None),
        ("If finance agrees, 220 seats are included.", None),
        ("You might get 220 seats at no extra cost.", None),
        ("You have 220 seats in use.", None),
        ("220 seats are not possible at no extra cost.", None),
        ("> You are good to go up to 220 seats at no extra cost.", None),
    ],
)
def test_seats_are_promised_by_a_plain_statement_alone(text: str, seats: int | None) -> None:
    promised = promised_seats(text, WRITTEN)
    assert (promised.seats if promised else None) == seats


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("We extend the trial until 31 July 2026.", date(2026, 7, 31)),
        ("Your trial runs through 2026-07-31, nothing is billed before.", date(2026, 7, 31)),
        ("Told her the trial is extended to July 31st.", date(2026, 7, 31)),
        ("The trial lasts until January 5.", date(2027, 1, 5)),
        ("Asked whether the trial could be extended until 31 July 2026.", None),
        ("We extend the trial if legal agrees, until 31 July 2026.", None),
        ("We cannot extend the trial until 31 July 2026.", None),
        ("The trial ended. We meet on 31 July 2026.", None),
        ("We extend the trial until 31 February 2026.", None),
        ("We extend the trial by some time.", None),
    ],
)
def test_a_trial_is_extended_by_a_plain_statement_with_a_day(text: str, last: date | None) -> None:
    assert promised_trial_end(text, WRITTEN) == last
