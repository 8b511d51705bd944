"""Who may call a function: Pub/Sub, Cloud Tasks and the scheduler with their own identities, and nobody else."""

from __future__ import annotations

from typing import Protocol


class Callers(Protocol):
    """Says whether a delivery comes from a transport of ours."""

    def require(self, authorization: str, peer: str) -> None:
        """Raises Refused for a stranger, and Retryable while nobody can be verified.

        `authorization`: the request's Authorization header, empty when it has none. `peer`: the address that the
        request came from, as far as the server knows it.
        """
        ...
