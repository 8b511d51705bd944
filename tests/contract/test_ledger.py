"""The ledger of a charge: what all cases together reserve and pay, never more than one of them at a time decides."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.ports.store import CaseStore, ChargeLedger, PreconditionFailed, Reservation
from tests.contract.factories import ORG, batch, fact, opening, stored


def test_a_charge_that_nobody_touched_has_an_empty_ledger(store: CaseStore) -> None:
    assert store.read_ledger(ORG, "acct_1", "ch_1") == ChargeLedger("acct_1", "ch_1", (), None)


def test_reservations_are_read_back_as_they_were_written(store: CaseStore) -> None:
    kept = (Reservation("case_a", "a1", 8400), Reservation("case_b", "b1", 1, paid=True, external_ref="re_1"))
    store.write(batch(None, opening(), ledger=ChargeLedger("acct_1", "ch_1", kept)))
    found = store.read_ledger(ORG, "acct_1", "ch_1")
    assert found.reservations == kept
    assert found.version is not None


def test_the_same_charge_id_on_two_accounts_has_two_ledgers(store: CaseStore) -> None:
    kept = (Reservation("case_a", "a1", 8400),)
    store.write(batch(None, opening(), ledger=ChargeLedger("acct_1", "ch_1", kept)))
    assert store.read_ledger(ORG, "acct_2", "ch_1").version is None
    assert store.read_ledger(ORG, None, "ch_1") == ChargeLedger(None, "ch_1")


def test_a_ledger_changes_only_from_the_version_that_was_read(store: CaseStore) -> None:
    first = stored(store, batch(None, opening(1), ledger=ChargeLedger(None, "ch_1")))
    read = store.read_ledger(ORG, None, "ch_1")
    second = stored(store, batch(None, opening(2), ledger=replace(read, reservations=(Reservation("c", "a", 5),))))
    with pytest.raises(PreconditionFailed):
        store.write(batch(first, fact("n", 1), ledger=replace(read, reservations=())))
    assert store.read_ledger(ORG, None, "ch_1").reservations == (Reservation("c", "a", 5),)
    assert store.read(ORG, second.case.id) == second


def test_a_ledger_that_should_be_new_but_is_not_is_refused(store: CaseStore) -> None:
    store.write(batch(None, opening(1), ledger=ChargeLedger(None, "ch_1", (Reservation("c", "a", 5),))))
    with pytest.raises(PreconditionFailed):
        store.write(batch(None, opening(2), ledger=ChargeLedger(None, "ch_1")))
    assert store.read_ledger(ORG, None, "ch_1").reservations == (Reservation("c", "a", 5),)


def test_a_ledger_that_should_exist_but_does_not_is_refused(store: CaseStore) -> None:
    store.write(batch(None, opening(1), ledger=ChargeLedger(None, "ch_1")))
    version = store.read_ledger(ORG, None, "ch_1").version
    with pytest.raises(PreconditionFailed):
        store.write(batch(None, opening(2), ledger=ChargeLedger(None, "ch_2", (), version)))


def test_eight_cases_on_one_charge_never_reserve_more_than_it_holds(store: CaseStore) -> None:
    refundable, wanted = 500, 100
    records = [stored(store, batch(None, opening(n))) for n in range(8)]

    def reserve(number: int) -> bool:
        record = records[number]
        while True:
            ledger = store.read_ledger(ORG, None, "ch_1")
            if sum(item.amount_minor for item in ledger.reservations) + wanted > refundable:
                return False
            mine = (*ledger.reservations, Reservation(record.case.id, "refund", wanted))
            try:
                store.write(batch(record, fact("reserved", True), ledger=replace(ledger, reservations=mine)))
            except PreconditionFailed:
                continue
            return True

    with ThreadPoolExecutor(8) as threads:
        reserved = list(threads.map(reserve, range(8)))
    assert reserved.count(True) == 5
    assert len(store.read_ledger(ORG, None, "ch_1").reservations) == 5
