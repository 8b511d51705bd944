"""What reading use and trouble needs to know of a case: whose, in which time, and what they had bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.case.evidence import Evidence
from shared.playbooks.disputes.billing import Cycle
from shared.team.exhibits import Exhibits


class Setting(Protocol):
    """A customer in a stretch of time, as evidence shows them; a dispute has one, and so has a request."""

    @property
    def exhibits(self) -> Exhibits:
        """The evidence of the case."""
        ...

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        ...

    @property
    def domains(self) -> frozenset[str]:
        """The domains of the customer's people, in lower case."""
        ...

    @property
    def charge(self) -> Evidence:
        """The charge that the case is about."""
        ...

    @property
    def paid_at(self) -> datetime:
        """When it was paid."""
        ...

    @property
    def line(self) -> Evidence | None:
        """The invoice line that it paid."""
        ...

    @property
    def cycle(self) -> Cycle | None:
        """The stretch of time."""
        ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """A setting that is no dispute: the stretch of time that a request is about, e.g. a month of the calendar.

    `charge`: the row that names the customer: what they paid, or what they were billed.
    """

    exhibits: Exhibits
    customer_name: str
    domains: frozenset[str]
    charge: Evidence
    paid_at: datetime
    line: Evidence | None
    cycle: Cycle
