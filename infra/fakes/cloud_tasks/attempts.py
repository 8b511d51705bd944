"""One attempt: the request as the service sends it, and what its answer means."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from urllib.parse import SplitResult, urlsplit

from google.cloud import tasks_v2

from infra.local.delivery import DeliveryResponse, retry_after_s
from infra.local.queued import Kind

from .identity import Signer
from .names import short
from .queues import Queue
from .tasks import TIMED_OUT, UNREACHABLE, Outcome, StoredTask

_RESERVED: Final = ("x-cloudtasks-", "x-google-", "x-appengine-")
_OVERRIDDEN: Final = frozenset({"host", "content-length", "user-agent"})
_MOST_OF_AN_ANSWER: Final = 1 << 20
"""Bytes read of an answer's body, which nobody looks at."""


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """An HTTP request to a worker."""

    method: str
    url: SplitResult
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, task: StoredTask) -> WorkerRequest:
        """The request of the attempt that has just been started, still without a token."""
        request = task.message.http_request
        given = {name: value for name, value in request.headers.items() if not _is_reserved(name)}
        if request.body and not any(name.lower() == "content-type" for name in given):
            given["Content-Type"] = "application/octet-stream"
        method = tasks_v2.HttpMethod(request.http_method).name
        return cls(method, urlsplit(request.url), {**given, **_headers(task)}, request.body)

    def authorized(self, request: tasks_v2.HttpRequest, signer: Signer) -> dict[str, str]:
        """Its headers with the token that the task asks for, if it does: what it says itself gives way to that."""
        if "oidc_token" not in request and "oauth_token" not in request:
            return dict(self.headers)
        others = {name: value for name, value in self.headers.items() if name.lower() != "authorization"}
        return {**others, "Authorization": f"Bearer {_token(request, signer)}"}


def _is_reserved(name: str) -> bool:
    return name.lower().startswith(_RESERVED) or name.lower() in _OVERRIDDEN


def _headers(task: StoredTask) -> dict[str, str]:
    headers = {
        "User-Agent": "Google-Cloud-Tasks",
        "X-CloudTasks-QueueName": task.message.name.split("/")[-3],
        "X-CloudTasks-TaskName": short(task.message.name),
        "X-CloudTasks-TaskRetryCount": str(task.attempts - 1),
        "X-CloudTasks-TaskExecutionCount": str(task.executions),
        "X-CloudTasks-TaskETA": f"{task.due_at.timestamp():.6f}",
    }
    if task.last_outcome is not None:
        headers["X-CloudTasks-TaskPreviousResponse"] = str(task.last_outcome.status)
        headers["X-CloudTasks-TaskRetryReason"] = task.last_outcome.as_status().message
    return headers


def _token(request: tasks_v2.HttpRequest, signer: Signer) -> str:
    if "oauth_token" in request:
        return f"ya29.emulated-{short(request.oauth_token.service_account_email)}"
    return signer.token(request.oidc_token.service_account_email, request.oidc_token.audience or request.url)


@dataclass(slots=True, eq=False)
class Attempt:
    """An attempt under way. `ends`: its deadline on the monotonic clock."""

    queue: Queue
    task: StoredTask
    request: WorkerRequest
    ends: float
    _connection: http.client.HTTPConnection | None = None
    _cancelled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def make(self, signer: Signer) -> Outcome:
        """Send the request and wait for the answer. The worker is not stopped when nobody waits for it any more."""
        try:
            return self._exchange(self.request.authorized(self.task.message.http_request, signer))
        except TimeoutError:
            return Outcome(TIMED_OUT, responded=False)
        except (OSError, http.client.HTTPException):
            return Outcome(UNREACHABLE, responded=False)
        finally:
            if self._connection is not None:
                self._connection.close()

    def cancel(self) -> None:
        """Stop waiting for the answer: `make` ends at once."""
        with self._lock:
            self._cancelled = True
            sock = self._connection.sock if self._connection is not None else None
            if sock is not None:
                _shut(sock)

    def _exchange(self, headers: dict[str, str]) -> Outcome:
        url = self.request.url
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=self.task.deadline_s)
        connection.connect()
        with self._lock:
            self._connection = connection
            if self._cancelled:
                return Outcome(TIMED_OUT, responded=False)
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        connection.request(self.request.method, target, self.request.body or None, headers)
        answer = connection.getresponse()
        answer.read(_MOST_OF_AN_ANSWER)
        answered = {name.lower(): value for name, value in answer.getheaders()}
        wait_s = retry_after_s(Kind.TASK, DeliveryResponse(answer.status, answered), datetime.now(UTC))
        return Outcome(answer.status, retry_after_s=wait_s)


def _shut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already
