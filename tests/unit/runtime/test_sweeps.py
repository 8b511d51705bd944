"""The sweeper runs on its interval, but only when something could be due."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from infra.local.messages import LocalMessages
from infra.local.queue import DurableQueue
from infra.local.runtime import LocalRuntime
from infra.local.sweeps import Sweep, on_queue
from tests.unit.runtime.house import PATIENCE_S, START, Function, House, message, running, settled


class Store:
    """Knows when the next case wakes."""

    def __init__(self) -> None:
        self.wake_at: datetime | None = None
        self.asked = 0

    def next_wake(self) -> datetime | None:
        self.asked += 1
        return self.wake_at


@contextmanager
def sweeping(home: House, store: Store, sweep: Function, **functions: Function) -> Iterator[LocalRuntime]:
    runtime = home.runtime({"sweep": sweep, **functions}, sweep=Sweep(store.next_wake))
    with running(runtime):
        sweep.wait()
        settled(runtime)
        yield runtime


def test_it_sweeps_once_at_start_and_says_so(home: House) -> None:
    sweep = Function()
    with sweeping(home, Store(), sweep):
        (seen,) = sweep.seen
        assert seen.json == {"at_start": True}
        assert seen.headers["X_CLOUDSCHEDULER"] == "true"


def test_it_does_not_sweep_while_nothing_waits(home: House) -> None:
    sweep = Function()
    with sweeping(home, Store(), sweep) as runtime:
        for _ in range(5):
            home.clock.advance(3600)
            settled(runtime)
        assert len(sweep.seen) == 1
        assert runtime.next_sweep() is None


def test_it_sweeps_when_a_case_wakes_but_not_before_its_interval_is_over(home: House) -> None:
    sweep, store = Function(), Store()
    with sweeping(home, store, sweep) as runtime:
        store.wake_at = START + timedelta(seconds=10)
        assert runtime.next_sweep() == START + timedelta(seconds=60)
        home.clock.advance(59)
        settled(runtime)
        assert len(sweep.seen) == 1
        store.wake_at = None
        home.clock.advance(0.5)
        store.wake_at = START + timedelta(seconds=10)
        home.clock.advance(0.5)
        settled(runtime)
        assert len(sweep.seen) == 2
        assert sweep.seen[1].json == {}


def test_a_case_that_falls_asleep_during_a_delivery_is_swept_when_it_wakes(home: House) -> None:
    store, sweep = Store(), Function()

    def fall_due(seen: object) -> int:
        store.wake_at = home.clock.now()
        return 204

    with sweeping(home, store, sweep, triage=Function(answer=fall_due)) as runtime:
        home.clock.advance(300)
        settled(runtime)
        assert len(sweep.seen) == 1
        home.messages.publish(message())
        sweep.wait()
        settled_by_sweeper(store, runtime)
        assert len(sweep.seen) == 2


def settled_by_sweeper(store: Store, runtime: LocalRuntime) -> None:
    store.wake_at = None
    settled(runtime)


def test_a_sweep_also_brings_what_another_process_has_enqueued(home: House) -> None:
    store, triage = Store(), Function()
    command = LocalMessages(DurableQueue(home.database, home.clock))
    with sweeping(home, store, Function(), triage=triage):
        command.publish(message())
        store.wake_at = home.clock.now()
        home.clock.advance(60)
        triage.wait()
        store.wake_at = None


def test_the_timekeeper_looks_again_when_a_case_wakes_and_at_the_latest_after_an_interval(home: House) -> None:
    home.queue.serve(lambda lane, due_at: None)
    store = Store()
    sweeps = on_queue(Sweep(store.next_wake), home.queue)
    assert not sweeps.send_if_due()
    assert store.asked == 0, "before the interval is over nobody needs to ask"
    assert sweeps.look_at() == START + timedelta(seconds=60)
    home.clock.advance(60)
    for wake_in_s, look_in_s in ((None, 60), (10, 10), (600, 60)):
        store.wake_at = None if wake_in_s is None else home.clock.now() + timedelta(seconds=wake_in_s)
        assert not sweeps.send_if_due()
        assert sweeps.look_at() == home.clock.now() + timedelta(seconds=look_in_s)
    store.wake_at = home.clock.now()
    assert sweeps.send_if_due()
    assert sweeps.look_at() == home.clock.now() + timedelta(seconds=60)
    home.clock.advance(60)
    assert not sweeps.send_if_due(), "one tick waits already"
    assert sweeps.look_at() == home.clock.now() + timedelta(seconds=60)


def test_two_sweeps_never_run_side_by_side(home: House) -> None:
    store, go = Store(), threading.Event()
    inside, most = [0], [0]

    def slow(seen: object) -> int:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        go.wait(PATIENCE_S)
        inside[0] -= 1
        return 200

    sweep = Function(answer=slow)
    with running(home.runtime({"sweep": sweep}, sweep=Sweep(store.next_wake, deadline_s=10_000.0))) as runtime:
        sweep.wait()
        store.wake_at = START
        for _ in range(5):
            home.clock.advance(60)
        store.wake_at = None
        go.set()
        settled(runtime)
    assert most == [1]
    assert len(sweep.seen) <= 2


def test_a_failed_sweep_is_not_retried_and_no_dead_letter(home: House) -> None:
    sweep = Function(answer=lambda seen: 500)
    with sweeping(home, Store(), sweep) as runtime:
        home.clock.advance(10)
        settled(runtime)
        assert len(sweep.seen) == 1
    assert home.queue.dead_letters() == []
    assert home.queue.counts() == {}
