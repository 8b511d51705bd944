"""What the functions answer to Pub/Sub and Cloud Tasks, whatever is sent to them."""

from __future__ import annotations

import base64
import json

import pytest

from shared.case.lifecycle import State
from shared.errors import Retryable
from shared.ports import Message
from shared.steps.budgets import FAULTS_BEFORE_FAILED
from shared.steps.dead_letters import TRANSPORT_ORG
from shared.team.contract import Draft, Material
from tests.support.rig import ORG, Rig


def push(rig: Rig, function: str, body: object, **outer: object) -> int:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    envelope = {"message": {"data": base64.b64encode(raw).decode(), "attributes": {}}, **outer}
    return rig._call(function, json.dumps(envelope).encode(), {})


def quarantined(rig: Rig) -> list[str]:
    return [entry.reason for entry in rig.inbox.list_entries(TRANSPORT_ORG)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not json", "the push body is not JSON"),
        (b"[]", "the push body has no message"),
        (b'{"message": "text"}', "the push body has no message"),
        (b'{"message": {"data": "%%%"}}', "message.data is not base64"),
        (b'{"message": {"attributes": {}}}', "message.data is not JSON"),
        (b'{"message": {"data": "W10="}}', "the hint is malformed"),
        (b'{"message": {"data": "e30="}}', "the hint is malformed: org: Field required"),
    ],
)
@pytest.mark.parametrize("function", ["triage", "synthesize", "policy_check"])
def test_a_poisoned_message_is_quarantined_and_acknowledged(rig: Rig, function: str, body: bytes, reason: str) -> None:
    assert rig._call(function, body, {}) == 204
    assert reason in quarantined(rig)[0]


@pytest.mark.parametrize("body", [b"not json", b"[]", b"{}", b'{"org": 7, "case_id": "c"}'])
@pytest.mark.parametrize("function", ["specialist", "act"])
def test_a_poisoned_task_is_quarantined_and_acknowledged(rig: Rig, function: str, body: bytes) -> None:
    assert rig._call(function, body, {}) == 204
    assert len(quarantined(rig)) == 1


def test_the_same_poison_again_is_kept_once(rig: Rig) -> None:
    for _ in range(3):
        rig._call("triage", b"not json", {})
    assert len(quarantined(rig)) == 1


def test_a_hint_about_a_case_that_is_not_there_is_quarantined(rig: Rig) -> None:
    assert push(rig, "synthesize", {"org": ORG, "case_id": "case_unknown"}) == 204
    assert quarantined(rig) == ["there is no case case_unknown"]


def test_a_hint_about_an_entry_that_is_not_visible_yet_is_asked_for_again(rig: Rig) -> None:
    assert push(rig, "triage", {"org": ORG, "event_id": "evt_early"}) == 503


def test_a_hint_of_another_org_finds_nothing_of_this_one(rig: Rig) -> None:
    case = rig.to_approval()
    assert push(rig, "policy_check", {"org": "intruder", "case_id": case.id}) == 204
    assert "there is no" in quarantined(rig)[0]


def test_something_to_try_later_carries_its_wait(rig: Rig) -> None:
    rig.playbook.conclude = lambda material: (_ for _ in ()).throw(Retryable("down", after=7.2))
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not (isinstance(sent, Message) and sent.topic == "synthesize"))
    client = rig.apps["synthesize"].test_client()  # type: ignore[attr-defined]
    data = base64.b64encode(json.dumps({"org": ORG, "case_id": rig.case().id}).encode()).decode()
    response = client.post("/", json={"message": {"data": data}})
    assert (response.status_code, response.headers["Retry-After"]) == (503, "8")


def broken(material: Material) -> Draft:
    text = "customer text " + "sk_live_" + "secret"
    raise RuntimeError(text)


def test_an_unexpected_error_asks_for_redelivery_and_its_text_is_neither_answered_nor_logged(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.playbook.conclude = broken
    rig.post(rig.event("test.created"))
    rig.pump()
    assert ("synthesize", 500) in rig.answers
    assert "RuntimeError" in caplog.text
    assert "sk_live_secret" not in caplog.text


def test_a_fault_that_redelivery_does_not_cure_is_shown_to_operators_as_a_failed_case(rig: Rig) -> None:
    rig.playbook.conclude = broken
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not (isinstance(sent, Message) and sent.topic == "synthesize"))
    message = rig.out.messages[0]
    answers = [rig.deliver_message(message, attempt) for attempt in range(1, FAULTS_BEFORE_FAILED + 1)]
    assert answers == [500] * (FAULTS_BEFORE_FAILED - 1) + [204]
    case = rig.case()
    assert (case.state, case.state_reason) == (State.FAILED, "synthesize failed with RuntimeError in every attempt")
    assert rig.deliver_message(message, FAULTS_BEFORE_FAILED) == 204


def test_a_fault_of_triage_quarantines_the_entry(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    message = rig.out.messages[0]
    rig.playbook.route = None  # type: ignore[assignment, method-assign]
    answers = [rig.deliver_message(message, attempt) for attempt in range(1, FAULTS_BEFORE_FAILED + 1)]
    assert (answers[0], answers[-1]) == (500, 204)
    entry = rig.inbox.list_entries(ORG)[0]
    assert (entry.status.value, entry.reason) == ("quarantined", "triage failed with TypeError in every attempt")


def test_the_trace_of_a_message_reaches_the_log_of_the_case(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    trace = rig.out.messages[0].attributes["trace"]
    rig.pump()
    first = next(iter(rig.store.log(ORG, rig.case().id)))
    assert f'"trace":"{trace}"' in first.entries[0]


def test_a_task_without_a_trace_takes_the_one_of_its_headers(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: isinstance(sent, Message))
    task = rig.out.tasks[0]
    headers = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    assert rig._call(task.function, json.dumps(task.body).encode(), headers) == 204


def test_one_broken_case_does_not_keep_the_others_from_being_swept(rig: Rig) -> None:
    rig.to_approval("du_1")
    rig.to_approval("du_2")
    rig.advance(hours=73)
    rig.database.write(
        lambda connection: connection.execute(
            'UPDATE cases SET body = replace(body, \'"playbook":"disputes"\', \'"playbook":"gone"\') WHERE id = ?',
            (rig.case("du_1").id,),
        )
    )
    rig.sweep()
    assert rig.case("du_2").state is State.EXPIRED


def test_the_sweeper_backs_off_from_a_case_that_does_not_move(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: isinstance(sent, Message) and sent.topic == "triage")
    waits = []
    for _ in range(4):
        rig.out.tasks.clear()
        wake = rig.store.read(ORG, rig.case().id).bookkeeping.wake_at  # type: ignore[union-attr]
        assert wake is not None
        waits.append((wake - rig.clock.now()).total_seconds())
        rig.advance(seconds=waits[-1])
        rig.sweep()
    assert waits[0] == 60
    assert waits == sorted(waits)
    generations = rig.store.read(ORG, rig.case().id).bookkeeping.generation  # type: ignore[union-attr]
    assert generations >= 3
    assert len({task.name for task in rig.out.tasks}) == len(rig.out.tasks)


def test_a_sweep_of_a_new_process_looks_at_everything_that_waits(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.out.messages.clear()
    client = rig.apps["sweep"].test_client()  # type: ignore[attr-defined]
    assert client.post("/", json={"at_start": True}).get_json()["entries"] == 1
    assert [message.topic for message in rig.out.messages] == ["triage"]


def test_the_sweeper_waits_ever_longer_for_a_hint_that_keeps_getting_lost(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not (isinstance(sent, Message) and sent.topic == "policy_check"))
    waits = []
    for _ in range(7):
        rig.out.messages.clear()
        wake = rig.store.read(ORG, rig.case().id).bookkeeping.wake_at  # type: ignore[union-attr]
        assert wake is not None
        waits.append((wake - rig.clock.now()).total_seconds() / 60)
        rig.advance(minutes=waits[-1])
        rig.sweep()
    assert waits == [1, 1, 2, 4, 8, 16, 30]
