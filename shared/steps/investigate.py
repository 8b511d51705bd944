"""Investigate: one attempt of one specialist, its report as the fence, and the join of the round.

A specialist never touches the case document. Its result is one report, created if absent: whoever creates it first
(an attempt, the last attempt's degraded one, the watchdog's timed-out one) wins, and everything later loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.canonical import short_hash
from shared.case.case import Assignment, Case
from shared.case.events import RoundJoined
from shared.case.evidence import Ended, Gap
from shared.case.lifecycle import State
from shared.errors import Busy, NotFound, Retryable
from shared.ports.store import CaseRecord, Claim
from shared.steps.budgets import SPECIALIST_DISPATCH_S, SPECIALIST_SOFT_S, SPECIALISTS
from shared.steps.commit import Change, commit, unchanged
from shared.steps.context import Ports, RequestContext
from shared.steps.reports import pack, pointers
from shared.steps.sending import drive
from shared.team.contract import Findings, Job, OutOfTime, Specialist


@dataclass(frozen=True, slots=True)
class Delivery:
    """Which delivery of the task this is: `generation` as sent, `retry` from the queue's count (0 is the first)."""

    generation: int
    retry: int

    @property
    def again(self) -> bool:
        """Whether another delivery of this task was sent before: its work may be done."""
        return self.retry > 0 or self.generation > 0

    @property
    def last(self) -> bool:
        """Whether the queue will not deliver again: then a failure is recorded instead of retried."""
        return self.retry + 1 >= SPECIALISTS.retry.max_attempts


def investigate(
    ports: Ports, context: RequestContext, case_id: str, round_number: int, name: str, delivery: Delivery
) -> None:
    """Run one attempt. Raises Busy while another delivery works on it, and Retryable when an attempt failed."""
    record = _read(ports, context, case_id)
    case = record.case
    assignment = _open_assignment(case, round_number, name)
    if assignment is None:
        drive(ports, context, unchanged(record))
        return
    if delivery.again and _reported(ports, case, round_number, name):
        _join(ports, context, record, round_number)
        return
    now = ports.clock.now()
    if now >= assignment.deadline_at:
        standing = _time_out(ports, case, round_number, assignment, now)
    else:
        claim = _claim(ports, context, case, round_number, assignment, delivery)
        if claim is None:
            _join(ports, context, record, round_number)
            return
        standing = _work(ports, case, round_number, assignment, delivery, claim)
    if standing is None or standing >= len(_assignments(case)):
        # It completed the round; or another report stood already, whose author may have gone before joining.
        _join(ports, context, record, round_number)


def watch(ports: Ports, context: RequestContext, case_id: str, round_number: int) -> None:
    """The watchdog: at a deadline, whoever has not reported has timed out. Early, it only joins."""
    record = _read(ports, context, case_id)
    case, now = record.case, ports.clock.now()
    if not _is_open(case, round_number):
        drive(ports, context, unchanged(record))
        return
    reported = _names(ports, case, round_number)
    for assignment in _assignments(case):
        if now >= assignment.deadline_at and assignment.specialist not in reported:
            _time_out(ports, case, round_number, assignment, now)
    _join(ports, context, record, round_number)


def _work(
    ports: Ports, case: Case, round_number: int, assignment: Assignment, delivery: Delivery, claim: Claim
) -> int | None:
    """One attempt and its report: how many reports the round has then; None when another one stood already.

    The claim of an attempt that ended well is left to run out: whoever comes after it finds the report. One that failed
    gives it back, for the next attempt.
    """
    findings = Findings()
    try:
        ended = _attempt(ports, case, round_number, assignment, delivery, findings)
        standing = _hand_over(ports, case, round_number, assignment.specialist, ended, findings, delivery.retry)
        if standing is None:
            ports.trace.say(case.org, case.id, assignment.specialist, "came too late", attempt=delivery.retry)
        return standing
    except BaseException:
        ports.claims.release(case.org, claim.key, claim.owner)
        raise


def _read(ports: Ports, context: RequestContext, case_id: str) -> CaseRecord:
    record = ports.store.read(context.org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    return record


def _open_assignment(case: Case, round_number: int, name: str) -> Assignment | None:
    if not _is_open(case, round_number):
        return None
    return next((assignment for assignment in _assignments(case) if assignment.specialist == name), None)


def _assignments(case: Case) -> Sequence[Assignment]:
    return case.round.assignments if case.round else ()


def _is_open(case: Case, round_number: int) -> bool:
    """Whether the round still runs: a case that was settled meanwhile wants no more evidence."""
    current = case.round
    investigating = case.state is State.INVESTIGATING
    return investigating and current is not None and current.number == round_number and not current.joined


def _names(ports: Ports, case: Case, round_number: int) -> set[str]:
    return {report.specialist for report in ports.store.report_heads(case.org, case.id, round_number)}


def _reported(ports: Ports, case: Case, round_number: int, name: str) -> bool:
    return name in _names(ports, case, round_number)


def _claim(
    ports: Ports,
    context: RequestContext,
    case: Case,
    round_number: int,
    assignment: Assignment,
    delivery: Delivery,
) -> Claim | None:
    """The claim of this delivery; None when its work turns out to be done. Raises Busy while another is at it."""
    now = ports.clock.now()
    claim = Claim(
        key=short_hash(case.id, str(round_number), assignment.specialist),
        owner=ports.entropy.token(),
        generation=delivery.generation,
        retry=delivery.retry,
        expires_at=min(now + timedelta(seconds=SPECIALIST_DISPATCH_S), assignment.deadline_at),
    )
    live = ports.claims.take(context.org, claim, now)
    if live is not None and _reported(ports, case, round_number, assignment.specialist):
        return None
    if live is not None:
        wait = max(1.0, (live.expires_at - now).total_seconds())
        raise Busy(f"{assignment.specialist} is already at work on {case.id}", after=wait)
    return claim


def _attempt(
    ports: Ports,
    case: Case,
    round_number: int,
    assignment: Assignment,
    delivery: Delivery,
    findings: Findings,
) -> Ended:
    ports.trace.say(case.org, case.id, assignment.specialist, "started", attempt=delivery.retry)
    try:
        job = _job(ports, case, round_number, assignment, delivery)
        _specialist(ports, case, assignment.specialist).investigate(job, findings)
    except OutOfTime:
        reason = "its time was used up before it was through"
    except Exception as error:
        if not delivery.last:
            ports.trace.say(case.org, case.id, assignment.specialist, "failed", error=type(error).__name__)
            raise Retryable(f"{assignment.specialist} failed with {type(error).__name__}") from error
        reason = f"it failed with {type(error).__name__} in every attempt"
    else:
        ports.trace.say(case.org, case.id, assignment.specialist, "reported", rows=len(findings.rows))
        return Ended.REPORTED
    findings.gaps.append(Gap(specialist=assignment.specialist, what="the rest of its questions", why=reason))
    return Ended.DEGRADED


def _job(ports: Ports, case: Case, round_number: int, assignment: Assignment, delivery: Delivery) -> Job:
    now = ports.clock.now()
    remaining = (assignment.deadline_at - now).total_seconds()
    return Job(
        case=case,
        org=ports.directory.org(case.org),
        specialist=assignment.specialist,
        round=round_number,
        attempt=delivery.retry,
        now=now,
        sources=ports.sources_of(case.org),
        remaining_s=min(SPECIALIST_SOFT_S, remaining),
    )


def _specialist(ports: Ports, case: Case, name: str) -> Specialist:
    team = ports.playbook(case.playbook).team(case)
    found = next((member for member in team if member.name == name), None)
    if found is None:
        raise NotFound(f"the playbook {case.playbook} has no specialist {name}")
    return found


def _time_out(ports: Ports, case: Case, round_number: int, assignment: Assignment, now: datetime) -> int | None:
    """Past the deadline a delivery starts no work: that its specialist has not reported is its report."""
    name = assignment.specialist
    why = "it did not finish before its deadline"
    findings = Findings(gaps=[Gap(specialist=name, what="everything it was asked", why=why)])
    ports.trace.say(case.org, case.id, name, "timed out")
    return _hand_over(ports, case, round_number, name, Ended.TIMED_OUT, findings, attempt=0, now=now)


def _hand_over(
    ports: Ports,
    case: Case,
    round_number: int,
    name: str,
    ended: Ended,
    findings: Findings,
    attempt: int,
    now: datetime | None = None,
) -> int | None:
    report = pack(
        ports.store,
        case,
        round_number=round_number,
        specialist=name,
        ended=ended,
        findings=findings,
        now=now or ports.clock.now(),
        attempt=attempt,
    )
    return ports.store.create_report(case.org, case.id, report)


def _join(ports: Ports, context: RequestContext, record: CaseRecord, round_number: int) -> None:
    """End the round if every assignment has its report; one of the deliveries wins. Either way, drive the case on."""
    case_id = record.case.id
    reports = ports.store.report_heads(context.org, case_id, round_number)
    names = {report.specialist for report in reports}

    def decide(case: Case | None, now: datetime) -> Change:
        if case is None or not _is_open(case, round_number):
            return Change()
        if any(assignment.specialist not in names for assignment in _assignments(case)):
            return Change()
        return Change([RoundJoined(round=round_number, reports=pointers(case, reports))])

    drive(ports, context, commit(ports, context, case_id, decide, seen=record))
