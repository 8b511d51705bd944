"""The auditor: judges a run from its event logs and the simulated world alone.

It imports nothing from shared.steps, shared.team, shared.policy or shared.playbooks (import-linter holds that), reads
events as the JSON that was stored, and folds actions and approvals by itself. docs/reliability.md lists its rules.
"""

from __future__ import annotations

from infra.simulation.audit.calls import judge_calls
from infra.simulation.audit.evidence import judge_evidence
from infra.simulation.audit.findings import Found, Violation
from infra.simulation.audit.rest import judge_rest
from infra.simulation.audit.stored import judge_inbox, judge_ledgers, judge_logs
from infra.simulation.journal import Played

__all__ = ["Violation", "audit"]


def audit(played: Played) -> list[Violation]:
    """Everything that must not have happened."""
    found = Found()
    judge_logs(played, found)
    judge_calls(played, found)
    judge_evidence(played, found)
    judge_inbox(played, found)
    judge_ledgers(played, found)
    judge_rest(played, found)
    for where, what in played.journal.faults_of_ours:
        if not what.startswith("ClientBroken"):
            found.add("no_unexpected_error", "", f"{where}: {what.strip().splitlines()[0]}")
    return found.violations
