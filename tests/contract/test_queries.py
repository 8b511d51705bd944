"""Which cases are due, and how they are listed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.case.lifecycle import State
from shared.errors import InvalidInput
from shared.ports.store import Bookkeeping, CaseQuery, CaseRecord, CaseStore
from tests.contract.factories import ORG, OTHER_ORG, at, batch, fact, moved, opening, stored


def _waking(store: CaseStore, number: int, wake_s: float | None, *, org: str = ORG) -> str:
    wake_at = None if wake_s is None else at(wake_s)
    return stored(store, batch(None, opening(number, org=org), wake_at=wake_at)).case.id


def test_due_are_the_cases_whose_time_has_come_oldest_first(store: CaseStore) -> None:
    third, first, second = (_waking(store, n, wake_s) for n, wake_s in enumerate((30, 10, 20)))
    _waking(store, 3, 31)
    _waking(store, 4, None)
    assert [case for _, case in store.due(ORG, at(30), 10)] == [first, second, third]


def test_a_case_is_due_from_its_very_microsecond_on(store: CaseStore) -> None:
    case_id = stored(store, batch(None, opening(), wake_at=at(0, microseconds=5))).case.id
    assert list(store.due(ORG, at(0, microseconds=4), 10)) == []
    assert list(store.due(ORG, at(0, microseconds=5), 10)) == [(ORG, case_id)]


def test_due_returns_no_more_than_asked_and_the_oldest_of_them(store: CaseStore) -> None:
    ids = [_waking(store, n, n) for n in range(7)]
    assert [case for _, case in store.due(ORG, at(100), 3)] == ids[:3]


def test_due_without_an_org_covers_all_of_them(store: CaseStore) -> None:
    mine, theirs = _waking(store, 1, 20), _waking(store, 1, 10, org=OTHER_ORG)
    assert list(store.due(None, at(60), 10)) == [(OTHER_ORG, theirs), (ORG, mine)]
    assert list(store.due(ORG, at(60), 10)) == [(ORG, mine)]


def test_next_wake_is_the_earliest_of_any_case(store: CaseStore) -> None:
    assert store.next_wake() is None
    _waking(store, 1, None)
    assert store.next_wake() is None
    _waking(store, 2, 50)
    _waking(store, 3, 40, org=OTHER_ORG)
    assert store.next_wake() == at(40)


def test_a_commit_replaces_when_a_case_wakes(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), wake_at=at(10)))
    store.write(batch(record, moved(), wake_at=None))
    assert store.next_wake() is None
    assert list(store.due(ORG, at(60), 10)) == []


def test_bookkeeping_changes_nothing_but_itself(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), wake_at=at(10)))
    assert store.set_bookkeeping(ORG, record.case.id, record.version, Bookkeeping(at(70), 2, 3))
    after = store.read(ORG, record.case.id)
    assert after is not None
    assert after.bookkeeping == Bookkeeping(at(70), 2, 3)
    assert (after.case, after.head) == (record.case, record.head)
    assert store.next_wake() == at(70)
    assert len(list(store.log(ORG, record.case.id))) == 1


def test_bookkeeping_of_a_case_that_has_changed_since_is_refused(store: CaseStore) -> None:
    old = stored(store, batch(None, opening(), wake_at=at(10)))
    new = stored(store, batch(old, moved(), wake_at=at(20)))
    assert not store.set_bookkeeping(ORG, old.case.id, old.version, Bookkeeping(at(70), 1, 1))
    assert store.read(ORG, old.case.id) == new


def test_bookkeeping_of_a_case_that_does_not_exist_is_refused(store: CaseStore) -> None:
    record = stored(store, batch(None, opening()))
    assert not store.set_bookkeeping(ORG, "case_nowhere", record.version, Bookkeeping(at(70)))


def test_of_two_sweepers_that_saw_the_same_case_one_wins(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), wake_at=at(10)))

    def sweep(generation: int) -> bool:
        return store.set_bookkeeping(ORG, record.case.id, record.version, Bookkeeping(at(60), generation, 1))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(sweep, range(8))).count(True) == 1


def _pages(store: CaseStore, *, states: tuple[str, ...] = (), limit: int) -> list[list[str]]:
    pages, after = [], None
    while True:
        page = store.list_cases(ORG, CaseQuery(states, limit, after))
        pages.append([case.subject.id for case in page.cases])
        after = page.next
        if after is None:
            return pages


def test_an_org_without_cases_has_one_empty_last_page(store: CaseStore) -> None:
    page = store.list_cases(ORG, CaseQuery())
    assert (page.cases, page.next) == ((), None)


def test_cases_are_listed_latest_change_first(store: CaseStore) -> None:
    records = [stored(store, batch(None, opening(n), when=at(n))) for n in range(3)]
    store.write(batch(records[0], fact("n", 1), when=at(10)))
    assert _pages(store, limit=50) == [["dp_0", "dp_2", "dp_1"]]


def test_pages_cover_every_case_once_also_when_all_changed_at_the_same_instant(store: CaseStore) -> None:
    for number in range(25):
        store.write(batch(None, opening(number), when=at(0)))
    pages = _pages(store, limit=10)
    assert [len(page) for page in pages] == [10, 10, 5]
    assert len({subject for page in pages for subject in page}) == 25


def test_a_last_page_that_is_exactly_full_has_no_next(store: CaseStore) -> None:
    for number in range(4):
        store.write(batch(None, opening(number), when=at(number)))
    assert _pages(store, limit=2) == [["dp_3", "dp_2"], ["dp_1", "dp_0"]]


def test_listing_can_be_narrowed_to_states(store: CaseStore) -> None:
    for number in range(6):
        events = (opening(number), moved()) if number % 2 else (opening(number),)
        store.write(batch(None, *events, when=at(number)))
    assert _pages(store, states=(State.INVESTIGATING,), limit=2) == [["dp_5", "dp_3"], ["dp_1"]]
    assert len(_pages(store, states=(State.INVESTIGATING, State.RECEIVED), limit=50)[0]) == 6
    assert _pages(store, states=(State.RESOLVED,), limit=2) == [[]]


def test_what_changes_while_someone_pages_is_neither_shown_twice_nor_hides_anything_else(store: CaseStore) -> None:
    records: list[CaseRecord] = [stored(store, batch(None, opening(n), when=at(n))) for n in range(9)]
    first = store.list_cases(ORG, CaseQuery(limit=3))
    assert [case.subject.id for case in first.cases] == ["dp_8", "dp_7", "dp_6"]
    # One that was shown and one that was not both change now, and a new one arrives.
    store.write(batch(records[7], fact("n", 1), when=at(100)))
    store.write(batch(records[4], fact("n", 1), when=at(101)))
    store.write(batch(None, opening(9), when=at(102)))
    rest, after = [], first.next
    while after is not None:
        page = store.list_cases(ORG, CaseQuery(limit=3, after=after))
        rest += [case.subject.id for case in page.cases]
        after = page.next
    assert rest == ["dp_5", "dp_3", "dp_2", "dp_1", "dp_0"]
    fresh = store.list_cases(ORG, CaseQuery(limit=3))
    assert [case.subject.id for case in fresh.cases] == ["dp_9", "dp_4", "dp_7"]


@pytest.mark.parametrize("token", ["", "nonsense", "12", ":case_1", "-5:case_1", "9" * 40 + ":case_1"])
def test_a_page_token_that_no_page_gave_is_refused(store: CaseStore, token: str) -> None:
    with pytest.raises(InvalidInput):
        store.list_cases(ORG, CaseQuery(after=token))
