"""Wrong amounts, approvals, compliance cases, bank debits, and claims that a payment provider decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell
from shared.playbooks.disputes.routing import route
from shared.team.contract import Routing
from tests.unit.disputes.cases import DISPUTE, case, event
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_variants import escalates

BRAND, CODE = "payment_method_details__card__brand", "payment_method_details__card__network_reason_code"


@pytest.fixture
def charged(investigated: Callable[..., Dossier]) -> Dossier:
    """A monthly plan, paid by card, with its invoice and no policy."""
    return investigated("ochre").without("policies.documents").absent("policies.documents", "policies-for-this-claim")


def claimed(dossier: Dossier, code: str, brand: str = "visa", **fields: Cell) -> Dossier:
    return dossier.changed("stripe.disputes", **{BRAND: brand, CODE: code}, **fields)


@pytest.mark.parametrize(
    ("total", "disputed", "kind"),
    [
        (450_000, 450_000, DecisionKind.FIGHT),
        (400_000, 50_000, DecisionKind.ACCEPT),
        (400_000, 450_000, DecisionKind.ESCALATE),
        (460_000, 450_000, DecisionKind.ESCALATE),
        (None, 450_000, DecisionKind.ESCALATE),
    ],
)
def test_a_charge_is_held_against_its_invoice(
    charged: Dossier, total: int | None, disputed: int, kind: DecisionKind
) -> None:
    other = claimed(charged, "12.5", amount=disputed).changed("stripe.invoices", total=total)
    decision = other.brief().decision
    assert decision.kind is kind
    assert decision.amount_minor == (None if kind is DecisionKind.ESCALATE else disputed)


def test_a_currency_that_is_not_the_invoices_is_for_a_person(charged: Dossier) -> None:
    assert claimed(charged, "12.3").brief().decision.kind is DecisionKind.FIGHT
    escalates(claimed(charged, "12.3").changed("stripe.invoices", currency="eur"), "another currency than its invoice")


def test_other_processing_errors_name_what_is_missing(charged: Dossier) -> None:
    escalates(claimed(charged, "12.1"), "late presentment", "what would answer it is not on file")


def test_an_approval_on_record_answers_a_claim_that_there_was_none(charged: Dossier) -> None:
    approved = claimed(charged, "11.3")
    decision = approved.brief().decision
    assert decision.kind is DecisionKind.FIGHT
    code = charged.only("stripe.charges").fields["payment_method_details__card__authorization_code"]
    assert f"approval code {code}" in decision.rationale


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"payment_method_details__card__authorization_code": None}, "the approval code of the issuer"),
        ({"outcome__network_status": "declined_by_network"}, "the network's word"),
        ({"amount_captured": 1}, "that what was approved was taken"),
    ],
)
def test_without_an_approval_a_person_is_told_what_is_missing(
    charged: Dossier, fields: dict[str, Cell], missing: str
) -> None:
    escalates(claimed(charged, "11.3").changed("stripe.charges", **fields), missing)


def test_an_approval_that_expired_is_not_answered_by_itself(charged: Dossier) -> None:
    escalates(claimed(charged, "A08", "amex"), "had not expired")


def test_a_claim_without_a_category_is_read_by_a_person(charged: Dossier) -> None:
    unknown = claimed(charged, "R13", "amex")
    escalates(unknown, "no category given", "missing: what the customer claims")


def test_a_compliance_case_is_never_automatic_whatever_its_code(investigated: Callable[..., Dossier]) -> None:
    case_ = investigated("sycamore")
    escalates(case_, "500 USD", "1,850.00 USD")
    hidden = claimed(case_, "13.1", reason="product_not_received")
    escalates(hidden, "500 USD")


@pytest.fixture
def debit(investigated: Callable[..., Dossier]) -> Dossier:
    """A direct debit that the bank took back, lost when it arrived."""
    return investigated("linden")


def test_a_debit_that_came_lost_is_booked_and_its_mandate_repaired(debit: Dossier) -> None:
    draft = debit.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.RECORD, None)
    (ticket,) = (action for action in draft.actions if action.kind is ActionKind.TICKET)
    assert "The next debit is due for Einsatzplan Monat on 14 July 2026" in str(ticket.payload["body"])
    assert "Do not refund the charge" in str(ticket.payload["body"])
    assert {action.kind for action in draft.actions} == {
        ActionKind.TICKET,
        ActionKind.CRM_NOTE,
        ActionKind.SLACK_BRIEF,
    }


def test_a_debit_that_was_refunded_as_well_goes_to_a_person(debit: Dossier) -> None:
    told: dict[str, Cell] = {"charge": debit.only("stripe.charges").record_id, "status": "succeeded", "amount": 24_000}
    escalates(debit.added("stripe.refunds", "re_1", told), "the money went out twice")


def test_a_debit_that_can_be_answered_goes_to_a_person(debit: Dossier) -> None:
    status = {"dispute.status": "needs_response"}
    escalates(debit.changed("stripe.disputes", status="needs_response").with_facts(status), "still takes an answer")


@pytest.mark.parametrize(
    ("status", "reason", "due_by", "lost_debit"),
    [
        ("lost", "debit_not_authorized", None, True),
        ("lost", "insufficient_funds", 0, True),
        ("lost", "debit_not_authorized", 1_800_000_000, False),
        ("lost", "fraudulent", None, False),
        ("needs_response", "debit_not_authorized", None, False),
    ],
)
def test_only_a_bank_debit_that_never_had_a_date_is_taken_up_though_it_is_lost(
    status: str, reason: str, due_by: int | None, lost_debit: bool
) -> None:
    dispute = {**DISPUTE, "status": status, "reason": reason, "payment_method_details": {}}
    dispute["evidence_details"] = {"due_by": due_by}
    routing = route(event("charge.dispute.created", dispute))
    assert isinstance(routing, Routing)
    found = case(routing.observation.facts)
    names = {member.name for member in PLAYBOOK.team(found)}
    assert (PLAYBOOK.settled_by(found) is None) is (lost_debit or status != "lost")
    assert ("payments_analyst" in names) is (lost_debit or status != "lost")
    assert ("reliability_analyst" in names) is (status != "lost")


@pytest.fixture
def provider(investigated: Callable[..., Dossier]) -> Dossier:
    """A claim that PayPal decides."""
    return investigated("pelican")


def test_a_providers_own_words_are_kept_and_no_card_rule_is_applied(provider: Dossier) -> None:
    escalates(provider, "PayPal decides this claim (case PP-R-KXL-441209), and calls it OTHER")
    assert "card networks do not apply" in provider.brief().decision.rationale
    assert provider.case.facts["dispute.network_reason_code"] == "OTHER"


def test_a_providers_code_that_is_known_decides_and_not_stripes_reason(provider: Dossier) -> None:
    code = {"payment_method_details__paypal__reason_code": "MERCHANDISE_OR_SERVICE_NOT_RECEIVED"}
    known = provider.changed("stripe.disputes", **code)
    assert "goods or services not received" in known.brief().tldr


def test_klarna_is_named_by_its_name(provider: Dossier) -> None:
    fields: dict[str, Cell] = {
        "payment_method_details__type": "klarna",
        "payment_method_details__klarna__reason_code": "x",
    }
    escalates(provider.changed("stripe.disputes", **fields).with_facts({"dispute.brand": None}), "Klarna decides")
