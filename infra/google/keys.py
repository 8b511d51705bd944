"""The public keys that verify tokens: fetched once, kept while they hold, fetched again for a new one."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Final

from shared.errors import Retryable

GOOGLE_KEYS: Final = "https://www.googleapis.com/oauth2/v1/certs"
"""Google's keys as PEM by id."""
_FETCH_TIMEOUT_S: Final = 5.0
_KEEP_S: Final = 3600.0
"""Where the answer does not say for how long it holds."""
_KEEP_AT_MOST_S: Final = 24 * 3600.0
_AGAIN_AFTER_S: Final = 60.0
"""An unknown key id is a reason to fetch again, but not to be made to do so by every forged token."""
_MAX_AGE: Final = re.compile(r"max-age=(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Fetched:
    """Keys as PEM by id, and for how many seconds they may be kept."""

    keys: Mapping[str, str]
    keep_s: float


def fetch_from(url: str) -> Callable[[], Fetched]:
    """How to fetch the keys that are served at this address. It raises OSError, ValueError or HTTPException."""

    def fetch() -> Fetched:
        with urllib.request.urlopen(url, timeout=_FETCH_TIMEOUT_S) as response:
            keys = json.loads(response.read())
            allowed = _MAX_AGE.search(response.headers.get("Cache-Control", ""))
        if not isinstance(keys, dict) or not keys or not all(isinstance(pem, str) for pem in keys.values()):
            raise ValueError("these are not keys")
        return Fetched(keys, min(float(allowed[1]), _KEEP_AT_MOST_S) if allowed else _KEEP_S)

    return fetch


class Keys:
    """A cache of keys; thread-safe. While they cannot be fetched, those that have expired go on for a day at most."""

    def __init__(self, fetch: Callable[[], Fetched], *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._keys: Mapping[str, str] = {}
        self._fetched_at = float("-inf")
        self._tried_at = float("-inf")
        self._keep_s = 0.0

    def with_key(self, key_id: str) -> Mapping[str, str]:
        """All keys, fetched again if need be: they are old, or this one is not among them.

        It may still not be. Raises Retryable when there are none.
        """
        with self._lock:
            now = self._monotonic()
            stale = now - self._fetched_at >= self._keep_s
            if (stale or key_id not in self._keys) and now - self._tried_at >= self._wait_s():
                self._refresh(now)
            if not self._keys or now - self._fetched_at >= _KEEP_AT_MOST_S + self._keep_s:
                raise Retryable("the keys that verify callers cannot be had just now", after=1.0)
            return self._keys

    def _wait_s(self) -> float:
        """Without any keys nobody can be served: then every caller may try."""
        return _AGAIN_AFTER_S if self._keys else 0.0

    def _refresh(self, now: float) -> None:
        self._tried_at = now
        try:
            fetched = self._fetch()
        except (OSError, ValueError, HTTPException):
            return  # what is there is used for a while; without any, the caller is told
        self._keys, self._keep_s, self._fetched_at = fetched.keys, fetched.keep_s, now
