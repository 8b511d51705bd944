"""Events come in signed, are stored once, and are acknowledged only then."""

from __future__ import annotations

import json
import threading

import pytest

from shared.case.lifecycle import State
from shared.ports.store import InboxStatus
from shared.steps.intake import UNKNOWN_ORG
from shared.steps.signature import BadSignature, verify_signature
from tests.support.rig import ORG, START, Rig, sign


def test_an_event_is_stored_before_it_is_acknowledged_and_triage_is_sent(rig: Rig) -> None:
    answer = rig.post(rig.event("test.created"))
    assert (answer.status_code, answer.get_json()["status"]) == (200, "received")
    entry = rig.inbox.list_entries(ORG)[0]
    assert (entry.type, entry.status) == ("test.created", InboxStatus.RECEIVED)
    assert [message.topic for message in rig.out.messages] == ["triage"]


def test_the_same_event_five_times_in_parallel_is_one_entry_and_one_case(rig: Rig) -> None:
    event = rig.event("test.created")
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(rig.post(event).status_code)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [200] * 5
    rig.pump()
    assert len(rig.inbox.list_entries(ORG)) == 1
    assert len(rig.case().rounds) == 1


def test_the_same_hint_delivered_in_parallel_is_recorded_once_in_the_log(rig: Rig) -> None:
    rig.to_approval()
    rig.post(rig.event("test.updated"))
    (hint,) = rig.out.messages
    threads = [threading.Thread(target=rig.deliver_message, args=(hint,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = [text for commit in rig.store.log(ORG, rig.case().id) for text in commit.entries]
    assert sum('"type":"outside_changed"' in text for text in log) == 1


def test_a_redelivery_of_an_entry_whose_hint_was_lost_sends_the_hint_again(rig: Rig) -> None:
    event = rig.event("test.created")
    rig.post(event)
    rig.out.messages.clear()
    assert rig.post(event).get_json()["known"] is True
    assert [message.topic for message in rig.out.messages] == ["triage"]


def test_a_redelivery_after_the_case_was_opened_sends_nothing(rig: Rig) -> None:
    event = rig.event("test.created")
    rig.post(event)
    rig.pump()
    assert rig.post(event).get_json()["status"] == "attached"
    assert rig.out.messages == []


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "missing"),
        ("nonsense", "no usable"),
        ("t=1,v1=00", "old"),
        ("t=99999999999,v1=00", "future"),
        ("v1=00", "no usable"),
    ],
)
def test_a_delivery_without_a_valid_signature_is_refused_with_the_reason_and_not_stored(
    rig: Rig, header: str, reason: str
) -> None:
    answer = rig.post_signed(b"{}", header)
    assert answer.status_code == 400
    assert reason in answer.get_json()["error"]
    assert not rig.inbox.list_entries(ORG)


def test_a_body_changed_after_signing_is_refused(rig: Rig) -> None:
    body = json.dumps(rig.event("test.created")).encode()
    answer = rig.post_signed(body + b" ", sign(body))
    assert answer.status_code == 400
    assert "changed" in answer.get_json()["error"]


def test_the_raw_bytes_are_verified_whatever_their_whitespace(rig: Rig) -> None:
    body = json.dumps(rig.event("test.created"), indent=7).encode() + b"\n\n"
    assert rig.post(body).status_code == 200


def test_a_signature_by_the_old_secret_counts_while_the_secret_is_rolled() -> None:
    body = b"{}"
    header = sign(body, "old") + "," + sign(body, "new").split(",")[1]
    received = _now_of(header)
    assert verify_signature(body, header, {"old": "old"}, received) == "old"
    assert verify_signature(body, header, {"current": "new"}, received) == "current"
    with pytest.raises(BadSignature, match="no signature matches"):
        verify_signature(body, header, {"other": "third"}, received)


def test_a_secret_never_appears_in_a_refusal() -> None:
    with pytest.raises(BadSignature) as refused:
        verify_signature(b"{}", "t=1,v1=abc", {"current": "whsec_secret"}, START)
    assert "whsec_secret" not in str(refused.value)


@pytest.mark.parametrize("body", [b"not json", b"[1, 2]", b'"text"', b"\xff\xfe", b"[" * 20000])
def test_a_signed_body_that_is_not_a_json_object_is_refused(rig: Rig, body: bytes) -> None:
    assert rig.post(body).status_code == 400


def test_a_body_over_one_mebibyte_is_refused(rig: Rig) -> None:
    assert rig.post(b'{"a": "' + b"x" * 1024 * 1024 + b'"}').status_code == 413


def test_a_thin_event_is_acknowledged_and_quarantined(rig: Rig) -> None:
    answer = rig.post({**rig.event("test.created"), "object": "v2.core.event"})
    assert (answer.status_code, answer.get_json()["status"]) == (200, "quarantined")
    assert rig.out.messages == []


def test_a_live_event_on_a_test_endpoint_is_acknowledged_and_quarantined(rig: Rig) -> None:
    answer = rig.post({**rig.event("test.created"), "livemode": True})
    assert answer.get_json()["status"] == "quarantined"
    assert "livemode" in rig.inbox.list_entries(UNKNOWN_ORG)[0].reason


def test_an_event_of_an_unknown_account_is_acknowledged_and_kept_for_operators(rig: Rig) -> None:
    assert rig.post({**rig.event("test.created"), "account": "acct_stranger"}).status_code == 200
    entry = rig.inbox.list_entries(UNKNOWN_ORG)[0]
    assert (entry.status, "no org" in entry.reason) == (InboxStatus.QUARANTINED, True)


def test_an_unknown_path_and_another_method_are_refused(rig: Rig) -> None:
    assert rig.post(rig.event("test.created"), path="/webhooks/other").status_code == 404
    client = rig.apps["stripe_webhook"].test_client()  # type: ignore[attr-defined]
    assert client.get("/webhooks/stripe").status_code == 405


def test_an_event_type_we_do_not_handle_is_recorded_as_ignored_with_the_reason(rig: Rig) -> None:
    rig.post(rig.event("payout.paid"))
    rig.post(rig.event("test.boring"))
    rig.post(rig.event("test.broken"))
    rig.pump()
    found = {entry.type: (entry.status.value, entry.reason) for entry in rig.inbox.list_entries(ORG)}
    assert found == {
        "payout.paid": ("ignored", "events of type payout.paid are not handled"),
        "test.boring": ("ignored", "it concerns nothing"),
        "test.broken": ("quarantined", "the object has no id"),
    }
    assert rig.store.list_cases(ORG, _all()).cases == ()


def test_a_bookkeeping_event_waits_for_its_case_and_is_taken_up_when_it_opens(rig: Rig) -> None:
    rig.post(rig.event("test.funds_withdrawn"))
    rig.pump()
    assert rig.find() is None
    assert rig.inbox.list_entries(ORG)[0].status is InboxStatus.RECEIVED
    rig.post(rig.event("test.created"))
    rig.pump()
    assert {entry.status for entry in rig.inbox.list_entries(ORG)} == {InboxStatus.ATTACHED}
    assert rig.case().state is State.AWAITING_APPROVAL


def test_a_closing_that_came_before_the_opening_leaves_one_case_without_investigation(rig: Rig) -> None:
    rig.post(rig.event("test.closed", status="lost"))
    rig.pump()
    rig.post(rig.event("test.created"))
    rig.pump()
    case = rig.case()
    assert (case.state, case.rounds, case.actions) == (State.WITHDRAWN, (), ())
    assert case.state_reason == "the dispute was lost"


def test_a_bookkeeping_event_without_a_case_is_ignored_after_three_days(rig: Rig) -> None:
    rig.post(rig.event("test.funds_withdrawn"))
    rig.pump()
    rig.advance(days=3, seconds=1)
    rig.sweep()
    entry = rig.inbox.list_entries(ORG)[0]
    assert (entry.status, entry.reason) == (InboxStatus.IGNORED, "its case was not opened within three days")


def test_the_sweeper_sends_triage_again_for_an_entry_that_nobody_took_up(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.out.messages.clear()
    rig.advance(seconds=59)
    assert rig.sweep()["entries"] == 0
    rig.advance(seconds=2)
    assert rig.sweep()["entries"] == 1
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def _all():  # type: ignore[no-untyped-def]
    from shared.ports.store import CaseQuery

    return CaseQuery()


def _now_of(header: str):  # type: ignore[no-untyped-def]
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(header.split(",")[0][2:]), UTC)
