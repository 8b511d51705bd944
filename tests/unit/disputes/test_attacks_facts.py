"""Rows that cannot be read, amounts that are not what was paid, people who are not who they seem: a person decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.brief import DecisionKind
from shared.case.evidence import Cell
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.claims.seats import is_c_level
from shared.playbooks.disputes.providers import is_public
from shared.team.json_text import parsed
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import ALERT, alert_of, quiet

Look = Callable[..., Dossier]
PAGE = "documented-incident-prorata"


def person(dossier: Dossier) -> None:
    """A person decides."""
    decision = dossier.brief().decision
    assert decision.kind is DecisionKind.ESCALATE, f"{decision.kind} {decision.amount_minor}: {decision.rationale}"


@pytest.mark.parametrize(
    "fields",
    [
        {"started_at": "2026-04-13 08:00:00", "ended_at": "2026-04-15 08:00:00"},
        {"started_at": 1776067200000, "ended_at": 1776240000000},
        {"ended_at": "2026-04-12T08:00:00+00:00", "started_at": "2026-04-14T08:00:00+00:00"},
        {"tags": '["customer:aperture-analytics"]'},
        {"tags": '["tier:premium", "env:prd"]'},
        {"tags": '["tier:premium", "env:prod-us-east"]'},
        {"tags": '["tier:premium-monthly"]'},
        {"service": "Custom-Reports-SVC"},
    ],
    ids=["no offset", "milliseconds", "ends before it starts", "their slug", "prd", "prod region", "tier slug", "case"],
)
def test_an_alert_that_cannot_be_read_or_placed_is_not_the_absence_of_trouble(
    dossier: Dossier, fields: dict[str, Cell]
) -> None:
    shown = next(item.row for item in dossier.evidence if item.row.record_id == alert_of(dossier))
    again = quiet(dossier).without_absences(labels.NO_ALERT).added(ALERT, "al_x", {**shown.fields, **fields})
    decision = again.brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


def test_a_credit_for_the_billed_period_counts_although_the_period_began_before_the_payment(
    dossier: Dossier,
) -> None:
    # Stripe charges an hour after the period starts; a credit for the same period starts with the period.
    line, charge = dossier.only("stripe.invoice_lines").fields, dossier.only("stripe.charges")
    credit: dict[str, Cell] = {
        "invoice": "in_later",
        "amount": -56000,
        "currency": "usd",
        "period__start": line["period__start"],
        "period__end": line["period__end"],
    }
    later = dossier.changed("stripe.charges", charge.record_id, created=int(str(line["period__start"])) + 3600)
    person(later.added("stripe.invoice_lines", "il_c", credit))


def test_the_same_credit_is_not_paid_again_on_a_request(investigated: Look) -> None:
    hazelmere = investigated("hazelmere")
    line, charge = hazelmere.only("stripe.invoice_lines").fields, hazelmere.only("stripe.charges")
    credit: dict[str, Cell] = {
        "invoice": "in_later",
        "amount": -28000,
        "currency": "usd",
        "period__start": line["period__start"],
        "period__end": line["period__end"],
    }
    later = hazelmere.changed("stripe.charges", charge.record_id, created=int(str(line["period__start"])) + 3600)
    person(later.added("stripe.invoice_lines", "il_c", credit))


def test_a_line_is_not_the_price_where_the_invoice_had_a_discount(dossier: Dossier) -> None:
    # Two lines of 7,800.00 and 600.00 with half off: 4,200.00 were paid. 2 of 30 days of 7,800.00 is not what was paid.
    line = dossier.only("stripe.invoice_lines")
    addon = {**line.fields, "id": "il_x", "amount": 60000, "description": "Extra seats", "price__nickname": "Seats"}
    split = dossier.changed("stripe.invoice_lines", line.record_id, amount=780000).added(
        "stripe.invoice_lines", "il_x", addon
    )
    half = split.changed("stripe.charges", amount=420000, amount_captured=420000)
    decision = half.changed("stripe.disputes", dossier.case.subject.id, amount=420000).brief().decision
    assert decision.amount_minor in (None, 26000), decision.rationale


def test_a_share_is_taken_of_what_was_captured(dossier: Dossier) -> None:
    decision = dossier.changed("stripe.charges", amount_captured=420000).brief().decision
    assert decision.amount_minor in (None, 28000), decision.rationale


def test_of_two_equal_charges_one_is_not_returned_when_most_of_the_other_went_back(investigated: Look) -> None:
    wren = investigated("wren")
    rows = [
        item.row
        for item in wren.evidence
        if item.row.table == "stripe.charges" and item.row.fields.get("amount") == 8900
    ]
    first = min(rows, key=lambda row: int(str(row.fields["created"])))
    person(wren.changed("stripe.charges", first.record_id, amount_refunded=8800))


@pytest.mark.parametrize("provider", ["yahoo.co.uk", "btinternet.com", "hotmail.co.uk", "comcast.net", "gmx.net"])
def test_a_stranger_at_the_same_mail_provider_is_not_the_customer(investigated: Look, provider: str) -> None:
    wren = investigated("wren").changed("stripe.customers", email=f"solo@{provider}")
    person(wren.changed("manthan.requests", sender=f"stranger@{provider}"))


def test_a_rule_that_says_one_thing_twice_is_read_by_a_person(dossier: Dossier) -> None:
    # Now the last one wins, and 8,400.00 are given up instead of 560.00.
    rule = str(next(item.row.fields["rule"] for item in dossier.evidence if item.row.record_id == PAGE)).rstrip()
    twice = rule[:-1] + ', "basis": "fixed_days", "basis_days": 2}'
    person(dossier.changed("policies.documents", PAGE, rule=twice))


@pytest.mark.parametrize(
    ("table", "column"),
    [("policies.documents", "rule"), ("datadog.monitor_events", "tags"), ("posthog.events", "properties")],
)
def test_a_deeply_nested_text_does_not_stop_the_case(dossier: Dossier, table: str, column: str) -> None:
    # 16,000 brackets fit into a row (16 KiB); the properties of an event come from the customer's browser.
    assert dossier.changed(table, **{column: "[" * 16_000}).draft().brief is not None


def test_a_deadline_beyond_any_calendar_goes_to_a_person(dossier: Dossier) -> None:
    person(dossier.changed("stripe.disputes", evidence_details__due_by=10**12))


@pytest.mark.parametrize("arr", ["0", "1", "-120", "1000000000000000"])
def test_a_yearly_revenue_that_gives_no_payable_month_goes_to_a_person(investigated: Look, arr: str) -> None:
    person(investigated("tamarack").changed("salesforce.accounts", arr=arr))


@pytest.mark.parametrize("title", ["Assistant to the CFO", "Assistant to the CEO", "Intern, Office of the CTO"])
def test_an_assistant_of_the_c_level_is_not_of_the_c_level(investigated: Look, title: str) -> None:
    ochre = investigated("ochre").changed("salesforce.opportunities", "006Oc00000Yp9AAC", signed_title=title)
    decision = ochre.brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


@pytest.mark.parametrize("seats", [0, -25])
def test_a_line_of_no_seats_with_a_price_is_a_contradiction(investigated: Look, seats: int) -> None:
    person(investigated("ochre").changed("stripe.invoice_lines", quantity=seats))


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("CFO", True),
        ("Chief Financial Officer", True),
        ("Co-founder & CEO", True),
        ("Founder and CTO", True),
        ("Deputy CFO", False),
        ("Former CEO", False),
        ("Office of the CTO", False),
        ("President", False),
        ("", False),
    ],
)
def test_a_title_is_of_the_c_level_when_it_says_that_and_nothing_less(title: str, is_one: bool) -> None:
    assert is_c_level(title) is is_one


@pytest.mark.parametrize(
    ("domain", "public"),
    [
        ("gmail.com", True),
        ("yahoo.com.br", True),
        ("btinternet.com", True),
        ("acme.com", False),
        ("live.company.example", False),
    ],
)
def test_a_provider_is_known_under_every_ending(domain: str, public: bool) -> None:
    assert is_public(domain) is public


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": [1, {"b": 2}]}', {"a": [1, {"b": 2}]}),
        ('{"a": 1, "a": 2}', None),
        ('{"a": {"b": 1, "b": 1}}', None),
        ("[" * 60 + "]" * 60, None),
        ("[" * 16_000, None),
        ("", None),
    ],
)
def test_json_that_contradicts_itself_or_has_no_bottom_says_nothing(text: str, said: object) -> None:
    assert parsed(text) == said


@pytest.mark.parametrize(
    "other",
    [
        {"tags": '["env:staging"]'},
        {"tags": '["env:non-prod"]'},
        {"tags": '["customer:globex"]'},
        {"status": "recovered"},
    ],
)
def test_an_alert_that_cannot_be_read_is_nothing_where_it_is_of_somebody_or_something_else(
    dossier: Dossier, other: dict[str, Cell]
) -> None:
    shown = next(item.row for item in dossier.evidence if item.row.record_id == alert_of(dossier))
    again = quiet(dossier).without_absences(labels.NO_ALERT)
    unread = {**shown.fields, "started_at": "yesterday", **other}
    assert again.added(ALERT, "al_x", unread).brief().decision.kind is DecisionKind.FIGHT


def test_an_alert_that_cannot_be_read_beside_one_that_counts_is_for_a_person(dossier: Dossier) -> None:
    shown = next(item.row for item in dossier.evidence if item.row.record_id == alert_of(dossier))
    person(dossier.added(ALERT, "al_x", {**shown.fields, "started_at": "yesterday"}))
