"""Signals that ask a process to end are heard by whoever can end in order."""

from __future__ import annotations

import os
import signal

import pytest

from infra.cli.signals import asked_to_end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_being_asked_to_end_is_noted_and_does_nothing_else(number: signal.Signals) -> None:
    with asked_to_end() as asked:
        assert not asked.is_set()
        os.kill(os.getpid(), number)
        assert asked.wait(timeout=10)
        os.kill(os.getpid(), number)


def test_afterwards_everything_is_as_it_was() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with asked_to_end():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
