"""How Stripe delivers its events: signed, late, twice, in any order, and again until somebody answers with 2xx."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import Final

from infra.local.delivery import Deliver, DeliveryRequest
from infra.simulation.baton import Activity, Baton
from infra.simulation.journal import Journal
from infra.simulation.weather import Weather

SECRET: Final = "whsec_simulated"
_RETRY_S: Final = (5.0, 60.0, 600.0, 3600.0, 6 * 3600.0, 24 * 3600.0)
_DEADLINE_S: Final = 10.0


class Courier:
    """Delivers events to the webhook."""

    def __init__(self, baton: Baton, weather: Weather, journal: Journal, deliver: Deliver) -> None:
        self._baton, self._weather, self._journal, self._deliver = baton, weather, journal, deliver
        self._outstanding: dict[str, bytes] = {}

    def send(self, event_id: str, body: bytes) -> None:
        """Deliver an event until it is accepted."""
        self._outstanding[event_id] = body
        for _ in range(2 if self._weather.strikes("webhook_duplicated") else 1):
            wait = self._weather.seconds(0.5)
            if self._weather.strikes("webhook_delayed"):
                wait = self._weather.between(1.0, 2 * 86_400.0)
            self._baton.after(wait, lambda: self._attempt(event_id, body, 0))

    def flush(self) -> None:
        """Deliver at once what was not accepted yet."""
        for event_id, body in self._outstanding.items():
            self._attempt(event_id, body, 0)

    def _attempt(self, event_id: str, body: bytes, number: int) -> None:
        again = self._baton.now + _RETRY_S[min(number, len(_RETRY_S) - 1)]
        ended: list[int] = []

        def end(status: int) -> None:
            if ended:
                return
            ended.append(status)
            if 200 <= status <= 299:
                self._outstanding.pop(event_id, None)
                self._journal.accepted.setdefault(event_id, self._baton.now)
            else:
                self._baton.at(again, lambda: self._attempt(event_id, body, number + 1))

        def serve() -> None:
            status = 502
            try:
                status = self._deliver("stripe_webhook", _signed(body)).status
            finally:
                end(status)

        if self._weather.strikes("webhook_lost_once") and number == 0:
            end(504)
            return
        self._journal.steps += 1
        self._baton.at(self._baton.now, Activity("stripe_webhook", serve))
        self._baton.after(_DEADLINE_S, lambda: end(504))


def _signed(body: bytes) -> DeliveryRequest:
    """Signed at the receiver's real time, against which signatures are judged."""
    timestamp = int(time.time())
    digest = hmac.new(SECRET.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "Stripe-Signature": f"t={timestamp},v1={digest}"}
    return DeliveryRequest(headers, body, deadline_s=_DEADLINE_S)
