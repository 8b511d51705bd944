"""What is stored at the end: logs that verify, events that are somewhere exactly once, ledgers that match."""

from __future__ import annotations

from collections import defaultdict

from infra.simulation.audit.findings import Found
from infra.simulation.audit.tale import lines
from infra.simulation.journal import Played
from shared.case.actions import ActionState
from shared.case.log import StoredEntry, compare_state, verify
from shared.ports.store import InboxStatus


def judge_logs(played: Played, found: Found) -> None:
    """Hashes, chain, seq, time, and that the stored case is the fold of its events."""
    for (org, case_id), record in played.state.cases.items():
        commits = [commit for _, commit in sorted(played.state.commits[org, case_id].items())]
        entries = [
            StoredEntry(text, digest)
            for commit in commits
            for text, digest in zip(commit.entries, commit.hashes, strict=True)
        ]
        verification = verify(entries, org=org, case_id=case_id)
        for problem in (*verification.problems, *compare_state(verification, record.case)):
            found.add("log_verifies", case_id, problem)
        whole = (record.head.seq, record.head.hash) == (len(entries), verification.head)
        found.unless(whole, "log_verifies", case_id, "the head is not the end of the log")


def judge_inbox(played: Played, found: Found) -> None:
    """Every accepted event is in exactly one case, exactly once, or set aside with a reason."""
    taken: dict[str, list[str]] = defaultdict(list)
    for _, case_id in played.state.cases:
        for line in lines(played, case_id):
            if line.type == "case_opened":
                taken[line.event["trigger"]["event_id"]].append(case_id)
            elif line.type == "outside_changed":
                taken[line.event["event_id"]].append(case_id)
    entries = {entry.id: entry for (org, _), entry in played.state.inbox.items() if not org.startswith("_")}
    for event_id in played.journal.accepted:
        entry = entries.get(event_id)
        where = taken.get(event_id, [])
        if entry is None:
            found.add("no_event_is_lost", "", f"{event_id} was accepted and is nowhere")
        elif entry.status is InboxStatus.ATTACHED:
            # The event that opened a case may also be its first news: twice in one case, then.
            found.unless(
                set(where) == {entry.case_id}, "event_in_one_case", entry.case_id or "", f"{event_id}: {where}"
            )
        elif entry.status is InboxStatus.RECEIVED:
            waits = entry.case_id is not None and entry.look_at is not None and not where
            found.unless(waits, "no_event_is_lost", "", f"{event_id} is still only received")
        else:
            reason = bool(entry.reason) and not where
            found.unless(reason, "event_in_one_case", "", f"{event_id} is {entry.status.value}, and in {where}")
    for event_id, where in taken.items():
        once = len(where) == 1 or (len(where) == 2 and len(set(where)) == 1 and _opened(played, where[0], event_id))
        found.unless(once, "event_in_one_case", where[0], f"{event_id} was taken up {len(where)} times")


def _opened(played: Played, case_id: str, event_id: str) -> bool:
    first = next(lines(played, case_id))
    return bool(first.event["trigger"]["event_id"] == event_id)


def judge_ledgers(played: Played, found: Found) -> None:
    """A reservation is paid where the action succeeded, unpaid while it is under way, and gone otherwise."""
    cases = {case_id: record.case for (_, case_id), record in played.state.cases.items()}
    for ledger in played.state.ledgers.values():
        for reservation in ledger.reservations:
            action = cases[reservation.case_id].action(reservation.action_id)
            state = action.state if action is not None else None
            paid = state is ActionState.SUCCEEDED and reservation.paid
            open_ = state in (ActionState.INTENDED, ActionState.UNKNOWN) and not reservation.paid
            detail = f"{reservation.action_id} is {state}, its reservation {'paid' if reservation.paid else 'open'}"
            found.unless(paid or open_, "ledger_matches", reservation.case_id, detail)
