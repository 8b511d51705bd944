"""Amounts in currencies that count otherwise than dollars: derived, risked, drafted, told to the bank and shown."""

from __future__ import annotations

import pytest

from infra.cli.amounts import parse_minor
from infra.cli.text import money
from shared.case.actions import ActionKind, Tier
from shared.case.brief import Decision, DecisionKind
from shared.case.case import Case
from shared.policy.model import load_policy
from shared.steps.policy_check import verdicts_of
from tests.property.scene import ORG, Scene
from tests.property.test_sweep import PRORATION
from tests.property.verdict import judged

CREDIT = Scene(trouble="alert", said=("complaint", "promise"), policies=PRORATION[:1])


def decided(scene: Scene) -> tuple[Case, Decision]:
    found, _ = judged(scene.material())
    assert found.brief is not None
    return found, found.brief.decision


def tier_of(found: Case, kind: ActionKind) -> tuple[Tier, int | None]:
    assert found.brief is not None
    verdicts = verdicts_of(found, found.brief.decision, ORG, load_policy(None))
    verdict = next(verdicts[each.id] for each in found.actions if each.kind is kind)
    return verdict.tier, verdict.at_risk_minor


@pytest.mark.parametrize(
    ("currency", "paid", "told", "owed", "owed_told"),
    [
        # Two of thirty days, by hand: exact share, rounded half up once, to what Stripe can pay.
        ("usd", 840000, "8,400.00 USD", 56000, "560.00 USD"),
        ("jpy", 9899, "9,899 JPY", 660, "660 JPY"),  # 659.93
        ("ugx", 500000000, "5,000,000.00 UGX", 33333300, "333,333.00 UGX"),  # 333,333.33, whole shillings
        ("isk", 1234700, "12,347.00 ISK", 82300, "823.00 ISK"),  # 823.13, whole kronur
        ("huf", 9999999, "99,999.99 HUF", 666667, "6,666.67 HUF"),  # 6,666.666
        ("kwd", 84350, "84.350 KWD", 5620, "5.620 KWD"),  # 5.6233, the last digit is 0
    ],
)
def test_what_is_owed_is_exact_to_the_smallest_amount_that_can_be_paid(
    currency: str, paid: int, told: str, owed: int, owed_told: str
) -> None:
    found, decision = decided(CREDIT.otherwise({"currency": currency, "amount": paid}))
    assert (decision.kind, decision.amount_minor, decision.currency) == (DecisionKind.CREDIT, owed, currency)
    refund = next(each for each in found.actions if each.kind is ActionKind.STRIPE_REFUND)
    assert (refund.amount_minor, refund.currency, refund.payload["amount_minor"]) == (owed, currency, owed)
    assert refund.description.startswith(f"Refund {owed_told} of {told}")
    packet = str(next(e for e in found.actions if e.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE).payload)
    letter = str(next(e for e in found.actions if e.kind is ActionKind.CUSTOMER_EMAIL).payload)
    assert told in packet
    assert owed_told in packet
    assert owed_told in letter
    assert money(paid, currency) == told
    assert parse_minor(owed_told.split()[0].replace(",", ""), currency) == owed


@pytest.mark.parametrize(
    ("currency", "amount", "tier", "dollars"),
    [
        ("jpy", 7462, Tier.ONE_APPROVER, 5000),  # 49.9954 USD is 50.00 to the cent, and 50.00 needs somebody
        ("jpy", 7461, Tier.ONE_APPROVER, 4999),
        ("ugx", 18518500, Tier.ONE_APPROVER, 5000),
        ("isk", 694400, Tier.ONE_APPROVER, 5000),
        ("huf", 17857142, Tier.TWO_APPROVERS, 50000),
        ("kwd", 153840, Tier.ONE_APPROVER, 49998),
        ("kwd", 153850, Tier.TWO_APPROVERS, 50001),
    ],
)
def test_who_approves_follows_from_the_converted_amount(currency: str, amount: int, tier: Tier, dollars: int) -> None:
    found, decision = decided(Scene(currency=currency, amount=amount))
    assert decision.kind is DecisionKind.FIGHT
    # Without a policy of the merchant for the claim somebody looks even below 50.00.
    assert tier_of(found, ActionKind.STRIPE_SUBMIT_EVIDENCE) == (tier, dollars)


def test_a_dispute_in_another_currency_is_contested_in_its_own_and_refunded_in_the_charges() -> None:
    scene = CREDIT.otherwise({"currency": "jpy", "amount": 1200000, "dispute_currency": "usd", "worth": "8040"})
    found, decision = decided(scene)
    assert (decision.amount_minor, decision.currency) == (80000, "jpy")
    submit = next(each for each in found.actions if each.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    refund = next(each for each in found.actions if each.kind is ActionKind.STRIPE_REFUND)
    assert (submit.at_risk_minor, submit.at_risk_currency) == (804000, "usd")
    assert (refund.amount_minor, refund.currency) == (80000, "jpy")
    assert tier_of(found, ActionKind.STRIPE_REFUND) == (Tier.TWO_APPROVERS, 53600)
    assert found.brief is not None
    assert "8,040.00 USD" in found.brief.tldr
    assert "80,000 JPY" in found.brief.approver_question


def test_a_dispute_without_a_rate_needs_two_people_whatever_it_is_worth() -> None:
    found, _ = decided(Scene(currency="aed", amount=100))
    assert tier_of(found, ActionKind.STRIPE_SUBMIT_EVIDENCE) == (Tier.TWO_APPROVERS, None)
