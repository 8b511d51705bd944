"""A few children serve many threads; one that fails is replaced, and none outlives its owner."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from infra.sources.duckdb_files import DuckDbSources
from infra.sources.pool import WorkerPool
from infra.sources.worker_process import WorkerProcess, WorkerSettings
from shared.ports.sources import QueryFailed
from tests.unit.sources.statements import PASSING_RUNAWAYS

ENDLESS = PASSING_RUNAWAYS["joins on nearly nothing"]


class Started:
    """Starts children as the pool asks, and remembers them."""

    def __init__(self, database: Path) -> None:
        self._settings = WorkerSettings(database)
        self.workers: list[WorkerProcess] = []

    def __call__(self) -> WorkerProcess:
        self.workers.append(WorkerProcess(self._settings))
        return self.workers[-1]

    @property
    def pids(self) -> list[int]:
        return [worker.pid for worker in self.workers]


@pytest.fixture
def started(database: Path) -> Started:
    return Started(database)


@pytest.fixture
def pool(started: Started) -> Iterator[WorkerPool]:
    opened = WorkerPool(started, 2)
    yield opened
    opened.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_children_are_started_when_needed_and_used_again(pool: WorkerPool, started: Started) -> None:
    assert started.workers == []
    for _ in range(3):
        with pool.borrow(1) as worker:
            worker.query("SELECT 1", 5)
    assert len(started.workers) == 1


def test_warming_starts_them_all_once(pool: WorkerPool, started: Started) -> None:
    pool.warm()
    pool.warm()
    assert len(started.workers) == 2


def test_a_child_that_was_killed_while_idle_is_replaced_unnoticed(pool: WorkerPool, started: Started) -> None:
    with pool.borrow(1) as worker:
        worker.query("SELECT 1", 5)
    worker.kill()
    with pool.borrow(1) as other:
        assert other.query("SELECT 1 AS one", 5)["rows"] == [[1]]
    assert len(started.workers) == 2


def test_a_child_that_failed_is_replaced_for_the_next_caller(pool: WorkerPool, started: Started) -> None:
    with pytest.raises(QueryFailed), pool.borrow(1) as worker:
        worker.query(ENDLESS, 0.2)
    assert not alive(started.pids[0])
    with pool.borrow(1) as other:
        assert other.query("SELECT 1 AS one", 5)["rows"] == [[1]]


def test_who_finds_every_child_busy_waits_only_as_long_as_it_says(pool: WorkerPool) -> None:
    with pool.borrow(1), pool.borrow(1):
        with pytest.raises(QueryFailed, match="busy") as failed, pool.borrow(0.05):
            pytest.fail("there is no third child")
    assert failed.value.after == 1.0


def test_a_child_that_cannot_be_started_fails_the_query_and_the_next_may_succeed(database: Path) -> None:
    working = Started(database)
    attempts = iter([OSError("no more processes"), None])

    def start() -> WorkerProcess:
        problem = next(attempts)
        if problem:
            raise problem
        return working()

    pool = WorkerPool(start, 1)
    with pytest.raises(QueryFailed, match="can be started"), pool.borrow(1):
        pytest.fail("there is no child")
    with pool.borrow(1) as worker:
        assert worker.query("SELECT 1 AS one", 5)["rows"] == [[1]]
    pool.close()


def test_closing_ends_idle_children_and_fails_the_queries_of_busy_ones(database: Path) -> None:
    started = Started(database)
    pool = WorkerPool(started, 2)
    pool.warm()
    with ThreadPoolExecutor(1) as caller:
        running = Barrier(2)

        def ask() -> None:
            with pool.borrow(1) as worker:
                worker.tables()
                running.wait()
                worker.query(ENDLESS, 30)

        answer = caller.submit(ask)
        running.wait()
        pool.close()
        with pytest.raises(QueryFailed):
            answer.result(timeout=10)
    assert not any(alive(pid) for pid in started.pids)
    with pytest.raises(QueryFailed, match="closed"), pool.borrow(1):
        pytest.fail("a closed pool has no child")
    pool.warm()
    assert len(started.workers) == 2


def test_five_callers_share_two_children(sources: DuckDbSources) -> None:
    def ask(number: int) -> list[object]:
        sql = f"SELECT id FROM stripe.disputes WHERE amount = {840000 + number}"
        return [row["id"] for row in sources.sql(sql).rows]

    with ThreadPoolExecutor(5) as callers:
        answers = list(callers.map(ask, range(1, 101)))
    assert answers == [[f"dp_{number}"] for number in range(1, 101)]


def test_a_runaway_leaves_the_queries_of_others_alone(database: Path) -> None:
    with DuckDbSources(database) as sources, ThreadPoolExecutor(5) as callers:
        runaway = callers.submit(sources.sql, ENDLESS, timeout_s=1)
        others = [callers.submit(sources.sql, "SELECT count(*) AS n FROM stripe.disputes") for _ in range(20)]
        assert all(other.result().rows == [{"n": 600}] for other in others)
        with pytest.raises(QueryFailed, match="ran out of time"):
            runaway.result()


def test_a_child_killed_from_outside_fails_its_query_and_is_replaced(pool: WorkerPool, started: Started) -> None:
    with pool.borrow(1) as worker:
        worker.tables()
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(QueryFailed):
            worker.query(ENDLESS, 30)
    with pool.borrow(1) as other:
        assert other.query("SELECT 1 AS one", 5)["rows"] == [[1]]
    assert len(started.workers) == 2
