"""Sweep: every minute, whatever has gone quiet is looked at again: overdue steps, expired approvals, deadlines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shared.case.actions import IN_FLIGHT
from shared.case.canonical import short_hash
from shared.case.case import Case, Waiting
from shared.case.due import Step, due_steps, reminders, wake_at
from shared.case.events import Moved, Reminded
from shared.case.lifecycle import State
from shared.ports.store import Bookkeeping, CaseRecord, InboxChange, InboxStatus
from shared.steps.budgets import DUE_AT_MOST, INBOX_GIVE_UP_AFTER, INBOX_RESEND_AFTER
from shared.steps.commit import Change, commit
from shared.steps.context import Ports, RequestContext, system_context
from shared.steps.intake import triage_message
from shared.steps.metrics import Pulse, pulse_of
from shared.steps.outside import start_round
from shared.steps.sending import send, send_new
from shared.steps.settle import Unfolding, to_people, void_open_actions
from shared.team.contract import Playbook

CASES_PER_TICK = 100
CASES_AT_START = 10_000
END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)
ENTRIES_PER_TICK = 200
ENTRIES_AT_START = 10_000
_FIRST_BACKOFF, _LONGEST_BACKOFF = timedelta(minutes=1), timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Swept:
    """What one tick has done."""

    cases: int
    entries: int
    failed: int
    pulse: Pulse
    """How the cases looked at are doing."""


def sweep(ports: Ports, trace: str, *, at_start: bool = False, org: str | None = None) -> Swept:
    """One tick. `at_start`, e.g. after a crash: whatever is due is sent again at once, without back-off or budget."""
    now = ports.clock.now()
    failed, pulse = 0, Pulse()
    due = ports.store.due(org, END_OF_TIME if at_start else now, CASES_AT_START if at_start else CASES_PER_TICK)
    for owner, case_id in due:
        try:
            case = sweep_case(ports, system_context(owner, trace), case_id)
            pulse += Pulse() if case is None else pulse_of(case, now)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a case concerns that case
            # One broken case must not keep the others from being swept; it is seen again on the next tick.
            ports.trace.say(owner, case_id, "sweep", "failed", error=type(error).__name__)
            failed += 1
            pulse += Pulse(stuck=1)
    entries = _sweep_inbox(ports, now, trace, at_start=at_start)
    return Swept(cases=len(due), entries=entries, failed=failed, pulse=pulse)


def sweep_case(ports: Ports, context: RequestContext, case_id: str) -> Case | None:
    """Let time pass for one case, then send again what is overdue, under a new generation and with back-off.

    The case as it is then; None when there is none.
    """

    stopped = ports.switch.effects_stopped(context.org)

    def decide(case: Case | None, now: datetime) -> Change:
        if case is None:
            return Change()
        unfolding = Unfolding(case, now)
        _let_time_pass(unfolding, ports.playbook(case.playbook), stopped=stopped)
        return Change(unfolding.events)

    committed = commit(ports, context, case_id, decide)
    if committed.changed:
        send_new(ports, context, committed)
    record = committed.record or ports.store.read(context.org, case_id)
    if record is None:
        return None
    _resend(ports, context, record)
    return record.case


def _resend(ports: Ports, context: RequestContext, record: CaseRecord) -> None:
    case, now = record.case, ports.clock.now()
    overdue = [due for due in due_steps(case, now) if due.at is None or due.at <= now]
    if not _is_quiet(ports, case, now):
        overdue = [due for due in overdue if due.step is Step.WATCHDOG]
    generation = record.bookkeeping.generation + (1 if overdue else 0)
    backoff = min(_FIRST_BACKOFF * 2 ** min(record.bookkeeping.backoff, 10), _LONGEST_BACKOFF)
    # Only what is overdue is backed off from: a case that merely waits is left alone until its next instant.
    next_look = wake_at(case, now, resend_after=backoff)
    if next_look is not None and overdue and next_look <= now:
        next_look = now + backoff
    kept = ports.store.set_bookkeeping(
        context.org,
        case.id,
        record.version,
        Bookkeeping(wake_at=next_look, generation=generation, backoff=record.bookkeeping.backoff + 1 if overdue else 0),
    )
    if kept and overdue:
        send(ports, context, case, overdue, generation)


def _is_quiet(ports: Ports, case: Case, now: datetime) -> bool:
    """Whether nobody who may be alive holds a lease on anything: what is being carried out is not overdue."""
    return not any(
        action.lease_until is not None
        and action.lease_until > now
        and not ports.workers.provably_dead(action.lease_owner or "")
        for action in case.actions
    )


def _let_time_pass(unfolding: Unfolding, playbook: Playbook, *, stopped: bool) -> None:
    case, now = unfolding.case, unfolding.now
    question = case.open_question
    if case.state is State.AWAITING_APPROVAL and _passed(case.decide_by, now) and _in_flight(case):
        # It cannot simply end: what may be happening is still to be found out.
        void_open_actions(unfolding, "the time to decide has ended")
        to_people(unfolding, "the time to decide ended while the outcome of an action was unknown")
    elif case.state is State.AWAITING_APPROVAL and _passed(case.decide_by, now):
        void_open_actions(unfolding, "the time to decide has ended")
        unfolding.add(Moved(to=State.EXPIRED, reason="nobody decided in time"))
    elif case.state is State.AWAITING_ANSWER and question is not None and _passed(question.due_by, now):
        to_people(unfolding, f"nobody answered in time: {question.text}")
    elif case.state is State.ACTING and not stopped and _passed(_acting_until(case), now):
        to_people(unfolding, "what was approved could not be carried out for hours; the other side does not answer")
    elif case.state is State.AWAITING_OUTCOME and case.waiting is not None and _passed(case.waiting.until, now):
        _end_wait(unfolding, playbook, case.waiting)
    else:
        for name, at in reminders(case):
            if now >= at:
                unfolding.add(Reminded(what=name))


def _end_wait(unfolding: Unfolding, playbook: Playbook, waiting: Waiting) -> None:
    why = playbook.looks_again(unfolding.case)
    if why is not None:
        start_round(unfolding, playbook, why)
    else:
        to_people(unfolding, f"still waiting for {waiting.what}, which should have come by now")


def _in_flight(case: Case) -> bool:
    return any(action.state in IN_FLIGHT for action in case.actions)


def _acting_until(case: Case) -> datetime | None:
    return case.state_since + DUE_AT_MOST if case.state_since is not None else None


def _passed(instant: datetime | None, now: datetime) -> bool:
    return instant is not None and now >= instant


def _sweep_inbox(ports: Ports, now: datetime, trace: str, *, at_start: bool) -> int:
    entries = ports.inbox.unsettled(None if at_start else now, ENTRIES_AT_START if at_start else ENTRIES_PER_TICK)
    for entry in entries:
        if entry.case_id is not None and now - entry.received_at >= INBOX_GIVE_UP_AFTER:
            reason = "its case was not opened within three days"
            ports.inbox.settle(entry.org, InboxChange(entry.id, InboxStatus.IGNORED, None, reason))
        else:
            look_at = now + max(INBOX_RESEND_AFTER, now - entry.received_at)
            again = InboxChange(entry.id, InboxStatus.RECEIVED, entry.case_id, entry.reason, look_at=look_at)
            ports.inbox.settle(entry.org, again)
            # One trace per entry: each may open a case.
            ports.messages.publish(triage_message(entry.org, entry.id, short_hash(trace, entry.id, length=32)))
    return len(entries)
