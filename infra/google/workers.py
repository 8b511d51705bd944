"""The instances of a function: none of them can be seen from another, so that none is ever provably dead."""

from __future__ import annotations


class Instances:
    """Implements shared.ports.workers.Workers where leases end by time alone."""

    def __init__(self, identity: str) -> None:
        self._this = identity

    def this(self) -> str:
        """The identity of this instance."""
        return self._this

    def provably_dead(self, identity: str) -> bool:
        """Never: an instance that does not answer may still be at work."""
        return False
