"""Faults on request: rules that make the next matching API requests go wrong, each as often as it says.

    timeout_before   no effect; the connection is held, then dropped
    timeout_after    the effect happens; the connection is held, then dropped without the answer
    409              no effect; `lock_timeout`, as a conflict with another request
    lock_timeout     no effect; the same as a 429, which is how Stripe documents it (docs.stripe.com/rate-limits)
    429              no effect; `rate_limit`, with `Stripe-Rate-Limited-Reason` and no `Retry-After`
    500              no effect, and nothing is saved: the request never reached the endpoint
    500_after        the effect happens, and the 500 is what its idempotency key replays

Rules are kept with the state. One is used up by a request that matches it, in the transaction of that request, also
when the request is then refused or replayed; the oldest rule that matches is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from .errors import Invalid, StripeError, internal
from .session import Session
from .wire import JsonObject, Request, Response

Kind: TypeAlias = Literal["timeout_before", "timeout_after", "409", "lock_timeout", "429", "500", "500_after"]

HOLD = 0.5
"""How long, in seconds, a connection is held before it is dropped, unless the rule says otherwise."""
LONGEST_HOLD = 60.0

_LOCKED = (
    "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. "
    "If you see this error intermittently, retry the request. If you see this error frequently and are making multiple "
    "concurrent requests to a single object, make your requests serially or at a lower rate."
)


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request; `hold_s` is in seconds."""

    kind: Kind
    hold_s: float

    def instead(self) -> Response | None:
        """What happens in place of the request; None when it is carried out."""
        match self.kind:
            case "timeout_before":
                return Response(0, "", dropped_after=self.hold_s)
            case "409":
                return StripeError(_LOCKED, status=409, code="lock_timeout").response()
            case "lock_timeout":
                return StripeError(_LOCKED, status=429, code="lock_timeout").response()
            case "429":
                return _rate_limited()
            case "500":
                return internal().response()
        return None

    def result(self, response: Response) -> Response:
        """What is saved as the result of a request that was carried out."""
        return internal().response() if self.kind == "500_after" else response

    def sent(self, response: Response) -> Response:
        """What of an answer leaves the double."""
        if self.kind != "timeout_after":
            return response
        return Response(response.status, response.body, response.headers, dropped_after=self.hold_s)


def add(session: Session, rule: object) -> None:
    """Adds a rule {kind, method?, path?, times?, hold_s?}; `path` is a prefix, or beginning with `^` a pattern.

    Raises Invalid for anything else.
    """
    if not isinstance(rule, dict) or not set(rule) <= {"kind", "method", "path", "times", "hold_s"}:
        raise Invalid("A fault has a `kind` and may have `method`, `path`, `times` and `hold_s`.")
    if rule.get("kind") not in get_args(Kind):
        raise Invalid(f"The kind of a fault is one of {', '.join(get_args(Kind))}.", param="kind")
    session.db.execute(
        "INSERT INTO faults (kind, method, path, left, hold_s) VALUES (?, ?, ?, ?, ?)",
        (rule["kind"], _text(rule, "method"), _path(rule), _times(rule), _hold(rule)),
    )


def listed(session: Session) -> list[JsonObject]:
    """The rules that are not used up, oldest first; `left` is how often each will still be taken."""
    rows = session.db.execute("SELECT seq AS id, kind, method, path, left, hold_s FROM faults ORDER BY seq")
    return [dict(row) for row in rows]


def clear(session: Session) -> int:
    """Forgets every rule; returns how many there were."""
    return session.db.execute("DELETE FROM faults").rowcount


def take(session: Session, request: Request) -> Fault | None:
    """The fault that is due for this request, used up once, and noted against the request."""
    for row in session.db.execute("SELECT * FROM faults ORDER BY seq").fetchall():
        if row["method"] in (None, request.method) and _covers(row["path"], request.path):
            session.db.execute("UPDATE faults SET left = left - 1 WHERE seq = ?", (row["seq"],))
            session.db.execute("DELETE FROM faults WHERE left <= 0")
            session.db.execute("INSERT INTO fault_hits VALUES (?, ?)", (session.request, row["kind"]))
            return Fault(row["kind"], row["hold_s"])
    return None


def _rate_limited() -> Response:
    message = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
    refusal = StripeError(message, status=429, code="rate_limit").response()
    return Response(refusal.status, refusal.body, {"Stripe-Rate-Limited-Reason": "global-rate"})


def _covers(pattern: str | None, path: str) -> bool:
    if pattern is None:
        return True
    return re.match(pattern, path) is not None if pattern.startswith("^") else path.startswith(pattern)


def _text(rule: JsonObject, name: str) -> str | None:
    value = rule.get(name)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"{name} of a fault is a text.", param=name)
    return value


def _path(rule: JsonObject) -> str | None:
    path = _text(rule, "path")
    try:
        re.compile(path or "")
    except re.error:
        raise Invalid("The path of a fault is not a pattern.", param="path") from None
    return path


def _times(rule: JsonObject) -> int:
    times = rule.get("times", 1)
    if type(times) is not int or times < 1:
        raise Invalid("A fault happens a whole number of times, at least once.", param="times")
    return times


def _hold(rule: JsonObject) -> float:
    hold = rule.get("hold_s", HOLD)
    if type(hold) not in (int, float) or not 0 <= hold <= LONGEST_HOLD:
        raise Invalid(f"A connection is held for 0 to {LONGEST_HOLD:.0f} seconds.", param="hold_s")
    return float(hold)
