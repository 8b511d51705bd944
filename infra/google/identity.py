"""Who calls a function: the OIDC token of a push, a task or a scheduled job, verified against Google's keys.

Cloud Run checks the caller before the container sees a request. This is the second lock: a service that was made public
by mistake still serves nobody but its transports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.auth import jwt
from google.auth.exceptions import GoogleAuthError

from infra.google.keys import Keys
from shared.errors import Refused

ISSUERS: Final = frozenset({"https://accounts.google.com", "accounts.google.com"})
CLOCK_SKEW_S: Final = 30
_LONGEST_TOKEN: Final = 8192


class TokenCallers:
    """Verifies the token of each request; implements shared.ports.Callers.

    `audience`: the URL of this function, as push subscriptions, tasks and jobs name it. `accounts`: the service
    accounts they run as. The token's times are compared with real time, whatever a simulated world shows.
    """

    def __init__(self, keys: Keys, *, audience: str, accounts: frozenset[str]) -> None:
        self._keys = keys
        self._audience = audience
        self._accounts = accounts

    def require(self, authorization: str, peer: str) -> None:
        """Raises Refused, with a reason that holds nothing of the token, and Retryable while there are no keys."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token or len(token) > _LONGEST_TOKEN:
            raise Refused("it sent no bearer token")
        claims = self._verified(token.strip())
        if claims.get("iss") not in ISSUERS:
            raise Refused("its token is from another issuer")
        if claims.get("email_verified") is not True or claims.get("email") not in self._accounts:
            raise Refused("its token is of an account that may not call this function")

    def _verified(self, token: str) -> Mapping[str, object]:
        """The claims, once signature, times and audience hold.

        The key must be named by the token and known to us; the library accepts no algorithm but those of public keys,
        so neither `none` nor a public key taken for a shared secret passes.
        """
        decode_header: Any = jwt.decode_header  # neither is typed
        decode: Any = jwt.decode
        try:
            key_id = decode_header(token).get("kid")
            if not isinstance(key_id, str):
                raise Refused("its token names no key")
            certs = self._keys.with_key(key_id)
            claims = decode(token, certs=certs, audience=self._audience, clock_skew_in_seconds=CLOCK_SKEW_S)
        except (GoogleAuthError, ValueError, TypeError) as error:
            raise Refused(f"its token does not hold ({type(error).__name__})") from None
        if not isinstance(claims, Mapping):
            raise Refused("its token holds no claims")
        return claims
