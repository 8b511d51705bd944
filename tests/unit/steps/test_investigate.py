"""Specialists stay off the case; their reports are the fence; nobody holds a case up."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.case.due import Step, due_steps
from shared.case.evidence import Ended, Gap
from shared.case.lifecycle import State
from shared.errors import Retryable
from shared.ports import Task
from shared.ports.store import Claim
from shared.steps.budgets import SPECIALISTS
from shared.steps.reports import MAX_GAP_CHARS, MAX_GAPS, EvidenceDamaged, read_evidence
from shared.team.contract import Findings, Job, OutOfTime
from tests.support.playbook import NAMES, ScriptedSpecialist, finds_charge, row
from tests.support.rig import ORG, Rig


def is_specialist(name: str):  # type: ignore[no-untyped-def]
    return lambda sent: isinstance(sent, Task) and sent.body.get("specialist") == name


def script(rig: Rig, name: str, run) -> None:  # type: ignore[no-untyped-def]
    rig.playbook.specialists = [ScriptedSpecialist(other, run if other == name else finds_charge) for other in NAMES]


def open_case(rig: Rig) -> list[Task]:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not isinstance(sent, Task))
    return [task for task in rig.out.tasks if task.queue == "specialists"]


def test_triage_plans_every_specialist_in_one_commit_with_one_task_each_and_a_watchdog(rig: Rig) -> None:
    tasks = open_case(rig)
    assert [task.body["specialist"] for task in tasks] == list(NAMES)
    watchdogs = [task for task in rig.out.tasks if task.queue == "watchdogs"]
    assert [task.schedule_at for task in watchdogs] == [rig.clock.now() + timedelta(seconds=180)]
    assert len(list(rig.store.log(ORG, rig.case().id))) == 1


def test_evidence_of_all_specialists_has_gapless_indexes_in_the_order_of_the_assignments(rig: Rig) -> None:
    for task in reversed(open_case(rig)):
        rig.deliver_task(task)
    evidence = read_evidence(rig.store, rig.case())
    assert [(item.index, item.specialist) for item in evidence] == list(enumerate(NAMES))


def test_the_last_report_joins_and_only_one_delivery_sends_synthesize(rig: Rig) -> None:
    for task in open_case(rig):
        rig.deliver_task(task)
    assert [message.topic for message in rig.out.messages] == ["synthesize"]
    assert rig.case().round.joined  # type: ignore[union-attr]


def test_a_redelivered_specialist_does_no_work_twice_but_drives_the_case_on(rig: Rig) -> None:
    ran: list[str] = []
    script(rig, "payments", lambda job, findings: (ran.append("x"), finds_charge(job, findings)))
    tasks = open_case(rig)
    for task in tasks:
        rig.deliver_task(task)
    rig.out.messages.clear()
    rig.deliver_task(tasks[0])
    assert (len(ran), [message.topic for message in rig.out.messages]) == (1, ["synthesize"])


def test_a_join_lost_in_a_crash_is_found_by_the_sweeper(rig: Rig) -> None:
    tasks = open_case(rig)
    case = rig.case()
    rig.store.write, real = lambda write: (_ for _ in ()).throw(MemoryError), rig.store.write  # type: ignore[method-assign]
    for task in tasks:
        rig.deliver_task(task)
    rig.store.write = real  # type: ignore[method-assign]
    assert not rig.case().round.joined  # type: ignore[union-attr]
    rig.out.tasks.clear()
    rig.advance(seconds=61)
    rig.sweep()
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL
    assert len(rig.case().rounds) == len(case.rounds) == 1


def test_a_specialist_that_fails_is_retried_by_the_queue_and_degrades_in_its_last_attempt(rig: Rig) -> None:
    def fails(job: Job, findings: Findings) -> None:
        findings.rows.append(row("stripe.charges", "ch_before_the_failure", amount=1))
        raise ValueError("customer text that must not be recorded")

    script(rig, "network", fails)
    tasks = {str(task.body["specialist"]): task for task in open_case(rig)}
    for name in NAMES[:4]:
        rig.deliver_task(tasks[name])
    last = SPECIALISTS.retry.max_attempts - 1
    assert [rig.deliver_task(tasks["network"], retry) for retry in range(last)] == [503] * last
    assert rig.deliver_task(tasks["network"], last) == 204
    pointer = rig.case().rounds[0].reports[-1]
    assert (pointer.ended, pointer.count) == (Ended.DEGRADED, 1)
    assert pointer.gaps == (
        Gap(specialist="network", what="the rest of its questions", why="it failed with ValueError in every attempt"),
    )
    rig.pump()
    brief = rig.case().brief
    assert brief is not None
    assert [gap.specialist for gap in brief.gaps] == ["network"]


def test_a_specialist_out_of_time_hands_over_what_it_has_with_a_gap(rig: Rig) -> None:
    def slow(job: Job, findings: Findings) -> None:
        finds_charge(job, findings)
        raise OutOfTime

    script(rig, "customer", slow)
    rig.post(rig.event("test.created"))
    rig.pump()
    pointer = rig.case().rounds[0].reports[1]
    assert (pointer.ended, pointer.count, pointer.gaps[0].why) == (
        Ended.DEGRADED,
        1,
        "its time was used up before it was through",
    )


def test_a_source_that_is_down_is_retried(rig: Rig) -> None:
    attempts: list[int] = []

    def down_once(job: Job, findings: Findings) -> None:
        attempts.append(job.attempt)
        if job.attempt == 0:
            raise Retryable("the source is down")
        finds_charge(job, findings)

    script(rig, "payments", down_once)
    task = open_case(rig)[0]
    assert [rig.deliver_task(task, 0), rig.deliver_task(task, 1)] == [503, 204]
    assert attempts == [0, 1]


def test_a_hanging_specialist_is_timed_out_at_its_deadline_and_its_late_result_changes_nothing(rig: Rig) -> None:
    late: list[Task] = []
    rig.playbook.specialists = [
        ScriptedSpecialist(name, finds_charge, deadline_s=30.0 if name == "network" else 180.0) for name in NAMES
    ]
    for task in open_case(rig):
        if task.body["specialist"] == "network":
            late.append(task)
        else:
            rig.deliver_task(task)
    rig.out.tasks = [task for task in rig.out.tasks if task.queue == "watchdogs"]
    rig.advance(seconds=31)
    rig.pump()
    case = rig.case()
    assert case.state is State.AWAITING_APPROVAL
    assert case.rounds[0].reports[-1].ended is Ended.TIMED_OUT
    assert case.brief is not None
    assert case.brief.gaps[0].what == "everything it was asked"
    before = rig.store.read(ORG, case.id)
    assert rig.deliver_task(late[0]) == 204
    assert rig.store.read(ORG, case.id) == before


def test_a_result_that_arrives_while_the_watchdog_has_recorded_a_timeout_loses(rig: Rig) -> None:
    def overtaken(job: Job, findings: Findings) -> None:
        finds_charge(job, findings)
        rig.advance(seconds=181)
        watchdog = next(task for task in rig.out.tasks if task.queue == "watchdogs")
        rig.deliver_task(watchdog)

    script(rig, "network", overtaken)
    for task in open_case(rig):
        rig.deliver_task(task)
    report = rig.case().rounds[0].reports[-1]
    assert (report.ended, report.count) == (Ended.TIMED_OUT, 0)


def test_a_delivery_past_the_deadline_starts_no_work(rig: Rig) -> None:
    ran: list[str] = []
    script(rig, "payments", lambda job, findings: ran.append("started"))
    task = open_case(rig)[0]
    rig.advance(seconds=181)
    assert rig.deliver_task(task) == 204
    assert ran == []
    assert [report.ended for report in rig.store.reports(ORG, rig.case().id, 1)] == [Ended.TIMED_OUT]


def test_a_duplicate_delivery_is_told_to_come_later_while_the_first_is_at_work(rig: Rig) -> None:
    answers: list[int] = []

    def at_work(job: Job, findings: Findings) -> None:
        answers.append(rig.deliver_task(task))
        finds_charge(job, findings)

    script(rig, "payments", at_work)
    task = open_case(rig)[0]
    assert rig.deliver_task(task) == 204
    assert answers == [503]


def test_a_claim_of_a_higher_generation_takes_over(rig: Rig) -> None:
    now = rig.clock.now()
    first = Claim("key", "one", generation=0, retry=3, expires_at=now + timedelta(seconds=60))
    assert rig.claims.take(ORG, first, now) is None
    lower = Claim("key", "two", generation=0, retry=3, expires_at=now + timedelta(seconds=60))
    assert rig.claims.take(ORG, lower, now) is not None
    higher = Claim("key", "three", generation=1, retry=0, expires_at=now + timedelta(seconds=60))
    assert rig.claims.take(ORG, higher, now) is None


def test_a_watchdog_that_comes_early_times_nobody_out(rig: Rig) -> None:
    open_case(rig)
    watchdog = next(task for task in rig.out.tasks if task.queue == "watchdogs")
    assert rig.deliver_task(watchdog) == 204
    assert not list(rig.store.reports(ORG, rig.case().id, 1))


def test_bulk_beyond_the_limits_is_cut_and_the_cut_is_a_gap(rig: Rig) -> None:
    def floods(job: Job, findings: Findings) -> None:
        findings.rows.extend(row("stripe.charges", f"ch_{n}", amount=n) for n in range(510))
        findings.rows.insert(0, row("zendesk.tickets", "huge", text="x" * 20000))

    script(rig, "network", floods)
    rig.post(rig.event("test.created"))
    rig.pump()
    pointer = rig.case().rounds[0].reports[-1]
    assert pointer.count == 500
    assert {gap.what for gap in pointer.gaps} == {"1 rows", "10 further rows"}


def test_gaps_beyond_a_number_of_short_lines_become_one_that_counts_them(rig: Rig) -> None:
    def lost(job: Job, findings: Findings) -> None:
        findings.gaps.extend(Gap(specialist="network", what=f"table {n}", why="down " * 100) for n in range(30))

    script(rig, "network", lost)
    rig.post(rig.event("test.created"))
    rig.pump()
    gaps = rig.case().rounds[0].reports[-1].gaps
    assert len(gaps) == MAX_GAPS
    assert gaps[-1].what == f"{30 - MAX_GAPS + 1} further gaps"
    assert max(len(gap.why) for gap in gaps) == MAX_GAP_CHARS


def test_a_first_delivery_reads_the_case_once_and_no_reports(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_case(rig)[0]
    reads: list[str] = []
    store = type(rig.store)
    for name in ("read", "reports", "report_heads"):
        real = getattr(store, name)
        monkeypatch.setattr(store, name, lambda *args, name=name, real=real: (reads.append(name), real(*args))[1])
    assert rig.deliver_task(first) == 204
    assert reads == ["read"]


def test_a_duplicate_of_a_finished_first_delivery_is_not_kept_waiting(rig: Rig) -> None:
    ran: list[str] = []
    script(rig, "payments", lambda job, findings: (ran.append("x"), finds_charge(job, findings)))
    first = open_case(rig)[0]
    assert [rig.deliver_task(first), rig.deliver_task(first)] == [204, 204]
    assert ran == ["x"]


def test_bulk_that_does_not_fit_the_report_goes_into_chunks_and_comes_back_whole(rig: Rig) -> None:
    def heavy(job: Job, findings: Findings) -> None:
        findings.rows.extend(row("zendesk.tickets", f"t_{n}", text=f"{n} " * 2500) for n in range(60))

    script(rig, "network", heavy)
    rig.post(rig.event("test.created"))
    rig.pump()
    report = next(r for r in rig.store.reports(ORG, rig.case().id, 1) if r.specialist == "network")
    assert (report.rows, len(report.chunks) > 1, report.count) == ((), True, 60)
    evidence = read_evidence(rig.store, rig.case())
    assert [item.row.record_id for item in evidence[4:]] == [f"t_{n}" for n in range(60)]


def test_evidence_that_was_changed_in_the_store_is_not_used(rig: Rig) -> None:
    case = rig.to_approval()
    rig.database.write(
        lambda connection: connection.execute("UPDATE reports SET body = replace(body, '84000', '94000')")
    )
    with pytest.raises(EvidenceDamaged):
        read_evidence(rig.store, case)


def test_what_is_due_follows_from_the_state_alone(rig: Rig) -> None:
    open_case(rig)
    case = rig.case()
    steps = [due.step for due in due_steps(case, rig.clock.now())]
    assert steps == [Step.SPECIALIST] * 5 + [Step.WATCHDOG]
    later = [due.step for due in due_steps(case, rig.clock.now() + timedelta(seconds=181))]
    assert later == [Step.WATCHDOG]
