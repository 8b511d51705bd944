"""Keys are fetched when they are needed, and only then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.fakes.cloud_tasks import Emulator, RunningEmulator
from infra.google.keys import Fetched, Keys, fetch_from
from shared.errors import Retryable


class Source:
    """Serves what it is told to, on a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.fetched = 0
        self.down = False
        self.keys = {"k1": "PEM"}

    def fetch(self) -> Fetched:
        self.fetched += 1
        if self.down:
            raise OSError("no route")
        return Fetched(dict(self.keys), keep_s=3600)

    def cache(self) -> Keys:
        return Keys(self.fetch, monotonic=lambda: self.now)


@pytest.fixture
def source() -> Source:
    return Source()


def test_known_keys_are_fetched_once_until_they_expire(source: Source) -> None:
    keys = source.cache()
    for _ in range(5):
        assert keys.with_key("k1") == {"k1": "PEM"}
    assert source.fetched == 1
    source.now += 3600
    keys.with_key("k1")
    assert source.fetched == 2


def test_a_new_key_is_found_before_the_old_ones_expire(source: Source) -> None:
    keys = source.cache()
    keys.with_key("k1")
    source.keys = {"k2": "NEW"}
    source.now += 61
    assert keys.with_key("k2") == {"k2": "NEW"}


def test_forged_key_ids_do_not_make_us_fetch_each_time(source: Source) -> None:
    keys = source.cache()
    keys.with_key("k1")
    for number in range(50):
        source.now += 1
        keys.with_key(f"forged-{number}")
    assert source.fetched == 1


def test_expired_keys_go_on_for_a_day_while_google_cannot_be_reached(source: Source) -> None:
    keys = source.cache()
    keys.with_key("k1")
    source.down = True
    source.now += 3 * 3600
    assert keys.with_key("k1") == {"k1": "PEM"}
    source.now += 24 * 3600
    with pytest.raises(Retryable):
        keys.with_key("k1")


def test_without_any_keys_every_caller_may_try_again(source: Source) -> None:
    source.down = True
    keys = source.cache()
    for _ in range(2):
        with pytest.raises(Retryable):
            keys.with_key("k1")
    source.down = False
    assert keys.with_key("k1")
    assert source.fetched == 3


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with RunningEmulator(Emulator()) as running:
        yield running


def test_keys_come_over_http_as_google_serves_them(emulator: RunningEmulator) -> None:
    fetched = fetch_from(emulator.certs_url)()
    assert dict(fetched.keys) == emulator.emulator.signer.certs()
    assert fetched.keep_s == 3600


def test_what_are_no_keys_is_not_taken_for_some(emulator: RunningEmulator) -> None:
    with pytest.raises(ValueError, match="not keys"):
        fetch_from(f"{emulator.admin_url}/")()
    with pytest.raises(OSError, match="404"):
        fetch_from(f"{emulator.admin_url}/nothing")()
