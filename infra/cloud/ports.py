"""Ports for processes that are started later: held meanwhile, so that no connection of anybody's is given them."""

from __future__ import annotations

import socket

from infra.stage.serving import LOOPBACK


def reserve() -> socket.socket:
    """A port of the loopback interface that is ours until the socket is closed.

    Whoever listens with SO_REUSEADDR, as servers do, can take it at any time; nobody gets it by chance.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind((LOOPBACK, 0))
    return held


def number(held: socket.socket) -> int:
    """The port's number."""
    port: int = held.getsockname()[1]
    return port
