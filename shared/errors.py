"""The error map: what went wrong, and what a transport should do about it.

    ManthanError
    ├── Terminal                 trying again cannot help: acknowledge, record, show
    │   ├── InvalidInput         the input itself is wrong (quarantine; HTTP 400 where a person waits for an answer)
    │   ├── Refused              a rule forbids it (HTTP 403)
    │   ├── NotFound             no such case, action, record (HTTP 404)
    │   └── IllegalTransition    the lifecycle does not know this move: a fault of ours
    ├── Conflict                 the world or the case has moved on since the caller looked (HTTP 409)
    └── Retryable                the same call may succeed later (HTTP 503, Retry-After)
        ├── Busy                 another delivery holds the claim or the lease
        └── Contended            the bound of compare-and-set retries is reached

Messages are written for the person who has to act on them; they never carry secrets or customer text.
"""

from __future__ import annotations


class ManthanError(Exception):
    """Base of every error that Manthan raises on purpose. `code` is stable and appears in logs and JSON."""

    code = "error"


class Terminal(ManthanError):
    """Trying again cannot help."""

    code = "terminal"


class InvalidInput(Terminal):
    """The input is malformed or contradicts itself; the message says where and how to fix it."""

    code = "invalid_input"


class Refused(Terminal):
    """A rule forbids the request: a role, a limit, a policy, a law of the object's state."""

    code = "refused"


class NotFound(Terminal):
    """What was named does not exist in this org."""

    code = "not_found"


class IllegalTransition(Terminal):
    """A transition that the lifecycle table does not list: a fault of ours, never of the caller."""

    code = "illegal_transition"


class Conflict(ManthanError):
    """What the caller saw is no longer true; look again before deciding."""

    code = "conflict"


class Retryable(ManthanError):
    """The same call may succeed later; `after` is the suggested wait in seconds, if one is known."""

    code = "retryable"

    def __init__(self, message: str, *, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Busy(Retryable):
    """Another delivery holds the claim or the lease for this piece of work."""

    code = "busy"


class Contended(Retryable):
    """Compare-and-set lost its bounded number of races; nothing was written and nothing computed is lost."""

    code = "contended"
