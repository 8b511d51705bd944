"""What an auditor writes down."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that was broken, in which case, and what was seen."""

    rule: str
    case_id: str
    detail: str


@dataclass(slots=True)
class Found:
    """The list of them."""

    violations: list[Violation] = field(default_factory=list)

    def add(self, rule: str, case_id: str, detail: str) -> None:
        """One more."""
        self.violations.append(Violation(rule, case_id, detail))

    def unless(self, holds: bool, rule: str, case_id: str, detail: str) -> None:
        """One more, unless what must hold does."""
        if not holds:
            self.add(rule, case_id, detail)
