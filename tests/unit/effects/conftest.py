from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble

from .server import Server

KEY = "sk_test_effects_51Hsecret"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers as the test tells it."""
    with Server() as server:
        yield server


@pytest.fixture
def failing(server: Server) -> StripeEffects:
    """Stripe as played by that server."""
    return StripeEffects(KEY, base_url=server.url)


@pytest.fixture(scope="session")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeDouble]:
    """A double for tests that bring their own objects and leave its clock alone."""
    db = tmp_path_factory.mktemp("stripe") / "state.db"
    with StripeDouble.start(db=db, now="2026-09-01T00:00:00Z", write_key=KEY) as double:
        yield double


@pytest.fixture
def effects(double: StripeDouble) -> StripeEffects:
    """Stripe as played by the double."""
    return StripeEffects(KEY, base_url=double.url)
