"""OIDC tokens as the service attaches them, signed by a key of the emulator's own, and the key to verify them with."""

from __future__ import annotations

import base64
import threading
import time
from typing import Any, Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import crypt, jwt

from shared.case.canonical import short_hash

ISSUER: Final = "https://accounts.google.com"
LIFETIME_S: Final = 3600


class Signer:
    """A key pair that is made when it is needed first, and lives as long as this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: rsa.RSAPrivateKey | None = None

    @property
    def _key(self) -> rsa.RSAPrivateKey:
        with self._lock:
            if self._made is None:
                self._made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            return self._made

    @property
    def key_id(self) -> str:
        """The `kid` of its tokens."""
        return short_hash(self._public_pem())

    def token(self, account: str, audience: str) -> str:
        """A token for this account and audience. Its times are real ones, whatever the emulator's clock says."""
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": audience,
            "azp": account,
            "sub": short_hash(account),
            "email": account,
            "email_verified": True,
            "iat": now,
            "exp": now + LIFETIME_S,
        }
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        signer: Any = crypt.RSASigner
        encode: Any = jwt.encode  # neither is typed
        encoded: bytes = encode(signer.from_string(pem.decode()), claims, key_id=self.key_id)
        return encoded.decode()

    def certs(self) -> dict[str, str]:
        """Public keys by id as PEM text, as Google serves them at /oauth2/v1/certs."""
        return {self.key_id: self._public_pem()}

    def jwks(self) -> dict[str, Any]:
        """The same as a JSON web key set, as Google serves it at /oauth2/v3/certs."""
        numbers = self._key.public_key().public_numbers()
        key = {
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.key_id,
            "n": _base64url(numbers.n),
            "e": _base64url(numbers.e),
        }
        return {"keys": [key]}

    def _public_pem(self) -> str:
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self._key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def _base64url(number: int) -> str:
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
