"""What deciding is worth beside accepting all and fighting all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.cli.baselines import Balance, baselines
from infra.cli.expected import Judged
from infra.worlds.expectations import Expectation
from shared.case.brief import DecisionKind
from shared.case.case import Case
from shared.ports.directory import Org
from tests.support.rig import Rig

ORG = Org(id="shop", currency="usd", fx={"eur": "1.10"})
FEE = 1500


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Case:
    with Rig(Path(tmp_path_factory.mktemp("baselines"))) as rig:
        return rig.to_approval()


def judged(case: Case, right: str, ours: str, *, minor: int = 10_000, currency: str = "usd", part: int = 0) -> Judged:
    assert case.brief is not None
    decision = case.brief.decision.model_copy(update={"kind": DecisionKind(ours)})
    decided = case.model_copy(
        update={
            "facts": {**case.facts, "dispute.amount": minor, "dispute.currency": currency},
            "brief": case.brief.model_copy(update={"decision": decision}),
        }
    )
    wanted: dict[str, Any] = {"subject": "du_1", "decision": right, "state": "resolved"}
    if part:
        wanted |= {"amount_minor": part, "currency": currency}
    return Judged("du_1", (), Expectation.model_validate(wanted), decided)


def balance(*cases: Judged, org: Org = ORG) -> Balance:
    (found,) = baselines([(org, cases)])
    return found


@pytest.mark.parametrize(
    ("right", "ours", "accept", "fight", "worth"),
    [
        ("fight", "fight", -11_500, -1500, -1500),
        ("fight", "accept", -11_500, -1500, -11_500),
        ("fight", "escalate", -11_500, -1500, -11_500),
        ("accept", "accept", -11_500, -13_000, -11_500),
        ("accept", "fight", -11_500, -13_000, -13_000),
    ],
)
def test_each_strategy_keeps_what_a_bank_that_finds_the_truth_leaves_it(
    drafted: Case, right: str, ours: str, accept: int, fight: int, worth: int
) -> None:
    found = balance(judged(drafted, right, ours))
    assert (found.accept_all_minor, found.fight_all_minor, found.ours_minor) == (accept, fight, worth)


def test_who_fights_all_keeps_a_part_that_is_owed_and_it_is_shown(drafted: Case) -> None:
    found = balance(judged(drafted, "credit", "credit", part=700))
    assert (found.ours_minor, found.fight_all_minor, found.fight_all_owes_minor) == (-FEE - 700, -FEE, 700)


def test_sums_are_in_the_currency_of_the_org(drafted: Case) -> None:
    found = balance(judged(drafted, "fight", "fight", currency="eur"), judged(drafted, "fight", "fight"))
    assert (found.cases, found.disputed_minor) == (2, 21_000)
    assert "2 disputes over 210.00 USD: accept all -240.00" in str(found)


def test_what_has_no_rate_or_only_a_person_can_decide_is_left_out(drafted: Case) -> None:
    cases = [judged(drafted, "fight", "fight", currency="jpy"), judged(drafted, "escalate", "fight")]
    assert baselines([(ORG, cases)]) == []


def test_a_decision_that_was_left_to_a_person_is_counted(drafted: Case) -> None:
    assert balance(judged(drafted, "fight", "escalate")).left_to_people == 1
