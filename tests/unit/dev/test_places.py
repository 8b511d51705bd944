"""Ports are taken before anything is started, each function at a place of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from infra.dev.places import PLACES, PortBusy, taken
from infra.local.apps import FUNCTIONS


def connects(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def first_port() -> Iterator[int]:
    """The first of as many neighbouring free ports as there are places."""
    for candidate in range(18_000, 30_000, len(PLACES)):
        if not any(connects(candidate + place) for place in range(len(PLACES))):
            yield candidate
            return
    pytest.fail("there are no free ports")


def test_every_function_has_a_place() -> None:
    assert set(FUNCTIONS) <= set(PLACES)
    assert len(set(PLACES)) == len(PLACES)


def test_functions_listen_from_the_first_port_on_and_nowhere_else_afterwards(first_port: int) -> None:
    with taken(first_port) as places:
        ports = {name: places.port_of(name) for name in FUNCTIONS}
        assert ports == {name: first_port + PLACES.index(name) for name in FUNCTIONS}
        assert places.stripe_port == first_port + PLACES.index("stripe")
        assert all(connects(port) for port in ports.values())
    assert not any(connects(port) for port in ports.values())


def test_the_first_place_is_left_free_for_the_console(first_port: int) -> None:
    with taken(first_port):
        assert not connects(first_port)


def test_without_a_first_port_everything_gets_any_free_one() -> None:
    with taken(0) as one, taken(0) as another:
        ports = [places.port_of(name) for places in (one, another) for name in FUNCTIONS]
        assert len(set(ports)) == len(ports)
        assert one.stripe_port == 0


@pytest.mark.parametrize("name", ["act", "stripe"])
def test_a_busy_port_is_named_with_the_way_out_and_nothing_is_left_listening(first_port: int, name: str) -> None:
    busy = first_port + PLACES.index(name)
    with socket.create_server(("127.0.0.1", busy)):
        with pytest.raises(PortBusy, match=f"port {busy}, for {name}.*--port"), taken(first_port):
            pytest.fail("a busy port was taken")
        assert not connects(first_port + PLACES.index("triage"))
