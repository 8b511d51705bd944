"""The rule-based twin of a specialist: the same interface as the model's, with a plain function doing the asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.evidence import EvidenceKind
from shared.team.contract import Findings, Job
from shared.team.tools import Tools

DEADLINE_S = 180.0
"""Seconds a specialist has from planning, over all of its attempts, unless its playbook says otherwise."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A specialist that follows rules: `ask` puts the questions, in order, through the tools it is given."""

    name: str
    ask: Callable[[Job, Tools], None]
    deadline_s: float = DEADLINE_S

    def investigate(self, job: Job, findings: Findings) -> None:
        """Add rows and gaps to `findings`; what was found by the time of an error is kept.

        Raises QueryFailed (a Retryable) when something essential is unreadable, OutOfTime when the soft budget ends.
        """
        try:
            self.ask(job, Tools(job, findings))
        finally:
            findings.summary = _summary(findings)


def _summary(findings: Findings) -> str:
    absent = sum(row.kind is EvidenceKind.ABSENCE for row in findings.rows)
    systems = sorted({row.source for row in findings.rows})
    where = f" from {', '.join(systems)}" if systems else ""
    return f"{len(findings.rows) - absent} rows and {absent} absences{where}; {len(findings.gaps)} gaps"
