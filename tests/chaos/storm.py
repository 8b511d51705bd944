"""A burst of webhooks as Stripe would send them: signed, some of them twice, in no order, again when not accepted."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from infra.fakes.stripe.courier import signature

ORG, SECRET = "acme", "whsec_burst"
SENDERS = 16
EVENTS_PER_DISPUTE = ("test.created", "test.updated", "test.updated", "test.closed", "test.boring")
TRIES = 10


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event on its way. `forged`: signed by someone who does not have the secret."""

    event_id: str
    body: str
    forged: bool = False
    tries: int = 0


@dataclass(slots=True)
class Outcome:
    """What became of a burst. Latencies in seconds, of every answered request."""

    answers: Counter[tuple[bool, int | None]] = field(default_factory=Counter)
    """How often (forged, status) was answered; None: no answer at all."""
    accepted: set[str] = field(default_factory=set)
    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def percentile(self, percent: int) -> float:
        """So many percent of the requests were answered within this many seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def events(disputes: int) -> list[dict[str, Any]]:
    """A few events of each dispute, in the order in which they happened."""
    start = 1_778_000_000
    return [
        {
            "id": f"evt_{dispute:05}_{number}",
            "object": "event",
            "type": kind,
            "created": start + number,
            "livemode": False,
            "data": {
                "object": {"id": f"du_{dispute:05}", "object": "dispute", "status": _status(kind), "step": number}
            },
        }
        for dispute in range(disputes)
        for number, kind in enumerate(EVENTS_PER_DISPUTE)
    ]


def _status(kind: str) -> str:
    return "lost" if kind == "test.closed" else "needs_response"


def shuffled(sent: Sequence[dict[str, Any]], seed: int) -> list[Delivery]:
    """Every event, one in five of them twice and one in fifty also forged, reordered."""
    chance = random.Random(seed)
    genuine = [Delivery(event["id"], json.dumps(event)) for event in sent]
    twice = chance.sample(genuine, len(genuine) // 5)
    forged = [
        Delivery(f"{one.event_id}_forged", one.body.replace(one.event_id, f"{one.event_id}_forged"), forged=True)
        for one in chance.sample(genuine, len(genuine) // 50)
    ]
    deliveries = [*genuine, *twice, *forged]
    chance.shuffle(deliveries)
    return deliveries


class Storm:
    """Sends from many threads at once; what was not accepted goes to the end of the line, as with Stripe."""

    def __init__(self, url: str, deliveries: Sequence[Delivery]) -> None:
        self._target = urlsplit(url)
        self._waiting = deque(deliveries)
        self._lock = threading.Lock()
        self._progress = threading.Condition(self._lock)
        self._outcome = Outcome()
        self.reachable = threading.Event()
        """Cleared while the receiver is down: then nothing more is sent."""
        self.reachable.set()

    def rage(self) -> Outcome:
        """Send everything; returns when everything was accepted, refused for good, or tried too often."""
        since = time.monotonic()
        threads = [threading.Thread(target=self._send_all) for _ in range(SENDERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._outcome.seconds = time.monotonic() - since
        return self._outcome

    def wait_until_accepted(self, count: int) -> None:
        """Return once so many different events were accepted."""
        with self._progress:
            assert self._progress.wait_for(lambda: len(self._outcome.accepted) >= count, timeout=60)

    def _send_all(self) -> None:
        connection = http.client.HTTPConnection(self._target.netloc, timeout=30)
        try:
            while (delivery := self._next()) is not None:
                assert self.reachable.wait(timeout=60)
                since = time.monotonic()
                status = self._post(connection, delivery)
                self._note(delivery, status, time.monotonic() - since)
        finally:
            connection.close()

    def _next(self) -> Delivery | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _post(self, connection: http.client.HTTPConnection, delivery: Delivery) -> int | None:
        secret = "whsec_of_somebody_else" if delivery.forged else SECRET
        headers = {"Stripe-Signature": signature(delivery.body, [secret], int(time.time()))}
        try:
            connection.request("POST", self._target.path, delivery.body.encode(), headers)
            response = connection.getresponse()
            response.read()
            return response.status
        except (OSError, http.client.HTTPException):
            connection.close()
            return None

    def _note(self, delivery: Delivery, status: int | None, seconds: float) -> None:
        with self._lock:
            self._outcome.answers[delivery.forged, status] += 1
            self._outcome.latencies.append(seconds)
            if status == 200:
                self._outcome.accepted.add(delivery.event_id)
                self._progress.notify_all()
            elif status != 400 and delivery.tries < TRIES:
                again = Delivery(delivery.event_id, delivery.body, delivery.forged, delivery.tries + 1)
                self._waiting.append(again)
