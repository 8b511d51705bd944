"""Failures that other engines had in public, each as a test of ours. The number is that of the issue it is about."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import permutations
from math import isfinite
from pathlib import Path

import pytest
from flask import Flask, Request

import functions
import shared
from functions.transport import decode_task
from infra.local.backoff import backoff
from infra.local.delivery import request_for
from infra.local.queued import Kind, Queued
from infra.simulation.audit import audit
from infra.simulation.audit.tale import lines
from infra.simulation.drafts import Flow
from infra.simulation.journal import Played
from infra.simulation.run import play
from infra.simulation.scenario import of_flow
from infra.simulation.weather import CrashPoint, Weather
from shared.case.case import Case
from shared.case.evidence import Ended
from shared.case.lifecycle import State
from shared.case.log import StoredEntry, verify
from shared.ports.queue import Retry
from shared.ports.store import Claim
from shared.steps.budgets import INBOX_KEEP, SPECIALISTS
from tests.support.playbook import ScriptedSpecialist
from tests.support.rig import START, Rig

TASK_LIVES = timedelta(days=31)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with Rig(tmp_path) as opened:
        yield opened


def case_of(played: Played) -> Case:
    (record,) = played.state.cases.values()
    return record.case


def types_of(played: Played) -> Counter[str]:
    return Counter(line.type for line in lines(played, case_of(played).id))


def weathered(flow: Flow = Flow.REFUND, *, seeds: int = 8, sweeps: bool = True, **rates: float) -> list[Played]:
    """Runs in which these faults strike, and no others; nothing may be wrong with any of them."""
    runs = []
    for seed in range(seeds):
        weather = Weather(random.Random(seed), rates)
        played = play(of_flow(flow, weather=weather, sweeps=sweeps))
        assert audit(played) == [], (seed, rates)
        runs.append(played)
    return runs


def all_resolved(runs: Iterable[Played]) -> bool:
    return {case_of(played).state for played in runs} == {State.RESOLVED}


def dies_at(names: set[str], flow: Flow = Flow.RECORD) -> None:
    """Nothing is wrong, and the case ends, when a process dies before or after any call of these ports."""
    called = play(of_flow(flow, sweeps=False)).journal.names
    points = [number for number, name in enumerate(called, 1) if name in names]
    assert points, f"none of {names} is called"
    for number in points:
        for after in (False, True):
            played = play(of_flow(flow, sweeps=False, crash=CrashPoint(number, after)))
            assert audit(played) == []
            assert case_of(played).state is State.RESOLVED, (called[number - 1], after)


def test_inngest_4130_a_duplicate_drives_the_case_on_without_any_sweeper() -> None:
    assert all_resolved([play(of_flow(Flow.CREDIT_AFTER_WIN, duplicates=True, sweeps=False))])


def test_inngest_4242_two_syntheses_at_once_leave_one_decision() -> None:
    for played in weathered(message_duplicated=0.9):
        assert types_of(played)["brief_drafted"] == 1


def test_inngest_4242_a_stale_release_does_not_free_a_newer_claim(rig: Rig) -> None:
    older, newer = (Claim("key", owner, number, 0, START + timedelta(hours=1)) for number, owner in enumerate("ab"))
    assert rig.claims.take("acme", older, START) is None
    assert rig.claims.take("acme", newer, START) is None
    rig.claims.release("acme", "key", older.owner)
    assert rig.claims.live("acme", "key", START) == newer


@pytest.mark.parametrize("days", [25 / 24, 4, 32])
def test_inngest_4394_an_event_is_known_for_longer_than_anything_can_redeliver_it(rig: Rig, days: float) -> None:
    assert INBOX_KEEP > TASK_LIVES
    rig.to_approval()
    event = rig.event("test.created")
    rig.advance(days=days)
    before = rig.case().events
    assert rig.post({**event, "id": rig.inbox.list_entries("acme")[0].id}).get_json()["known"] is True
    rig.pump()
    assert rig.case().events == before


def test_inngest_4668_a_message_before_its_document_is_visible_is_tried_again() -> None:
    runs = weathered(entry_not_yet_visible=0.9, sweeps=False)
    assert all_resolved(runs)


def test_inngest_4687_an_intent_whose_acknowledgement_was_lost_is_recognised_as_ours() -> None:
    for played in weathered(acknowledgement_lost=0.5):
        assert {action.attempt for action in case_of(played).actions} == {1}


def test_inngest_4593_a_specialist_of_a_case_that_has_ended_starts_nothing(rig: Rig) -> None:
    started: list[str] = []
    rig.playbook.specialists = [ScriptedSpecialist("payments", lambda job, findings: started.append(job.specialist))]
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
    rig.post(rig.event("test.closed", status="lost"))
    rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
    rig.pump()
    assert rig.case().state is State.WITHDRAWN
    assert started == []


def test_inngest_2317_2436_2439_a_death_between_any_two_writes_of_scheduling_loses_nothing() -> None:
    dies_at({"inbox.put", "store.write", "messages.publish", "tasks.enqueue"})


def test_dbos_232_a_death_between_taking_work_and_handing_it_over_loses_nothing() -> None:
    dies_at({"claims.take", "claims.release", "store.create_report"})


def test_dbos_76_621_the_join_is_not_lost_when_the_last_two_report_at_once() -> None:
    runs = weathered(seeds=20, sweeps=False)
    assert all_resolved(runs)
    assert all(types_of(played)["round_joined"] == 1 for played in runs)


def test_dbos_786_two_sweepers_start_nothing_twice() -> None:
    assert all_resolved(weathered(sweep_duplicated=0.9, message_lost=0.3, task_deleted=0.3))


def test_dbos_773_801_a_zombie_that_reports_after_its_timeout_changes_nothing() -> None:
    for played in weathered(specialist_hangs=0.6):
        assert types_of(played)["round_joined"] == len(case_of(played).rounds)


def test_dbos_744_a_specialist_that_answers_rubbish_ends_degraded_and_the_case_goes_on() -> None:
    for played in weathered(specialist_rubbish=1.0, seeds=3):
        reports = case_of(played).rounds[0].reports
        assert {pointer.ended for pointer in reports} <= {Ended.DEGRADED, Ended.TIMED_OUT}
        assert case_of(played).state in (State.MANUAL_REVIEW, State.RESOLVED)


def test_hatchet_4165_events_in_any_order_come_to_the_same_case(tmp_path: Path) -> None:
    ends = set()
    for number, order in enumerate(
        permutations((("created", "needs_response"), ("updated", "needs_response"), ("closed", "won")))
    ):
        with Rig(tmp_path / str(number)) as rig:
            events = {kind: rig.event(f"test.{kind}", status=status) for kind, status in order}
            for kind, _ in order:
                rig.post(events[kind])
                rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
            rig.pump()
            ends.add((rig.case().state, tuple(rig.case().outcomes)))
    assert len(ends) == 1


def test_hatchet_4719_no_number_of_attempts_overflows_the_back_off() -> None:
    retry = SPECIALISTS.retry
    waits = [backoff(attempts, retry) for attempts in (*range(200), 10**3, 10**4, 10**5, 10**6)]
    assert all(isfinite(wait) and retry.min_backoff_s <= wait <= retry.max_backoff_s for wait in waits)


def test_hatchet_3864_4758_duplicates_of_queue_items_leave_no_duplicate_records() -> None:
    runs = weathered(Flow.CREDIT_AFTER_WIN, message_duplicated=0.9, task_duplicated=0.9)
    assert all_resolved(runs)
    for played in runs:
        assert max(Counter((e.case_id, e.action_id) for e in played.journal.effects).values()) == 1


def test_hatchet_4737_a_commit_that_lost_its_race_is_really_tried_again() -> None:
    weather = Weather(random.Random(1), {"write_conflict": 0.6})
    played = play(of_flow(Flow.REFUND, weather=weather))
    assert weather.counts["write_conflict"] > 5
    assert played.journal.names.count("store.write") > len(played.journal.writes)
    assert case_of(played).state is State.RESOLVED


@pytest.mark.parametrize("function", ["triage", "specialist", "synthesize", "policy_check", "act"])
def test_hatchet_2882_what_is_no_json_is_kept_for_operators_and_not_tried_again(rig: Rig, function: str) -> None:
    assert rig._call(function, b"{not json", {}) == 204
    assert len(rig.inbox.list_entries("_transport")) == 1


def test_hatchet_3860_every_attempt_sees_the_same_payload() -> None:
    retry = Retry(max_attempts=9, min_backoff_s=1.0, max_backoff_s=5.0, max_duration_s=0.0)
    task = Queued(1, Kind.TASK, "actions", '{"org": "acme"}', 10.0, retry, START, START, name="n", function="act")
    bodies = set()
    for _ in range(5):
        task = task.started(START)
        bodies.add(request_for(task).body)
        task = task.failed(503, START)
    assert bodies == {b'{"org": "acme"}'}


def test_hatchet_2077_4454_the_same_tick_twice_at_once_is_one_tick() -> None:
    assert all_resolved(weathered(sweep_duplicated=1.0, task_deleted=0.5))


def test_temporal_771_a_lost_watchdog_is_replaced_by_the_sweeper(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
    rig.out.tasks.clear()
    rig.advance(seconds=200)
    rig.sweep()
    rig.pump()
    assert {pointer.ended for pointer in rig.case().rounds[0].reports} == {Ended.TIMED_OUT}


def test_temporal_1472_1671_879_a_specialist_that_swallows_everything_cannot_outlive_its_deadline(rig: Rig) -> None:
    def swallows(job: object, findings: object) -> None:
        rig.advance(seconds=400)
        rig.deliver_task(next(task for task in rig.out.tasks if "deadline" in task.body))

    rig.playbook.specialists = [ScriptedSpecialist("payments", swallows)]
    rig.post(rig.event("test.created"))
    rig.pump()
    assert rig.case().rounds[0].reports[0].ended is Ended.TIMED_OUT


def test_temporal_1654_a_timeout_after_the_work_was_done_is_harmless() -> None:
    assert all_resolved(weathered(answer_lost=0.5))


def test_restate_1_6_2_a_log_of_an_earlier_release_still_verifies_and_folds() -> None:
    kept = json.loads((Path(__file__).parent / "kept_log.json").read_text())
    entries = [StoredEntry(text, digest) for text, digest in kept["entries"]]
    verification = verify(entries, org=kept["org"], case_id=kept["case_id"])
    assert verification.problems == []
    assert verification.case is not None
    assert verification.case.state is State.RESOLVED


def test_restate_5085_an_event_that_arrives_while_nobody_polls_is_taken_up(rig: Rig) -> None:
    """The embedded runtime's own wake-up: tests/unit/runtime, test_a_message_wakes_an_idle_runtime."""
    rig.post(rig.event("test.created"))
    rig.out.messages.clear()  # nobody was there
    rig.advance(minutes=2)
    rig.sweep()
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def test_dj_stripe_1239_identical_webhooks_in_parallel_are_both_accepted_and_one_case() -> None:
    runs = weathered(webhook_duplicated=1.0)
    assert all(len(played.state.cases) == 1 for played in runs)
    assert all(played.journal.faults_of_ours == [] for played in runs)


def test_firestore_571_827_1302_contention_stays_inside_the_commit_loop() -> None:
    runs = weathered(write_conflict=0.7)
    assert all_resolved(runs)
    assert all("contended" not in played.journal.refused_orders for played in runs)


@pytest.mark.parametrize("package", [shared, functions])
def test_octue_221_no_thread_or_executor_outlives_a_handler(package: object) -> None:
    root = Path(str(package.__file__)).parent  # type: ignore[attr-defined]
    imported = {
        name.name.partition(".")[0]
        for source in root.rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
    }
    assert imported
    assert not imported & {"threading", "_thread", "concurrent", "asyncio", "multiprocessing", "sched"}


@pytest.mark.parametrize(("retries", "delivery"), [("0", 0), ("4", 4), ("", None), ("x", None)])
def test_laravel_55_the_last_attempt_is_told_by_the_count_of_all_attempts(retries: str, delivery: int | None) -> None:
    headers = {"X-CloudTasks-TaskRetryCount": retries, "X-CloudTasks-TaskExecutionCount": "0"}
    with Flask("test").test_request_context("/", method="POST", data=b"{}", headers=headers) as context:
        request: Request = context.request
        assert decode_task(request).delivery == delivery
