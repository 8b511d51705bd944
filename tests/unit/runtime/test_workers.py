"""A pool that grows when nobody is free."""

from __future__ import annotations

import threading

from infra.local.workers import Workers
from tests.unit.runtime.house import PATIENCE_S


def test_jobs_run_at_once_side_by_side() -> None:
    workers = Workers("w")
    together = threading.Barrier(9)

    def meet() -> None:
        together.wait(PATIENCE_S)

    for _ in range(8):
        workers.run(meet)
    together.wait(PATIENCE_S)
    assert workers.end(PATIENCE_S) == 0


def test_a_free_thread_is_used_again() -> None:
    workers = Workers("w")
    names: list[str] = []
    done = threading.Semaphore(0)

    def job() -> None:
        names.append(threading.current_thread().name)
        done.release()

    for _ in range(50):
        workers.run(job)
        assert done.acquire(timeout=PATIENCE_S)
    assert workers.end(PATIENCE_S) == 0
    assert len(set(names)) <= 3


def test_two_jobs_never_share_the_one_thread_that_is_free() -> None:
    for _ in range(20):
        workers = Workers("w")
        first, together = threading.Event(), threading.Barrier(3)

        def meet(together: threading.Barrier = together) -> None:
            together.wait(PATIENCE_S)

        workers.run(first.set)
        assert first.wait(PATIENCE_S)
        workers.run(meet)
        workers.run(meet)
        together.wait(PATIENCE_S)
        assert workers.end(PATIENCE_S) == 0


def test_ending_leaves_no_thread_and_finishes_what_was_begun() -> None:
    before = set(threading.enumerate())
    workers = Workers("w")
    finished: list[int] = []
    go = threading.Event()

    def finish() -> None:
        go.wait(PATIENCE_S)
        finished.append(1)

    for _ in range(4):
        workers.run(finish)
    go.set()
    assert workers.end(PATIENCE_S) == 0
    assert finished == [1] * 4
    assert workers.size == 0
    assert set(threading.enumerate()) == before


def test_a_job_that_hangs_is_abandoned_after_the_timeout() -> None:
    workers = Workers("w")
    hung, free = threading.Event(), threading.Event()

    def hang() -> None:
        hung.set()
        free.wait(PATIENCE_S)

    workers.run(hang)
    assert hung.wait(PATIENCE_S)
    assert workers.end(0.0) == 1
    free.set()
    assert workers.end(PATIENCE_S) == 0
