"""The rules that answer requests are read strictly: what we cannot follow goes to a person, and nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.evidence import Evidence, EvidenceRow
from shared.playbooks.disputes.policies import Policy, read
from shared.playbooks.disputes.policy_rules import (
    first_response_breach,
    platform_sla_credit,
    refund_window,
    sales_promise,
    seat_proration,
    tax_exemption,
    usage_refusal,
)
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from tests.unit.disputes.cases import NOW

READERS: dict[str, Callable[[Policy], object]] = {
    "first_response_breach": first_response_breach.first_response_breach,
    "platform_sla_credit": platform_sla_credit.platform_sla_credit,
    "refund_window": refund_window.refund_window,
    "sales_promise": sales_promise.sales_promise,
    "seat_proration": seat_proration.seat_proration,
    "tax_exemption": tax_exemption.tax_exemption,
    "usage_refusal": usage_refusal.usage_refusal,
}
TIERS = [{"below_pct": "99.9", "credit_pct": 5}, {"below_pct": "95", "credit_pct": 50}]
BREACH: dict[str, object] = {
    "priorities": ["urgent"], "breach_after_hours": 72, "goodwill": "month_of_arr", "instrument": "charge_refund",
}  # fmt: skip
SLA: dict[str, object] = {
    "tiers": TIERS,
    "uptime_from": "slo_history",
    "claim_within_days": 30,
    "instrument": "account_credit",
}
PROMISE: dict[str, object] = {
    "about": ["seats"], "channels": ["email"], "binds": "good_faith_reliance", "instrument": "charge_refund",
}  # fmt: skip
SEATS: dict[str, object] = {"basis": "billing_cycle_days", "instrument": "charge_refund"}
TAX: dict[str, object] = {"supplier_country": "FR", "instrument": "credit_note_refund"}
USE: dict[str, object] = {"within_days": 60, "events_min": 20}
WHOLE: dict[str, dict[str, object]] = {
    "first_response_breach": BREACH,
    "platform_sla_credit": SLA,
    "refund_window": {"within_days": 30},
    "sales_promise": PROMISE,
    "seat_proration": SEATS,
    "tax_exemption": TAX,
    "usage_refusal": USE,
}


def page(rule: object) -> Policy:
    row = EvidenceRow(
        source="policies",
        table="policies.documents",
        record_id="p",
        fields={"id": "p", "title": "p", "status": "current", "rule": json.dumps(rule)},
        query="SELECT",
        retrieved_at=NOW,
        link="manthan://test",
        untrusted=False,
    )
    return read(Evidence(index=0, specialist="policy_analyst", row=row))


@pytest.mark.parametrize("kind", sorted(WHOLE))
def test_a_rule_with_what_it_needs_is_read(kind: str) -> None:
    assert READERS[kind](page({"kind": kind, **WHOLE[kind]})) is not None


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("first_response_breach", {"priorities": []}, "names no priority"),
        ("first_response_breach", {"priorities": ["whenever"]}, "priorities"),
        ("first_response_breach", {"business_day_starts": 17}, "ends before it starts"),
        ("first_response_breach", {"goodwill": "two_months"}, "goodwill: two_months"),
        ("first_response_breach", {"rounding": "up"}, "rounding: up"),
        ("first_response_breach", {"instrument": "cash"}, "instrument: cash"),
        ("platform_sla_credit", {"tiers": []}, "tiers"),
        ("platform_sla_credit", {"tiers": [{"below_pct": "99", "credit_pct": 5, "note": "x"}]}, "tiers"),
        ("platform_sla_credit", {"tiers": [{"below_pct": "120", "credit_pct": 5}]}, "tiers"),
        ("platform_sla_credit", {"tiers": [{"below_pct": "99", "credit_pct": 0}]}, "tiers"),
        (
            "platform_sla_credit",
            {"tiers": [{"below_pct": "99.9", "credit_pct": 50}, {"below_pct": "95", "credit_pct": 5}]},
            "give less for less",
        ),
        ("platform_sla_credit", {"uptime_from": "rumour"}, "uptime_from: rumour"),
        ("refund_window", {"exception_event": "login"}, "without both the event and how many"),
        ("refund_window", {"exception": "auto"}, "exception: auto"),
        ("sales_promise", {"about": []}, "nothing that can be promised"),
        ("sales_promise", {"channels": ["rumour"]}, "channels"),
        ("sales_promise", {"binds": "signature"}, "binds: signature"),
        ("seat_proration", {"basis": "fixed_days"}, "do not fit together"),
        ("seat_proration", {"added_event": "seats_removed"}, "gives one name"),
        ("tax_exemption", {"supplier_country": "US"}, "supplier_country: US"),
        ("tax_exemption", {"amount": "whole"}, "amount: whole"),
        ("usage_refusal", {"events_min": "20"}, "events_min: 20"),
        ("usage_refusal", {"kind": "refund_window"}, "kind refund_window"),
    ],
)
def test_what_cannot_be_followed_is_named(kind: str, changes: dict[str, object], why: str) -> None:
    with pytest.raises(Unevaluable, match=why):
        READERS[kind](page({"kind": kind, **WHOLE[kind], **changes}))
