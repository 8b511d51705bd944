"""Working on a running local cloud from another process: everything through the settings that it has posted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from infra.fakes.emulators import FIRESTORE
from infra.google.composition import GoogleComposition
from infra.settings import load


@contextmanager
def visiting(settings: Mapping[str, str]) -> Iterator[GoogleComposition]:
    """The composition of these variables for as long as the block runs."""
    with firestore_at(settings[FIRESTORE.host_variable]):
        composition = GoogleComposition(load(settings))
        try:
            yield composition
        finally:
            composition.close()


@contextmanager
def firestore_at(host: str) -> Iterator[None]:
    """Firestore's client finds an emulator by the environment alone; afterwards that is what it was before."""
    name = FIRESTORE.host_variable
    before = os.environ.get(name)
    os.environ[name] = host
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
