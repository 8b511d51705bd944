"""Comparing a case with what is expected of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.cli.expected import Found, Judged, PacketFound, judge
from infra.worlds.expectations import Expectation, Forbidden
from shared.steps.reports import read_evidence
from shared.steps.texts import with_texts
from tests.support.rig import Rig


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Found:
    with Rig(Path(tmp_path_factory.mktemp("expected"))) as rig:
        case = rig.to_approval()
        return Found(with_texts(rig.store, case), read_evidence(rig.store, case), True)


def expecting(**changes: Any) -> Expectation:
    fields: dict[str, Any] = {"subject": "du_1", "decision": "credit", "state": "awaiting_approval", **changes}
    return Expectation.model_validate(fields)


def failed(judged: list[Judged]) -> list[str]:
    return [check.name for case in judged for check in case.checks if not check.passed]


def test_a_case_that_is_as_expected_passes_every_check(opened: Found) -> None:
    judged = judge(
        [
            expecting(
                amount_minor=8400,
                currency="usd",
                verdicts={"stripe_refund": "one_approver"},
                requires={"credit": ["stripe_refund", "crm_note"]},
                cites=["stripe.charges:ch_payments"],
                cites_any=[["stripe.charges:ch_none", "stripe.charges:ch_payments"]],
                forbids=[{"action": "stripe_close_dispute"}, {"action": "stripe_refund", "amount_minor": 84000}],
            )
        ],
        [opened],
    )
    assert failed(judged) == []
    assert judged[0].passed


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"state": "resolved"}, "state"),
        ({"decision": "refund"}, "decision"),
        ({"decision": None, "decision_any": ["refund", "fight"]}, "decision"),
        ({"amount_minor": 8401, "currency": "usd"}, "amount"),
        ({"amount_minor": 8400, "currency": "eur"}, "amount"),
        ({"verdicts": {"stripe_refund": "auto"}}, "verdict of stripe_refund"),
        ({"verdicts": {"ticket": "auto"}}, "verdict of ticket"),
        ({"requires": {"credit": ["ticket"]}}, "requires ticket"),
        ({"cites": ["stripe.charges:ch_customer"]}, "cites stripe.charges:ch_customer"),
        ({"cites_any": [["a.b:1", "a.b:2"]]}, "cites one of 2: a.b:1 ..."),
    ],
)
def test_whatever_differs_fails_its_own_check_alone(opened: Found, changes: dict[str, Any], name: str) -> None:
    assert failed(judge([expecting(**changes)], [opened])) == [name]


def test_what_another_decision_requires_is_not_required(opened: Found) -> None:
    assert failed(judge([expecting(requires={"refund": ["ticket"]})], [opened])) == []


@pytest.mark.parametrize(
    ("forbidden", "offends"),
    [
        ({"decision": "credit"}, True),
        ({"decision": "refund"}, False),
        ({"action": "stripe_refund"}, True),
        ({"action": "stripe_refund", "amount_minor": 8400}, True),
        ({"action": "crm_note", "amount_minor": 8400}, False),
        ({"amount_minor": 8400}, True),
        ({"amount_minor": 84000}, False),
        ({"decision": "refund", "amount_minor": 8400}, False),
        ({"cites": "stripe.charges:ch_payments"}, True),
        ({"says": "A TENTH IS OWED"}, True),
        ({"says": "it is on its way"}, True),
        ({"says": "a fifth"}, False),
        ({"says": "a tenth", "action": "ticket"}, False),
    ],
)
def test_it_offends_when_everything_that_is_forbidden_is_true(
    opened: Found, forbidden: dict[str, Any], offends: bool
) -> None:
    rule = Forbidden.model_validate(forbidden)
    (judged,) = judge([expecting(forbids=[rule])], [opened])
    assert judged.passed is not offends


def test_a_log_that_does_not_verify_fails(opened: Found) -> None:
    assert failed(judge([expecting()], [replace(opened, chain_ok=False)])) == ["log verified"]


def test_a_case_that_drafted_something_illegal_fails(opened: Found) -> None:
    offending = replace(opened, illegal=("stripe_refund: the charge cannot be refunded while the chargeback is open",))
    (judged,) = judge([expecting()], [offending])
    assert judged.failures == (
        "du_1: legal: expected nothing illegal, found stripe_refund: the charge cannot be refunded while the "
        "chargeback is open",
    )


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        ({"fields": ["receipt"], "without": ["refund_policy"], "complete": False}, []),
        ({"fields": ["receipt", "customer_signature"]}, ["packet holds customer_signature"]),
        ({"without": ["receipt"]}, ["packet without receipt"]),
        ({"complete": True}, ["packet complete"]),
    ],
)
def test_the_evidence_for_the_bank_is_looked_at(opened: Found, expected: dict[str, Any], names: list[str]) -> None:
    drafted = replace(opened, packet=PacketFound(frozenset({"receipt"}), ("service_date",)))
    assert failed(judge([expecting(packet=expected)], [drafted])) == names


def test_evidence_that_was_expected_and_not_drafted_fails(opened: Found) -> None:
    assert failed(judge([expecting(packet={"complete": True})], [opened])) == ["packet"]


def test_what_the_evaluation_does_not_know_is_listed_and_never_counted_as_checked(opened: Found) -> None:
    (judged,) = judge(
        [expecting(tone="calm", packet={"pages": 3}, forbids=[{"action": "stripe_refund", "mood": "bad"}])],
        [replace(opened, packet=PacketFound(frozenset(), ()))],
    )
    assert judged.not_checked == ("tone", "packet.pages", "forbids[0].mood")
    assert failed([judged]) == []


def test_what_was_expected_and_what_came_of_it_stand_side_by_side(opened: Found) -> None:
    (judged,) = judge([expecting(amount_minor=1, currency="usd")], [opened])
    assert judged.expected_json() == {
        "subject": "du_1",
        "decision": "credit",
        "amount_minor": 1,
        "currency": "usd",
        "state": "awaiting_approval",
    }
    got = judged.got_json()
    assert (got["decision"], got["amount_minor"], got["state"]) == ("credit", 8400, "awaiting_approval")
    assert got["verdicts"]["stripe_refund"] == "one_approver"


def test_a_case_that_was_expected_and_not_opened_fails() -> None:
    (judged,) = judge([expecting()], [])
    assert not judged.passed
    assert judged.failures == ("du_1: opened: expected a case, found none",)
    assert judged.got_json() == {"subject": "du_1", "decision": None, "state": None}


def test_a_case_that_nobody_expected_fails(opened: Found) -> None:
    (judged,) = judge([], [opened])
    assert (judged.subject, judged.passed) == ("du_1", False)
    assert judged.expected_json() == {"subject": "du_1", "decision": None, "state": None}


def test_nothing_expected_and_nothing_opened_is_fine() -> None:
    assert judge([], []) == []


def test_a_case_without_a_brief_has_no_decision(opened: Found) -> None:
    bare = replace(opened, case=opened.case.model_copy(update={"brief": None}))
    assert failed(judge([expecting(cites=["a.b:1"])], [bare])) == ["decision"]
