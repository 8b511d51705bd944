"""The holes that were found in an earlier policy engine of this kind; each stays closed."""

from __future__ import annotations

import pytest

from shared.case.actions import ActionKind, Tier
from shared.errors import InvalidInput, Refused
from shared.policy.approvals import approved, may_approve, missing
from shared.policy.conditions import Operator
from shared.policy.model import load_policy, parse_policy
from tests.unit.policy.builders import DANA, action, approval, decision, draft, judge, org, refund, submit

TIERS = "version: 1\ntiers: [{below: 50, approvers: auto}, {below: 500, approvers: one}, {approvers: two}]\n"


def rule(when: str, at_least: str = "one") -> str:
    return f"{TIERS}rules: [{{name: r, when: {when}, at_least: {at_least}}}]\n"


@pytest.mark.parametrize("when", ["{}", "{all: []}", "{any: []}", "{not: {}}", "", "null", "{kind: }", "{kind: {}}"])
def test_an_empty_or_half_filled_condition_matches_nothing_because_it_is_refused(when: str) -> None:
    with pytest.raises(InvalidInput, match="line 3"):
        parse_policy(rule(when))


def test_a_guard_that_fails_is_not_skipped_in_favour_of_a_milder_rule() -> None:
    text = (
        f"{TIERS}rules:\n"
        "  - {name: guard, when: {prior_disputes: {gte: 3}}, at_least: two}\n"
        "  - {name: clean customers, when: {kind: {eq: stripe_refund}}, at_least: one}\n"
    )
    verdict = judge(refund(100), by=parse_policy(text), facts={"prior_disputes": "three"})
    assert verdict.tier is Tier.TWO_APPROVERS


def test_a_number_cannot_be_compared_with_text() -> None:
    with pytest.raises(InvalidInput, match="whole number"):
        parse_policy(rule("{at_risk_minor: {gt: '5000'}}"))


@pytest.mark.parametrize("operator", ["neq", "nin", "equals", "'='", "contains", "matches"])
def test_an_operator_that_the_engine_does_not_know_is_refused_and_not_dead(operator: str) -> None:
    with pytest.raises(InvalidInput, match="unknown operator"):
        parse_policy(rule(f"{{kind: {{{operator}: stripe_refund}}}}"))


@pytest.mark.parametrize("operator", Operator)
def test_every_operator_that_a_file_may_use_is_alive(operator: Operator) -> None:
    values = {"in": "[5, 9]", "not_in": "[4]", "exists": "true", "ne": "4", "lt": "6", "lte": "5", "gt": "4"}
    when = f"{{prior_disputes: {{{operator.value}: {values.get(operator.value, '5')}}}}}"
    assert judge(refund(100), by=parse_policy(rule(when)), facts={"prior_disputes": 5}).tier is Tier.ONE_APPROVER


@pytest.mark.parametrize(
    "when", ["{not: {at_risk_minor: {gt: 5000}}}", "{at_risk_minor: {ne: 5}}", "{at_risk_minor: {not_in: [5]}}"]
)
def test_an_unknown_amount_is_not_a_small_amount(when: str) -> None:
    verdict = judge(draft("stripe_refund"), by=parse_policy(rule(when)))
    assert verdict.tier is Tier.TWO_APPROVERS
    assert verdict.at_risk_minor is None


def test_unknown_prior_disputes_are_neither_none_nor_many() -> None:
    policy = parse_policy(rule("{prior_disputes: {gte: 3}}", "forbidden"))
    assert judge(refund(100), by=policy).tier is Tier.TWO_APPROVERS


@pytest.mark.parametrize("at_least", ["auto", "recommend", "hitl", "escalate"])
def test_no_rule_can_make_anything_automatic(at_least: str) -> None:
    with pytest.raises(InvalidInput, match="must be one of one, two, forbidden"):
        parse_policy(rule("{subject: {eq: request}}", at_least))


def test_an_emailed_request_is_judged_by_its_amount_like_everything_else() -> None:
    facts = {"subject": "request"}
    assert judge(refund(840000), facts=facts).tier is Tier.TWO_APPROVERS


def test_the_currency_is_not_ignored() -> None:
    in_yen = judge(refund(60000, "jpy"), within=org("usd", {"jpy": "0.0067"}))
    in_dollars = judge(refund(60000, "usd"))
    assert (in_yen.tier, in_dollars.tier) == (Tier.ONE_APPROVER, Tier.TWO_APPROVERS)


def test_every_policy_has_a_version() -> None:
    assert load_policy(None).version != parse_policy(TIERS).version


def test_one_click_does_not_approve_a_large_amount() -> None:
    large = action("two", at_risk=50000, approvals=(approval("dana@merchant.test"),))
    assert missing(large, org()) == 1
    assert not approved(large, org())


def test_the_limit_of_a_member_is_read() -> None:
    with pytest.raises(Refused, match=r"more than the limit of finn@merchant\.test"):
        may_approve(org(), "finn@merchant.test", action("one", at_risk=20001))


def test_a_viewer_does_not_approve_anything() -> None:
    seen = action("one", approvals=(approval("vera@merchant.test"), approval("oleg@merchant.test")))
    assert not approved(seen, org())


def test_every_effect_of_a_rule_has_an_effect() -> None:
    reached = {
        at_least: judge(refund(100), by=parse_policy(rule("{kind: {eq: stripe_refund}}", at_least))).tier
        for at_least in ("one", "two", "forbidden")
    }
    assert list(reached.values()) == [Tier.ONE_APPROVER, Tier.TWO_APPROVERS, Tier.FORBIDDEN]


def test_submitting_evidence_is_never_switched_on_by_a_rule() -> None:
    text = rule("{decision: {eq: fight}}")
    verdict = judge(submit(840000), by=parse_policy(text), deciding=decision("fight"))
    assert verdict.tier is Tier.TWO_APPROVERS


def test_what_is_fired_is_what_was_judged() -> None:
    """The amount that counts is the action's own, not the decision's."""
    assert judge(refund(840000), deciding=decision("refund", minor=100)).tier is Tier.TWO_APPROVERS


@pytest.mark.parametrize("kind", [ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF])
def test_an_escalation_still_tells_the_people_it_escalates_to(kind: ActionKind) -> None:
    assert judge(draft(kind.value), deciding=decision("escalate", confidence=20)).tier is Tier.AUTO


def test_an_approval_survives_only_while_its_giver_may_approve() -> None:
    given = action("one", approvals=(approval(DANA.email),))
    assert approved(given, org())
    assert not approved(given, org(members=()))
