"""What a case costs at Firestore, counted where the calls are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.bench.workload import BenchPlaybook, dispute_event, dispute_id
from infra.google.firestore import FirestoreStores
from infra.google.meter import Usage
from shared.case.case import Subject, case_id
from shared.case.lifecycle import State
from tests.contract.factories import entry
from tests.emulator.rig import FirestoreRig
from tests.support.rig import ORG


@pytest.fixture
def rig(tmp_path: Path, firestore: FirestoreStores) -> Iterator[FirestoreRig]:
    with FirestoreRig(tmp_path, firestore, BenchPlaybook()) as opened:
        yield opened


def _life(rig: FirestoreRig, number: int) -> Usage:
    """What it takes to open, investigate and resolve one case: five specialists, 40 rows, one automatic action."""
    before = rig.opened.meter.usage()
    rig.post(dispute_event(number))
    rig.pump()
    used = rig.opened.meter.usage() - before
    record = rig.opened.store.read(ORG, case_id(ORG, Subject(kind="dispute", id=dispute_id(number))))
    assert record is not None
    assert (record.case.state, record.case.evidence_count) == (State.RESOLVED, 40)
    return used


def test_a_case_with_five_specialists_stays_under_forty_reads_and_forty_writes(rig: FirestoreRig) -> None:
    used = _life(rig, 1)
    assert used.reads < 40
    assert used.writes < 40
    assert used.deletes == 0


def test_a_case_costs_the_same_however_many_there_are(rig: FirestoreRig) -> None:
    _life(rig, 1)
    second = _life(rig, 2)
    for number in range(3, 6):
        assert _life(rig, number) == second


def test_a_watchdog_of_a_round_that_is_over_costs_one_read(rig: FirestoreRig) -> None:
    _life(rig, 1)
    before = rig.opened.meter.usage()
    rig.advance(seconds=181)
    rig.pump()
    assert rig.opened.meter.usage() - before == Usage(calls=1, reads=1, writes=0, deletes=0)


def test_a_burst_of_trace_lines_is_one_write_and_is_counted_apart(firestore: FirestoreStores) -> None:
    before = firestore.meter.usage()
    for number in range(15):
        firestore.trace.say(ORG, "case_1", "payments", f"query {number}")
    firestore.trace.flush()
    assert firestore.meter.usage() == before
    assert firestore.meter.by_collection()["trace"]["writes"] <= 2


def test_what_is_counted_is_what_was_done(firestore: FirestoreStores) -> None:
    firestore.inbox.put(entry(1))
    assert firestore.meter.usage() == Usage(calls=1, reads=0, writes=1, deletes=0)
    firestore.inbox.put(entry(1))
    firestore.inbox.get(ORG, "evt_1")
    firestore.inbox.waiting_for(ORG, "case_nowhere")
    assert firestore.meter.usage() == Usage(calls=4, reads=2, writes=1, deletes=0)
