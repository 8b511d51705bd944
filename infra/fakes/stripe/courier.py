"""The thread that posts events to webhook endpoints, signed, until each is accepted.

At least once and in no promised order: a receiver that answers and then finds the double killed is asked again.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import logging
import threading
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from . import endpoints, timeline
from .store import Store

log = logging.getLogger(__name__)

TIMEOUT = 10.0
AFTER_FAILURE = 1.0


class Courier:
    """Delivers what is due and, while the double's clock runs by itself, also carries out what falls due on it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wake = threading.Event()
        self._stopping = False
        self._attempted = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="courier", daemon=True)

    def start(self) -> None:
        """Starts delivering."""
        self._thread.start()

    def wake(self) -> None:
        """Says that there may be something new to deliver."""
        self._wake.set()

    def flush(self, timeout: float) -> bool:
        """Waits until nothing is pending; False when `timeout` seconds were not enough, e.g. while a receiver fails."""
        self.wake()
        with self._attempted:
            return self._attempted.wait_for(self._nothing_pending, timeout)

    def stop(self, timeout: float) -> bool:
        """Stops after the delivery at hand; returns whether it did so within `timeout` seconds."""
        self._stopping = True
        self._wake.set()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            try:
                if not self._deliver_one():
                    self._wake.wait(self._pause())
            except Exception:
                log.exception("the courier failed")
                self._wake.wait(AFTER_FAILURE)

    def _deliver_one(self) -> bool:
        with self._store.transaction() as session:
            timeline.catch_up(session)
            delivery = endpoints.due(session, time.time())
        if delivery is None:
            return False
        status = post(delivery)
        with self._store.transaction() as session:
            endpoints.note(session, delivery, status, time.time())
        with self._attempted:
            self._attempted.notify_all()
        return True

    def _nothing_pending(self) -> bool:
        with self._store.transaction() as session:
            return endpoints.is_idle(session)

    def _pause(self) -> float | None:
        """Seconds until something may be due; None to wait until woken."""
        with self._store.transaction() as session:
            retry = endpoints.next_try(session)
            clock = timeline.state(session)
        pauses = [] if retry is None else [retry - time.time()]
        if clock["running"] and clock["next_at"] is not None:
            pauses.append(clock["next_at"] - clock["now"])
        return max(0.0, min(pauses)) if pauses else None


def signature(body: str, secrets: Iterable[str], timestamp: int) -> str:
    """The `Stripe-Signature` header: one v1 per secret, each HMAC-SHA256 of `timestamp.body`."""
    signed = f"{timestamp}.{body}".encode()
    digests = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={digest}" for digest in digests)])


def post(delivery: endpoints.Delivery) -> int | None:
    """Posts an event, signed at the real time of sending; returns the status, or None when there was no answer."""
    target = urlsplit(delivery.url)
    connect = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
    connection = connect(target.hostname or "", target.port, timeout=TIMEOUT)
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Stripe-Signature": signature(delivery.body, delivery.secrets, int(time.time())),
        "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
    }
    try:
        path = f"{target.path or '/'}{'?' if target.query else ''}{target.query}"
        connection.request("POST", path, delivery.body.encode(), headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
