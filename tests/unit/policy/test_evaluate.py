"""Verdicts: money at risk decides, whatever the currency; what cannot be evaluated needs two people."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shared.policy.evaluate
from shared.case.actions import TIER_ORDER, ActionDraft, ActionKind, Dependency, DependencyKind, Tier
from shared.policy.at_risk import STAKE_OF, money_at_risk
from shared.policy.conditions import Comparison, Operator
from shared.policy.facts import Facts
from shared.policy.model import Rule, parse_policy
from tests.unit.policy.builders import NOW, SHIPPED, action, decision, draft, judge, org, refund, submit

AUTO, ONE, TWO, FORBIDDEN = Tier.AUTO, Tier.ONE_APPROVER, Tier.TWO_APPROVERS, Tier.FORBIDDEN

RATES = {"eur": "1.10", "jpy": "0.0067", "isk": "0.0071", "ugx": "0.00027", "bhd": "2.65", "huf": "0.0028"}


def ruled(when: str, at_least: str = "two") -> str:
    tiers = "[{below: 50, approvers: auto}, {below: 500, approvers: one}, {approvers: two}]"
    return f"version: 1\ntiers: {tiers}\nrules: [{{name: the rule, when: {when}, at_least: {at_least}}}]\n"


# The tiers


@pytest.mark.parametrize(
    ("minor", "tier"), [(1, AUTO), (4999, AUTO), (5000, ONE), (5001, ONE), (49999, ONE), (50000, TWO), (10**12, TWO)]
)
@pytest.mark.parametrize("kind", ["stripe_refund", "stripe_balance_credit", "stripe_credit_note"])
def test_money_out_counts_its_amount(kind: str, minor: int, tier: Tier) -> None:
    verdict = judge(draft(kind, minor))
    assert (verdict.tier, verdict.at_risk_minor) == (tier, minor)


@pytest.mark.parametrize(("minor", "tier"), [(4999, AUTO), (5000, ONE), (49999, ONE), (50000, TWO)])
@pytest.mark.parametrize("kind", ["stripe_submit_evidence", "stripe_close_dispute"])
def test_what_cannot_be_undone_counts_the_disputed_amount(kind: str, minor: int, tier: Tier) -> None:
    verdict = judge(draft(kind, risk=(minor, "usd")), deciding=decision("fight"))
    assert (verdict.tier, verdict.at_risk_minor) == (tier, minor)


def test_a_refund_counts_what_it_pays_and_not_the_dispute_around_it() -> None:
    assert judge(draft("stripe_refund", 4000, risk=(840000, "usd"))).at_risk_minor == 4000


def test_the_larger_amount_counts_where_a_dispute_and_its_charge_differ() -> None:
    smaller_dispute = draft("stripe_submit_evidence", 60000, risk=(4000, "usd"))
    larger_dispute = draft("stripe_submit_evidence", 4000, risk=(60000, "usd"))
    assert judge(smaller_dispute).at_risk_minor == judge(larger_dispute).at_risk_minor == 60000


@pytest.mark.parametrize(("minor", "tier"), [(0, ONE), (4999, ONE), (5000, ONE), (49999, ONE), (50000, TWO)])
@pytest.mark.parametrize("kind", ["stripe_cancel_subscription", "stripe_retry_invoice"])
def test_cancelling_and_retrying_need_at_least_one_person(kind: str, minor: int, tier: Tier) -> None:
    assert judge(draft(kind, risk=(minor, "usd"))).tier is tier


def test_the_amount_of_an_invoice_counts_where_no_other_is_said_to_be_involved() -> None:
    assert judge(draft("stripe_retry_invoice", 50000)).tier is TWO


@pytest.mark.parametrize("kind", ["stripe_stage_evidence", "crm_note", "slack_brief", "ticket", "decision_log"])
def test_internal_actions_need_nobody_even_on_a_large_dispute_and_in_doubt(kind: str) -> None:
    verdict = judge(draft(kind, risk=(840000, "usd")), deciding=decision("fight", confidence=10))
    assert (verdict.tier, verdict.at_risk_minor) == (AUTO, 0)


def test_every_kind_of_action_has_a_stake() -> None:
    assert set(STAKE_OF) == set(ActionKind)


@pytest.mark.parametrize("kind", ["customer_email", "crm_note"])
def test_by_themselves_messages_and_notes_put_nothing_at_risk(kind: str) -> None:
    assert money_at_risk(draft(kind, 100, risk=(100, "usd")), org()) == 0


# Currencies


@pytest.mark.parametrize(
    ("minor", "currency", "at_risk", "tier"),
    [
        (4545, "eur", 5000, ONE),  # 45.45 EUR are 49.995 USD, half up
        (4544, "eur", 4998, AUTO),
        (45455, "eur", 50001, TWO),
        (9899, "jpy", 6632, ONE),  # not 98.99
        (5800, "jpy", 3886, AUTO),
        (704300, "isk", 5001, ONE),  # 7,043 kronur
        (50000, "ugx", 14, AUTO),  # 500 shillings
        (185186000, "ugx", 50000, TWO),
        (18860, "bhd", 4998, AUTO),  # 18.860 dinar
        (18870, "bhd", 5001, ONE),
        (1785700, "huf", 5000, ONE),  # 17,857.00 forint
        (227300, "mga", 5001, ONE),  # 227,300 ariary: no decimals at Stripe
    ],
)
def test_amounts_convert_at_the_org_s_rate_with_the_exponent_of_each_currency(
    minor: int, currency: str, at_risk: int, tier: Tier
) -> None:
    verdict = judge(refund(minor, currency), within=org("usd", {**RATES, "mga": "0.00022"}))
    assert (verdict.tier, verdict.at_risk_minor) == (tier, at_risk)


@pytest.mark.parametrize(
    ("currency", "minor", "tier"),
    [("jpy", 49, AUTO), ("jpy", 50, ONE), ("jpy", 500, TWO), ("bhd", 49990, AUTO), ("bhd", 50000, ONE)],
)
def test_bounds_are_in_major_units_of_the_org_s_currency(currency: str, minor: int, tier: Tier) -> None:
    assert judge(refund(minor, currency), within=org(currency)).tier is tier


def test_a_bound_that_the_currency_cannot_express_is_still_exact() -> None:
    policy = parse_policy("version: 1\ntiers: [{below: 50.50, approvers: auto}, {approvers: one}]\n")
    assert judge(refund(50, "jpy"), by=policy, within=org("jpy")).tier is AUTO
    verdict = judge(refund(51, "jpy"), by=policy, within=org("jpy"))
    assert verdict.rules == ("51 JPY at risk, tier 50.50 and over: one approver",)


def test_currencies_and_rates_are_compared_without_case() -> None:
    assert judge(refund(4545, "EUR"), within=org("USD", {"EUR": "1.10"})).at_risk_minor == 5000


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.sampled_from(sorted(RATES)))
def test_a_larger_amount_never_needs_fewer_people(minor: int, more: int, currency: str) -> None:
    rated = org("usd", RATES)
    small, large = (judge(refund(amount, currency), within=rated).tier for amount in (minor, minor + more))
    assert TIER_ORDER[small] <= TIER_ORDER[large]


@given(st.integers(1, 10**7), st.sampled_from(sorted(RATES)))
def test_rounding_a_converted_amount_never_lowers_the_tier(minor: int, currency: str) -> None:
    exact = Fraction(minor) / {"jpy": 1, "bhd": 1000}.get(currency, 100) * Fraction(RATES[currency])
    tier = judge(refund(minor, currency), within=org("usd", RATES)).tier
    expected = AUTO if exact < 50 else ONE if exact < 500 else TWO
    assert TIER_ORDER[tier] >= TIER_ORDER[expected]


# Fail closed


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        (refund(100, "xyz"), "no exchange rate from xyz to usd"),
        (refund(100, "eur"), "no exchange rate from eur to usd"),
        (refund(100, "dollars"), "'dollars' is not a three-letter currency code"),
        (refund(100, ""), "'' is not a three-letter currency code"),
        (refund(None), "stripe_refund without an amount at risk"),
        (draft("stripe_refund", 100, None), "stripe_refund without an amount at risk"),
        (draft("stripe_submit_evidence"), "stripe_submit_evidence without an amount at risk"),
        (draft("stripe_submit_evidence", 100), "stripe_submit_evidence without an amount at risk"),
        (submit(100, "xyz"), "no exchange rate from xyz to usd"),
        (submit(0), "with 0 at risk, which cannot be right"),
        (submit(-100), "with -100 at risk, which cannot be right"),
        (draft("stripe_submit_evidence", 100, "xyz", risk=(100, "usd")), "no exchange rate from xyz to usd"),
        (draft("stripe_close_dispute"), "stripe_close_dispute without an amount at risk"),
        (draft("stripe_retry_invoice"), "stripe_retry_invoice without an amount at risk"),
        (draft("stripe_cancel_subscription", risk=(-1, "usd")), "with -1 at risk, which cannot be right"),
    ],
)
def test_an_amount_that_nobody_can_tell_needs_two_people(subject: ActionDraft, reason: str) -> None:
    verdict = judge(subject)
    assert verdict.tier is TWO
    assert verdict.at_risk_minor is None
    assert any(rule.startswith("fail_closed: ") and reason in rule for rule in verdict.rules)


@pytest.mark.parametrize("rate", ["0", "-1", "", "1,1", "nan"])
def test_an_unusable_rate_needs_two_people(rate: str) -> None:
    verdict = judge(refund(1, "eur"), within=org("usd", {"eur": rate}))
    assert verdict.tier is TWO
    assert verdict.rules[0].startswith("fail_closed: ")


def test_an_org_without_a_sensible_currency_needs_two_people() -> None:
    assert judge(refund(1), within=org("dollars")).tier is TWO


def test_an_unevaluable_amount_does_not_lift_what_is_forbidden() -> None:
    forbidding = parse_policy(ruled("{kind: {eq: stripe_refund}}", "forbidden"))
    assert judge(refund(1, "xyz"), by=forbidding).tier is FORBIDDEN


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("x"), ValueError("x"), KeyError("x"), TypeError("x"), LookupError("x")]
)
def test_an_exception_inside_a_rule_needs_two_people(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(rule: Rule, facts: Facts) -> None:
        raise error

    monkeypatch.setattr(shared.policy.evaluate, "_by_rule", broken)
    verdict = judge(refund(1), by=parse_policy(ruled("{kind: {eq: ticket}}", "one")))
    assert verdict.tier is TWO
    assert f"fail_closed: rule 'the rule': {type(error).__name__} while evaluating" in verdict.rules


def test_tiers_that_cover_nothing_need_two_people() -> None:
    policy = parse_policy(ruled("{kind: {eq: ticket}}"))
    gap = policy.model_copy(update={"tiers": policy.tiers[:1]})
    assert judge(refund(5000), by=gap).tier is TWO


# Confidence


@pytest.mark.parametrize(("confidence", "tier"), [(69, ONE), (70, AUTO), (100, AUTO), (0, ONE)])
@pytest.mark.parametrize("subject", [refund(100), submit(100), draft("stripe_balance_credit", 100)])
def test_a_doubtful_decision_does_nothing_with_money_on_its_own(
    subject: ActionDraft, confidence: int, tier: Tier
) -> None:
    assert judge(subject, deciding=decision(confidence=confidence)).tier is tier


def test_doubt_never_lowers_what_the_amount_asks_for() -> None:
    verdict = judge(refund(50000), deciding=decision(confidence=50))
    assert verdict.tier is TWO
    assert "confidence 50 % is under 70 %: at least one approver" in verdict.rules


# Messages


def test_a_message_about_nothing_needs_one_person() -> None:
    verdict = judge(draft("customer_email"))
    assert (verdict.tier, verdict.at_risk_minor) == (ONE, 0)


@pytest.mark.parametrize(("minor", "tier"), [(4999, AUTO), (5000, ONE), (50000, TWO)])
def test_a_message_is_as_serious_as_what_it_depends_on(minor: int, tier: Tier) -> None:
    verdict = judge(draft("customer_email", after=("refund",)), others={"refund": refund(minor)})
    assert (verdict.tier, verdict.at_risk_minor) == (tier, minor)


@pytest.mark.parametrize("kind", [DependencyKind.ACTION, DependencyKind.APPROVAL])
def test_a_message_takes_the_strictest_of_several_however_it_depends_on_them(kind: DependencyKind) -> None:
    depends = tuple(Dependency(kind=kind, ref=ref) for ref in ("small", "large"))
    mail = draft("customer_email").model_copy(update={"depends_on": depends})
    verdict = judge(mail, others={"small": refund(1), "large": submit(840000)})
    assert (verdict.tier, verdict.at_risk_minor) == (TWO, 840000)
    assert verdict.rules == (
        "depends on stripe_refund: no approver",
        "depends on stripe_submit_evidence: two approvers",
    )


def test_a_message_looks_through_notes_and_other_messages() -> None:
    others = {
        "mail": draft("customer_email", after=("note",)),
        "note": draft("crm_note", after=("refund",)),
        "refund": refund(50000),
    }
    assert judge(draft("customer_email", after=("mail",)), others=others).tier is TWO


def test_a_note_that_nobody_approves_cannot_vouch_for_a_message() -> None:
    verdict = judge(draft("customer_email", after=("note",)), others={"note": draft("crm_note")})
    assert verdict.tier is ONE


def test_waiting_for_an_outcome_alone_is_depending_on_nothing() -> None:
    assert judge(draft("customer_email", outcome="dispute.won")).tier is ONE


def test_messages_that_depend_on_each_other_do_not_hang() -> None:
    others = {"a": draft("customer_email", after=("b",)), "b": draft("customer_email", after=("a", "refund"))}
    assert judge(others["a"], others={**others, "refund": refund(50000)}).tier is TWO
    assert judge(draft("customer_email", after=("a",)), others={"a": draft("customer_email", after=("a",))}).tier is ONE


def test_a_message_about_an_action_that_the_case_does_not_have_needs_two_people() -> None:
    verdict = judge(draft("customer_email", after=("gone",)))
    assert (verdict.tier, verdict.at_risk_minor) == (TWO, None)
    assert verdict.rules == ("fail_closed: depends on an action that the case does not have",)


def test_a_message_about_an_unknown_amount_has_an_unknown_amount() -> None:
    others = {"refund": refund(100), "odd": refund(1, "xyz")}
    verdict = judge(draft("customer_email", after=("refund", "odd")), others=others)
    assert (verdict.tier, verdict.at_risk_minor) == (TWO, None)


def test_doubt_about_a_refund_reaches_the_message_about_it() -> None:
    verdict = judge(
        draft("customer_email", after=("refund",)),
        others={"refund": refund(100)},
        deciding=decision(confidence=60),
    )
    assert verdict.tier is ONE


def test_what_is_forbidden_is_not_announced() -> None:
    forbidding = parse_policy(ruled("{kind: {eq: stripe_refund}}", "forbidden"))
    mail = draft("customer_email", after=("refund",))
    assert judge(mail, others={"refund": refund(1)}, by=forbidding).tier is FORBIDDEN


# Rules of the org


@pytest.mark.parametrize(
    ("when", "facts", "tier"),
    [
        ("{kind: {eq: stripe_refund}}", {}, TWO),
        ("{kind: {ne: stripe_refund}}", {}, AUTO),
        ("{effect: {in: [money_out, irreversible]}}", {}, TWO),
        ("{effect: {not_in: [money_out, irreversible]}}", {}, AUTO),
        ("{decision: {eq: refund}, confidence_pct: {lt: 96}}", {}, TWO),
        ("{decision: {eq: refund}, confidence_pct: {lt: 95}}", {}, AUTO),
        ("{confidence_pct: {gte: 95, lte: 95}}", {}, TWO),
        ("{at_risk_minor: {gt: 99}}", {}, TWO),
        ("{at_risk_minor: {gt: 100}}", {}, AUTO),
        ("{at_risk_minor: {in: [100, 200]}}", {}, TWO),
        ("{currency: {ne: usd}}", {}, AUTO),
        ("{untrusted_flags: {gt: 0}}", {"untrusted_flags": 1}, TWO),
        ("{untrusted_flags: {gt: 0}}", {"untrusted_flags": 0}, AUTO),
        ("{customer_arr_minor: {gt: 5000000}}", {"customer_arr_minor": 10080000}, TWO),
        ("{subject: {eq: early_fraud_warning}}", {"subject": "early_fraud_warning"}, TWO),
        ("{prior_disputes: {exists: true}}", {}, AUTO),
        ("{prior_disputes: {exists: false}}", {}, TWO),
        ("{prior_disputes: {exists: true}}", {"prior_disputes": 0}, TWO),
        ("{all: [{prior_disputes: {exists: true}}, {prior_disputes: {gt: 2}}]}", {}, AUTO),
        ("{any: [{kind: {eq: ticket}}, {not: {kind: {eq: crm_note}}}]}", {}, TWO),
        ("{not: {any: [{kind: {eq: ticket}}, {kind: {eq: stripe_refund}}]}}", {}, AUTO),
    ],
)
def test_a_rule_asks_for_more_where_its_condition_holds(when: str, facts: Facts, tier: Tier) -> None:
    assert judge(refund(100), by=parse_policy(ruled(when)), facts=facts).tier is tier


def test_a_rule_speaks_in_words() -> None:
    verdict = judge(refund(100), by=parse_policy(ruled("{kind: {eq: stripe_refund}}", "one")))
    assert verdict.rules == (
        "1.00 USD at risk, tier under 50.00: no approver",
        "rule 'the rule': at least one approver",
    )


@pytest.mark.parametrize(("minor", "span"), [(5000, "50.00 to under 500.00"), (50000, "500.00 and over")])
def test_a_tier_speaks_in_words(minor: int, span: str) -> None:
    assert f"tier {span}" in judge(refund(minor)).rules[0]


def test_a_policy_with_one_tier_speaks_in_words() -> None:
    policy = parse_policy("version: 1\ntiers: [{approvers: two}]\n")
    assert judge(refund(1), by=policy).rules == ("0.01 USD at risk, tier any amount: two approvers",)


@pytest.mark.parametrize(
    "when",
    [
        "{customer_arr_minor: {gt: 5000000}}",
        "{customer_arr_minor: {ne: 5}}",
        "{customer_arr_minor: {not_in: [5]}}",
        "{not: {customer_arr_minor: {gt: 5}}}",
        "{all: [{kind: {eq: stripe_refund}}, {customer_arr_minor: {gt: 5}}]}",
        "{any: [{kind: {eq: ticket}}, {customer_arr_minor: {gt: 5}}]}",
    ],
)
@pytest.mark.parametrize("at_least", ["one", "two", "forbidden"])
def test_a_rule_that_hangs_on_an_unknown_fact_needs_two_people(when: str, at_least: str) -> None:
    verdict = judge(refund(100), by=parse_policy(ruled(when, at_least)))
    assert verdict.tier is TWO
    assert "fail_closed: rule 'the rule': customer_arr_minor not known" in verdict.rules


@pytest.mark.parametrize(
    "when",
    [
        "{all: [{kind: {eq: ticket}}, {customer_arr_minor: {gt: 5}}]}",
        "{not: {any: [{kind: {eq: stripe_refund}}, {customer_arr_minor: {gt: 5}}]}}",
    ],
)
def test_an_unknown_fact_that_cannot_change_the_answer_does_no_harm(when: str) -> None:
    assert judge(refund(100), by=parse_policy(ruled(when))).tier is AUTO


def test_an_unknown_fact_does_not_soften_a_condition_that_holds_anyway() -> None:
    when = "{any: [{kind: {eq: stripe_refund}}, {customer_arr_minor: {gt: 5}}]}"
    assert judge(refund(100), by=parse_policy(ruled(when, "forbidden"))).tier is FORBIDDEN


def test_a_rule_about_an_amount_that_nobody_can_tell_needs_two_people() -> None:
    verdict = judge(refund(1, "xyz"), by=parse_policy(ruled("{at_risk_minor: {lt: 1}}", "one")))
    assert "fail_closed: rule 'the rule': at_risk_minor not known" in verdict.rules


@pytest.mark.parametrize("value", ["a lot", True, 0.5, [1], {"usd": 1}])
def test_a_fact_of_the_wrong_kind_needs_two_people(value: object) -> None:
    rule = parse_policy(ruled("{customer_arr_minor: {gt: 5}}", "one"))
    facts: Facts = {"customer_arr_minor": value}  # type: ignore[dict-item]  # what a source may wrongly hold
    verdict = judge(refund(100), by=rule, facts=facts)
    assert verdict.tier is TWO
    assert any("customer_arr_minor should be a whole number" in said for said in verdict.rules)


def test_a_text_fact_of_the_wrong_kind_needs_two_people() -> None:
    verdict = judge(refund(100), by=parse_policy(ruled("{subject: {eq: dispute}}", "one")), facts={"subject": 7})
    assert verdict.tier is TWO


def test_a_rule_that_was_not_read_from_a_file_fails_closed_like_any_other() -> None:
    ordering_text = Comparison(fact="kind", operator=Operator.LT, value="z")
    rule = Rule(name="odd", when=ordering_text, at_least=ONE)
    verdict = judge(refund(100), by=SHIPPED.model_copy(update={"rules": (rule,)}))
    assert verdict.tier is TWO
    assert "fail_closed: rule 'odd': TypeError while evaluating" in verdict.rules


def test_facts_of_the_case_cannot_pass_for_facts_of_the_action() -> None:
    strict = parse_policy(ruled("{kind: {eq: stripe_refund}}"))
    assert judge(refund(100), by=strict, facts={"kind": "ticket", "at_risk_minor": 0}).tier is TWO


def test_rules_apply_to_internal_actions_too() -> None:
    assert judge(draft("ticket"), by=parse_policy(ruled("{effect: {eq: internal}}", "one"))).tier is ONE


def test_the_currency_of_a_submission_is_the_one_that_is_disputed() -> None:
    verdict = judge(
        submit(100, "EUR"), within=org("usd", {"eur": "1"}), by=parse_policy(ruled("{currency: {eq: eur}}"))
    )
    assert verdict.tier is TWO


# What a drafter cannot do


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
def test_nothing_that_is_written_into_an_action_changes_its_verdict(text: str, payload: dict[str, str]) -> None:
    written = refund(60000).model_copy(
        update={"description": text, "purpose": text, "target": text, "payload": payload, "snapshot": payload}
    )
    assert judge(written) == judge(refund(60000))


def test_an_action_of_a_case_is_judged_like_its_draft() -> None:
    drafted = refund(10000)
    assert judge(action("auto", requested_by="dana@merchant.test")) == judge(drafted)
    assert judge(drafted.model_copy(update={"needed": False})) == judge(drafted)


def test_a_verdict_does_not_depend_on_when_it_is_asked() -> None:
    late = action("one").model_copy(update={"lease_until": NOW})
    assert judge(late) == judge(action("one"))
