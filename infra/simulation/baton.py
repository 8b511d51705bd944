"""Virtual time and a strict baton: many activities, of which exactly one runs, in an order that a seed decides.

An activity is a thread, because steps are plain synchronous code; but only whoever holds the baton runs, and it changes
hands nowhere but in `sleep`. Whatever is next in virtual time goes on, so a run takes no longer than its computation,
and the same seed gives the same run.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from itertools import count
from typing import Final


class Crash(BaseException):
    """The process of this activity is dead. Not an Exception: nothing in it may handle that."""


class Activity:
    """One request being served, one person at work, one tick: what a process does from start to end."""

    __slots__ = ("body", "dead", "name", "serial", "skew_s", "worker")

    def __init__(self, name: str, body: Callable[[], None], *, skew_s: float = 0.0) -> None:
        self.name = name
        self.body = body
        self.dead = False
        self.skew_s = skew_s
        """How far the clock of its machine is off."""
        self.worker: _Worker | None = None
        self.serial = 0
        """The identity of its process, once it runs."""


class _Worker:
    """A thread that runs one activity after another."""

    def __init__(self, idle: list[_Worker]) -> None:
        self._idle = idle
        self._turn = threading.Lock()
        self._turn.acquire()
        self._job: tuple[Baton, Activity] | None = None
        threading.Thread(target=self._run, name="simulated", daemon=True).start()

    def begin(self, baton: Baton, activity: Activity) -> None:
        self._job = (baton, activity)
        self._turn.release()

    def resume(self) -> None:
        self._turn.release()

    def wait(self) -> None:
        self._turn.acquire()

    def _run(self) -> None:
        while True:
            self._turn.acquire()
            assert self._job is not None
            baton, activity = self._job
            try:
                activity.body()
            except Crash:
                activity.dead = True
            except BaseException as error:  # noqa: BLE001 - whatever it is ends the run, in the thread that started it
                baton.failure = baton.failure or error
            activity.worker, self._job = None, None
            self._idle.append(self)
            baton.ended(activity)


_idle: Final[list[_Worker]] = []
"""Threads without an activity, for the next one of any run: of all runs of a process, one at a time is going on."""

_Item = Activity | Callable[[], None]


class Baton:
    """The order of things: who runs, and what time it is."""

    def __init__(self) -> None:
        self.now = 0.0
        """Virtual seconds since the start of the run."""
        self.current: Activity | None = None
        self.failure: BaseException | None = None
        """A fault of the simulator itself, or of a world's callback."""
        self._agenda: list[tuple[float, int, _Item]] = []
        self._order = count()
        self._until = 0.0
        self._serials = count(1)
        self._alive: dict[int, Activity] = {}
        self._home = threading.Lock()
        self._home.acquire()

    def at(self, when: float, item: _Item) -> None:
        """Call a function at this instant, or start an activity. What lies in the past happens next."""
        heapq.heappush(self._agenda, (max(when, self.now), next(self._order), item))

    def after(self, seconds: float, item: _Item) -> None:
        """The same, so many seconds from now."""
        self.at(self.now + seconds, item)

    def next_at(self) -> float | None:
        """When the next thing happens; None when nothing is left to happen."""
        return self._agenda[0][0] if self._agenda else None

    def run(self, until: float) -> None:
        """Let everything up to this instant happen. Raises what a callback, or the simulator itself, has raised."""
        self._until = until
        self._pass_on(None)
        self._home.acquire()
        self._raise_failure()
        self.now = max(self.now, until)

    def finish(self) -> None:
        """End the run: whoever still runs is killed at its next port call, and nothing else happens any more."""
        for activity in self._alive.values():
            activity.dead = True
        self._agenda = [item for item in self._agenda if isinstance(item[2], Activity) and item[2].worker is not None]
        heapq.heapify(self._agenda)
        self._until = float("inf")
        self._pass_on(None)
        self._home.acquire()
        self._raise_failure()

    def sleep(self, seconds: float) -> None:
        """Let the current activity wait, and others run meanwhile. Raises Crash when its process has died by then."""
        me = self.current
        assert me is not None, "only an activity can wait"
        self.after(seconds, me)
        if not self._pass_on(me):
            assert me.worker is not None
            me.worker.wait()
        if me.dead:
            raise Crash

    def ended(self, activity: Activity) -> None:
        """The activity is over; called by its thread, which then has nothing more to do with the run."""
        self._alive.pop(activity.serial, None)
        self._pass_on(None)

    def _pass_on(self, me: Activity | None) -> bool:
        """Go on with what comes next; whether that is the caller's own activity."""
        while self.failure is None and self._agenda and self._agenda[0][0] <= self._until:
            when, _, item = heapq.heappop(self._agenda)
            self.now = max(self.now, when)
            if not isinstance(item, Activity):
                self.current = None
                self._call(item)
                continue
            self.current = item
            if item is me:
                return True
            self._hand_over(item)
            return False
        self.current = None
        self._home.release()
        return False

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except BaseException as error:  # noqa: BLE001 - it ends the run, in the thread that started it
            self.failure = error

    def _hand_over(self, activity: Activity) -> None:
        if activity.worker is not None:
            activity.worker.resume()
            return
        activity.worker = _idle.pop() if _idle else _Worker(_idle)
        activity.serial = next(self._serials)
        self._alive[activity.serial] = activity
        activity.worker.begin(self, activity)

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure
