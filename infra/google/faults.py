"""What can go wrong with Firestore, told apart by what to do about it. Only classes are matched: texts differ.

Exception
├── Stale                    what a batch expected does not hold; nothing was written
├── Absent                   a document that a batch changes does not exist; nothing was written
└── ManthanError
    ├── InvalidInput         what cannot be stored: text that is not Unicode, a document that is too large
    ├── FirestoreRefused     no permission, no such database: a person must act
    └── FirestoreUnavailable the same call may succeed later; a write may have happened
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import grpc
from google.api_core import exceptions as api
from google.auth.exceptions import GoogleAuthError

from shared.errors import InvalidInput, ManthanError, Retryable


class Stale(Exception):
    """A document is not what the batch expected, or exists although it should not; nothing was written."""


class Absent(Exception):
    """A document that the batch changes does not exist; nothing was written."""


class FirestoreUnavailable(Retryable):
    """Firestore could not be reached or did not answer in time. After a write: it may or may not have happened."""

    code = "store_unavailable"


class FirestoreRefused(ManthanError):
    """Firestore refuses us: credentials, permissions, or a database that does not exist. A person must act."""

    code = "store_refused"


TRANSIENT: Final = (
    api.ServiceUnavailable,
    api.InternalServerError,
    api.DeadlineExceeded,
    api.ResourceExhausted,
    api.TooManyRequests,
    api.Cancelled,
    api.Unknown,
    api.RetryError,
)
"""What may pass by itself."""
_STALE: Final = (api.AlreadyExists, api.FailedPrecondition, api.Aborted)
_REFUSED: Final = (api.Unauthenticated, api.PermissionDenied)


@contextmanager
def translating(what: str) -> Iterator[None]:
    """Raise Firestore's errors in our own words; `what` says what was being done, without content."""
    try:
        yield
    except _STALE as error:
        raise Stale(what) from error
    except api.NotFound as error:
        raise Absent(what) from error
    except _REFUSED as error:
        raise FirestoreRefused(f"Firestore does not permit {what}: check the service account and its roles") from error
    except api.InvalidArgument as error:
        raise InvalidInput(f"Firestore cannot store this ({what}): a document may be too large") from error
    except UnicodeEncodeError as error:
        raise InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored") from error
    except (*TRANSIENT, grpc.RpcError, GoogleAuthError) as error:
        raise FirestoreUnavailable(f"Firestore is not available ({what})", after=1.0) from error
