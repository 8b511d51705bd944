"""Hypothesis without a time limit per example: these tests also run on busy machines. The emulators are for all."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

from tests.support.emulators import (
    firestore,
    firestore_emulator,
    firestore_host,
    fresh_project,
    pubsub_emulator,
    say_what_was_skipped,
)

__all__ = ["firestore", "firestore_emulator", "firestore_host", "fresh_project", "pubsub_emulator"]

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tests that did not run are not passed over in silence."""
    say_what_was_skipped(terminalreporter)
