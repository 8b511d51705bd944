"""API keys: which of the registered ones a request carries, and what that allows. Keys are never written anywhere."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .errors import Invalid

KeyKind: TypeAlias = Literal["write", "read", "none", "unknown"]


@dataclass(frozen=True)
class Keys:
    """The account's secret key, which may do anything, and its restricted key, which may only read."""

    write: str = field(repr=False)
    read: str = field(repr=False)

    def kind(self, headers: Mapping[str, str]) -> KeyKind:
        """Which key the request carries, as a bearer token or as the user name of basic authentication."""
        given = _given(headers.get("authorization", ""))
        if not given:
            return "none"
        if hmac.compare_digest(given.encode(), self.write.encode()):
            return "write"
        if hmac.compare_digest(given.encode(), self.read.encode()):
            return "read"
        return "unknown"


def check(kind: KeyKind, method: str, permission: str, account: str) -> None:
    """Raises Invalid, as a 401 or 403, unless a key of this kind may use this method."""
    if kind == "none":
        message = (
            "You did not provide an API key. You need to provide your API key in the Authorization header, using "
            "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
        )
        raise Invalid(message, status=401)
    if kind == "unknown":
        raise Invalid("Invalid API Key provided.", status=401)
    if kind == "read" and method != "GET":
        message = (
            f"The provided key 'rk_test_***' does not have the required permissions for this endpoint on account "
            f"'{account}'. Having the '{permission}' permission would allow this request to continue."
        )
        raise Invalid(message, status=403)


def _given(authorization: str) -> str:
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            return "?"
    return ""
