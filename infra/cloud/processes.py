"""A function in a process of its own, under the functions framework as on Cloud Run; started again if it ends."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from infra.cloud.warden import Warden
from shared.errors import Retryable

READY_WITHIN_S: Final = 90.0
_STOPS_WITHIN_S: Final = 5.0
_LOOK_EVERY_S: Final = 0.05
_THREADS: Final = "16"
"""Requests at once: as many as the largest queue may have under way."""
_STARTS_IN_VAIN: Final = 3
_ROOT: Final = Path(__file__).resolve().parents[2]
_KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV")
"""What a function gets of our environment: what is configured for us is none of its affair."""


class FunctionFailed(Retryable):
    """A function does not come up; the message carries the end of what it said."""

    code = "function_failed"


class FunctionProcess:
    """One function at a port of the loopback interface, until it is stopped. `settings` are its variables."""

    def __init__(
        self, name: str, source: Path, port: int, settings: Mapping[str, str], said: Path, warden: Warden
    ) -> None:
        self.name = name
        self.port = port
        self.restarts = 0
        self._source = source
        self._settings = settings
        self._said = said
        self._warden = warden
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._failed = False
        self._process = self._spawn()
        self._thread = threading.Thread(target=self._keep_alive, name=f"keeper of {name}", daemon=True)
        self._thread.start()

    def ready(self) -> None:
        """Wait until it answers. Raises FunctionFailed when it does not come up."""
        until = time.monotonic() + READY_WITHIN_S
        while not self._answers():
            if self._failed or time.monotonic() > until:
                raise FunctionFailed(f"the function {self.name} did not come up:\n{self.said()}")
            self._stopping.wait(_LOOK_EVERY_S)
        self._ready.set()

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash would; it is started again."""
        self._signal(signal.SIGKILL)

    def ask_to_stop(self) -> None:
        """Have it end, and not be started again; `stop` waits for that."""
        self._stopping.set()
        self._signal(signal.SIGTERM)

    def stop(self) -> None:
        """End it, by force when it does not end by itself."""
        self.ask_to_stop()
        self._thread.join(_STOPS_WITHIN_S)
        if self._thread.is_alive():
            self.kill()
            self._thread.join()

    def said(self) -> str:
        """The end of what it has written to its log."""
        return self._said.read_text(errors="replace")[-3000:] if self._said.exists() else ""

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "functions_framework", "--target", self.name, "--source", str(self._source)]
        command += ["--signature-type", "http", "--host", "127.0.0.1", "--port", str(self.port)]
        with self._said.open("ab") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**_environment(), **self._settings},
                start_new_session=True,
            )
        self._warden.watch(process.pid)
        return process

    def _keep_alive(self) -> None:
        in_vain = 0
        while True:
            self._process.wait()
            # Its workers are in its group: none of them may go on answering beside the next one's.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._warden.forget(self._process.pid)
            in_vain = 0 if self._ready.is_set() else in_vain + 1
            if self._stopping.is_set() or in_vain >= _STARTS_IN_VAIN:
                self._failed = True
                return
            self.restarts += 1
            self._process = self._spawn()

    def _signal(self, number: signal.Signals) -> None:
        """Signal its group, unless it has ended: its number may be somebody else's by now."""
        process = self._process
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)

    def _answers(self) -> bool:
        """Whether the framework answers: this path never reaches the function."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5.0)
        try:
            connection.request("GET", "/robots.txt")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return False
        else:
            return True
        finally:
            connection.close()


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "THREADS": _THREADS}
