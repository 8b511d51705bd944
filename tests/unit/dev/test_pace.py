"""How the world's time goes while a dev runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from infra.dev.pace import Beats, Pace
from infra.fakes.stripe.process import DoubleFailed
from infra.local.driver import WorldStuck
from infra.stage import Stage
from shared.case.lifecycle import TERMINAL, WAITING_FOR_PEOPLE, State

NOON = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@dataclass
class Scene:
    """A stage that only notes how far its time may go. `is_idle`: nothing runs."""

    states: tuple[State, ...] = ()
    is_idle: bool = True
    is_stopped: bool = False
    error: Exception | None = None
    untils: list[datetime | None] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    @property
    def stage(self) -> Stage:
        switch = SimpleNamespace(effects_stopped=lambda org: self.is_stopped)
        stage: Any = SimpleNamespace(
            clock=SimpleNamespace(now=lambda: NOON),
            runtime=SimpleNamespace(idle=lambda: self.is_idle),
            world=SimpleNamespace(org=SimpleNamespace(id="acme")),
            ports=SimpleNamespace(switch=switch),
            cases=lambda: [SimpleNamespace(state=state, terminal=state in TERMINAL) for state in self.states],
            run=self._run,
        )
        return cast(Stage, stage)

    def _run(self, done: Callable[[], bool], *, until: datetime | None, guard_s: float) -> bool:
        self.untils.append(until)
        self.meanwhile()
        self.held.append(done())
        if self.error is not None:
            raise self.error
        return True


def beats(scene: Scene, pace: Pace, *, stopping: bool = False) -> Scene:
    Beats(scene.stage, pace, lambda: stopping).beat()
    return scene


def test_by_default_a_beat_goes_no_further_than_the_present() -> None:
    assert beats(Scene(states=(State.ACTING,)), Pace()).untils == [NOON]


def test_with_speed_it_goes_ahead_of_our_time() -> None:
    (until,) = beats(Scene(), Pace(speed=1e9)).untils
    assert until is not None
    assert until - NOON > timedelta(seconds=1)


def test_with_jumps_it_goes_as_far_as_there_is_something_while_a_case_waits_for_it() -> None:
    scene = beats(Scene(states=(State.RESOLVED, State.AWAITING_OUTCOME)), Pace(jumps=True))
    assert (scene.untils, scene.held) == ([None], [False])


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(Scene(), id="there is no case yet"),
        pytest.param(Scene(states=(State.RESOLVED,)), id="all cases have ended"),
        pytest.param(Scene(states=(State.ACTING, State.AWAITING_APPROVAL)), id="people are asked"),
        pytest.param(Scene(states=(State.ACTING,), is_stopped=True), id="effects are stopped"),
    ],
)
def test_it_does_not_jump_when_that_would_let_something_expire(scene: Scene) -> None:
    assert beats(scene, Pace(jumps=True)).untils == [NOON]


@pytest.mark.parametrize("state", sorted(WAITING_FOR_PEOPLE))
def test_jumping_ends_as_soon_as_people_are_asked(state: State) -> None:
    scene = Scene(states=(State.ACTING,))
    scene.meanwhile = lambda: setattr(scene, "states", (state,))
    assert beats(scene, Pace(jumps=True)).held == [True]


@pytest.mark.parametrize("pace", [Pace(), Pace(speed=60.0), Pace(jumps=True)])
def test_time_is_not_moved_while_anything_runs(pace: Pace) -> None:
    assert beats(Scene(states=(State.ACTING,), is_idle=False), pace).held == [True]


def test_nor_when_it_should_end() -> None:
    assert beats(Scene(states=(State.ACTING,)), Pace(jumps=True), stopping=True).held == [True]


def test_more_than_fits_in_a_beat_is_left_to_the_next() -> None:
    stuck = Scene(error=WorldStuck("after 1 s the world has not ended"))
    assert len(beats(stuck, Pace(jumps=True)).held) == 1


def test_a_stripe_that_is_gone_is_said_to_be_gone() -> None:
    with pytest.raises(DoubleFailed, match="no longer answers"):
        beats(Scene(error=ConnectionRefusedError(111, "Connection refused")), Pace())
