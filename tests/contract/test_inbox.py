"""The inbox: an event is stored once, and it is always known what became of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.errors import NotFound
from shared.ports.store import Inbox, InboxChange, InboxStatus
from tests.contract.conftest import Stores
from tests.contract.factories import ORG, OTHER_ORG, at, batch, entry, opening
from tests.contract.test_cases import AWKWARD


def _ids(found: object) -> list[str]:
    assert isinstance(found, (list, tuple))
    return [item.id for item in found]


def test_an_event_is_read_back_as_it_arrived(inbox: Inbox) -> None:
    given = entry(1, body=AWKWARD, received_at=at(0, microseconds=1), expires_at=at(3_000_000, microseconds=2))
    assert inbox.put(given)
    assert inbox.get(ORG, "evt_1") == given
    assert inbox.get(ORG, "evt_2") is None


def test_an_event_that_arrives_again_changes_nothing(inbox: Inbox) -> None:
    assert inbox.put(entry(1, body="first"))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED, reason="not ours"))
    assert not inbox.put(entry(1, body="second"))
    found = inbox.get(ORG, "evt_1")
    assert found is not None
    assert (found.body, found.status, found.reason) == ("first", InboxStatus.IGNORED, "not ours")


def test_of_twenty_deliveries_of_one_event_exactly_one_is_new(inbox: Inbox) -> None:
    with ThreadPoolExecutor(20) as threads:
        new = list(threads.map(lambda n: inbox.put(entry(1, body=str(n))), range(20)))
    assert new.count(True) == 1
    found = inbox.get(ORG, "evt_1")
    assert found is not None
    assert found.body == str(new.index(True))


def test_an_event_can_be_stored_as_quarantined_at_once(inbox: Inbox) -> None:
    given = entry(1, status=InboxStatus.QUARANTINED, reason="unknown account")
    inbox.put(given)
    assert inbox.get(ORG, "evt_1") == given
    assert list(inbox.unsettled(None, 10)) == []


def test_settling_says_what_became_of_an_event(inbox: Inbox) -> None:
    inbox.put(entry(1))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.RECEIVED, "case_1", "its case is not open yet"))
    assert inbox.get(ORG, "evt_1") == replace(entry(1), case_id="case_1", reason="its case is not open yet")
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED, reason="waited three days"))
    assert inbox.get(ORG, "evt_1") == replace(entry(1), status=InboxStatus.IGNORED, reason="waited three days")


def test_settling_an_event_that_is_not_there_is_an_error(inbox: Inbox) -> None:
    with pytest.raises(NotFound):
        inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED))


def test_a_late_duplicate_cannot_undo_that_an_event_was_attached(stores: Stores) -> None:
    stores.inbox.put(entry(1))
    write = batch(None, opening())
    change = InboxChange("evt_1", InboxStatus.ATTACHED, write.case.id)
    stores.cases.write(replace(write, inbox=(change,)))
    stores.inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED, reason="a duplicate"))
    found = stores.inbox.get(ORG, "evt_1")
    assert found is not None
    assert (found.status, found.case_id, found.reason) == (InboxStatus.ATTACHED, write.case.id, "")


def test_events_that_wait_for_a_case_come_in_the_order_they_arrived(inbox: Inbox) -> None:
    for number, seconds in enumerate((20, 10, 30)):
        inbox.put(entry(number, received_at=at(seconds)))
        inbox.settle(ORG, InboxChange(f"evt_{number}", InboxStatus.RECEIVED, "case_1"))
    inbox.put(entry(3, case_id="case_2"))
    inbox.put(entry(4))
    inbox.put(entry(5, case_id="case_1", status=InboxStatus.IGNORED))
    assert _ids(inbox.waiting_for(ORG, "case_1")) == ["evt_1", "evt_0", "evt_2"]


def test_unsettled_are_the_events_of_every_org_that_are_to_be_looked_at_by_an_instant(inbox: Inbox) -> None:
    inbox.put(entry(1, look_at=at(2)))
    inbox.put(entry(2, look_at=at(1), org=OTHER_ORG))
    inbox.put(entry(3, look_at=at(3, microseconds=1)))
    inbox.put(entry(4, look_at=at(0)))
    inbox.settle(ORG, InboxChange("evt_4", InboxStatus.QUARANTINED, reason="malformed"))
    assert _ids(inbox.unsettled(at(3), 10)) == ["evt_2", "evt_1"]
    assert _ids(inbox.unsettled(at(60), 1)) == ["evt_2"]
    assert _ids(inbox.unsettled(None, 10)) == ["evt_2", "evt_1", "evt_3"]


def test_looking_again_later_does_not_reopen_what_was_settled_meanwhile(inbox: Inbox) -> None:
    inbox.put(entry(1, look_at=at(1)))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.RECEIVED, look_at=at(9)))
    assert _ids(inbox.unsettled(at(8), 10)) == []
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED, reason="not ours"))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.RECEIVED, look_at=at(10)))
    assert _ids(inbox.unsettled(None, 10)) == []


def test_entries_are_listed_oldest_first_and_by_status(inbox: Inbox) -> None:
    for number, seconds in enumerate((2, 0, 1)):
        inbox.put(entry(number, received_at=at(seconds)))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED))
    assert _ids(inbox.list_entries(ORG)) == ["evt_1", "evt_2", "evt_0"]
    assert _ids(inbox.list_entries(ORG, InboxStatus.RECEIVED)) == ["evt_2", "evt_0"]
    assert _ids(inbox.list_entries(ORG, InboxStatus.IGNORED)) == ["evt_1"]
    assert _ids(inbox.list_entries(ORG, limit=2)) == ["evt_1", "evt_2"]
