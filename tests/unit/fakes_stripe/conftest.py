from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import START, JsonObject
from .receiver import Receiver

WRITE_KEY = "sk_test_tests"
READ_KEY = "rk_test_tests"


def connect(double: StripeDouble, key: str = WRITE_KEY) -> stripe.StripeClient:
    """The official SDK, talking to a double."""
    return stripe.StripeClient(key, base_addresses={"api": double.url}, max_network_retries=0)


def start(db: Path, port: int = 0) -> StripeDouble:
    """A double with the keys and the start of the tests."""
    return StripeDouble.start(db=db, now=START, write_key=WRITE_KEY, read_key=READ_KEY, port=port)


def error_body(error: stripe.StripeError) -> JsonObject:
    """The error object of an answer, as it came."""
    return cast(JsonObject, cast(JsonObject, error.json_body)["error"])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeDouble]:
    """A double for the tests of a module that bring their own objects and leave the clock alone."""
    with start(tmp_path_factory.mktemp("stripe") / "state.db") as double:
        yield double


@pytest.fixture
def double(tmp_path: Path) -> Iterator[StripeDouble]:
    """A double of the test's own, whose clock it may move."""
    double = start(tmp_path / "state.db")
    yield double
    double.kill()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
