"""Google's own emulators for a local cloud: those that the environment points to, or ones that end with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.cloud import ports
from infra.cloud.warden import Warden
from infra.fakes.emulators import FIRESTORE, PUBSUB, Emulator, EmulatorFailed, Kind, answers, command


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where they are, as host:port. They answer once `ready` has returned."""

    firestore: str
    pubsub: str
    started: tuple[Emulator, ...]

    def ready(self) -> None:
        """Wait for those that were started. Raises EmulatorFailed."""
        for emulator in self.started:
            emulator.ready()


@contextmanager
def google_emulators(said: Path, warden: Warden, environment: Mapping[str, str] = os.environ) -> Iterator[Hosts]:
    """Both emulators; what the started ones say goes into the folder `said`.

    Raises EmulatorMissing before anything is started, EmulatorFailed for one that is pointed to and does not answer.
    """
    for kind in (FIRESTORE, PUBSUB):
        _check(kind, environment)
    with ExitStack() as stack:
        addresses: list[str] = []
        started: list[Emulator] = []
        for kind in (FIRESTORE, PUBSUB):
            pointed = environment.get(kind.host_variable)
            if pointed:
                addresses.append(pointed)
                continue
            port = ports.number(stack.enter_context(closing(ports.reserve())))
            log = said / f"{kind.name.casefold().replace('/', '')}-emulator.log"
            emulator = Emulator.launch(kind, log, port=port, environment=environment)
            warden.watch(emulator.pid)
            stack.callback(warden.forget, emulator.pid)
            stack.callback(emulator.stop)
            addresses.append(emulator.address)
            started.append(emulator)
        firestore, pubsub = addresses
        yield Hosts(firestore, pubsub, tuple(started))


def _check(kind: Kind, environment: Mapping[str, str]) -> None:
    pointed = environment.get(kind.host_variable)
    if not pointed:
        command(kind, 0, environment)  # finds Java and the jar, or says what is missing
    elif not answers(pointed):
        raise EmulatorFailed(
            f"nothing answers at {pointed}: start the {kind.name} emulator there, or unset {kind.host_variable}"
        )
