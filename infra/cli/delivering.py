"""Choosing events and posting them, signed, to a webhook."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.cli.loopback import exchange
from infra.fakes.stripe.courier import signature
from infra.worlds import World
from shared.errors import InvalidInput, NotFound

ALL: Final = "all"
_AT_ONCE: Final = 32

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery and the webhook's answer."""

    event_id: str
    type: str
    http_status: int
    status: str | None
    """What the inbox says of the event."""
    known: bool
    """Whether it had been stored before."""
    error: str | None

    @property
    def accepted(self) -> bool:
        """Whether the sender need not send it again."""
        return 200 <= self.http_status < 300

    @property
    def said(self) -> str:
        """The answer in words."""
        return self.error or f"{self.status}{', known' if self.known else ''}"

    def as_json(self) -> dict[str, Any]:
        """The delivery for other programs."""
        return {name: getattr(self, name) for name in self.__slots__}


def chosen_events(world: World, wanted: str) -> list[Event]:
    """All of the world's events, those of one type, or the one in a file.

    Raises NotFound, naming the types, when it is none of these, and InvalidInput for a file without an event.
    """
    if wanted == ALL:
        return list(world.events)
    matching = [event for event in world.events if event["type"] == wanted]
    if matching:
        return matching
    path = Path(wanted)
    if path.is_file():
        return [_read(path)]
    types = ", ".join(dict.fromkeys(str(event["type"]) for event in world.events))
    raise NotFound(f"{wanted} is neither a file nor an event type of {world.name}; its event types: {types or 'none'}")


def in_order(events: Sequence[Event], seed: int | None) -> list[Event]:
    """The events in their order, or shuffled: the same way for the same seed."""
    ordered = list(events)
    if seed is not None:
        random.Random(seed).shuffle(ordered)
    return ordered


def deliver(url: str, secret: str, events: Sequence[Event], duplicates: int) -> list[Delivery]:
    """Post one event after the other to the webhook at this address, signed, each with its duplicates at once."""
    deliveries: list[Delivery] = []
    with ThreadPoolExecutor(min(duplicates, _AT_ONCE)) as pool:
        for event in events:
            deliveries += pool.map(lambda copy: _post(url, secret, copy), [event] * duplicates)
    return deliveries


def _read(path: Path) -> Event:
    try:
        event = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, ValueError):
        raise InvalidInput(f"{path} is not JSON") from None
    if not isinstance(event, dict):
        raise InvalidInput(f"{path} holds no event: a JSON object with id, type and data.object")
    return event


def _post(url: str, secret: str, event: Event) -> Delivery:
    body = json.dumps(event)
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        # Signatures are judged on the receiver's real clock, whatever time it is in the world.
        "Stripe-Signature": signature(body, [secret], int(time.time())),
    }
    status, told = exchange(url, body.encode(), headers)
    answer = json.loads(told)
    return Delivery(
        event_id=str(event.get("id")),
        type=str(event.get("type")),
        http_status=status,
        status=answer.get("status"),
        known=answer.get("known") is True,
        error=answer.get("error"),
    )
