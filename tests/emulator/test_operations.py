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
    print(used, rig.opened.meter.by_collection())
    assert used.reads < 40
    assert used.writes < 40
