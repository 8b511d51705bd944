"""Who is at work: so that a lease of a process that is provably dead need not be waited out."""

from __future__ import annotations

from typing import Protocol


class Workers(Protocol):
    """The processes that carry out actions."""

    def this(self) -> str:
        """The identity of this process; part of every lease it takes."""
        ...

    def provably_dead(self, identity: str) -> bool:
        """Whether this process certainly no longer runs. In doubt, False: then its leases run out by time."""
        ...
