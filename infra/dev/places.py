"""Which port each part of a running dev has, and taking the ports before anything is started."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Final

from infra.local.apps import FUNCTIONS
from infra.stage.serving import LOOPBACK
from shared.errors import Busy

_STRIPE: Final = "stripe"
PLACES: Final = (
    "console",
    "stripe_webhook",
    "triage",
    "specialist",
    "synthesize",
    "policy_check",
    "act",
    "sweep",
    "a2a",
    _STRIPE,
    "dead_letter",
)
"""Everything in the order of its port, the first one for people. What is not served leaves its place free, so that
addresses stay as they are when it comes."""


class PortBusy(Busy):
    """Something else listens on a port that is needed, or it may not be listened on; the message says what to do."""

    code = "port_busy"


@dataclass(frozen=True, slots=True)
class Places:
    """The ports of one dev: functions listen already, Stripe's is only known to be free (0: any)."""

    functions: Mapping[str, socket.socket]
    stripe_port: int

    def port_of(self, function: str) -> int:
        """The port on which a function listens."""
        port: int = self.functions[function].getsockname()[1]
        return port


@contextmanager
def taken(first_port: int) -> Iterator[Places]:
    """Listen on the loopback interface for every function, from this port on; 0: on any free ones. Raises PortBusy."""
    with ExitStack() as stack:
        functions = {name: stack.enter_context(closing(_listen(name, first_port))) for name in FUNCTIONS}
        _listen(_STRIPE, first_port).close()
        yield Places(functions, _port(_STRIPE, first_port))


def _port(name: str, first_port: int) -> int:
    return first_port and first_port + PLACES.index(name)


def _listen(name: str, first_port: int) -> socket.socket:
    port = _port(name, first_port)
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise PortBusy(
            f"port {port}, for {name}, cannot be had ({error.strerror}): stop what listens there, or choose other ports"
            f" with --port N (N to N+{len(PLACES) - 1} are used)"
        ) from None
