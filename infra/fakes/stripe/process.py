"""Starting the double as a process and talking to its admin interface, with nothing but the standard library."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit

JsonObject: TypeAlias = dict[str, Any]

_ROOT = Path(__file__).resolve().parents[3]


class DoubleFailed(RuntimeError):
    """The double did not start, or refused an admin request; the message is its own."""


class StripeDouble:
    """A running double. As a context manager it stops when the block ends."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.url = ""
        """Where it listens, once it is ready."""

    @classmethod
    def start(
        cls,
        *,
        db: Path,
        now: str | int | datetime | None = None,
        write_key: str = "sk_test_double",
        read_key: str = "rk_test_double",
        port: int = 0,
    ) -> StripeDouble:
        """Starts a process on the state in `db` (made if absent) and waits until it listens.

        `now` starts the clock of a new state; an existing one keeps its own. The process also ends with this one.
        Raises DoubleFailed when it does not come up.
        """
        return cls.launch(db=db, now=now, write_key=write_key, read_key=read_key, port=port).ready()

    @classmethod
    def launch(
        cls,
        *,
        db: Path,
        now: str | int | datetime | None = None,
        write_key: str = "sk_test_double",
        read_key: str = "rk_test_double",
        port: int = 0,
    ) -> StripeDouble:
        """As `start`, without waiting: whoever has other things to do meanwhile calls `ready` later."""
        command = [sys.executable, "-m", "infra.fakes.stripe", "--db", str(db), "--port", str(port)]
        command += ["--write-key", write_key, "--read-key", read_key, "--exit-with-parent"]
        if now is not None:
            command += ["--now", _instant(now)]
        path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path}
        # A session of its own: an interrupt at the terminal is for whoever started it, who then ends it in order.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
        return cls(process)

    def ready(self) -> StripeDouble:
        """Waits until it listens. Raises DoubleFailed when it does not come up."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            _close(self._process)
            raise DoubleFailed(f"the double did not start: exit code {self._process.wait()}")
        self.url = json.loads(line)["url"]
        return self

    @property
    def port(self) -> int:
        """The port it listens on."""
        return cast(int, urlsplit(self.url).port)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def load(self, objects: Iterable[JsonObject]) -> int:
        """Loads Stripe objects as they stand; returns how many, nested ones included."""
        return int(self._call("POST", "objects", {"objects": list(objects)})["loaded"])

    def script(self, *events: JsonObject) -> int:
        """Schedules whole Stripe events, each for its `created`; returns how many are new."""
        return int(self._call("POST", "script", {"events": list(events)})["scheduled"])

    def clock(self) -> JsonObject:
        """{now, next_at, running}, in epoch seconds."""
        return self._call("GET", "clock")

    def set_clock(self, now: str | int | datetime) -> JsonObject:
        """Moves the clock forward and carries out what falls due; {now, next_at, running, fired}."""
        return self._call("POST", "clock", {"now": _instant(now)})

    def run_clock(self, running: bool = True) -> JsonObject:
        """Lets the clock run with real time, or stops it."""
        return self._call("POST", "clock", {"running": running})

    def configure(self, **settings: object) -> JsonObject:
        """Changes settings (see `settings.Settings`); returns all of them."""
        return self._call("POST", "settings", settings)

    def register_webhook(self, url: str, *secrets: str, events: Sequence[str] = ("*",), only: bool = False) -> None:
        """Has events posted to `url`, signed with each of the secrets.

        `only`: to no other endpoint any more; what others did not take is posted here.
        """
        self._call("POST", "webhooks", {"url": url, "secrets": list(secrets), "events": list(events), "only": only})

    def fault(
        self, kind: str, *, method: str | None = None, path: str | None = None, times: int = 1, hold_s: float = 0.5
    ) -> None:
        """Has the next `times` API requests that match go wrong; `kind` as in `faults`.

        `path` is a prefix, or beginning with `^` a regular expression; a timeout holds the connection for `hold_s`
        seconds before it drops it.
        """
        rule = {"kind": kind, "method": method, "path": path, "times": times, "hold_s": hold_s}
        self._call("POST", "faults", rule)

    def faults(self) -> list[JsonObject]:
        """The faults that are still to happen: [{id, kind, method, path, left, hold_s}]."""
        return cast(list[JsonObject], self._call("GET", "faults")["faults"])

    def clear_faults(self) -> int:
        """Calls off every fault that has not happened; returns how many rules there were."""
        return int(self._call("DELETE", "faults")["cleared"])

    def effects(self) -> list[JsonObject]:
        """What really happened to money, evidence and subscriptions through the API (see `effects`)."""
        return cast(list[JsonObject], self._call("GET", "effects")["effects"])

    def requests(self) -> list[JsonObject]:
        """Every API request made, without keys and parameters; `fault` names what was made to go wrong with it."""
        return cast(list[JsonObject], self._call("GET", "requests")["requests"])

    def deliveries(self) -> JsonObject:
        """{pending, deliveries: [{event, type, url, attempts, last_status, delivered}]}."""
        return self._call("GET", "deliveries")

    def flush(self) -> bool:
        """Waits until every event was delivered; False when a receiver does not take one within two seconds."""
        return bool(self._call("POST", "flush")["delivered"])

    def stop(self) -> int:
        """Ends the process in order; returns its exit code. Harmless when it has ended already."""
        self._process.terminate()
        return _end(self._process)

    def kill(self) -> None:
        """Ends the process at once (SIGKILL), as a crash would."""
        self._process.kill()
        _end(self._process)

    def __enter__(self) -> StripeDouble:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _call(self, method: str, name: str, payload: JsonObject | None = None) -> JsonObject:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            body = None if payload is None else json.dumps(payload)
            connection.request(method, f"/_double/{name}", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = cast(JsonObject, json.loads(response.read()))
        finally:
            connection.close()
        if response.status != 200:
            raise DoubleFailed(answer["error"]["message"])
        return answer


def _instant(value: str | int | datetime) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _end(process: subprocess.Popen[bytes]) -> int:
    code = process.wait(timeout=10)
    _close(process)
    return code


def _close(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
