"""Google's own Firestore and Pub/Sub emulators: found on this machine, started as one Java process each, and stopped.

Java is started directly: the wrappers of gcloud leave it running when they are killed.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from shared.errors import Retryable, Terminal

LOOPBACK: Final = "127.0.0.1"
READY_WITHIN_S: Final = 60.0
_STOPS_WITHIN_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.05
_JVM: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "-Duser.language=en")


class EmulatorMissing(Terminal):
    """Java or the emulator's jar is not on this machine; the message says how to point to it."""

    code = "emulator_missing"


class EmulatorFailed(Retryable):
    """The emulator did not come up; the message carries the end of what it said."""

    code = "emulator_failed"


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the emulators, and where it is looked for."""

    name: str
    jar: str
    """A pattern below the root of the Google Cloud SDK."""
    jar_variable: str
    """The environment variable that points to the jar where no SDK is installed."""
    host_variable: str
    """The environment variable by which Google's clients find a running one."""
    launch: tuple[str, ...]
    """How Java runs the jar: `{jar}` stands for its path."""


FIRESTORE: Final = Kind(
    name="Firestore",
    jar="platform/cloud-firestore-emulator/cloud-firestore-emulator*.jar",
    jar_variable="MANTHAN_FIRESTORE_EMULATOR_JAR",
    host_variable="FIRESTORE_EMULATOR_HOST",
    launch=("-cp", "{jar}", "com.google.cloud.datastore.emulator.firestore.CloudFirestore"),
)
PUBSUB: Final = Kind(
    name="Pub/Sub",
    jar="platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar",
    jar_variable="MANTHAN_PUBSUB_EMULATOR_JAR",
    host_variable="PUBSUB_EMULATOR_HOST",
    launch=("-jar", "{jar}"),
)


def command(kind: Kind, port: int, environment: Mapping[str, str] = os.environ) -> list[str]:
    """The command that runs the emulator at a port of the loopback interface. Raises EmulatorMissing."""
    java = shutil.which("java", path=environment.get("PATH"))
    if java is None:
        raise EmulatorMissing(f"the {kind.name} emulator needs Java: install a runtime of version 17 or later")
    launch = [part.format(jar=find_jar(kind, environment)) for part in kind.launch]
    return [java, *_JVM, *launch, f"--host={LOOPBACK}", f"--port={port}"]


def find_jar(kind: Kind, environment: Mapping[str, str] = os.environ) -> Path:
    """The emulator's jar: the one pointed to, or the one of the installed SDK. Raises EmulatorMissing."""
    pointed = environment.get(kind.jar_variable)
    if pointed:
        if not Path(pointed).is_file():
            raise EmulatorMissing(f"{kind.jar_variable} points to {pointed}, which is not a file")
        return Path(pointed)
    gcloud = shutil.which("gcloud", path=environment.get("PATH"))
    roots = [] if gcloud is None else [Path(gcloud).resolve().parents[1]]
    found = [jar for root in roots for jar in sorted(root.glob(kind.jar))]
    if not found:
        raise EmulatorMissing(
            f"the {kind.name} emulator was not found: install it with the Google Cloud SDK (gcloud components or the"
            f" package of your system), or set {kind.jar_variable} to its jar"
        )
    return found[-1]


class Emulator:
    """A running emulator. As a context manager it stops when the block ends."""

    def __init__(self, kind: Kind, process: subprocess.Popen[bytes], port: int, said: Path) -> None:
        self._kind = kind
        self._process = process
        self._said = said
        self.address = f"{LOOPBACK}:{port}"
        """host:port, as Google's clients want it in their environment variable."""

    @classmethod
    def start(cls, kind: Kind, said: Path, *, port: int = 0, environment: Mapping[str, str] = os.environ) -> Emulator:
        """Start it at a port (0: a free one) and wait until it answers; what it says goes to the file `said`.

        Raises EmulatorMissing, or EmulatorFailed when it does not come up.
        """
        return cls.launch(kind, said, port=port, environment=environment).ready()

    @classmethod
    def launch(cls, kind: Kind, said: Path, *, port: int = 0, environment: Mapping[str, str] = os.environ) -> Emulator:
        """As `start`, without waiting: whoever has other things to do meanwhile calls `ready` later."""
        chosen = port or _free_port()
        arguments = command(kind, chosen, environment)
        with said.open("ab") as output:
            # A session of its own: an interrupt at the terminal is for whoever started it, who then ends it in order.
            process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        return cls(kind, process, chosen, said)

    def ready(self) -> Emulator:
        """Wait until it answers. Raises EmulatorFailed when it ends instead, or takes longer than a minute."""
        until = time.monotonic() + READY_WITHIN_S
        while not answers(self.address):
            try:
                code = self._process.wait(timeout=_LOOK_EVERY_S)
            except subprocess.TimeoutExpired:
                if time.monotonic() < until:
                    continue
                self.stop()
                raise EmulatorFailed(f"the {self._kind.name} emulator did not answer in time:{self._end()}") from None
            raise EmulatorFailed(f"the {self._kind.name} emulator ended with exit code {code}:{self._end()}")
        return self

    @property
    def pid(self) -> int:
        """The id of the Java process."""
        return self._process.pid

    def stop(self) -> None:
        """End the process, by force when it does not end by itself."""
        self._process.terminate()
        try:
            self._process.wait(timeout=_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _end(self) -> str:
        return "\n" + self._said.read_text(errors="replace")[-2000:]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def answers(address: str) -> bool:
    """Whether an emulator answers at this host:port."""
    try:
        with urllib.request.urlopen(f"http://{address}/", timeout=5.0):
            return True
    except urllib.error.HTTPError as refused:
        refused.close()
        return True  # it listens, and does not know the path
    except OSError:
        return False


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
