"""The approval policy file: what it can say, what it can never say, and that an error names the line."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shared.policy.model
from shared.case.actions import TIER_ORDER, ActionKind, Tier
from shared.errors import InvalidInput
from shared.policy.model import load_policy, parse_policy, shipped_policy
from shared.policy.source import MAX_CHARACTERS
from tests.unit.policy.builders import draft, judge, refund

GOOD = """\
version: 1
tiers:
  - below: 20
    approvers: auto
  - below: 1000.00
    approvers: one
  - approvers: two
minimums:
  stripe_refund: one
low_confidence:
  below_pct: 80
  at_least: two
rules:
  - name: nobody closes disputes here
    when:
      kind: {eq: stripe_close_dispute}
    at_least: forbidden
"""


def error_of(text: str) -> str:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(dedent(text))
    return str(refusal.value)


def with_rule(when: str, *, at_least: str = "one") -> str:
    """A policy whose only rule has its condition on line 6."""
    return (
        f"version: 1\ntiers: [{{approvers: auto}}]\nrules:\n  - name: odd\n    at_least: {at_least}\n    when: {when}\n"
    )


def test_without_a_file_the_shipped_tiers_apply() -> None:
    policy = load_policy(None)
    assert [(band.below, band.approvers) for band in policy.tiers] == [
        ("50.00", Tier.AUTO),
        ("500.00", Tier.ONE_APPROVER),
        (None, Tier.TWO_APPROVERS),
    ]
    assert policy.low_confidence.below_pct == 70
    assert policy.error is None
    assert policy == shipped_policy()


def test_a_file_of_its_own_replaces_the_tiers() -> None:
    policy = parse_policy(GOOD)
    assert judge(refund(1999), by=policy).tier is Tier.ONE_APPROVER  # by its minimum
    assert judge(refund(99999), by=policy).tier is Tier.ONE_APPROVER
    assert judge(refund(100000), by=policy).tier is Tier.TWO_APPROVERS


def test_the_shipped_minimums_hold_beside_the_file_s_own() -> None:
    policy = parse_policy("version: 1\ntiers: [{approvers: auto}]\n")
    assert policy.minimums[ActionKind.STRIPE_CANCEL_SUBSCRIPTION] is Tier.ONE_APPROVER
    assert judge(draft("stripe_retry_invoice", risk=(100, "usd")), by=policy).tier is Tier.ONE_APPROVER


def test_a_file_can_raise_a_shipped_minimum() -> None:
    text = "version: 1\ntiers: [{approvers: auto}]\nminimums: {stripe_cancel_subscription: two, customer_email: two}\n"
    policy = parse_policy(text)
    assert judge(draft("stripe_cancel_subscription", risk=(0, "usd")), by=policy).tier is Tier.TWO_APPROVERS
    assert judge(draft("customer_email"), by=policy).tier is Tier.TWO_APPROVERS


def test_the_low_confidence_rule_is_the_shipped_one_where_the_file_has_none() -> None:
    assert parse_policy("version: 1\ntiers: [{approvers: auto}]\n").low_confidence == shipped_policy().low_confidence


def test_bounds_may_be_written_in_minor_units() -> None:
    policy = parse_policy("version: 1\ntiers: [{below_minor: 5001, approvers: auto}, {approvers: one}]\n")
    assert judge(refund(5000), by=policy).tier is Tier.AUTO
    assert judge(refund(5001), by=policy).tier is Tier.ONE_APPROVER


def test_a_package_whose_own_policy_is_incomplete_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shipped.yaml").write_text("version: 1\ntiers: [{approvers: two}]\n", encoding="utf-8")
    monkeypatch.setattr(shared.policy.model, "files", lambda package: tmp_path)
    with pytest.raises(InvalidInput, match=r"shipped\.yaml line 1: 'low_confidence' is missing"):
        shipped_policy.__wrapped__()


# Versions


def test_the_version_is_of_the_content_and_not_of_its_looks() -> None:
    relaid = "# ours\n" + GOOD.replace("{eq: stripe_close_dispute}", "\n        eq: 'stripe_close_dispute'")
    assert parse_policy(GOOD).version == parse_policy(relaid).version


@pytest.mark.parametrize(("old", "new"), [("80", "81"), ("1000.00", "1001.00"), ("forbidden", "two"), ("one", "two")])
def test_another_content_has_another_version(old: str, new: str) -> None:
    assert parse_policy(GOOD).version != parse_policy(GOOD.replace(old, new)).version


def test_two_broken_files_have_different_versions() -> None:
    versions = {load_policy("a").version, load_policy("b").version, load_policy(None).version}
    assert len(versions) == 3


# Fail closed


@pytest.mark.parametrize("text", ["", "   \n", "# nothing yet\n", "null\n", "[]", "tiers", "version: 1\n", "{", "\x00"])
def test_a_broken_or_empty_file_means_two_people_for_everything(text: str) -> None:
    policy = load_policy(text)
    assert policy.error is not None
    assert policy.error.startswith("approval.yaml line 1: ")
    verdicts = [judge(draft(kind, 1, risk=(1, "usd")), by=policy) for kind in ActionKind]
    assert {verdict.tier for verdict in verdicts} == {Tier.TWO_APPROVERS}
    assert all(f"fail_closed: {policy.error}" in verdict.rules for verdict in verdicts)


def test_the_same_text_is_refused_where_a_tool_asks() -> None:
    with pytest.raises(InvalidInput, match=r"^merchant\.yaml line 1: the file is empty$"):
        parse_policy("", name="merchant.yaml")


@given(st.text(st.sampled_from("verion: 1t\n-[]{}&*!?|>'\"#%@`,abelowprs"), max_size=80))
def test_no_text_makes_loading_fail(text: str) -> None:
    assert load_policy(text).error is not None


# Errors name the line


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version: 1", "version: 2", "line 1: version: the version of the file's shape is 1"),
        ("version: 1", "version: true", "line 1: version: the version of the file's shape is 1"),
        ("version: 1", "version: '1'", "line 1: version: the version of the file's shape is 1"),
        ("version: 1\n", "", "line 1: 'version' is missing"),
        ("minimums:", "minimum:", "line 8: unknown key 'minimum'"),
        ("below: 20", "below: free", "line 3: below: must be an amount such as 50.00, not 'free'"),
        ("below: 20", "below: 0.00", "line 3: below: must be an amount such as 50.00, not '0.00'"),
        ("below: 20", "below: -5", "line 3: below: must be an amount such as 50.00, not '-5'"),
        ("below: 20", "below: true", "line 3: below: must be an amount such as 50.00, not 'True'"),
        ("below: 20", "below: 5e1", "line 3: below: must be an amount such as 50.00, not '5e1'"),
        ("below: 20", "below: 1_000", "line 3: below: must be an amount such as 50.00, not '1_000'"),
        ("below: 20", "below: 010:30", "line 3: below: must be an amount such as 50.00, not '010:30'"),
        ("below: 20", "below: [20]", "line 3: below: must be an amount such as 50.00, not '[20]'"),
        ("below: 20", "below_minor: 20.5", "line 3: below_minor: Input should be a valid integer"),
        ("below: 20", "below_minor: 0", "line 3: below_minor: Input should be greater than or equal to 1"),
        ("below: 20", "below_minor: " + "9" * 30, "line 3: below_minor: Input should be a valid integer"),
        ("below: 20", "below_minor: 2000", "line 2: bounds are either all major units"),
        ("below: 20", "below: 20\n    below_minor: 2000", "line 3: a tier has one bound"),
        ("below: 20", "below: 1000.000", "line 5: tiers overlap"),
        ("below: 20", "below: 2000", "line 5: tiers overlap"),
        ("  - below: 20\n    approvers: auto", "  - approvers: auto", "line 3: only the last tier may have no bound"),
        ("- approvers: two", "- below: 9999\n    approvers: two", "line 7: the last tier has no bound"),
        ("approvers: auto", "approvers: two", "line 5: more money may not need fewer approvers"),
        ("approvers: auto", "approvers: none", "line 4: approvers: must be one of auto, one, two, not 'none'"),
        ("approvers: auto", "approvers: forbidden", "line 4: approvers: must be one of auto, one, two"),
        ("approvers: auto", "approvers: 1", "line 4: approvers: must be one of auto, one, two, not '1'"),
        ("    approvers: auto\n", "", "line 3: 'approvers' is missing"),
        ("stripe_refund: one", "stripe_refnd: one", "line 9: unknown action kind 'stripe_refnd'"),
        ("stripe_refund: one", "stripe_refund: auto", "line 9: stripe_refund: must be one of one, two, forbidden"),
        ("stripe_refund: one", "stripe_refund:", "line 9: stripe_refund: must be one of one, two, forbidden"),
        ("stripe_refund: one", "stripe_refund: one\n  stripe_refund: two", "line 10: 'stripe_refund' is given twice"),
        ("below_pct: 80", "below_pct: 101", "line 11: below_pct: Input should be less than or equal to 100"),
        ("below_pct: 80", "below_pct: 0.8", "line 11: below_pct: Input should be a valid integer"),
        ("  at_least: two", "  at_least: auto", "line 12: at_least: must be one of one, two, forbidden, not 'auto'"),
        ("at_least: forbidden", "at_most: one", "line 14: 'at_least' is missing"),
        ("at_least: forbidden", "at_least: auto", "line 17: at_least: must be one of one, two, forbidden, not 'auto'"),
        ("    when:\n      kind: {eq: stripe_close_dispute}\n", "", "line 14: 'when' is missing"),
        ("name: nobody closes disputes here", "name: ' '", "line 14: name: a rule needs a name"),
        ("name: nobody closes disputes here", "name: 7", "line 14: name: a rule needs a name"),
        ("name: nobody closes disputes here", "name: " + "x" * 121, "line 14: name: a rule's name has at most 120"),
        ("{eq: stripe_close_dispute}", "{neq: stripe_close_dispute}", "line 16: unknown operator 'neq'"),
        ("rules:\n", "rules:\nrulez: 3\nrules: &x\n", "line 15: 'rules' is given twice"),
        ("version: 1", "version: 1: 2", "line 1: mapping values are not allowed here"),
        ("minimums:", "minimums: &m", None),
        ("stripe_refund: one", "<<: {stripe_refund: one}", "line 9: tags and merge keys|line 8: a key must be plain"),
        ("stripe_refund: one", "? [stripe_refund]\n  : one", "line 8: a key must be plain text"),
        ("below_pct: 80", "below_pct: !!int 80", None),
        ("below_pct: 80", "below_pct: !eighty 80", "line 11: tags and merge keys are not allowed"),
        ("at_least: forbidden", "at_least: *nothing", "line 17: aliases are not allowed"),
        ("version: 1", "version: 1\n---", "line 2: but found another document"),
    ],
)
def test_an_error_names_its_line(old: str, new: str, expected: str | None) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    if expected is None:
        parse_policy(text)
    else:
        assert any(f"approval.yaml {part}" in error_of(text) for part in expected.split("|"))


def test_several_errors_are_shown_in_the_order_of_the_file() -> None:
    text = GOOD.replace("below: 20", "below: x").replace("below_pct: 80", "below_pct: y")
    first, second = error_of(text).split("; ")
    assert first.startswith("approval.yaml line 3")
    assert second.startswith("approval.yaml line 11")


def test_only_the_first_few_errors_are_shown() -> None:
    message = error_of("version: 1\ntiers: [{approvers: two}]\n" + "".join(f"key{index}: 1\n" for index in range(9)))
    assert message.endswith("; and 4 more")
    assert message.count("approval.yaml line") == 5


def test_two_rules_may_not_have_one_name() -> None:
    again = "  - {name: nobody closes disputes here, when: {decision: {eq: fight}}, at_least: two}\n"
    assert "approval.yaml line 18: two rules are called 'nobody closes disputes here'" in error_of(GOOD + again)


def test_an_empty_list_of_tiers_is_refused() -> None:
    assert "line 2: tiers" in error_of("version: 1\ntiers: []\n")


def test_a_file_without_end_is_not_read() -> None:
    assert "longer than 32,768 characters" in error_of("#" * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize("text", ["[" * 40, "a: " + "{a: " * 40, "- " * 40])
def test_nesting_has_an_end(text: str) -> None:
    assert "line 1: nested deeper than 16 levels" in error_of(text)


def test_a_long_list_is_not_a_deep_one() -> None:
    rules = "".join(f"  - {{name: r{index}, when: {{kind: {{eq: ticket}}}}, at_least: one}}\n" for index in range(30))
    assert len(parse_policy(f"version: 1\ntiers: [{{approvers: auto}}]\nrules:\n{rules}").rules) == 30


# Conditions


@pytest.mark.parametrize(
    ("when", "complaint"),
    [
        ("{}", "may not be empty"),
        ("", "may not be empty"),
        ("[]", "may not be empty"),
        ("always", "may not be empty"),
        ("{all: []}", "'all' needs a list of at least one condition"),
        ("{any: []}", "'any' needs a list of at least one condition"),
        ("{any: {kind: {eq: ticket}}}", "'any' needs a list of at least one condition"),
        ("{all: [{}]}", "may not be empty"),
        ("{all: [{kind: {eq: ticket}}, {}]}", "may not be empty"),
        ("{not: {}}", "may not be empty"),
        ("{not: [{kind: {eq: ticket}}]}", "may not be empty"),
        ("{all: [{kind: {eq: ticket}}], kind: {eq: ticket}}", "'all' stands alone"),
        ("{amount: {gt: 5}}", "unknown fact 'amount'"),
        ("{confidence: {gt: 5}}", "unknown fact 'confidence'; did you mean 'confidence_pct'?"),
        ("{kind: stripe_refund}", "'kind' needs an operator"),
        ("{kind: {}}", "'kind' needs an operator"),
        ("{kind: {neq: ticket}}", "unknown operator 'neq'; did you mean"),
        ("{kind: {nin: [ticket]}}", "unknown operator 'nin'; did you mean"),
        ("{kind: {eq: refund}}", "'kind' is never 'refund'"),
        ("{kind: {eq: stripe_refunds}}", "did you mean 'stripe_refund'?"),
        ("{decision: {in: [refund, partial_credit]}}", "'decision' is never 'partial_credit'"),
        ("{effect: {ne: external}}", "'effect' is never 'external'"),
        ("{kind: {gt: ticket}}", "'kind' has no order"),
        ("{kind: {in: []}}", "'in' needs a list of at least one value"),
        ("{kind: {not_in: ticket}}", "'not_in' needs a list of at least one value"),
        ("{kind: {exists: yes}}", "'exists' is true or false"),
        ("{at_risk_minor: {gt: 50.00}}", "compared with a whole number"),
        ("{at_risk_minor: {gt: '5000'}}", "compared with a whole number"),
        ("{at_risk_minor: {gt: true}}", "compared with a whole number"),
        ("{at_risk_minor: {in: [1, x]}}", "compared with a whole number"),
        ("{currency: {eq: ''}}", "'currency' is never ''"),
        ("{currency: {eq: 5}}", "'currency' is never '5'"),
        ("{currency: {eq:}}", "'currency' is never 'None'"),
    ],
)
def test_a_condition_that_cannot_mean_what_it_says_is_refused(when: str, complaint: str) -> None:
    message = error_of(with_rule(when))
    assert message.startswith("approval.yaml line 6: ")
    assert complaint in message


def test_a_fault_deep_in_a_condition_names_its_own_line() -> None:
    text = with_rule("\n      all:\n        - kind: {eq: ticket}\n        - not:\n            effect: {eq: gone}")
    assert error_of(text).startswith("approval.yaml line 10: 'effect' is never 'gone'")


def test_no_rule_can_say_less_than_the_tiers() -> None:
    for at_least in ("auto", "none", "0", "''", "[one]", "null"):
        assert "must be one of one, two, forbidden" in error_of(with_rule("{kind: {eq: ticket}}", at_least=at_least))


@given(st.sampled_from(["one", "two", "forbidden"]), st.integers(1, 200000))
def test_adding_a_rule_never_lowers_a_verdict(at_least: str, minor: int) -> None:
    ruled = parse_policy(
        "version: 1\ntiers: [{below: 50, approvers: auto}, {below: 500, approvers: one}, {approvers: two}]\n"
        f"rules: [{{name: r, at_least: {at_least}, when: {{at_risk_minor: {{gte: 7500}}}}}}]\n"
    )
    with_it, without = judge(refund(minor), by=ruled), judge(refund(minor))
    assert TIER_ORDER[with_it.tier] >= TIER_ORDER[without.tier]
