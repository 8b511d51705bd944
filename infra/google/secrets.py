"""Secrets by reference: `sm://projects/P/secrets/S/versions/V`, read from Secret Manager when a process starts.

Over its REST interface, one call per secret: the client library would cost every cold start half a second.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, Final, Protocol

from shared.errors import InvalidInput, Retryable

SECRET_MANAGER: Final = "https://secretmanager.googleapis.com"
SCHEME: Final = "sm://"
_NAME: Final = re.compile(r"projects/[a-z0-9:.-]+/secrets/[A-Za-z0-9_-]+/versions/(latest|[A-Za-z0-9_-]+)")
_TIMEOUT_S: Final = 10.0
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(frozen=True, slots=True)
class Answer:
    """What Secret Manager answered."""

    status: int
    body: bytes


class Ask(Protocol):
    """Makes one authorized GET. Raises OSError when there was no answer."""

    def __call__(self, url: str) -> Answer:
        """The answer at this URL."""
        ...


class SecretManager:
    """Reads versions of secrets. `ask` makes the calls; by default with the credentials of this process."""

    def __init__(self, ask: Ask | None = None, *, address: str = SECRET_MANAGER) -> None:
        self._ask = ask
        self._address = address

    def reveal(self, reference: str) -> str:
        """The secret that a reference names.

        Raises InvalidInput when it is malformed, missing or not for us, and Retryable while it cannot be reached;
        neither says anything of the secret.
        """
        name = reference.removeprefix(SCHEME)
        if not reference.startswith(SCHEME) or not _NAME.fullmatch(name):
            raise InvalidInput("a reference to a secret is sm://projects/P/secrets/S/versions/V")
        if self._ask is None:
            self._ask = authorized()
        try:
            answer = self._ask(f"{self._address}/v1/{name}:access")
        except OSError as error:
            raise Retryable(f"Secret Manager does not answer ({type(error).__name__})", after=2.0) from None
        if answer.status == 200:
            return _text(answer.body, name)
        if answer.status >= 500 or answer.status == 429:
            raise Retryable(f"Secret Manager answers {answer.status}", after=2.0)
        raise InvalidInput(
            f"{name} cannot be read (status {answer.status}): create it, enable this version, and give the function's"
            " service account roles/secretmanager.secretAccessor on it"
        )


def _text(body: bytes, name: str) -> str:
    try:
        return base64.b64decode(json.loads(body)["payload"]["data"], validate=True).decode()
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise InvalidInput(f"{name} does not hold text") from None


def authorized() -> Ask:
    """Asks with the credentials of this process. Raises InvalidInput when it has none."""
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError, TransportError
    from google.auth.transport.requests import AuthorizedSession

    default: Any = google.auth.default  # it carries no types
    open_session: Any = AuthorizedSession
    try:
        credentials, _ = default(scopes=[_SCOPE])
    except DefaultCredentialsError:
        raise InvalidInput("a secret is given by reference, and this process has no credentials of Google's") from None
    session = open_session(credentials)

    def ask(url: str) -> Answer:
        try:
            response = session.get(url, timeout=_TIMEOUT_S)
        except TransportError as error:
            raise OSError("no credentials could be had") from error
        return Answer(response.status_code, response.content)

    return ask
