"""The one conditional write of a case: it holds as a whole, or nothing of it does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.case.canonical import canonical, sha256
from shared.case.case import Case
from shared.case.events import Entry
from shared.case.evolve import evolve
from shared.case.lifecycle import State
from shared.errors import InvalidInput, NotFound
from shared.ports.store import (
    Bookkeeping,
    CaseStore,
    ChargeLedger,
    Head,
    InboxChange,
    InboxStatus,
    PreconditionFailed,
    Reservation,
)
from tests.contract.conftest import Stores
from tests.contract.factories import (
    ORG,
    OTHER_ORG,
    at,
    batch,
    committed,
    entry,
    episode,
    fact,
    moved,
    opening,
    stored,
)

AWKWARD = (
    'naïve 日本語 🧾 \u202eright-to-left\u202c \x00\x01\x1f\x7f \u2028 "quoted" \\ \r\n\t \'; DROP TABLE cases; --'
)


def test_a_case_that_was_never_written_is_not_there(store: CaseStore) -> None:
    assert store.read(ORG, "case_nowhere") is None
    assert store.commit_at(ORG, "case_nowhere", 0) is None
    assert list(store.log(ORG, "case_nowhere")) == []


def test_a_case_is_read_back_as_it_was_written(store: CaseStore) -> None:
    write = batch(None, opening(), moved(), wake_at=at(60, microseconds=7))
    record = stored(store, write)
    assert record.case == write.case
    assert record.head == write.head
    assert record.bookkeeping == Bookkeeping(at(60, microseconds=7), 0, 0)


def test_bookkeeping_of_a_batch_is_kept_including_generation_and_backoff(store: CaseStore) -> None:
    write = replace(batch(None, opening()), bookkeeping=Bookkeeping(None, generation=3, backoff=5))
    assert stored(store, write).bookkeeping == Bookkeeping(None, 3, 5)


def test_unicode_and_control_characters_survive_to_the_letter(store: CaseStore) -> None:
    write = batch(None, opening(facts={AWKWARD: AWKWARD, "nested": [{"a": [None, True, 1, AWKWARD]}]}))
    record = stored(store, write)
    assert record.case.facts == write.case.facts
    assert store.commit_at(ORG, write.case.id, 0) == write.commit


def test_a_lone_surrogate_is_refused_and_nothing_is_written(store: CaseStore) -> None:
    good = batch(None, opening())
    broken = replace(good, case=good.case.model_copy(update={"facts": {"note": "\ud800"}}))
    with pytest.raises(InvalidInput):
        store.write(broken)
    assert store.read(ORG, good.case.id) is None


def test_instants_are_exact_to_the_microsecond(store: CaseStore) -> None:
    instants = [at(0, microseconds=n) for n in (0, 1, 876_543, 876_544)]
    for number, instant in enumerate(instants):
        record = stored(store, batch(None, opening(number), when=instant, wake_at=instant))
        assert (record.case.opened_at, record.case.updated_at) == (instant, instant)
        assert record.bookkeeping.wake_at == instant


def test_creating_a_case_twice_fails_and_leaves_the_first(store: CaseStore) -> None:
    first = batch(None, opening(facts={"who": "first"}))
    store.write(first)
    with pytest.raises(PreconditionFailed):
        store.write(batch(None, opening(facts={"who": "second"})))
    record = store.read(ORG, first.case.id)
    assert record is not None
    assert record.case == first.case
    assert [commit.commit_id for commit in store.log(ORG, first.case.id)] == [first.commit.commit_id]


def test_changing_a_case_that_does_not_exist_fails(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(1)))
    with pytest.raises(PreconditionFailed):
        store.write(replace(batch(None, opening(2)), expected=record.version))


def test_every_write_gives_the_case_another_version(store: CaseStore) -> None:
    record = stored(store, batch(None, opening()))
    versions = [record.version]
    for number in range(5):
        record = stored(store, batch(record, fact("n", number)))
        versions.append(record.version)
    assert len(set(versions)) == len(versions)


def test_a_write_returns_the_version_that_the_case_has_from_then_on(store: CaseStore) -> None:
    write = batch(None, opening())
    version = store.write(write)
    record = store.read(ORG, write.case.id)
    assert record is not None
    assert record.version == version
    again = store.write(batch(record, fact("n", 1)))
    assert store.write(batch(replace(record, version=again, head=_head(store, record.case.id)), fact("n", 2))) != again


def _head(store: CaseStore, case_id: str) -> Head:
    record = store.read(ORG, case_id)
    assert record is not None
    return record.head


def test_a_stale_write_changes_nothing(store: CaseStore) -> None:
    old = stored(store, batch(None, opening()))
    new = stored(store, batch(old, moved(), wake_at=at(30)))
    with pytest.raises(PreconditionFailed):
        store.write(batch(old, fact("lost", True)))
    assert store.read(ORG, old.case.id) == new
    assert len(list(store.log(ORG, old.case.id))) == 2


def test_a_commit_document_is_never_overwritten(store: CaseStore) -> None:
    record = stored(store, batch(None, opening()))
    impossible = batch(record, moved())
    rewritten = replace(impossible, commit=replace(impossible.commit, first_seq=0))
    with pytest.raises(PreconditionFailed):
        store.write(rewritten)
    assert store.read(ORG, record.case.id) == record


def test_a_batch_that_mixes_orgs_or_cases_is_refused(store: CaseStore) -> None:
    write = batch(None, opening())
    with pytest.raises(InvalidInput):
        store.write(replace(write, org=OTHER_ORG))
    with pytest.raises(InvalidInput):
        store.write(replace(write, commit=replace(write.commit, case_id="case_other")))
    assert store.read(ORG, write.case.id) is None


def test_a_lost_acknowledgement_is_recognised_by_the_commit_at_its_seq(store: CaseStore) -> None:
    write = batch(None, opening(), commit_id="mine")
    store.write(write)
    with pytest.raises(PreconditionFailed):
        store.write(write)
    found = store.commit_at(ORG, write.case.id, write.commit.first_seq)
    assert found is not None
    assert found.commit_id == "mine"


def test_commit_at_finds_a_commit_by_its_first_seq_only(store: CaseStore) -> None:
    write = batch(None, opening(), moved())
    record = stored(store, write)
    store.write(batch(record, fact("n", 1), commit_id="second"))
    assert store.commit_at(ORG, record.case.id, 1) is None
    second = store.commit_at(ORG, record.case.id, 2)
    assert second is not None
    assert (second.commit_id, second.first_seq) == ("second", 2)


def test_the_log_returns_entries_and_hashes_as_they_were_given(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), moved()))
    for number in range(12):
        record = stored(store, batch(record, fact("n", number), fact("m", number)))
    commits = list(store.log(ORG, record.case.id))
    assert [commit.first_seq for commit in commits] == [2 * n for n in range(13)]
    for commit in commits:
        assert [sha256(text) for text in commit.entries] == list(commit.hashes)
    assert record.head.hash == commits[-1].hashes[-1]


def test_the_stored_case_is_the_fold_of_its_stored_log(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), moved()))
    record = stored(store, batch(record, fact("dispute.status", "won"), when=at(5)))
    case: Case | None = None
    for commit in store.log(ORG, record.case.id):
        for text in commit.entries:
            logged = Entry.model_validate_json(text)
            case = evolve(case, logged.event, logged.at)
    assert case is not None
    assert canonical(case) == canonical(record.case)


def test_eight_contending_writers_all_get_through_by_reading_again(store: CaseStore) -> None:
    case_id = stored(store, batch(None, opening(facts={"n": 0}))).case.id

    def increments(_: int) -> None:
        for _ in range(10):
            committed(store, ORG, case_id, lambda case: fact("n", (case.int_fact("n") or 0) + 1))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(increments, range(8)))
    record = store.read(ORG, case_id)
    assert record is not None
    assert record.case.facts["n"] == 80
    assert [commit.first_seq for commit in store.log(ORG, case_id)] == list(range(81))


def test_of_twenty_creators_exactly_one_wins(store: CaseStore) -> None:
    writes = [batch(None, opening(facts={"n": n}), commit_id=f"c{n}") for n in range(20)]

    def create(number: int) -> bool:
        try:
            store.write(writes[number])
        except PreconditionFailed:
            return False
        return True

    with ThreadPoolExecutor(20) as threads:
        won = list(threads.map(create, range(20)))
    assert won.count(True) == 1
    record = store.read(ORG, writes[0].case.id)
    assert record is not None
    assert record.case.facts["n"] == won.index(True)
    assert [commit.commit_id for commit in store.log(ORG, record.case.id)] == [f"c{won.index(True)}"]


def test_a_reader_sees_every_write_that_has_returned(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(facts={"n": 0})))
    with ThreadPoolExecutor(1) as other:
        for number in range(1, 50):
            store.write(batch(record, fact("n", number)))
            seen = other.submit(store.read, ORG, record.case.id).result()
            assert seen is not None
            assert seen.case.facts["n"] == number
            record = seen


def test_a_batch_settles_inbox_ledger_and_memory_together_with_the_case(stores: Stores) -> None:
    stores.inbox.put(entry(1))
    write = batch(None, opening())
    case_id = write.case.id
    change = InboxChange("evt_1", InboxStatus.ATTACHED, case_id)
    ledger = ChargeLedger("acct_1", "ch_1", (Reservation(case_id, "a1", 8400),))
    stores.cases.write(replace(write, inbox=(change,), ledger=ledger, episode=episode(case_id)))
    settled = stores.inbox.get(ORG, "evt_1")
    assert settled is not None
    assert (settled.status, settled.case_id) == (InboxStatus.ATTACHED, case_id)
    assert stores.cases.read_ledger(ORG, "acct_1", "ch_1").reservations == ledger.reservations
    assert list(stores.cases.episodes(ORG, "cus_1")) == [episode(case_id)]


def _nothing_happened(stores: Stores, case_id: str, commits: int) -> None:
    assert len(list(stores.cases.log(ORG, case_id))) == commits
    waiting = stores.inbox.get(ORG, "evt_1")
    assert waiting is not None
    assert waiting.status is InboxStatus.RECEIVED
    assert list(stores.cases.episodes(ORG, "cus_1")) == []


def test_a_stale_ledger_takes_the_whole_batch_back(stores: Stores) -> None:
    stores.inbox.put(entry(1))
    record = stored(stores.cases, replace(batch(None, opening()), ledger=ChargeLedger(None, "ch_1")))
    stale = ChargeLedger(None, "ch_1", (Reservation(record.case.id, "a1", 100),))
    write = replace(
        batch(record, moved()),
        ledger=stale,
        inbox=(InboxChange("evt_1", InboxStatus.ATTACHED, record.case.id),),
        episode=episode(record.case.id),
    )
    with pytest.raises(PreconditionFailed):
        stores.cases.write(write)
    assert stores.cases.read(ORG, record.case.id) == record
    assert stores.cases.read_ledger(ORG, None, "ch_1").reservations == ()
    _nothing_happened(stores, record.case.id, commits=1)


def test_a_stale_case_takes_the_ledger_back_too(stores: Stores) -> None:
    stores.inbox.put(entry(1))
    old = stored(stores.cases, batch(None, opening()))
    new = stored(stores.cases, batch(old, moved()))
    write = replace(
        batch(old, fact("n", 1)),
        ledger=ChargeLedger(None, "ch_1", (Reservation(old.case.id, "a1", 100),)),
        inbox=(InboxChange("evt_1", InboxStatus.ATTACHED, old.case.id),),
        episode=episode(old.case.id),
    )
    with pytest.raises(PreconditionFailed):
        stores.cases.write(write)
    assert stores.cases.read(ORG, old.case.id) == new
    assert stores.cases.read_ledger(ORG, None, "ch_1").version is None
    _nothing_happened(stores, old.case.id, commits=2)


def test_settling_an_event_that_the_inbox_does_not_have_takes_the_whole_batch_back(stores: Stores) -> None:
    stores.inbox.put(entry(1))
    write = batch(None, opening())
    changes = (
        InboxChange("evt_1", InboxStatus.ATTACHED, write.case.id),
        InboxChange("evt_missing", InboxStatus.ATTACHED, write.case.id),
    )
    with pytest.raises(NotFound):
        stores.cases.write(replace(write, inbox=changes, ledger=ChargeLedger(None, "ch_1")))
    assert stores.cases.read(ORG, write.case.id) is None
    assert stores.cases.read_ledger(ORG, None, "ch_1").version is None
    _nothing_happened(stores, write.case.id, commits=0)


def test_a_large_case_survives(store: CaseStore) -> None:
    facts = {f"fact.{number}": "x" * 1000 for number in range(400)}
    write = batch(None, opening(facts=facts))
    assert stored(store, write).case == write.case


def test_a_terminal_case_is_stored_like_any_other(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), moved(State.WITHDRAWN), wake_at=None))
    assert record.case.terminal
    assert record.bookkeeping.wake_at is None
