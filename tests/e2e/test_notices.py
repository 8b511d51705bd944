"""One message to the customer for each attempt that failed, however often Stripe tells of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from infra.stage import Stage
from infra.worlds import find_world
from shared.case.actions import ActionKind, ActionState
from shared.case.lifecycle import State
from tests.e2e.conftest import approve_all


def told(stage: Stage) -> list[tuple[str, ActionState]]:
    (case,) = stage.cases()
    return [(action.purpose, action.state) for action in case.actions if action.kind is ActionKind.CUSTOMER_EMAIL]


def test_a_redelivery_tells_nobody_again_and_the_second_attempt_does(stage_on: Callable[[Path], Stage]) -> None:
    with stage_on(find_world("kittiwake")) as stage:
        stage.deliver_events()
        first, second = ("ask_for_payment_1", ActionState.SUCCEEDED), ("ask_for_payment_2", ActionState.SUCCEEDED)
        stage.run(lambda: any(case.state is State.AWAITING_APPROVAL for case in stage.cases()))
        approve_all(stage)
        stage.run(lambda: any(case.state is State.AWAITING_APPROVAL for case in stage.cases()))
        assert told(stage)[0] == first
        approve_all(stage)
        stage.run()
        (case,) = stage.cases()
        assert sorted(told(stage)) == [first, second]
        assert case.state is State.RESOLVED
