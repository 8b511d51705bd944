"""Lost answers and outages: what is sent again is never applied twice, and every caller knows its own success."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.api_core import exceptions as api
from google.cloud.firestore_v1.batch import WriteBatch

from infra.google.documents import ATTEMPTS, CALL_TIMEOUT_S
from infra.google.faults import FirestoreRefused, FirestoreUnavailable
from infra.google.firestore import FirestoreStores
from shared.case.case import Subject, case_id
from shared.case.events import Reminded
from shared.errors import NotFound
from shared.ports.store import CaseQuery, InboxChange, InboxStatus, PreconditionFailed
from shared.steps.audit import audit
from shared.steps.commit import Change, commit
from tests.contract.factories import ORG, at, batch, claim, entry, fact, moved, opening, report, stored
from tests.emulator.rig import FirestoreRig

CASE = case_id(ORG, Subject(kind="dispute", id="dp_1"))


@pytest.fixture
def rig(tmp_path: Path, firestore: FirestoreStores) -> Iterator[FirestoreRig]:
    with FirestoreRig(tmp_path, firestore) as opened:
        yield opened


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict[str, Any]]]:
    """Make the next commits fail with these errors, after (`applied`) or before they are applied; returns the calls."""
    real = WriteBatch.commit

    def install(*errors: Exception, applied: bool) -> list[dict[str, Any]]:
        waiting, calls = list(errors), []

        def answer(self: WriteBatch, **keywords: Any) -> Any:
            calls.append(keywords)
            if not waiting:
                return real(self, **keywords)
            if applied:
                pending = list(self._write_pbs)
                real(self, **keywords)
                self._write_pbs = pending
            raise waiting.pop(0)

        monkeypatch.setattr(WriteBatch, "commit", answer)
        return calls

    return install


LOST = api.ServiceUnavailable("the connection was lost")


def test_a_commit_whose_answer_is_lost_is_recognised_and_holds_once(rig: FirestoreRig, answers: Any) -> None:
    rig.opened.store.write(batch(None, opening()))
    answers(LOST, applied=True)
    done = commit(rig.all_ports(), rig.context(), CASE, lambda case, now: Change([Reminded(what="once")]))
    record = rig.opened.store.read(ORG, CASE)
    assert record is not None
    assert (done.changed, record.case.reminded) == (True, ("once",))


def test_a_call_that_was_not_applied_is_made_again(firestore: FirestoreStores, answers: Any) -> None:
    calls = answers(LOST, applied=False)
    assert stored(firestore.store, batch(None, opening())).case.id == CASE
    assert len(calls) == 2


def test_every_call_has_a_deadline_and_the_client_sends_nothing_again_by_itself(
    firestore: FirestoreStores, answers: Any
) -> None:
    (calls,) = [answers(applied=False)]
    firestore.store.write(batch(None, opening()))
    assert calls[0]["timeout"] == CALL_TIMEOUT_S
    assert not calls[0]["retry"]._predicate(LOST)


def test_an_outage_ends_after_a_bounded_number_of_calls_as_something_to_retry(
    firestore: FirestoreStores, answers: Any
) -> None:
    calls = answers(*[api.DeadlineExceeded("too slow")] * ATTEMPTS, applied=False)
    with pytest.raises(FirestoreUnavailable):
        firestore.store.write(batch(None, opening()))
    assert len(calls) == ATTEMPTS


def test_missing_permission_is_for_people_and_not_tried_again(firestore: FirestoreStores, answers: Any) -> None:
    calls = answers(api.PermissionDenied("no"), applied=False)
    with pytest.raises(FirestoreRefused):
        firestore.store.write(batch(None, opening()))
    assert len(calls) == 1


def test_contention_that_firestore_reports_itself_is_a_lost_race(firestore: FirestoreStores, answers: Any) -> None:
    answers(api.Aborted("too much contention"), applied=False)
    with pytest.raises(PreconditionFailed):
        firestore.store.write(batch(None, opening()))


def test_a_report_whose_answer_is_lost_stands_and_is_counted_once(firestore: FirestoreStores, answers: Any) -> None:
    answers(LOST, applied=True)
    assert firestore.store.create_report(ORG, CASE, report("payments")) is None
    assert firestore.store.create_report(ORG, CASE, report("usage")) == 2


def test_a_claim_whose_answer_is_lost_is_ours(firestore: FirestoreStores, answers: Any) -> None:
    answers(LOST, applied=True)
    assert firestore.claims.take(ORG, claim("a"), at(0)) is None
    assert firestore.claims.take(ORG, claim("b"), at(0)) == claim("a")


def test_an_event_whose_answer_is_lost_is_in_the_inbox(firestore: FirestoreStores, answers: Any) -> None:
    answers(LOST, applied=True)
    assert not firestore.inbox.put(entry(1))
    assert firestore.inbox.get(ORG, "evt_1") == entry(1)


def test_a_missing_inbox_entry_is_told_from_a_missing_case(firestore: FirestoreStores) -> None:
    record = stored(firestore.store, batch(None, opening(1)))
    firestore.inbox.put(entry(2))
    change = InboxChange("evt_2", InboxStatus.ATTACHED, CASE)
    missing = batch(None, opening(3), moved())
    with pytest.raises(PreconditionFailed):
        firestore.store.write(replace(missing, expected=record.version, inbox=(change,)))
    gone = InboxChange("evt_gone", InboxStatus.ATTACHED, CASE)
    with pytest.raises(NotFound):
        firestore.store.write(batch(record, fact("n", 1), inbox=(change, gone)))
    assert firestore.store.read(ORG, CASE) == record


def test_an_unsettled_event_never_expires_and_a_settled_one_does(firestore: FirestoreStores) -> None:
    firestore.inbox.put(entry(1, expires_at=at(60)))
    path = f"orgs/{ORG}/inbox"

    def expiry() -> Any:
        (found,) = firestore.client.collection(path).stream()
        return found.to_dict().get("delete_at")

    assert expiry() is None
    firestore.inbox.settle(ORG, InboxChange("evt_1", InboxStatus.RECEIVED, CASE, look_at=at(5)))
    assert expiry() is None
    firestore.inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED, reason="not ours"))
    assert expiry() is not None


def test_a_whole_case_on_firestore_passes_its_audit(rig: FirestoreRig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump()
    (case,) = rig.opened.store.list_cases(ORG, CaseQuery()).cases
    assert case.evidence_count > 0
    assert audit(rig.opened.store, ORG, case.id).ok
