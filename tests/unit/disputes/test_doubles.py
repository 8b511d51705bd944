"""Claims of a double: two things, one thing twice, a double that went back, and two sides that billed one period."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

CHARGE, INVOICE, LINE, PAYMENT = (
    "stripe.charges",
    "stripe.invoices",
    "stripe.invoice_lines",
    "stripe.invoice_payments",
)


def disputed(dossier: Dossier) -> str:
    return str(dossier.only("stripe.disputes").fields["charge"])


def other(dossier: Dossier) -> str:
    """The equal charge beside the disputed one."""
    rows = [item.row for item in dossier.evidence if item.row.table == CHARGE]
    price = next(row.fields["amount"] for row in rows if row.record_id == disputed(dossier))
    return next(row.record_id for row in rows if row.record_id != disputed(dossier) and row.fields["amount"] == price)


def intent(dossier: Dossier, charge: str) -> Cell:
    return next(item.row.fields["payment_intent"] for item in dossier.evidence if item.row.record_id == charge)


def billed(dossier: Dossier, charge: str, number: str, start: int, end: int, **line: Cell) -> Dossier:
    """With an invoice that a charge paid, for a period in days of June 2026."""
    first = 1_780_272_000
    told: dict[str, Cell] = {
        "invoice": number,
        "amount": 31_200,
        "currency": "usd",
        "description": "Starter set",
        "price__id": "price_set",
        "subscription": "sub_1",
        "period__start": first + start * 86_400,
        "period__end": first + end * 86_400,
    }
    return (
        dossier.added(PAYMENT, f"pay-{number}", {"invoice": number, "payment__payment_intent": intent(dossier, charge)})
        .added(INVOICE, number, {"number": number, "total": 31_200, "currency": "usd"})
        .added(LINE, f"line-{number}", {**told, **line})
    )


@pytest.fixture
def twice(investigated: Callable[..., Dossier]) -> Dossier:
    """One order, taken twice within a minute."""
    return investigated("thistle")


def two_invoices(dossier: Dossier, start: int, end: int, **line: Cell) -> Dossier:
    first = billed(dossier, disputed(dossier), "INV-A", 0, 30)
    return billed(first, other(dossier), "INV-B", start, end, **line)


def test_one_thing_paid_twice_is_given_up(twice: Dossier) -> None:
    decision = twice.brief().decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.ACCEPT, 31_200)
    assert "1 minute apart" in decision.rationale


def test_two_invoices_for_two_periods_are_contested_with_both(twice: Dossier) -> None:
    apart = two_invoices(twice, 30, 60)
    draft = apart.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.FIGHT, 31_200)
    submit = next(action for action in draft.actions if action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    evidence = json.dumps(submit.payload["evidence"])
    assert "INV-A" in evidence
    assert "INV-B" in evidence
    assert other(twice) in evidence
    shown = next(found for found in draft.brief.findings if "INV-A" in found.text and "INV-B" in found.text)
    rows = {item.index: item.row.record_id for item in apart.evidence}
    assert {"INV-A", "INV-B", disputed(twice), other(twice)} <= {rows[index] for index in shown.citations}


@pytest.mark.parametrize(
    ("start", "line", "kind"),
    [
        (29, {}, DecisionKind.ACCEPT),
        (30, {}, DecisionKind.FIGHT),
        (0, {"price__id": "price_other"}, DecisionKind.FIGHT),
        (0, {"subscription": "sub_2"}, DecisionKind.ESCALATE),
        (0, {"period__start": None}, DecisionKind.ESCALATE),
    ],
)
def test_the_documents_decide(twice: Dossier, start: int, line: dict[str, Cell], kind: DecisionKind) -> None:
    assert two_invoices(twice, start, start + 30, **line).brief().decision.kind is kind


def test_two_payments_of_one_invoice_are_one_thing(twice: Dossier) -> None:
    same = billed(twice, disputed(twice), "INV-A", 0, 30)
    same = same.added(PAYMENT, "pay-2", {"invoice": "INV-A", "payment__payment_intent": intent(twice, other(twice))})
    assert same.brief().decision.kind is DecisionKind.ACCEPT
    assert "Both paid invoice INV-A" in same.brief().decision.rationale


def test_an_invoice_for_one_of_the_two_alone_tells_nothing(twice: Dossier) -> None:
    escalates(billed(twice, disputed(twice), "INV-A", 0, 30), "only one of the two charges has an invoice")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"created": 1_780_398_280 - 3_601}, DecisionKind.ESCALATE),
        ({"description": "Another set"}, DecisionKind.ESCALATE),
        ({"amount": 31_100}, DecisionKind.ESCALATE),
    ],
)
def test_charges_without_invoices_are_one_only_when_nothing_tells_them_apart(
    twice: Dossier, fields: dict[str, Cell], kind: DecisionKind
) -> None:
    assert twice.changed(CHARGE, other(twice), **fields).brief().decision.kind is kind


def refunded(dossier: Dossier, charge: str, status: str = "succeeded", amount: int = 31_200) -> Dossier:
    told: dict[str, Cell] = {
        "charge": charge,
        "amount": amount,
        "currency": "usd",
        "status": status,
        "created": 1_780_500_000,
        "destination_details__card__reference": "7453",
    }
    return dossier.added("stripe.refunds", "re_1", told)


@pytest.mark.parametrize("which", [disputed, other])
def test_a_double_that_went_back_is_contested_with_the_refund(twice: Dossier, which: Callable[[Dossier], str]) -> None:
    back = refunded(twice, which(twice))
    draft = back.draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.FIGHT
    submit = next(action for action in draft.actions if action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    assert "(ARN) 7453" in str(submit.payload["evidence"])
    assert any("the money has gone back already" in found.text for found in draft.brief.findings)


@pytest.mark.parametrize(
    ("status", "amount", "why"), [("pending", 31_200, "on its way"), ("succeeded", 31_199, "only a part went back")]
)
def test_a_refund_that_is_not_final_or_not_whole_is_for_a_person(
    twice: Dossier, status: str, amount: int, why: str
) -> None:
    escalates(refunded(twice, other(twice), status, amount), why)


def test_a_refund_that_failed_returned_nothing(twice: Dossier) -> None:
    assert refunded(twice, other(twice), "failed").brief().decision.kind is DecisionKind.ACCEPT


def test_two_disputed_charges_are_not_both_given_up(twice: Dossier) -> None:
    told: dict[str, Cell] = {"charge": other(twice), "status": "needs_response", "amount": 31_200, "currency": "usd"}
    escalates(twice.added("stripe.disputes", "du_2", told), "both of the two charges are disputed")


def test_a_single_charge_with_an_invoice_is_contested_and_one_paid_otherwise_is_not(twice: Dossier) -> None:
    alone = billed(twice.without(CHARGE, record=other(twice)), disputed(twice), "INV-A", 0, 30)
    assert alone.brief().decision.kind is DecisionKind.FIGHT
    otherwise = {"payment_method_details__card__network_reason_code": "12.6.2"}
    escalates(alone.changed("stripe.disputes", **otherwise), "payment by other means")


def test_what_was_not_read_whole_proves_no_single_charge(twice: Dossier) -> None:
    gap = Gap(specialist="payments_analyst", what=labels.TWINS, why="cut")
    escalates(twice.with_gaps(gap), "a second charge cannot be ruled out")


def test_a_page_in_prose_about_doubles_is_for_a_person(twice: Dossier) -> None:
    escalates(twice.policy("prose", None, applies_to="duplicate"), "has to be read by a person")


@pytest.fixture
def ledger(investigated: Callable[..., Dossier]) -> Dossier:
    """A plan billed by the old system, through Stripe, and by the new one."""
    return investigated("foxglove")


def policy(dossier: Dossier, page: str = "PAM-2026", **parameters: object) -> Dossier:
    told = {"kind": "double_billing", "returns": ["legacy_ledger", "orphan_customer"], **parameters}
    return dossier.changed("policies.documents", page, rule=json.dumps(told))


def test_the_old_systems_charge_goes_back_and_its_other_months_are_named(ledger: Dossier) -> None:
    draft = ledger.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.ACCEPT, 550_000)
    ticket = next(action for action in draft.actions if action.kind is ActionKind.TICKET)
    assert "billing-bug-7172" in str(ticket.payload["title"])
    assert "INV-20437 of 1 May 2026" in str(ticket.payload["body"])
    assert "INV-20388" not in str(ticket.payload["body"])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d.changed("legacy_billing.charges", "INV-20411", amount="5400.00"), "two subscriptions|no document"),
        (lambda d: d.changed("legacy_billing.charges", "INV-20411", status="refunded"), "Stripe knows no refund"),
        (lambda d: policy(d, returns=["orphan_customer"]), "does not give back"),
        (lambda d: policy(d, returns=[]), "has to be read by a person"),
        (lambda d: d.without("policies.documents").absent("policies.documents", labels.NO_POLICY), "no current policy"),
    ],
)
def test_sides_that_do_not_add_up_or_a_policy_that_says_nothing_go_to_a_person(
    ledger: Dossier, change: Callable[[Dossier], Dossier], why: str
) -> None:
    brief = change(ledger).brief()
    assert brief.decision.kind is DecisionKind.ESCALATE
    assert any(part in brief.decision.rationale for part in why.split("|")), brief.decision.rationale


def test_the_side_that_stands_is_never_given_up(ledger: Dossier) -> None:
    """The dispute is on the new plan's charge, and the ledger took the same month by itself."""
    new = next(
        item.row.record_id
        for item in ledger.evidence
        if item.row.table == CHARGE and item.row.fields["description"] == "Subscription creation"
    )
    swapped = ledger.changed("stripe.disputes", charge=new).with_facts({"charge.id": new})
    swapped = swapped.changed("legacy_billing.charges", "INV-20411", stripe_charge=None)
    escalates(swapped, "the disputed charge is the side that stands")


@pytest.fixture
def orphan(investigated: Callable[..., Dossier]) -> Dossier:
    """A customer left over from a migration, charged beside the real one."""
    return investigated("bramble")


def test_the_leftover_is_given_up_and_its_plan_is_ended(orphan: Dossier) -> None:
    draft = orphan.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.ACCEPT, 360_000)
    cancel = next(action for action in draft.actions if action.kind is ActionKind.STRIPE_CANCEL_SUBSCRIPTION)
    rows = {item.row.record_id: item.row.fields for item in orphan.evidence}
    assert rows[cancel.target]["customer"] == rows[disputed(orphan)]["customer"]
    assert cancel.at_risk_minor == 360_000


def test_a_namesake_of_another_domain_is_another_company(orphan: Dossier) -> None:
    assert "Saga Foods" not in {item.row.fields.get("name") for item in orphan.evidence if "stripe" in item.row.table}


def test_a_leftover_that_the_crm_knows_is_for_a_person(orphan: Dossier) -> None:
    known = orphan.added("salesforce.contacts", "003x", {"email": "Purchasing@sagarobotics.example"})
    escalates(known, "the disputed charge is the side that stands")
    hubspot = orphan.added("hubspot.contacts", "9x", {"email": "purchasing@sagarobotics.example"})
    assert hubspot.brief().decision.kind is DecisionKind.ACCEPT
    escalates(policy(hubspot, known_in="any"), "the side that stands")


@pytest.mark.parametrize(("days", "kind"), [(29, DecisionKind.ACCEPT), (30, DecisionKind.FIGHT)])
def test_both_must_have_billed_enough_of_one_time(orphan: Dossier, days: int, kind: DecisionKind) -> None:
    assert policy(orphan, known_in="salesforce", overlap_min_days=days).brief().decision.kind is kind


def test_a_plan_that_has_ended_is_not_ended_again(orphan: Dossier) -> None:
    ended = orphan.changed("stripe.subscriptions", status="canceled")
    assert ActionKind.STRIPE_CANCEL_SUBSCRIPTION not in {action.kind for action in ended.draft().actions}
    kept = policy(orphan, known_in="salesforce", end_returned_side=False)
    assert ActionKind.STRIPE_CANCEL_SUBSCRIPTION not in {action.kind for action in kept.draft().actions}


def test_each_of_two_disputes_is_given_up_for_itself(investigated: Callable[..., Dossier]) -> None:
    amounts = [investigated("lichen", place).brief().decision.amount_minor for place in (0, 1)]
    assert amounts == [700_000, 700_000]
