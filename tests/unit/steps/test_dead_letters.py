"""What nobody tries again by itself reaches operators, and what it is about can be looked at again."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

import pytest
from flask import Flask

from infra.local.apps import load_app
from shared.case.lifecycle import State
from shared.errors import Conflict, InvalidInput, NotFound, Refused
from shared.ports import Message
from shared.ports.store import InboxChange, InboxStatus
from shared.steps.context import Ports
from shared.steps.dead_letters import DeadLetter, dead_letter, dead_letters, quarantine, replay
from tests.support.rig import ALICE, BOB, ORG, OSCAR, VERA, Rig

GIVEN_UP = {
    "CloudPubSubDeadLetterSourceSubscription": "projects/acme/subscriptions/synthesize",
    "CloudPubSubDeadLetterSourceDeliveryCount": "20",
    "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-05-08T12:00:00Z",
}


def deliver(rig: Rig, hint: object, attributes: Mapping[str, object] = GIVEN_UP, message_id: str = "7") -> int:
    data = base64.b64encode(json.dumps(hint).encode()).decode()
    envelope = {"message": {"data": data, "attributes": dict(attributes), "messageId": message_id}}
    return rig._call("dead_letter", json.dumps(envelope).encode(), {})


def letters(rig: Rig, *, closed: bool = False) -> list[DeadLetter]:
    return list(dead_letters(rig.inbox, closed=closed))


def without_synthesize(rig: Rig) -> str:
    """A case whose draft is due, and whose hint was lost."""
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not (isinstance(sent, Message) and sent.topic == "synthesize"))
    rig.out.messages.clear()
    return rig.case().id


def test_a_message_that_was_given_up_is_kept_with_where_it_came_from(rig: Rig) -> None:
    assert deliver(rig, {"org": ORG, "case_id": "case_1"}) == 204
    (letter,) = letters(rig)
    assert (letter.source, letter.status) == ("synthesize", InboxStatus.QUARANTINED)
    assert letter.reason == "not acknowledged in 20 deliveries"
    assert letter.hint == {"org": ORG, "case_id": "case_1"}
    assert letter.attributes == GIVEN_UP
    assert letter.received_at == rig.clock.now()
    assert json.loads(letter.request)["message"]["messageId"] == "7"


def test_the_same_message_given_up_twice_is_one_letter_and_another_one_is_not(rig: Rig) -> None:
    deliver(rig, {"org": ORG, "case_id": "case_1"}, message_id="7")
    deliver(rig, {"org": ORG, "case_id": "case_1"}, message_id="8")
    assert len(letters(rig)) == 1
    later = {**GIVEN_UP, "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-05-08T13:00:00Z"}
    deliver(rig, {"org": ORG, "case_id": "case_1"}, later)
    assert len(letters(rig)) == 2


@pytest.mark.parametrize("body", [b"not json", b"[]", b'{"message": {"data": "%%%"}}', b"\xff\xfe"])
def test_a_letter_that_cannot_be_read_is_kept_as_it_is(rig: Rig, body: bytes) -> None:
    assert rig._call("dead_letter", body, {}) == 204
    (letter,) = letters(rig)
    assert (letter.source, letter.hint) == ("dead_letter", None)
    assert letter.request == body.decode(errors="replace")


def test_attributes_that_are_no_text_are_left_out(rig: Rig) -> None:
    deliver(rig, {"org": ORG, "case_id": "c"}, {"CloudPubSubDeadLetterSourceSubscription": 7, "org": ORG})
    (letter,) = letters(rig)
    assert (letter.source, letter.attributes) == ("dead_letter", {"org": ORG})


@pytest.mark.parametrize("email", [ALICE, OSCAR])
def test_a_replay_sends_what_is_due_by_now_and_closes_the_letter(rig: Rig, email: str) -> None:
    case_id = without_synthesize(rig)
    deliver(rig, {"org": ORG, "case_id": case_id})
    (letter,) = letters(rig)
    about = replay(rig.all_ports(), rig.context(email), letter.id, "the model answers again")
    assert about.case_id == case_id
    assert [message.topic for message in rig.out.messages] == ["synthesize"]
    assert letters(rig) == []
    (closed,) = letters(rig, closed=True)
    assert (closed.status, closed.reason) == (InboxStatus.IGNORED, f"replayed by {email}: the model answers again")
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def test_a_replay_of_what_has_been_done_meanwhile_sends_nothing(rig: Rig) -> None:
    case = rig.to_approval()
    deliver(rig, {"org": ORG, "case_id": case.id})
    replay(rig.all_ports(), rig.context(OSCAR), letters(rig)[0].id, "again")
    assert (rig.out.messages, letters(rig)) == ([], [])
    assert rig.case() == case


def test_a_replayed_task_gets_a_name_that_was_never_used(rig: Rig) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: isinstance(sent, Message))
    first = {task.name for task in rig.out.tasks}
    rig.out.tasks.clear()
    deliver(rig, {"org": ORG, "case_id": rig.case().id, "generation": 0})
    replay(rig.all_ports(), rig.context(OSCAR), letters(rig)[0].id, "again")
    again = {task.name for task in rig.out.tasks}
    assert again
    assert not again & first


def test_an_event_that_still_waits_is_triaged_again(rig: Rig) -> None:
    event = rig.event("test.created")
    rig.post(event)
    rig.out.messages.clear()
    deliver(rig, {"org": ORG, "event_id": event["id"]})
    assert replay(rig.all_ports(), rig.context(OSCAR), letters(rig)[0].id, "again").event_id == event["id"]
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def test_an_event_that_waits_no_more_is_left_alone(rig: Rig) -> None:
    event = rig.event("test.created")
    rig.post(event)
    rig.pump()
    deliver(rig, {"org": ORG, "event_id": event["id"]})
    with pytest.raises(Conflict, match="attached"):
        replay(rig.all_ports(), rig.context(OSCAR), letters(rig)[0].id, "again")
    assert len(letters(rig)) == 1


@pytest.mark.parametrize(
    ("hint", "error"),
    [
        (None, InvalidInput),
        ([], InvalidInput),
        ({"case_id": "c"}, InvalidInput),
        ({"org": ORG}, InvalidInput),
        ({"org": ORG, "case_id": 7}, InvalidInput),
        ({"org": ORG, "case_id": "case_unknown"}, NotFound),
        ({"org": ORG, "event_id": "evt_unknown"}, NotFound),
        ({"org": "another", "case_id": "c"}, Refused),
    ],
)
def test_what_cannot_be_replayed_stays_open_and_says_why(rig: Rig, hint: object, error: type[Exception]) -> None:
    deliver(rig, hint)
    (letter,) = letters(rig)
    with pytest.raises(error):
        replay(rig.all_ports(), rig.context(OSCAR), letter.id, "again")
    assert [each.id for each in letters(rig)] == [letter.id]


@pytest.mark.parametrize("email", [BOB, VERA, "nobody@elsewhere.test", None])
def test_only_operators_and_admins_replay(rig: Rig, email: str | None) -> None:
    case_id = without_synthesize(rig)
    deliver(rig, {"org": ORG, "case_id": case_id})
    with pytest.raises(Refused):
        replay(rig.all_ports(), rig.context(email), letters(rig)[0].id, "again")
    assert rig.out.messages == []


def test_a_letter_is_replayed_once(rig: Rig) -> None:
    deliver(rig, {"org": ORG, "case_id": without_synthesize(rig)})
    (letter,) = letters(rig)
    replay(rig.all_ports(), rig.context(OSCAR), letter.id, "again")
    with pytest.raises(Conflict, match="replayed by"):
        replay(rig.all_ports(), rig.context(OSCAR), letter.id, "again")
    with pytest.raises(NotFound):
        dead_letter(rig.inbox, "synthesize-unknown")


def test_a_request_that_is_poisoned_again_after_a_replay_is_open_again(rig: Rig) -> None:
    ports = rig.all_ports()
    letter_id = quarantine(ports, "act", '{"org": "acme"}', "there is no case")
    rig.inbox.settle("_transport", InboxChange(letter_id, InboxStatus.IGNORED, reason="replayed"))
    assert quarantine(ports, "act", '{"org": "acme"}', "there is still no case") == letter_id
    assert [(each.id, each.reason) for each in letters(rig)] == [(letter_id, "there is still no case")]


def test_a_request_that_no_redelivery_cures_can_be_replayed_once_its_cause_is_gone(rig: Rig) -> None:
    case_id = without_synthesize(rig)
    rig.playbook.conclude = lambda material: (_ for _ in ()).throw(Refused("the policy forbids it"))
    assert rig.deliver_message(Message("synthesize", {"org": ORG, "case_id": case_id})) == 204
    (letter,) = letters(rig)
    assert (letter.source, letter.reason) == ("synthesize", "the policy forbids it")
    del rig.playbook.conclude
    assert replay(rig.all_ports(), rig.context(OSCAR), letter.id, "policy corrected").case_id == case_id


class Strangers:
    """Serves nobody."""

    def require(self, authorization: str, peer: str) -> None:
        raise Refused("it sent no bearer token")


@pytest.mark.parametrize(
    "function", ["triage", "specialist", "synthesize", "policy_check", "act", "sweep", "dead_letter"]
)
@pytest.mark.parametrize("told", [True, False])
def test_a_function_serves_nobody_but_its_transports(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, function: str, told: bool
) -> None:
    real = rig.ports

    def closed(name: str) -> Ports:
        fields: dict[str, Any] = {field: getattr(real(name), field) for field in Ports.__dataclass_fields__}
        return Ports(**{**fields, "callers": Strangers() if told else None})

    monkeypatch.setattr(rig, "ports", closed)
    client = cast(Flask, load_app(rig, function)).test_client()
    client.application.config["PROPAGATE_EXCEPTIONS"] = False
    response = client.post("/", data=b"not json", headers={"Authorization": "Bearer secret-token"})
    assert response.status_code == (403 if told else 500)
    assert letters(rig) == []
    assert "secret-token" not in response.get_data(as_text=True)


def test_a_caller_from_another_machine_is_refused_on_the_embedded_default(rig: Rig) -> None:
    client = cast(Flask, rig.apps["sweep"]).test_client()
    assert client.post("/", environ_base={"REMOTE_ADDR": "10.1.2.3"}).status_code == 403
    assert client.post("/", environ_base={"REMOTE_ADDR": "127.0.0.1"}).status_code == 200
