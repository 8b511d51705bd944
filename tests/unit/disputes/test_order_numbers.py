"""An invoice with another order number than the customer's: accounts payable is asked, and nobody is dunned."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.evidence import Cell
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_failed_invoices import doing, one
from tests.unit.disputes.test_variants import escalates

MAIL, TICKET = ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET
INVOICE, ORDERS, PORTAL = "stripe.invoices", "agreements.documents", "payables.submissions"


@pytest.fixture
def unmatched(investigated: Callable[..., Dossier]) -> Dossier:
    """Two digits of the order number changed places."""
    return investigated("sandpiper")


def printed(dossier: Dossier, number: str | None) -> Dossier:
    fields = [{"name": "po number", "value": number}] if number else []
    return dossier.changed(INVOICE, custom_fields=json.dumps(fields))


def asks(dossier: Dossier) -> bool:
    """Whether the order number is asked about, rather than the money."""
    assert doing(dossier) == {MAIL, TICKET}
    return "purchase order" in str(one(dossier, MAIL).payload["subject"])


def test_accounts_payable_is_asked_for_the_order_and_billing_gets_a_ticket(unmatched: Dossier) -> None:
    assert asks(unmatched)
    email, ticket = one(unmatched, MAIL), one(unmatched, TICKET)
    assert email.target == "rhoda.pell@morrowfab.example"
    assert "PO-77120" in str(email.payload["body_text"])
    assert "PO-77210" in str(email.payload["body_text"])
    assert ticket.target == "billing-ops@gridlathe.example"
    assert "No reminders" in str(ticket.payload["body"])


def test_with_the_right_number_the_invoice_is_simply_overdue(unmatched: Dossier) -> None:
    for number in ("PO-77210", "77210", "po 77210"):
        assert not asks(printed(unmatched, number))


def test_a_number_that_is_missing_is_asked_about_too(unmatched: Dossier) -> None:
    assert asks(printed(unmatched, None))
    assert "bears no purchase order" in str(one(printed(unmatched, None), MAIL).payload["body_text"])
    assert asks(unmatched.changed(INVOICE, custom_fields="nothing"))


@pytest.mark.parametrize("status", ["approved", "Scheduled", "paid"])
def test_what_their_portal_has_accepted_is_matched(unmatched: Dossier, status: str) -> None:
    assert not asks(unmatched.changed(PORTAL, status=status))


def test_which_order_is_meant_has_to_be_clear(unmatched: Dossier) -> None:
    order = unmatched.only(ORDERS).fields
    another: dict[str, Cell] = {**order, "number": "PO-90000", "effective_from": "2026-04-02T00:00:00Z"}
    another["effective_until"] = None
    escalates(unmatched.added(ORDERS, "agr_more", another), "several orders of theirs are on file")
    escalates(unmatched.without(ORDERS), "no order of theirs is on file")


def test_without_any_order_and_any_complaint_about_one_the_page_says_nothing(unmatched: Dossier) -> None:
    assert not asks(unmatched.without(ORDERS, PORTAL))
    assert not asks(unmatched.without(ORDERS).changed(PORTAL, reason="tax id is missing"))


def test_without_a_contact_of_that_title_the_billing_address_is_asked(unmatched: Dossier) -> None:
    assert one(unmatched.changed("hubspot.contacts", jobtitle=None), MAIL).target == "accounts@morrowfab.example"


def test_a_rule_with_an_unknown_parameter_is_read_by_a_person(unmatched: Dossier) -> None:
    escalates(unmatched.ruled("order-numbers", on_mismatch="reissue"), "on_mismatch: reissue")
    escalates(unmatched.ruled("order-numbers", contact_titles="all"), "contact_titles: all")
