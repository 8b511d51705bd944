"""When money was short: the invoice waits for the day on which the customer usually pays, and is read again then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.case.actions import ActionKind, Json
from shared.playbooks.disputes.failed_invoices.usual_day import _coming
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_failed_invoices import declined, doing, one, planned

RETRY, MAIL, TICKET = ActionKind.STRIPE_RETRY_INVOICE, ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET
PAGE, CHARGE, HOLD = "short-of-money", "stripe.charges", "invoice.hold_until"
PAYDAY = datetime(2026, 6, 15, 13, tzinfo=UTC)  # nine o'clock in New York


@pytest.fixture
def short(investigated: Callable[..., Dossier]) -> Dossier:
    """A small shop without money on the third; five of six payments went through on the fifteenth."""
    return investigated("fennel")


def known(dossier: Dossier) -> Dossier:
    """With what the draft established, and the draft itself."""
    draft = dossier.draft()
    return dossier.with_facts(draft.facts, brief=draft.brief)


def test_it_waits_for_their_day_without_a_mail(short: Dossier) -> None:
    assert doing(short) == set()
    assert short.draft().facts[HOLD] == int(PAYDAY.timestamp())
    assert "day 15 of the month, so it waits until 15 June 2026" in short.brief().decision.rationale
    assert PLAYBOOK.awaits(known(short).case) == ("the day on which they usually pay", PAYDAY)
    assert PLAYBOOK.looks_again(short.case) is not None


def test_on_the_day_it_is_tried_once_more(short: Dossier) -> None:
    that_day = replace(short, now=PAYDAY)
    assert doing(that_day) == {RETRY}
    assert that_day.draft().facts[HOLD] is None
    assert PLAYBOOK.awaits(known(that_day).case) is None
    retry = one(that_day, RETRY)
    expected: dict[str, Json] = {"invoice.status": "open", "invoice.amount_remaining": 34000}
    assert retry.snapshot == expected


def test_without_a_day_that_stands_out_it_is_tried_at_once(short: Dossier) -> None:
    ids = [item.row.record_id for item in short.evidence if item.row.table == CHARGE]
    spread = short
    for place, record in enumerate(ids):
        spread = spread.changed(
            CHARGE, record, created=int(datetime(2026, 1, 3 + 3 * place, 12, tzinfo=UTC).timestamp())
        )
    assert doing(spread) == {RETRY}
    assert doing(short.ruled(PAGE, usual_day_payments=6)) == {RETRY}
    assert doing(short.ruled(PAGE, retry_on_usual_day=False)) == {RETRY}


def test_it_waits_only_where_money_was_short_and_a_retry_is_for_us(short: Dossier) -> None:
    assert doing(declined(short, "expired_card")) == {MAIL}
    assert short.draft().facts[HOLD] is not None
    assert planned(short).draft().facts[HOLD] is None
    assert doing(short.ruled(PAGE, automatic_retries_below_minor=34000)) == {MAIL}


def test_the_page_may_want_a_message_before_the_day(short: Dossier) -> None:
    asked = short.ruled(PAGE, message_before_usual_day=True, contact_on=["insufficient_funds"], retry_on=[])
    assert doing(asked) == {MAIL}
    assert asked.draft().facts[HOLD] is None  # a code of `contact_on` alone is not tried again by us
    both = short.ruled(PAGE, message_before_usual_day=True, retry_on=[], contact_on=[])
    assert doing(both) == {MAIL}
    assert both.draft().facts[HOLD] == int(PAYDAY.timestamp())


@pytest.mark.parametrize(
    ("today", "day", "coming"),
    [
        ("2026-06-15", 15, "2026-06-15"),
        ("2026-06-16", 15, "2026-07-15"),
        ("2026-12-20", 15, "2027-01-15"),
        ("2026-02-03", 31, "2026-02-28"),
        ("2026-04-30", 31, "2026-04-30"),
        ("2026-05-01", 31, "2026-05-31"),
    ],
)
def test_the_day_of_a_month_that_is_too_short_is_its_last(today: str, day: int, coming: str) -> None:
    assert _coming(datetime.fromisoformat(today).date(), day) == datetime.fromisoformat(coming).date()
