"""One way to change a case: compare-and-set, bounded, and sure of its own writes."""

from __future__ import annotations

import sqlite3
import threading
from datetime import datetime

import pytest

from infra.local.clock import SystemClock
from shared.case.case import Case
from shared.case.events import Reminded
from shared.errors import Contended
from shared.ports.store import PreconditionFailed, Write
from shared.steps.audit import audit
from shared.steps.commit import MAX_ATTEMPTS, Change, commit
from shared.team.contract import Findings, Job
from tests.support.playbook import ScriptedSpecialist, finds_charge, row
from tests.support.rig import ORG, Rig


def remind(name: str):  # type: ignore[no-untyped-def]
    def decide(case: Case | None, now: datetime) -> Change:
        return Change([Reminded(what=name)])

    return decide


def test_contending_writers_all_succeed_and_the_chain_stays_whole(rig: Rig) -> None:
    case = rig.to_approval()
    rig.manual.pause = SystemClock().pause  # type: ignore[method-assign]

    def write(number: int) -> None:
        for turn in range(5):
            commit(rig.all_ports(), rig.context(), case.id, remind(f"{number}/{turn}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rig.case().reminded) == 30
    assert audit(rig.store, ORG, case.id).ok


def test_a_lost_acknowledgement_is_recognised_and_nothing_is_written_twice(rig: Rig) -> None:
    case = rig.to_approval()
    real = rig.store.write

    def loses_the_answer(write: Write) -> None:
        rig.store.write = real  # type: ignore[method-assign]
        real(write)
        raise PreconditionFailed

    rig.store.write = loses_the_answer  # type: ignore[method-assign]
    done = commit(rig.all_ports(), rig.context(), case.id, remind("once"))
    assert (done.changed, rig.case().reminded) == (True, ("once",))


def test_a_lost_acknowledgement_is_recognised_even_when_another_commit_has_followed(rig: Rig) -> None:
    case = rig.to_approval()
    real = rig.store.write

    def loses_the_answer(write: Write) -> None:
        rig.store.write = real  # type: ignore[method-assign]
        real(write)
        commit(rig.all_ports(), rig.context(), case.id, remind("another"))
        raise PreconditionFailed

    rig.store.write = loses_the_answer  # type: ignore[method-assign]
    commit(rig.all_ports(), rig.context(), case.id, remind("once"))
    assert rig.case().reminded == ("once", "another")


def test_when_others_win_every_race_the_bound_is_reached_and_nothing_is_written(rig: Rig) -> None:
    case = rig.to_approval()
    before = rig.case()
    tries: list[int] = []

    def always_stale(write: Write) -> None:
        tries.append(1)
        raise PreconditionFailed

    rig.store.write = always_stale  # type: ignore[method-assign]
    with pytest.raises(Contended):
        commit(rig.all_ports(), rig.context(), case.id, remind("never"))
    assert (len(tries), rig.case()) == (MAX_ATTEMPTS, before)


def test_a_decision_that_finds_nothing_to_do_writes_nothing(rig: Rig) -> None:
    case = rig.to_approval()
    before = rig.store.read(ORG, case.id)
    done = commit(rig.all_ports(), rig.context(), case.id, lambda case, now: Change())
    assert (done.changed, rig.store.read(ORG, case.id)) == (False, before)


def test_time_never_runs_backwards_within_a_case(rig: Rig) -> None:
    case = rig.to_approval()
    rig.clock.now = lambda: case.updated_at.replace(year=2020)  # type: ignore[method-assign]
    commit(rig.all_ports(), rig.context(), case.id, remind("late"))
    assert rig.case().updated_at == case.updated_at
    assert audit(rig.store, ORG, case.id).ok


@pytest.mark.parametrize(
    ("table", "statement", "found"),
    [
        ("case", "UPDATE cases SET body = replace(body, '\"needs_response\"', '\"won\"')", "differs from the fold"),
        ("event", "UPDATE commits SET entries = replace(entries, 'A tenth', 'A fifth')", "does not match its hash"),
        (
            "removed event",
            "DELETE FROM commits WHERE first_seq = (SELECT min(first_seq) FROM commits WHERE first_seq > 0)",
            "was removed",
        ),
        ("report", "UPDATE reports SET body = replace(body, '84000', '94000')", "do not have the hash"),
        ("missing report", "DELETE FROM reports", "is gone"),
    ],
)
def test_an_audit_finds_what_was_changed_behind_the_logs_back(rig: Rig, table: str, statement: str, found: str) -> None:
    case = rig.to_approval()
    rig.database.write(lambda connection: connection.execute(statement))
    result = audit(rig.store, ORG, case.id)
    assert not result.ok, table
    assert found in " | ".join(result.problems)


def test_an_audit_finds_commits_that_were_put_in_another_order(rig: Rig) -> None:
    case = rig.to_approval()
    first, second = [commit.first_seq for commit in rig.store.log(ORG, case.id)][1:3]

    def swap(connection: sqlite3.Connection) -> None:
        for old, new in ((first, -1), (second, first), (-1, second)):
            connection.execute("UPDATE commits SET first_seq = ? WHERE first_seq = ?", (new, old))

    rig.database.write(swap)
    found = " | ".join(audit(rig.store, ORG, case.id).problems)
    assert "an entry was removed, added or moved" in found
    assert "does not chain" in found


def test_an_audit_finds_a_flipped_byte_in_a_chunk(rig: Rig) -> None:
    def heavy(job: Job, findings: Findings) -> None:
        findings.rows.extend(row("zendesk.tickets", f"t_{n}", text=f"{n} " * 2500) for n in range(60))

    rig.playbook.specialists = [ScriptedSpecialist("payments", finds_charge), ScriptedSpecialist("network", heavy)]
    case = rig.to_approval()
    assert audit(rig.store, ORG, case.id).ok
    flip = "UPDATE chunks SET body = replace(body, '17 17 17', '17 17 18')"
    assert rig.database.write(lambda connection: connection.execute(flip).rowcount) > 0
    assert "do not have the hash" in " | ".join(audit(rig.store, ORG, case.id).problems)
