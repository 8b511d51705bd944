"""A burst of webhooks: each is acknowledged once it is safe, nothing is lost, and the pipeline digests them all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from infra.local.composition import LocalComposition, LocalSettings
from shared.case.case import Case
from shared.ports.store import CaseQuery, InboxStatus
from shared.steps.audit import audit
from tests.chaos.storm import EVENTS_PER_DISPUTE, ORG, Delivery, Outcome, Storm, events, shuffled

ROOT = Path(__file__).parents[2]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[int], Server]]:
    """Starts servers on one data folder; the last one is stopped in the end."""
    started: list[Server] = []

    def start(port: int = 0) -> Server:
        started.append(Server(tmp_path, port))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@pytest.mark.timeout(300)
def test_a_burst_of_2000_webhooks_is_acknowledged_and_digested(tmp_path: Path, start: Callable[[], Server]) -> None:
    sent, server = events(disputes=400), start()
    deliveries = shuffled(sent, seed=7)
    outcome = Storm(server.url, deliveries).rage()
    report(deliveries, outcome, server, server.drain())
    genuine, forged = {event["id"] for event in sent}, sum(one.forged for one in deliveries)
    assert outcome.accepted == genuine
    assert outcome.answers[True, 400] == forged
    assert outcome.answers[False, 200] == len(deliveries) - forged
    assert outcome.answers[False, 503] > 0, "the store was to fail now and then"
    assert set(outcome.answers) == {(True, 400), (False, 200), (False, 503)}
    judge(tmp_path, genuine, disputes=400)


@pytest.mark.timeout(300)
def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path, start: Callable[[int], Server]) -> None:
    sent, server = events(disputes=100), start(0)
    storm = Storm(server.url, shuffled(sent, seed=8))
    with ThreadPoolExecutor(1) as pool:
        raging = pool.submit(storm.rage)
        for accepted in (150, 300):
            storm.wait_until_accepted(accepted)
            storm.reachable.clear()
            server.kill()
            server = start(server.port)
            storm.reachable.set()
        outcome = raging.result()
    server.drain()
    assert outcome.accepted == {event["id"] for event in sent}
    judge(tmp_path, outcome.accepted, disputes=100)


class Server:
    """The webhook and the pipeline behind it, in a process of their own."""

    def __init__(self, data: Path, port: int) -> None:
        command = [sys.executable, "-m", "tests.chaos.server", str(data), str(port)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = self._told()
        self.url, self.peak_kib = str(told["url"]), int(told["peak_kib"])
        self.port = urlsplit(self.url).port or 0

    def drain(self) -> dict[str, Any]:
        """Let it come to rest and end; what that took."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        told = self._told()
        assert self._process.wait(timeout=30) == 0
        return told

    def kill(self) -> None:
        """End it with SIGKILL, unless it has ended."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))


def report(deliveries: list[Delivery], outcome: Outcome, server: Server, end: dict[str, Any]) -> None:
    """Print what it took."""
    told = ", ".join(f"p{percent} {outcome.percentile(percent) * 1000:.0f} ms" for percent in (50, 95, 99, 100))
    answered = {f"{'forged ' if forged else ''}{status}": count for (forged, status), count in outcome.answers.items()}
    print(f"{len(deliveries)} deliveries in {outcome.seconds:.1f} s, drained {end['drained_s']} s later: {told}")
    print(f"answers: {answered}")
    memory = (server.peak_kib, end["peak_kib"], end["peak_after_kib"])
    print("peak memory in MiB at the start, after the burst, after the drain:", *(kib // 1024 for kib in memory))


def judge(data: Path, genuine: set[str], disputes: int) -> None:
    """Nothing is lost and nothing taken twice, in the inbox and in the cases."""
    with LocalComposition(LocalSettings(data=data)) as composition:
        inbox = composition.inbox.list_entries(ORG, limit=10 * len(genuine))
        assert sorted(entry.id for entry in inbox) == sorted(genuine)
        boring = EVENTS_PER_DISPUTE.count("test.boring")
        assert Counter(entry.status for entry in inbox) == {
            InboxStatus.ATTACHED: disputes * (len(EVENTS_PER_DISPUTE) - boring),
            InboxStatus.IGNORED: disputes * boring,
        }
        cases = composition.store.list_cases(ORG, CaseQuery(limit=10 * disputes)).cases
        assert Counter(case.state.value for case in cases) == {"withdrawn": disputes}
        taken = [event_id for case in cases for event_id in events_in(composition, case)]
        assert sorted(taken) == sorted(entry.id for entry in inbox if entry.status is InboxStatus.ATTACHED)
        assert [problem for case in cases for problem in audit(composition.store, ORG, case.id).problems] == []
        assert composition.queue.dead_letters() == []


def events_in(composition: LocalComposition, case: Case) -> list[str]:
    """The outside events that a case's log tells of: the one that opened it, and those that were noted after."""
    entries = [json.loads(text) for commit in composition.store.log(ORG, case.id) for text in commit.entries]
    noted = [entry["event"]["event_id"] for entry in entries if entry["event"]["type"] == "outside_changed"]
    return [case.trigger.event_id, *noted]
