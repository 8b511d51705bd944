"""Only our own transports are served: every way in which a token can be wrong, with tokens that we sign ourselves."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from google.auth import crypt, jwt

from infra.fakes.cloud_tasks import Signer
from infra.google.identity import TokenCallers
from infra.google.keys import Fetched, Keys
from infra.local.callers import LoopbackCallers
from shared.errors import Refused, Retryable

AUDIENCE = "https://specialist-abc.run.app"
ACCOUNT = "tasks@acme.iam.gserviceaccount.com"
SIGNER = Signer()


@cache
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_pem() -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return private_key().public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def pem(key: Any) -> str:
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    text: bytes = key.private_bytes(serialization.Encoding.PEM, form, plain)
    return text.decode()


def claims(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    good = {
        "iss": "https://accounts.google.com",
        "aud": AUDIENCE,
        "email": ACCOUNT,
        "email_verified": True,
        "iat": now - 10,
        "exp": now + 3590,
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def signed(told: dict[str, Any], key_id: str | None = "k1") -> str:
    encode: Any = jwt.encode
    signer: Any = crypt.RSASigner
    token: bytes = encode(signer.from_string(pem(private_key())), told, key_id=key_id)
    return token.decode()


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def forged(header: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    content = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims()).encode())}"
    return f"{content}.{b64(sign(content.encode()))}"


@pytest.fixture
def callers() -> TokenCallers:
    keys = Keys(lambda: Fetched({"k1": public_pem()}, 3600))
    return TokenCallers(keys, audience=AUDIENCE, accounts=frozenset({ACCOUNT, "push@acme.iam.gserviceaccount.com"}))


def refusal(callers: TokenCallers, authorization: str) -> str:
    with pytest.raises(Refused) as refused:
        callers.require(authorization, "10.0.0.1")
    return str(refused.value)


def test_a_token_of_ours_is_accepted(callers: TokenCallers) -> None:
    callers.require(f"Bearer {signed(claims())}", "10.0.0.1")
    callers.require(f"bearer {signed(claims(iss='accounts.google.com'))}", "")
    callers.require(f"Bearer {signed(claims(email='push@acme.iam.gserviceaccount.com'))}", "")


def test_the_emulators_tokens_pass_the_same_verification() -> None:
    callers = TokenCallers(
        Keys(lambda: Fetched(SIGNER.certs(), 3600)), audience=AUDIENCE, accounts=frozenset({ACCOUNT})
    )
    callers.require(f"Bearer {SIGNER.token(ACCOUNT, AUDIENCE)}", "")
    assert "does not hold" in refusal(callers, f"Bearer {SIGNER.token(ACCOUNT, 'https://another.run.app')}")
    assert "may not call" in refusal(callers, f"Bearer {SIGNER.token('mallory@evil.test', AUDIENCE)}")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"aud": "https://act-abc.run.app"}, "does not hold"),
        ({"aud": None}, "does not hold"),
        ({"aud": AUDIENCE + "/"}, "does not hold"),
        ({"iss": "https://evil.test"}, "another issuer"),
        ({"iss": None}, "another issuer"),
        ({"email": "mallory@evil.test"}, "may not call"),
        ({"email": ACCOUNT.upper()}, "may not call"),
        ({"email": None}, "may not call"),
        ({"email_verified": False}, "may not call"),
        ({"email_verified": "true"}, "may not call"),
        ({"exp": int(time.time()) - 60}, "does not hold"),
        ({"exp": None}, "does not hold"),
        ({"exp": "never"}, "does not hold"),
        ({"iat": int(time.time()) + 3600, "exp": int(time.time()) + 7200}, "does not hold"),
        ({"iat": None}, "does not hold"),
    ],
)
def test_a_token_that_is_not_for_this_call_is_refused(
    callers: TokenCallers, changes: dict[str, Any], reason: str
) -> None:
    assert reason in refusal(callers, f"Bearer {signed(claims(**changes))}")


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer x", "Bearer a.b.c", "Bearer é.é.é"]
)
def test_without_a_token_that_can_be_read_nobody_is_served(callers: TokenCallers, authorization: str) -> None:
    assert refusal(callers, authorization)


def test_a_huge_token_is_not_even_looked_at(callers: TokenCallers) -> None:
    assert refusal(callers, "Bearer " + "x" * 10_000) == "it sent no bearer token"


def test_a_token_without_a_signature_is_refused(callers: TokenCallers) -> None:
    for algorithm in ("none", "None", "NONE"):
        assert refusal(callers, f"Bearer {forged({'alg': algorithm, 'kid': 'k1'}, lambda content: b'')}")


def test_a_public_key_is_not_taken_for_a_shared_secret(callers: TokenCallers) -> None:
    def sign(content: bytes) -> bytes:
        return hmac.new(public_pem().encode(), content, hashlib.sha256).digest()

    assert refusal(callers, f"Bearer {forged({'alg': 'HS256', 'kid': 'k1'}, sign)}")


def test_another_algorithm_with_an_rsa_key_is_refused(callers: TokenCallers) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    signer: Any = crypt.EsSigner
    sign = signer.from_string(pem(key)).sign
    assert refusal(callers, f"Bearer {forged({'alg': 'ES256', 'kid': 'k1'}, sign)}")


def test_a_key_that_is_not_googles_or_not_named_is_refused(callers: TokenCallers) -> None:
    assert refusal(callers, f"Bearer {signed(claims(), key_id='k2')}")
    assert refusal(callers, f"Bearer {signed(claims(), key_id=None)}") == "its token names no key"


def test_a_changed_token_is_refused(callers: TokenCallers) -> None:
    header, _, signature = signed(claims()).split(".")
    other = b64(json.dumps(claims(email="push@acme.iam.gserviceaccount.com")).encode())
    assert refusal(callers, f"Bearer {header}.{other}.{signature}")


def test_a_refusal_says_nothing_of_the_token(callers: TokenCallers) -> None:
    token = signed(claims(aud="https://evil.test", email="mallory@evil.test"))
    said = refusal(callers, f"Bearer {token}")
    assert "evil" not in said
    assert token not in said


def test_while_the_keys_cannot_be_had_callers_are_asked_to_come_again() -> None:
    def down() -> Fetched:
        raise OSError("no route")

    callers = TokenCallers(Keys(down), audience=AUDIENCE, accounts=frozenset({ACCOUNT}))
    with pytest.raises(Retryable):
        callers.require(f"Bearer {signed(claims())}", "")


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1"])
def test_without_tokens_callers_on_this_machine_are_served(peer: str) -> None:
    LoopbackCallers().require("", peer)


@pytest.mark.parametrize("peer", ["10.0.0.1", "192.168.1.4", "2001:db8::1", "", "localhost", "127.0.0.1.evil.test"])
def test_without_tokens_nobody_from_elsewhere_is_served(peer: str) -> None:
    with pytest.raises(Refused):
        LoopbackCallers().require("Bearer whatever", peer)
