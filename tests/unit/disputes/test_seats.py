"""Claims that too many seats were billed: signed for, used, and complained about."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, EvidenceKind, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

PAGE, SIGN_INS, DEALS = "SD-2026-V1", "auth.sign_ins", "salesforce.opportunities"


@pytest.fixture
def seats(investigated: Callable[..., Dossier]) -> Dossier:
    """Twenty-five seats billed, twenty-four used, and a finance chief who remembers fifteen."""
    return investigated("ochre")


def addendum(dossier: Dossier) -> str:
    return next(
        item.row.record_id
        for item in dossier.evidence
        if item.row.table == DEALS and "ten more" in str(item.row.fields["name"])
    )


def signed_in(dossier: Dossier, number: int) -> Dossier:
    """With so many people who signed in."""
    rows = [
        item.row.record_id
        for item in dossier.evidence
        if item.row.table == SIGN_INS and item.row.kind is EvidenceKind.ROW
    ]
    for record in rows[number:]:
        dossier = dossier.without(SIGN_INS, record=record)
    return dossier


def rule(dossier: Dossier, **parameters: object) -> Dossier:
    return dossier.changed("policies.documents", PAGE, rule=json.dumps({"kind": "seat_reconciliation", **parameters}))


def complained(dossier: Dossier, at: str = "2026-04-20T10:00:00+00:00") -> Dossier:
    told: dict[str, Cell] = {
        "subject": "Invoice",
        "description": "We are billed for too many seats, it should be 15.",
        "status": "open",
        "requester_email": "cfo@vermillionstudios.example",
        "created_at": at,
    }
    return dossier.added("zendesk.tickets", "9001", told, untrusted=True)


def test_it_is_contested_and_somebody_calls(seats: Dossier) -> None:
    draft = seats.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.FIGHT, 450_000)
    texts = " ".join(found.text for found in draft.brief.findings)
    assert "24 of 25 billed seats signed in (96 %)" in texts
    assert "10 of 25 at 180.00 USD = 1,800.00 USD of the 4,500.00 USD disputed" in texts
    ticket = next(action for action in draft.actions if action.kind is ActionKind.TICKET)
    assert "call them" in str(ticket.payload["body"])
    assert ActionKind.CUSTOMER_EMAIL not in {action.kind for action in draft.actions}


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (20, DecisionKind.FIGHT),
        (19, DecisionKind.ESCALATE),
        (13, DecisionKind.ESCALATE),
        (12, DecisionKind.ACCEPT),
    ],
)
def test_how_many_signed_in_decides(seats: Dossier, number: int, kind: DecisionKind) -> None:
    assert signed_in(seats, number).brief().decision.kind is kind


@pytest.mark.parametrize(
    "fields",
    [
        {"signed_title": "Workspace Admin"},
        {"signed_at": "2026-04-12T17:03:01+00:00"},
        {"envelope_id": None},
        {"is_won": False, "stage": "Closed Lost"},
    ],
)
def test_without_an_addendum_signed_at_the_top_before_the_charge_it_is_given_up(
    seats: Dossier, fields: dict[str, Cell]
) -> None:
    other = seats.changed(DEALS, addendum(seats), **fields)
    assert other.brief().decision.kind is DecisionKind.ACCEPT
    assert "nobody of the C-level signed" in other.brief().decision.rationale.lower().replace("c-level", "C-level")
    escalates(rule(other, when_one_fails="escalate"), "leaves it to a person")


def test_a_deal_in_the_other_crm_counts_as_well(seats: Dossier) -> None:
    moved = seats.without(DEALS).added(
        "hubspot.deals",
        "d1",
        {
            "dealstage": "closedwon",
            "signed_by": "Harriet Bloom",
            "signed_title": "COO",
            "signed_at": "2026-02-08T19:26:00+00:00",
            "envelope_id": "e1",
            "quantity": 10,
        },
    )
    assert moved.brief().decision.kind is DecisionKind.FIGHT


def test_a_complaint_about_the_bill_in_the_last_days_gives_it_up(seats: Dossier) -> None:
    assert complained(seats).brief().decision.kind is DecisionKind.ACCEPT
    assert complained(seats, "2026-02-10T15:59:59+00:00").brief().decision.kind is DecisionKind.FIGHT
    assert rule(complained(seats), complaint_free_days=20).brief().decision.kind is DecisionKind.FIGHT


def test_records_that_were_not_read_decide_nothing(seats: Dossier) -> None:
    escalates(seats.without(SIGN_INS), "needs what was not read whole: who signed in")
    escalates(seats.without(DEALS, "hubspot.deals"), "needs what was not read whole: what they signed for")
    escalates(seats.with_gaps(Gap(specialist="x", what=labels.SIGN_INS, why="cut")), "who signed in")
    escalates(seats.with_gaps(Gap(specialist="x", what=labels.CHATS, why="down")), "chat conversations")


def test_nobody_signed_in_and_nobody_signed_is_proven_not_assumed(seats: Dossier) -> None:
    nobody = seats.without(SIGN_INS).absent(SIGN_INS, labels.NO_SIGN_IN)
    assert nobody.brief().decision.kind is DecisionKind.ACCEPT


def test_an_invoice_of_one_seat_is_held_against_its_invoice(seats: Dossier) -> None:
    single = seats.changed("stripe.invoice_lines", quantity=1)
    assert single.brief().decision.kind is DecisionKind.FIGHT
    assert "exactly what was billed" in single.brief().decision.rationale


@pytest.mark.parametrize("parameters", [{"used_below_pct": "90"}, {"authenticated_min_pct": 80.5}, {"crm": "hubspot"}])
def test_a_rule_that_cannot_be_followed_goes_to_a_person(seats: Dossier, parameters: dict[str, object]) -> None:
    escalates(rule(seats, **parameters), "has to be read by a person")
