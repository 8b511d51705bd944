"""Stripe's webhook signature: HMAC-SHA256 over `timestamp.rawbody`.

Source: docs.stripe.com/webhooks#verify-manually. Stripe's own verifier rejects only old timestamps; a timestamp from
the future is refused here as well, since it would stay valid for longer than the tolerance.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

from shared.errors import InvalidInput

TOLERANCE_S = 300


class BadSignature(InvalidInput):
    """The body was not signed by a secret of this endpoint, or not now."""

    code = "bad_signature"


def verify_signature(body: bytes, header: str, secrets: Mapping[str, str], received_at: datetime) -> str:
    """The name of the secret that signed the body. Several secrets are live while one is being rolled.

    Raises BadSignature with the precise reason; the header's values are never repeated in it.
    """
    timestamp, signatures = _parse(header)
    age = received_at.timestamp() - timestamp
    if age > TOLERANCE_S:
        raise BadSignature(f"the signature is {int(age)} s old; at most {TOLERANCE_S} s are accepted")
    if age < -TOLERANCE_S:
        raise BadSignature(f"the signature is dated {int(-age)} s in the future; check the clocks")
    signed = str(timestamp).encode() + b"." + body
    for name, secret in secrets.items():
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(expected, given) for given in signatures):
            return name
    raise BadSignature("no signature matches a secret of this endpoint: wrong secret, or the body was changed")


def _parse(header: str) -> tuple[int, list[str]]:
    if not header:
        raise BadSignature("the Stripe-Signature header is missing")
    timestamp: int | None = None
    signatures: list[str] = []
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        if name == "t" and value.isascii() and value.isdigit() and len(value) <= 12:
            timestamp = int(value)
        elif name == "v1" and value.isascii():
            signatures.append(value)
    if timestamp is None or not signatures:
        raise BadSignature("the Stripe-Signature header has no usable t= and v1= parts")
    return timestamp, signatures
