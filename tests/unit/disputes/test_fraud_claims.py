"""Claims of fraud: contested with Compelling Evidence 3.0 or a successful 3-D Secure check, else for a person."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind, Json
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

CHARGE, EVENTS = "stripe.charges", "posthog.events"
DAY = 86400


@pytest.fixture
def fraud(investigated: Callable[..., Dossier]) -> Dossier:
    """A payment disputed as fraud by a card that paid twice before."""
    return investigated("saffron", 1)


def disputed(dossier: Dossier) -> str:
    return str(dossier.case.facts["charge.id"])


def earlier(dossier: Dossier) -> list[str]:
    """The earlier charges, the latest first."""
    rows = [
        item.row for item in dossier.evidence if item.row.table == CHARGE and item.row.record_id != disputed(dossier)
    ]
    return [row.record_id for row in sorted(rows, key=lambda row: -int(str(row.fields["created"])))]


def paid_at(dossier: Dossier) -> int:
    return next(
        int(str(item.row.fields["created"])) for item in dossier.evidence if item.row.record_id == disputed(dossier)
    )


def packet(dossier: Dossier) -> dict[str, Json]:
    (stage,) = [action for action in dossier.draft().actions if action.kind is ActionKind.STRIPE_STAGE_EVIDENCE]
    evidence = stage.payload["evidence"]
    assert isinstance(evidence, dict)
    return evidence


def contested(dossier: Dossier) -> bool:
    """Whether it is contested; anything else goes to a person."""
    return dossier.brief().decision.kind is DecisionKind.FIGHT


def test_two_earlier_payments_of_the_same_person_are_told_in_stripes_own_fields(fraud: Dossier) -> None:
    assert contested(fraud)
    block = packet(fraud)["enhanced_evidence"]
    assert isinstance(block, dict)
    found = block["visa_compelling_evidence_3"]
    assert isinstance(found, dict)
    before = found["prior_undisputed_transactions"]
    assert isinstance(before, list)
    assert [item["charge"] for item in before if isinstance(item, dict)] == earlier(fraud)
    now = found["disputed_transaction"]
    assert isinstance(now, dict)
    assert now["merchandise_or_services"] == "services"
    assert now["customer_purchase_ip"] == packet(fraud)["customer_purchase_ip"]
    assert "2026-01-19 19:40 UTC" in str(packet(fraud)["uncategorized_text"])


@pytest.mark.parametrize(("days", "counts"), [(119, False), (120, True), (364, True), (365, False)])
def test_earlier_payments_count_from_120_to_364_days_before(fraud: Dossier, days: int, counts: bool) -> None:
    assert contested(fraud.changed(CHARGE, earlier(fraud)[0], created=paid_at(fraud) - days * DAY)) is counts


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "failed"},
        {"disputed": True},
        {"disputed": None},
        {"amount": 0},
        {"description": None},
        {"payment_method_details__card__fingerprint": "another"},
        {"payment_method_details__card__fingerprint": None},
        {"created": None},
    ],
)
def test_an_earlier_payment_has_to_be_a_clean_one_with_the_same_card(fraud: Dossier, fields: dict[str, Cell]) -> None:
    escalates(fraud.changed(CHARGE, earlier(fraud)[1], **fields), "no rule decides claims of the kind fraud")


@pytest.mark.parametrize("table", ["stripe.disputes", "stripe.early_fraud_warnings"])
def test_an_earlier_payment_that_was_disputed_or_reported_does_not_count(fraud: Dossier, table: str) -> None:
    about: dict[str, Cell] = {"charge": earlier(fraud)[0], "status": "won", "amount": 1, "currency": "usd"}
    escalates(fraud.added(table, "other", about), "without earlier payments that qualify")


def test_what_was_not_read_whole_does_not_count(fraud: Dossier) -> None:
    for label in (labels.DISPUTES, labels.WARNINGS):
        escalates(fraud.with_gaps(Gap(specialist="x", what=label, why="down")), "no rule decides")


@pytest.mark.parametrize(
    ("ip", "device", "counts"),
    [
        (True, True, True),
        (True, False, True),
        (False, True, True),
        (False, False, False),
    ],
)
def test_an_address_or_a_device_has_to_be_the_same_and_two_lesser_ones_do_not_do(
    fraud: Dossier, ip: bool, device: bool, counts: bool
) -> None:
    event = next(
        item.row.record_id for item in fraud.evidence if item.row.table == EVENTS and "pi_33qn" in str(item.row.fields)
    )
    other: dict[str, Cell] = {} if ip else {"ip": "203.0.113.9"}
    other |= {} if device else {"device_id": "dev_another_one_0001"}
    assert contested(fraud.changed(EVENTS, event, **other)) is counts


def test_a_device_alone_with_nothing_beside_it_does_not_do(fraud: Dossier) -> None:
    lone = fraud
    for place, charge in enumerate([disputed(fraud), *earlier(fraud)]):
        told: dict[str, Cell] = {"receipt_email": f"a{place}@x.example", "customer": f"cus_{place}"}
        lone = lone.changed(CHARGE, charge, **told)
    assert contested(lone)
    events = [item.row.record_id for item in lone.evidence if item.row.table == EVENTS and item.row.fields.get("ip")]
    for place, event in enumerate(events):
        lone = lone.changed(EVENTS, event, ip=f"203.0.113.{place}")
    escalates(lone, "no rule decides")


def test_a_short_device_id_identifies_nobody_and_metadata_stands_in_for_a_checkout(fraud: Dossier) -> None:
    short = fraud.changed(EVENTS, device_id="dev_1", ip=None)
    escalates(short, "no rule decides")
    told = short.changed(CHARGE, metadata=json.dumps({"customer_ip": "203.0.113.5"}))
    assert contested(told)
    for odd in ("{", "[]"):
        escalates(short.changed(CHARGE, metadata=odd), "no rule decides")


def test_another_code_of_fraud_needs_3d_secure(fraud: Dossier) -> None:
    other = fraud.changed("stripe.disputes", payment_method_details__card__network_reason_code="10.5")
    escalates(other, "a successful 3-D Secure check")
    secure = other.changed(
        CHARGE, disputed(fraud), payment_method_details__card__three_d_secure__result="authenticated"
    )
    assert contested(secure)
    assert "authenticated the holder" in str(packet(secure)["uncategorized_text"])
    assert "enhanced_evidence" not in packet(secure)
    assert "access_activity_log" not in packet(secure.without(EVENTS))
    assert any("3-D Secure: authenticated" in found.text for found in secure.brief().findings)


def test_a_page_of_the_merchant_on_fraud_is_read_by_a_person(fraud: Dossier) -> None:
    escalates(fraud.policy("fraud", None, applies_to="fraud"), "has to be read by a person")


def test_an_inquiry_about_fraud_goes_to_a_person(fraud: Dossier) -> None:
    asked = fraud.with_facts({"dispute.status": "warning_needs_response"})
    escalates(
        asked.changed("stripe.disputes", status="warning_needs_response"), "no rule decides claims of the kind fraud"
    )


def test_a_packet_beyond_stripes_limits_goes_to_a_person(fraud: Dossier) -> None:
    escalates(fraud.changed("stripe.customers", name="x" * 5001), "customer_name has 5,001 characters")
