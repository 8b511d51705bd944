"""What the core may expect of Messages, whoever carries them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest

from shared.ports.queue import Message
from tests.contract.transports import TRANSPORTS, Transport
from tests.unit.runtime.house import Seen, answers


@pytest.fixture(params=sorted(TRANSPORTS))
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    """A transport with one subscriber to `triage`."""
    with TRANSPORTS[request.param](request) as opened:
        yield opened


def skip_if_unlike_production(transport: Transport, status: int) -> None:
    if status in transport.unlike_production:
        pytest.skip(
            f"this emulator does not take {status} for what Pub/Sub takes it for; the functions never answer it"
        )


def _body(seen: Seen) -> object:
    return json.loads(base64.b64decode(seen.json["message"]["data"]))


def test_a_message_reaches_the_subscriber_of_its_topic_with_its_body_and_attributes(transport: Transport) -> None:
    transport.messages.publish(Message("triage", {"event": "evt_1", "round": 2}, {"org": "acme"}))
    seen = transport.function.wait()
    assert _body(seen) == {"event": "evt_1", "round": 2}
    assert seen.json["message"]["attributes"] == {"org": "acme"}


def test_every_one_of_many_messages_arrives(transport: Transport) -> None:
    wanted = [f"evt_{number}" for number in range(200)]
    for event in wanted:
        transport.messages.publish(Message("triage", {"event": event}))
    transport.settle()
    assert sorted(_body(seen)["event"] for seen in transport.function.seen) == sorted(wanted)  # type: ignore[index]


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_an_acknowledged_message_is_not_delivered_again(transport: Transport, status: int) -> None:
    skip_if_unlike_production(transport, status)
    transport.function.answer = answers(status)
    transport.messages.publish(Message("triage", {"event": "evt_1"}))
    transport.settle()
    transport.pass_time(3600)
    transport.settle()
    assert len(transport.function.seen) == 1


@pytest.mark.parametrize("status", [203, 206, 302, 400, 404, 409, 429, 500, 503])
def test_a_message_that_is_not_acknowledged_is_delivered_again(transport: Transport, status: int) -> None:
    skip_if_unlike_production(transport, status)
    transport.function.answer = answers(status)
    transport.messages.publish(Message("triage", {"event": "evt_1"}))
    transport.settle()
    assert len(transport.function.seen) == 1
    transport.pass_time(3600)
    transport.settle()
    first, second = transport.function.seen
    assert first.json["message"] == second.json["message"]


def test_two_publications_of_the_same_message_are_two_messages(transport: Transport) -> None:
    for _ in range(2):
        transport.messages.publish(Message("triage", {"event": "evt_1"}))
    transport.settle()
    first, second = transport.function.seen
    assert first.json["message"]["messageId"] != second.json["message"]["messageId"]


def test_text_of_any_script_arrives_as_it_was_sent(transport: Transport) -> None:
    transport.messages.publish(Message("triage", {"event": "évt_☂\n\u0000"}, {"org": "Zoë & Söhne"}))
    seen = transport.function.wait()
    assert _body(seen) == {"event": "évt_☂\n\u0000"}
    assert seen.json["message"]["attributes"] == {"org": "Zoë & Söhne"}
