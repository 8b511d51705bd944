"""Requests that policies answer: for every shipped world, what it comes to when one decisive fact is another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

Look = Callable[..., Dossier]
POLICIES, CHARGES, USE = "policies.documents", "stripe.charges", "posthog.events"
D = DecisionKind


def ruled(dossier: Dossier, page: str, /, **parameters: object) -> Dossier:
    """With other parameters of a page's rule; None leaves one out."""
    row = next(item.row for item in dossier.evidence if item.row.record_id == page)
    rule = {**json.loads(str(row.fields["rule"])), **parameters}
    return dossier.changed(POLICIES, page, rule=json.dumps({k: v for k, v in rule.items() if v is not None}))


def outcome(dossier: Dossier) -> tuple[DecisionKind, int | None, str | None]:
    decision = dossier.brief().decision
    return decision.kind, decision.amount_minor, decision.currency


def in_currency(dossier: Dossier, currency: str, minor: dict[str, int]) -> Dossier:
    """The same merchant and customer in another currency, with these amounts in the rows that hold money."""
    moved = dossier.changed(CHARGES, currency=currency, amount=minor["amount"], amount_captured=minor["amount"])
    moved = moved.changed("stripe.customers", currency=currency).changed("stripe.invoices", currency=currency)
    moved = moved.changed(
        "stripe.invoice_lines", currency=currency, amount=minor["amount"], price__unit_amount=minor["unit"]
    )
    return replace(moved, org=moved.org.model_copy(update={"currency": currency}))


def record(dossier: Dossier, table: str, needle: str) -> str:
    """The record of a table that holds this text."""
    rows = [item.row for item in dossier.evidence if item.row.table == table and needle in str(item.row.fields)]
    return rows[0].record_id


def charge(dossier: Dossier) -> str:
    """The charge that the request comes to be about."""
    return str(dossier.draft().facts["charge.id"])


def kinds(dossier: Dossier) -> set[ActionKind]:
    return {action.kind for action in dossier.draft().actions}


WORLDS = ("tamarack", "alderney", "linnet", "mallow", "hazelmere", "yarrow")
OF_WORLD = {
    "tamarack": "SLA-2026-04",
    "sorrel": "used-services",
    "alderney": "SLA-PLAT-3",
    "linnet": "OCP-2",
    "mallow": "VAT-3",
    "brambling": "PAR-7",
    "hazelmere": "SEAT-2",
    "yarrow": "PROM-1",
}


# What holds for every one of them


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        ("needs_response", "a refund is not legal while it is open"),
        ("under_review", "a refund is not legal while it is open"),
        ("warning_needs_response", "no money has moved yet"),
    ],
)
def test_nothing_is_given_on_a_charge_that_is_under_dispute(
    investigated: Look, name: str, status: str, phrase: str
) -> None:
    dossier = investigated(name)
    dispute: dict[str, Cell] = {"charge": charge(dossier), "status": status, "amount": 100, "currency": "usd"}
    escalates(dossier.added("stripe.disputes", "du_9", dispute), "du_9", phrase)


@pytest.mark.parametrize("name", WORLDS)
def test_what_the_bank_returned_is_not_given_again(investigated: Look, name: str) -> None:
    dossier = investigated(name)
    dispute: dict[str, Cell] = {"charge": charge(dossier), "status": "lost", "amount": 100, "currency": "usd"}
    assert outcome(dossier.added("stripe.disputes", "du_9", dispute))[0] is D.DECLINE


@pytest.mark.parametrize("name", WORLDS)
def test_what_was_given_before_has_to_be_set_off(investigated: Look, name: str) -> None:
    dossier = investigated(name)
    refund: dict[str, Cell] = {"charge": charge(dossier), "amount": 100, "status": "succeeded"}
    escalates(dossier.added("stripe.refunds", "re_9", refund), "given back already")
    escalates(dossier.changed("stripe.customers", balance=-100), "given back already")
    line: dict[str, Cell] = {"invoice": "in_later", "amount": -100, "currency": "usd"}
    escalates(dossier.added("stripe.invoice_lines", "il_9", line), "given back already")
    escalates(dossier.without_absences(labels.NO_REFUND), "could not be read")


@pytest.mark.parametrize("name", [*WORLDS, "sorrel", "brambling"])
def test_two_current_versions_of_its_policy_are_both_cited_and_a_person_decides(investigated: Look, name: str) -> None:
    dossier, page = investigated(name), OF_WORLD[name]
    row = next(item.row for item in dossier.evidence if item.row.record_id == page)
    rule = json.loads(str(row.fields["rule"]))
    other = {**rule, "instrument": "account_credit" if rule.get("instrument") == "charge_refund" else "charge_refund"}
    if "instrument" not in rule:
        other = {**rule, "within_days": 365}
    two = dossier.policy("second-version", other, applies_to="refund_request")
    escalates(two, "two current policies disagree", page, "second-version")
    rows = {item.index: item.row.record_id for item in two.evidence}
    assert {page, "second-version"} <= {rows[index] for index in two.brief().findings[-1].citations}


@pytest.mark.parametrize("name", [*WORLDS, "sorrel", "brambling"])
def test_a_rule_with_a_parameter_that_we_do_not_know_is_read_by_a_person(investigated: Look, name: str) -> None:
    escalates(ruled(investigated(name), OF_WORLD[name], multiplier=2), "parameters we do not know: multiplier")


@pytest.mark.parametrize("name", WORLDS)
def test_a_stranger_gets_nothing(investigated: Look, name: str) -> None:
    escalates(investigated(name).changed("manthan.requests", sender="x@elsewhere.example"), "do not know")


@pytest.mark.parametrize(
    ("instrument", "kind", "how", "decision"),
    [
        ("charge_refund", ActionKind.STRIPE_REFUND, None, D.REFUND),
        ("account_credit", ActionKind.STRIPE_BALANCE_CREDIT, None, D.CREDIT),
        ("credit_note_refund", ActionKind.STRIPE_CREDIT_NOTE, "refund", D.REFUND),
        ("credit_note_balance", ActionKind.STRIPE_CREDIT_NOTE, "customer_balance", D.CREDIT),
    ],
)
@pytest.mark.parametrize("name", WORLDS)
def test_the_policy_names_the_instrument_and_the_amount_stays_the_same(
    investigated: Look, name: str, instrument: str, kind: ActionKind, how: str | None, decision: DecisionKind
) -> None:
    dossier = investigated(name)
    other = ruled(dossier, OF_WORLD[name], instrument=instrument)
    assert outcome(other)[:2] == (decision, outcome(dossier)[1])
    (paid,) = [action for action in other.draft().actions if action.amount_minor is not None]
    assert (paid.kind, paid.payload.get("how")) == (kind, how)
    assert paid.payload["charge"] == charge(dossier)


def test_a_balance_in_another_currency_is_not_credited(investigated: Look) -> None:
    escalates(investigated("alderney").changed("stripe.customers", currency="eur"), "their balance is kept in EUR")


def test_a_credit_note_needs_an_invoice_that_is_paid_in_full(investigated: Look) -> None:
    dossier = investigated("mallow")
    escalates(dossier.changed("stripe.invoices", amount_remaining=100), "not paid in full")
    noted = ruled(investigated("hazelmere"), "SEAT-2", instrument="credit_note_refund")
    escalates(noted.without("stripe.invoices"), "which one was paid is not clear")


def test_two_policies_that_both_give_something_are_put_before_a_person(investigated: Look) -> None:
    dossier = investigated("tamarack")
    longer = ruled(dossier, "PAR-2026", within_days=300)
    escalates(longer, "more than one policy gives something here", "SLA-2026-04", "PAR-2026")


# An urgent ticket that nobody read


def test_a_ticket_that_was_answered_in_time_leaves_only_the_window(investigated: Look) -> None:
    dossier = investigated("tamarack")
    ticket = record(dossier, "zendesk.tickets", "sync down")
    agent: dict[str, Cell] = {"ticket_id": ticket, "author_role": "agent", "public": True}
    both = dossier.changed("zendesk.tickets", ticket, first_response_at="2026-07-06T14:00:00+00:00").added(
        "zendesk.ticket_comments", "9", {**agent, "created_at": "2026-07-06T14:00:00+00:00"}
    )
    assert outcome(both) == (D.DECLINE, None, None)
    assert "refunds until 5 March 2026" in both.brief().decision.rationale
    contradictory = dossier.added("zendesk.ticket_comments", "9", {**agent, "created_at": "2026-07-06T14:00:00+00:00"})
    escalates(contradictory, "disagree about when it was first answered")


def test_an_internal_note_is_no_answer_and_another_priority_is_no_urgent_ticket(investigated: Look) -> None:
    dossier = investigated("tamarack")
    assert any(item.row.fields.get("public") is False for item in dossier.evidence)
    assert outcome(dossier) == (D.REFUND, 1116700, "usd")
    assert outcome(dossier.changed("zendesk.tickets", priority="high"))[0] is D.DECLINE


@pytest.mark.parametrize(("hours", "kind"), [(72, D.DECLINE), (73, D.REFUND)])
def test_the_seventy_second_hour_is_inside(investigated: Look, hours: int, kind: DecisionKind) -> None:
    dossier = investigated("tamarack")
    ticket = record(dossier, "zendesk.tickets", "sync down")
    at = datetime.fromisoformat("2026-07-06T12:40:00+00:00") + timedelta(hours=hours)
    late = dossier.changed("zendesk.tickets", ticket, first_response_at=at.isoformat())
    assert outcome(late)[0] is kind


def test_business_hours_count_on_the_clocks_of_the_org(investigated: Look) -> None:
    dossier = investigated("tamarack")
    assert outcome(ruled(dossier, "SLA-2026-04", hours="business", breach_after_hours=49))[0] is D.REFUND
    assert outcome(ruled(dossier, "SLA-2026-04", hours="business", breach_after_hours=51))[0] is D.DECLINE
    told = "\n".join(finding.text for finding in dossier.brief().findings)
    assert "50 business hours, where 4 are promised" in told


@pytest.mark.parametrize(
    ("currency", "rounding", "amount"),
    [
        ("usd", "nearest_major", 1116700),
        ("usd", "smallest_unit", 1116667),
        ("jpy", "nearest_major", 11167),
        ("jpy", "smallest_unit", 11167),
        ("kwd", "nearest_major", 11167000),
        ("kwd", "smallest_unit", 11166670),
    ],
)
def test_a_month_of_revenue_is_rounded_as_the_rule_says_in_any_currency(
    investigated: Look, currency: str, rounding: str, amount: int
) -> None:
    dossier = ruled(investigated("tamarack"), "SLA-2026-04", rounding=rounding)
    moved = in_currency(dossier, currency, {"amount": 500_000_000, "unit": 500_000_000})
    assert outcome(moved) == (D.REFUND, amount, currency)


def test_without_one_figure_of_revenue_a_person_decides(investigated: Look) -> None:
    dossier = investigated("tamarack")
    escalates(dossier.changed("salesforce.accounts", arr=None), "does not hold one figure")
    escalates(dossier.added("hubspot.companies", "h1", {"arr": "120000"}), "does not hold one figure")
    escalates(dossier.changed(CHARGES, currency="eur"), "not in the currency that they pay in")


def test_unread_tickets_are_not_no_tickets(investigated: Look) -> None:
    dossier = investigated("tamarack").without("zendesk.tickets").without_absences(labels.NO_SUPPORT)
    escalates(dossier, "their tickets could not be read")
    gap = Gap(specialist="x", what=labels.TICKET_COMMENTS, why="down")
    escalates(investigated("tamarack").with_gaps(gap), "could not be read")


# A month that was used


def test_without_the_use_nobody_declines_because_of_it(investigated: Look) -> None:
    dossier = investigated("sorrel")
    unused = dossier.without(USE).absent(USE, labels.NO_USE)
    assert outcome(unused)[0] is D.DECLINE  # the first week is over all the same
    assert "used it" not in unused.brief().decision.rationale
    escalates(unused.without(POLICIES, record="cooling-off"), "no rule decides", "0 events of use by 0 people")


def test_use_by_one_person_is_less_than_the_page_asks_for(investigated: Look) -> None:
    alone = investigated("sorrel").changed(USE, person_email="t.lowe@summitpay.example")
    assert "used it" not in alone.brief().decision.rationale


def test_inside_the_window_a_refusal_and_a_window_disagree(investigated: Look) -> None:
    longer = ruled(investigated("sorrel"), "cooling-off", within_days=30)
    escalates(longer, "one policy gives the money back and another refuses it")


# Two weeks of refused sign-ins


@pytest.mark.parametrize(
    ("end", "amount"),
    [
        ("2026-05-08T09:44:00+00:00", None),
        ("2026-05-08T09:46:00+00:00", 32500),
        ("2026-05-08T16:30:00+00:00", 97500),
        ("2026-05-09T10:00:00+00:00", 195000),
        ("2026-05-10T22:30:00+00:00", 325000),
    ],
)
def test_the_length_of_the_incident_picks_the_tier(investigated: Look, end: str, amount: int | None) -> None:
    dossier = investigated("alderney")
    moved = dossier.changed("datadog.incidents", record(dossier, "datadog.incidents", "signing keys"), resolved_at=end)
    moved = moved.changed("manthan.requests", received_at="2026-05-20T10:00:00+00:00")
    if amount is None:
        escalates(moved, "no rule decides", "no month in which what they used was available for less")
    else:
        assert outcome(moved) == (D.CREDIT, amount, "usd")


def test_without_an_incident_on_record_nothing_is_credited(investigated: Look) -> None:
    escalates(investigated("alderney").without("datadog.incidents"), "no rule decides")
    unread = Gap(specialist="x", what=labels.INCIDENTS, why="down")
    escalates(investigated("alderney").with_gaps(unread), "could not be read whole")


def test_the_clock_of_the_rule_decides_how_the_month_is_measured(investigated: Look) -> None:
    dossier = investigated("alderney")
    by_bursts = ruled(dossier, "SLA-PLAT-3", uptime_from="monitor_alerts")
    assert outcome(by_bursts) == (D.CREDIT, 32500, "usd")
    by_dashboard = ruled(dossier, "SLA-PLAT-3", uptime_from="slo_history")
    assert outcome(by_dashboard) == (D.CREDIT, 97500, "usd")


def test_what_they_did_not_use_was_not_missed(investigated: Look) -> None:
    other = json.dumps({"service": "directory-svc"})
    escalates(investigated("alderney").changed(USE, properties=other), "no rule decides")


def test_an_incident_that_still_goes_on_goes_to_a_person(investigated: Look) -> None:
    escalates(investigated("alderney").changed("datadog.incidents", resolved_at=None), "has no end yet")


@pytest.mark.parametrize(
    ("at", "kind"), [("2026-06-21T16:00:00+00:00", D.CREDIT), ("2026-06-21T16:00:01+00:00", D.DECLINE)]
)
def test_the_thirtieth_day_after_the_incident_is_inside(investigated: Look, at: str, kind: DecisionKind) -> None:
    moved = investigated("alderney").changed("manthan.requests", received_at=at)
    assert outcome(moved)[0] is kind
    later = ruled(moved, "SLA-PLAT-3", claim_counts_from="month_end")
    assert outcome(later)[0] is D.CREDIT


# Seats that were promised


def test_without_the_promise_the_overage_stands_for_a_person_to_say(investigated: Look) -> None:
    dossier = investigated("linnet")
    promise = record(dossier, "hubspot.emails", "220 seats")
    silent = dossier.changed(
        "hubspot.emails", promise, body="Let me ask whether you can have 220 seats at no extra cost."
    )
    escalates(silent, "what they promised is not plain")
    asked = dossier.changed("hubspot.emails", promise, from_email="k.osei@globexsoftware.example")
    escalates(asked, "nobody of staff promised")
    colleague = dossier.changed("hubspot.emails", promise, from_email="omar.haddad@shelfwise.example")
    escalates(colleague, "nobody of staff promised")
    assert outcome(ruled(colleague, "OCP-2", promised_by="staff")) == (D.REFUND, 820000, "usd")


def test_a_promise_after_the_use_is_nothing_they_relied_on(investigated: Look) -> None:
    dossier = investigated("linnet")
    promise = record(dossier, "hubspot.emails", "220 seats")
    late = dossier.changed("hubspot.emails", promise, sent_at="2026-04-02T08:00:00+00:00")
    escalates(late, "nobody of staff promised")


@pytest.mark.parametrize(("number", "covers"), [("215", True), ("214", False)])
def test_a_promise_that_covers_a_part_goes_to_a_person(investigated: Look, number: str, covers: bool) -> None:
    dossier = investigated("linnet")
    promise = record(dossier, "hubspot.emails", "220 seats")
    less = dossier.changed("hubspot.emails", promise, body=f"You are good to go up to {number} seats at no extra cost.")
    if covers:
        assert outcome(less) == (D.REFUND, 820000, "usd")
    else:
        escalates(less, "214 seats were promised and 215 used")


def test_promises_that_contradict_each_other_go_to_a_person(investigated: Look) -> None:
    dossier = investigated("linnet")
    promise = next(item.row for item in dossier.evidence if "220 seats" in str(item.row.fields.get("body")))
    less: dict[str, Cell] = {**promise.fields, "body": "You are good to go up to 200 seats at no extra cost."}
    two = dossier.added("hubspot.emails", "9", {**less, "sent_at": "2026-03-20T08:00:00+00:00"})
    escalates(two, "staff promised different numbers of seats")


def test_how_many_seats_are_under_contract_must_be_clear(investigated: Look) -> None:
    dossier = investigated("linnet")
    escalates(dossier.without("hubspot.deals"), "how many seats are under contract")
    deal: dict[str, Cell] = {"dealstage": "closedwon", "quantity": 205}
    escalates(dossier.added("hubspot.deals", "d2", deal), "how many seats are under contract")


# Tax that was not ours to charge


@pytest.mark.parametrize(
    ("table", "fields", "phrase"),
    [
        ("tax.vies_checks", {"valid": False}, "did not confirm their VAT number in time"),
        ("tax.vies_checks", {"checked_at": "2026-03-03T10:00:00+00:00"}, "did not confirm their VAT number in time"),
        ("salesforce.accounts", {"vat_id": None}, "the CRM holds no VAT number"),
        ("stripe.customers", {"address__country": "FR"}, "Stripe has them in FR and in IT"),
        ("stripe.invoices", {"total_taxes": json.dumps([{"amount": 80000}])}, "do not agree about the tax"),
        ("stripe.invoices", {"total_taxes": None}, "does not say what of it is tax"),
        ("tax.vies_checks", {"vat_id": "DE07643520567"}, "never checked"),
    ],
)
def test_tax_goes_back_only_where_every_record_says_so(
    investigated: Look, table: str, fields: dict[str, Cell], phrase: str
) -> None:
    escalates(investigated("mallow").changed(table, **fields), phrase)


def test_a_customer_in_the_suppliers_own_country_pays_the_tax(investigated: Look) -> None:
    home = investigated("mallow").changed("stripe.customers", address__country="FR")
    escalates(home.changed(CHARGES, billing_details__address__country="FR"), "for businesses in other member states")


def test_checks_that_disagree_go_to_a_person(investigated: Look) -> None:
    dossier = investigated("mallow")
    check = dossier.only("tax.vies_checks")
    later: dict[str, Cell] = {**check.fields, "valid": False, "checked_at": "2026-03-10T10:00:00+00:00"}
    escalates(dossier.added("tax.vies_checks", "v2", later), "checks of their VAT number disagree")


def test_a_number_confirmed_after_the_charge_counts_where_the_page_says_so(investigated: Look) -> None:
    late = investigated("mallow").changed("tax.vies_checks", checked_at="2026-03-03T10:00:00+00:00")
    assert outcome(ruled(late, "VAT-3", verified_by="request")) == (D.REFUND, 90000, "eur")


# Day 103 of a window of 30


def test_hardly_any_use_leaves_the_exception_to_a_person_with_what_speaks_for_either_way(investigated: Look) -> None:
    dossier = investigated("brambling")
    assert outcome(dossier)[0] is D.DECLINE
    logins = [item.row.record_id for item in dossier.evidence if item.row.fields.get("event") == "login"]
    few = dossier
    for place in logins[10:]:
        few = few.changed(USE, place, event="viewed")
    escalates(few, "10 events of the kind login", "leaves an exception open")
    question = few.brief().approver_question
    assert "For a refund" in question
    assert "Against it" in question
    eleven = few.changed(USE, logins[10], event="login")
    assert outcome(eleven)[0] is D.DECLINE


def test_a_strategic_account_is_a_persons_exception(investigated: Look) -> None:
    escalates(investigated("brambling").changed("hubspot.companies", strategic=True), "marked as strategic")


def test_use_that_could_not_be_read_is_not_hardly_any_use(investigated: Look) -> None:
    unread = investigated("brambling").without(USE)
    escalates(unread, "how much they used it since the charge could not be read whole")


def test_inside_the_window_the_whole_goes_back(investigated: Look) -> None:
    assert outcome(ruled(investigated("brambling"), "PAR-7", within_days=104)) == (D.REFUND, 480000, "usd")


# Seats that went in the middle of a month


def test_every_change_of_seats_counts(investigated: Look) -> None:
    dossier = investigated("hazelmere")
    added = next(
        item.row.record_id
        for item in dossier.evidence
        if item.row.fields.get("event") == "seats_added" and item.row.fields.get("seats") == 5
    )
    assert outcome(dossier.changed(USE, added, event="site_opened")) == (D.REFUND, 32000, "usd")
    none = dossier
    for item in dossier.evidence:
        if item.row.fields.get("event") == "seats_removed":
            none = none.changed(USE, item.row.record_id, event="site_closed")
    escalates(none, "no seat of theirs was given up")


@pytest.mark.parametrize(
    ("basis", "days", "amount"),
    [("billing_cycle_days", None, 28000), ("fixed_days", 31, 27097), ("fixed_days", 28, 30000)],
)
def test_the_basis_is_the_rules(investigated: Look, basis: str, days: int | None, amount: int) -> None:
    dossier = ruled(investigated("hazelmere"), "SEAT-2", basis=basis, basis_days=days)
    assert outcome(dossier) == (D.REFUND, amount, "usd")


@pytest.mark.parametrize(
    ("currency", "unit", "amount"),
    [("usd", 1500, 28000), ("jpy", 1500, 28000), ("jpy", 1001, 18685), ("kwd", 4550, 84930), ("kwd", 15000, 280000)],
)
def test_seats_are_prorated_in_any_currency(investigated: Look, currency: str, unit: int, amount: int) -> None:
    moved = in_currency(investigated("hazelmere"), currency, {"amount": 60 * unit, "unit": unit})
    assert outcome(moved) == (D.REFUND, amount, currency)


def test_changes_that_do_not_fit_what_was_paid_for_go_to_a_person(investigated: Look) -> None:
    dossier = investigated("hazelmere")
    row = next(item.row for item in dossier.evidence if item.row.fields.get("seats") == 22)
    escalates(dossier.changed(USE, row.record_id, seats=58), "do not fit the seats that were paid for")
    escalates(dossier.changed(USE, row.record_id, seats=0), "does not say how many")
    escalates(dossier.changed("stripe.invoice_lines", price__unit_amount=1600), "not what the invoice bills")
    gap = Gap(specialist="x", what=labels.SEATS, why="more than 50")
    escalates(dossier.with_gaps(gap), "not all changes of seats could be read")


# A trial by telephone


def test_without_the_note_the_month_that_has_begun_stands(investigated: Look) -> None:
    dossier = investigated("yarrow")
    note = record(dossier, "hubspot.notes", "extend the trial")
    asked = dossier.changed("hubspot.notes", note, body="She asked whether the trial could run until 31 July 2026.")
    escalates(asked, "about the trial", "is not plain")
    later = dossier.changed("hubspot.notes", note, created_at="2026-07-02T09:00:00+00:00")
    assert outcome(later)[0] is D.DECLINE


@pytest.mark.parametrize(("day", "kind"), [("30 June 2026", D.DECLINE), ("1 July 2026", D.REFUND)])
def test_the_last_day_of_the_trial_is_inside_on_the_clocks_of_the_org(
    investigated: Look, day: str, kind: DecisionKind
) -> None:
    dossier = investigated("yarrow")
    note = record(dossier, "hubspot.notes", "extend the trial")
    assert outcome(dossier.changed("hubspot.notes", note, body=f"We extend the trial until {day}."))[0] is kind


def test_where_only_letters_count_a_call_note_does_not(investigated: Look) -> None:
    assert outcome(ruled(investigated("yarrow"), "PROM-1", channels=["email"]))[0] is D.DECLINE


def test_notes_that_could_not_be_read_may_hold_a_promise(investigated: Look) -> None:
    gap = Gap(specialist="x", what=labels.NOTES, why="down")
    escalates(investigated("yarrow").with_gaps(gap), "what was promised cannot be ruled out")


# What is missing, contradictory or too much


def test_goodwill_above_what_the_charge_has_left_goes_to_a_person(investigated: Look) -> None:
    small = investigated("tamarack").changed(CHARGES, amount=1_000_000, amount_captured=1_000_000)
    escalates(small, "the goodwill is more than the charge has left")


def test_trouble_of_two_months_asks_which_is_meant(investigated: Look) -> None:
    dossier = investigated("alderney")
    incident = next(item.row for item in dossier.evidence if "signing keys" in str(item.row.fields))
    times = {"created": "2026-06-01T08:00:00+00:00", "resolved_at": "2026-06-02T20:00:00+00:00"}
    later: dict[str, Cell] = {**incident.fields, **times}
    use = next(item.row for item in dossier.evidence if item.row.table == USE and "auth-svc" in str(item.row.fields))
    again = dossier.added(USE, "ph_june", {**use.fields, "timestamp": "2026-06-01T15:00:00+00:00"})
    escalates(again.added("datadog.incidents", "INC-9", later), "several months fell below the promise")


def test_an_incident_of_a_tier_that_nothing_tells_of_goes_to_a_person(investigated: Look) -> None:
    dossier = investigated("alderney")
    incident = record(dossier, "datadog.incidents", "signing keys")
    tagged = dossier.changed("datadog.incidents", incident, tags='["tier:shared", "env:prod"]')
    escalates(tagged, "whether it concerned them is not clear")


@pytest.mark.parametrize(
    ("fields", "phrase"),
    [
        ({"period__start": None}, "billing cycle of the charge is not known"),
        ({"quantity": None}, "does not say how many seats were paid for"),
    ],
)
def test_seats_need_the_line_that_they_were_paid_by(investigated: Look, fields: dict[str, Cell], phrase: str) -> None:
    dossier = investigated("hazelmere")
    named = dossier.changed("manthan.requests", charge=charge(dossier))
    escalates(named.changed("stripe.invoice_lines", **fields), phrase)


def test_more_changes_of_seats_than_a_person_can_check_go_to_a_person(investigated: Look) -> None:
    dossier = investigated("hazelmere")
    row = next(item.row for item in dossier.evidence if item.row.fields.get("seats") == 18)
    for place in range(9):
        dossier = dossier.added(USE, f"more{place}", {**row.fields, "seats": 1})
    escalates(dossier, "what is owed could not be computed")


def test_seats_that_go_in_another_cycle_are_not_this_ones(investigated: Look) -> None:
    earlier = investigated("hazelmere").changed(USE, timestamp="2026-05-15T00:00:00+00:00")
    escalates(earlier, "no seat of theirs was given up within the cycle")


def test_a_seat_that_goes_at_the_last_moment_rounds_to_nothing(investigated: Look) -> None:
    dossier = investigated("hazelmere").changed(USE, timestamp="2026-06-30T23:59:59+00:00")
    late = dossier.changed("manthan.requests", received_at="2026-06-30T23:59:59+00:00")
    escalates(late, "rounds to nothing")


@pytest.mark.parametrize(
    ("table", "fields", "phrase"),
    [
        ("stripe.invoices", {"total": 450000, "total_taxes": '[{"amount": 0}]'}, "no tax was charged"),
        ("stripe.invoices", {"total_taxes": "{"}, "does not say what of it is tax"),
        ("stripe.invoice_payments", {"invoice": "in_other"}, "which invoice was paid is not clear"),
        ("stripe.invoice_payments", {"payment__payment_intent": "pi_other"}, "not clear which charge is meant"),
    ],
)
def test_tax_needs_the_invoice_and_its_figures(
    investigated: Look, table: str, fields: dict[str, Cell], phrase: str
) -> None:
    dossier = investigated("mallow")
    if phrase.startswith("which invoice"):
        dossier = dossier.changed("manthan.requests", invoice=None, charge=charge(dossier))
    escalates(dossier.changed(table, **fields), phrase)


def test_a_number_of_another_country_or_an_unread_register_goes_to_a_person(investigated: Look) -> None:
    dossier = investigated("mallow")
    german = dossier.changed("salesforce.accounts", vat_id="DE 123456789").changed(
        "tax.vies_checks", vat_id="DE123456789"
    )
    escalates(german, "their VAT number is not one of IT")
    escalates(dossier.with_gaps(Gap(specialist="x", what=labels.VAT_CHECKS, why="down")), "could not be read")


def test_a_promise_of_what_is_under_contract_anyway_promises_nothing(investigated: Look) -> None:
    dossier = investigated("linnet")
    promise = record(dossier, "hubspot.emails", "220 seats")
    same = dossier.changed("hubspot.emails", promise, body="Your 195 seats are included.")
    escalates(same, "nobody of staff promised")


def test_an_invoice_with_two_lines_of_seats_is_not_clear(investigated: Look) -> None:
    dossier = investigated("linnet")
    line = next(item.row for item in dossier.evidence if item.row.table == "stripe.invoice_lines")
    escalates(dossier.added("stripe.invoice_lines", "il_2", line.fields), "which line bills the seats")


def test_different_ends_of_a_trial_go_to_a_person(investigated: Look) -> None:
    dossier = investigated("yarrow")
    note = next(item.row for item in dossier.evidence if "extend the trial" in str(item.row.fields))
    earlier: dict[str, Cell] = {**note.fields, "body": "We extend the trial until 25 June 2026."}
    two = dossier.added("hubspot.notes", "9", {**earlier, "created_at": "2026-06-20T10:00:00+00:00"})
    escalates(two, "staff promised different ends of the trial")


def test_two_promises_that_were_billed_against_go_to_a_person(investigated: Look) -> None:
    dossier = ruled(investigated("linnet"), "OCP-2", about=["seats", "trial"])
    letter: dict[str, Cell] = {
        "from_email": "dana.whitlock@shelfwise.example",
        "body": "We extend the trial until 1 August 2026.",
        "sent_at": "2026-03-19T08:00:00+00:00",
    }
    escalates(dossier.added("hubspot.emails", "9", letter), "more than one promise was billed against")
