"""Comparing a case with what is expected of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from infra.cli.expected import Judged, judge
from infra.worlds.expectations import Expectation, Forbidden
from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.steps.reports import read_evidence
from tests.support.rig import Rig

Opened = tuple[Case, Sequence[Evidence], bool]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    with Rig(Path(tmp_path_factory.mktemp("expected"))) as rig:
        case = rig.to_approval()
        return case, read_evidence(rig.store, case), True


def expecting(**changes: Any) -> Expectation:
    fields: dict[str, Any] = {"subject": "du_1", "decision": "credit", "state": "awaiting_approval", **changes}
    return Expectation.model_validate(fields)


def failed(judged: list[Judged]) -> list[str]:
    return [check.name for case in judged for check in case.checks if not check.passed]


def test_a_case_that_is_as_expected_passes_every_check(opened: Opened) -> None:
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
def test_whatever_differs_fails_its_own_check_alone(opened: Opened, changes: dict[str, Any], name: str) -> None:
    assert failed(judge([expecting(**changes)], [opened])) == [name]


def test_what_another_decision_requires_is_not_required(opened: Opened) -> None:
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
    opened: Opened, forbidden: dict[str, Any], offends: bool
) -> None:
    rule = Forbidden.model_validate(forbidden)
    (judged,) = judge([expecting(forbids=[rule])], [opened])
    assert judged.passed is not offends


def test_a_log_that_does_not_verify_fails(opened: Opened) -> None:
    case, evidence, _ = opened
    assert failed(judge([expecting()], [(case, evidence, False)])) == ["log verified"]


def test_a_case_that_was_expected_and_not_opened_fails() -> None:
    (judged,) = judge([expecting()], [])
    assert judged.as_json() == {
        "subject": "du_1",
        "passed": False,
        "checks": [{"name": "opened", "passed": False, "expected": "a case", "found": "none"}],
    }


def test_a_case_that_nobody_expected_fails(opened: Opened) -> None:
    (judged,) = judge([], [opened])
    assert (judged.subject, judged.passed) == ("du_1", False)


def test_nothing_expected_and_nothing_opened_is_fine() -> None:
    assert judge([], []) == []


def test_a_case_without_a_brief_has_no_decision(opened: Opened) -> None:
    case, evidence, chain_ok = opened
    bare = case.model_copy(update={"brief": None})
    assert failed(judge([expecting(cites=["a.b:1"])], [(bare, evidence, chain_ok)])) == ["decision"]
