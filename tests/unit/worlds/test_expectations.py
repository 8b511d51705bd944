"""expect.yaml: what the evaluation reads."""

from __future__ import annotations

import pytest

from infra.worlds import load_expectations
from shared.case.actions import ActionKind, Tier
from shared.case.brief import DecisionKind
from shared.case.lifecycle import State
from shared.errors import InvalidInput
from tests.unit.worlds.conftest import Write

ONE = """\
subject: du_1
decision: refund
amount_minor: 9000
currency: usd
verdicts: { stripe_refund: one_approver }
requires: { refund: [stripe_refund] }
cites: ["stripe.charges:ch_1"]
cites_any: [["zendesk.tickets:1", "intercom.conversations:2"]]
forbids: [{ action: stripe_close_dispute }]
state: resolved
"""


def test_one_case_stands_at_the_top(write: Write) -> None:
    (case,) = load_expectations(write({"expect.yaml": ONE}))
    assert (case.subject, case.state) == ("du_1", State.RESOLVED)
    assert case.decisions == {DecisionKind.REFUND}
    assert case.verdicts == {ActionKind.STRIPE_REFUND: Tier.ONE_APPROVER}
    assert case.cites_any == (("zendesk.tickets:1", "intercom.conversations:2"),)
    assert case.forbids[0].action == ActionKind.STRIPE_CLOSE_DISPUTE


def test_several_cases_stand_in_a_list_and_may_have_more_than_one_right_decision(write: Write) -> None:
    text = (
        "cases:\n"
        "- {subject: a, decision_any: [refund, credit], state: resolved}\n"
        "- {subject: b, decision: fight, state: expired}\n"
    )
    first, second = load_expectations(write({"expect.yaml": text}))
    assert first.decisions == {DecisionKind.REFUND, DecisionKind.CREDIT}
    assert second.decisions == {DecisionKind.FIGHT}


def test_an_empty_list_says_that_nothing_should_be_opened(write: Write) -> None:
    assert load_expectations(write({"expect.yaml": "cases: []\n"})) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("decision: refund", "decision: refunded"), "expect.yaml:2: decision: Input should be 'fight'"),
        (ONE.replace("decision: refund\n", ""), "expect.yaml:1: names either decision or decision_any"),
        (ONE.replace("stripe_refund: one", "refund: one"), "expect.yaml:5: verdicts.refund"),
        (ONE.replace("one_approver", "one"), "expect.yaml:5: verdicts.stripe_refund: Input should be 'auto'"),
        (ONE.replace("stripe.charges:ch_1", "ch_1"), "expect.yaml:7: cites.0: String should match pattern"),
        (ONE.replace("{ action: stripe_close_dispute }", "{}"), "expect.yaml:9: forbids.0: names at least one of"),
        (ONE.replace("state: resolved", "state: done"), "expect.yaml:10: state: Input should be 'received'"),
        (ONE.replace("currency: usd\n", ""), "expect.yaml:1: amount_minor and currency are given together"),
        (ONE + "cases: []\n", "expect.yaml:11: cases is a list and stands alone"),
        ("cases:\n- {subject: a, state: resolved}\n", "expect.yaml:2: names either decision or decision_any"),
        (
            "cases:\n" + 2 * "- {subject: a, decision: fight, state: resolved}\n",
            "expect.yaml:3: the subject 'a' has two cases",
        ),
        ("cases:\n- text\n", "expect.yaml:2: a mapping with these keys is expected: subject"),
        (None, "expect.yaml: is missing"),
    ],
)
def test_a_fault_in_the_expectations_is_pointed_at(write: Write, text: str | None, said: str) -> None:
    with pytest.raises(InvalidInput, match="small/") as caught:
        load_expectations(write({"expect.yaml": text}))
    assert said in str(caught.value)


def test_keys_of_a_later_edition_are_kept_as_not_checked(write: Write) -> None:
    (case,) = load_expectations(write({"expect.yaml": ONE + "score: 1\npacket: {fields: [receipt], pages: 3}\n"}))
    assert case.not_checked == ("score", "packet.pages")
