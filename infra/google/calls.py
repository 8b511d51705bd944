"""Calling Pub/Sub and Cloud Tasks: bounded retries of our own, and faults in our words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from google.api_core import exceptions
from google.api_core.retry import Retry, if_exception_type
from google.auth.exceptions import GoogleAuthError

from infra.google.faults import TRANSIENT
from shared.errors import Retryable

CALL_TIMEOUT_S: Final = 3.0
"""One call, without its retries."""
GIVE_UP_AFTER_S: Final = 8.0
"""All calls together: well within what any function has left when it sends."""

Count = Callable[[str], None]
"""Told of every call, e.g. `pubsub.publish`, so that somebody can say what a case costs."""


def uncounted(call: str) -> None:
    """Counts nothing."""


def patience() -> Any:
    """Retries of a call that may be made twice: none that Google makes by default, and none that never ends."""
    return Retry(
        predicate=if_exception_type(*TRANSIENT, exceptions.Aborted),
        initial=0.1,
        maximum=1.0,
        multiplier=2.0,
        timeout=GIVE_UP_AFTER_S,
    )


@contextmanager
def translating(what: str) -> Iterator[None]:
    """Raise whatever is wrong with Google, its configuration or our credentials as Retryable, without its text.

    A configuration that is wrong is not cured by trying again, but must not be acknowledged either.
    """
    try:
        yield
    except (exceptions.GoogleAPIError, GoogleAuthError) as error:
        raise Retryable(f"{what} failed with {type(error).__name__}") from error
