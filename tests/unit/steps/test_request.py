"""Requests by people enter through the same inbox as events."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.errors import InvalidInput, Refused
from shared.ports.store import InboxStatus
from shared.steps.request import REQUEST_TYPE, PersonRequest, open_request, request_id
from tests.support.rig import ALICE, ORG, OSCAR, VERA, Rig


def request(**changes: object) -> PersonRequest:
    fields: dict[str, object] = {
        "id": "preq_1",
        "channel": "email",
        "received_at": datetime(2026, 5, 8, 9, tzinfo=UTC),
        "sender": "buyer@example.test",
        "text": "You charged me twice.",
        "charge": "ch_1",
        "amount_minor": 8900,
        "currency": "usd",
    }
    return PersonRequest.model_validate(fields | changes)


def test_a_request_is_stored_once_and_triaged_like_an_event(rig: Rig) -> None:
    first = open_request(rig.all_ports(), rig.context(OSCAR), request())
    again = open_request(rig.all_ports(), rig.context(OSCAR), request())
    assert (first.known, again.known) == (False, True)
    (entry,) = rig.inbox.list_entries(ORG)
    assert (entry.type, entry.status) == (REQUEST_TYPE, InboxStatus.RECEIVED)
    assert f'"requested_by": "{OSCAR}"' in entry.body
    rig.pump()
    assert rig.inbox.list_entries(ORG)[0].status is InboxStatus.IGNORED


@pytest.mark.parametrize(("email", "reason"), [(VERA, "may not open"), ("stranger@else.test", "may not open")])
def test_viewers_and_strangers_open_no_cases(rig: Rig, email: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        open_request(rig.all_ports(), rig.context(email), request())
    assert not rig.inbox.list_entries(ORG)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"currency": None}, "an amount needs its currency"),
        ({"amount_minor": None}, "an amount needs its currency"),
        ({"currency": "dollars"}, "three-letter"),
        ({"received_at": datetime(2026, 5, 8)}, "needs an offset"),
    ],
)
def test_a_request_that_contradicts_itself_is_refused_and_nothing_is_stored(
    rig: Rig, changes: dict[str, object], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        open_request(rig.all_ports(), rig.context(ALICE), request(**changes))
    assert not rig.inbox.list_entries(ORG)


def test_the_same_words_from_the_same_sender_about_the_same_charge_are_the_same_request() -> None:
    assert request_id("email", "a@b.test", "twice", "ch_1") == request_id("email", "a@b.test", "twice", "ch_1")
    assert request_id("email", "a@b.test", "twice", "ch_1") != request_id("email", "a@b.test", "twice", "ch_2")
