"""Many writers on one case: every commit is applied, none is lost, and nobody is starved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from infra.google.firestore import FirestoreStores
from infra.local.clock import SystemClock
from infra.local.entropy import SystemEntropy
from shared.case.case import Case, Subject, case_id
from shared.case.events import Reminded
from shared.ports.store import Version, Write
from shared.steps.commit import Change, commit
from tests.contract.factories import batch, opening
from tests.emulator.rig import FirestoreRig
from tests.support.rig import ORG

WRITERS, COMMITS = 8, 25


@pytest.fixture
def rig(tmp_path: Path, firestore: FirestoreStores) -> Iterator[FirestoreRig]:
    with FirestoreRig(tmp_path, firestore) as opened:
        opened.manual.pause = SystemClock().pause  # type: ignore[method-assign]
        opened.entropy = SystemEntropy()
        yield opened


def test_eight_writers_apply_twenty_five_commits_each_to_one_case(rig: FirestoreRig) -> None:
    store = rig.opened.store
    store.write(batch(None, opening()))
    case = case_id(ORG, Subject(kind="dispute", id="dp_1"))
    tries: Counter[str] = Counter()
    real = store.write

    def counted(write: Write) -> Version:
        tries[write.case.reminded[-1]] += 1
        return real(write)

    store.write = counted  # type: ignore[method-assign]

    def work(writer: int) -> None:
        for turn in range(COMMITS):
            name = f"{writer}/{turn}"

            def decide(case: Case | None, now: datetime, name: str = name) -> Change:
                return Change([Reminded(what=name)])

            assert commit(rig.all_ports(), rig.context(), case, decide).changed

    with ThreadPoolExecutor(WRITERS) as threads:
        list(threads.map(work, range(WRITERS)))
    record = store.read(ORG, case)
    assert record is not None
    expected = {f"{writer}/{turn}" for writer in range(WRITERS) for turn in range(COMMITS)}
    assert len(record.case.reminded) == len(expected)
    assert set(record.case.reminded) == expected
