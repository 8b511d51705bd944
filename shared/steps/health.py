"""Health: the metrics as a tick of the sweeper reports them, and as the stored cases of an org come to at any time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from shared.case.case import Case
from shared.ports.store import Inbox
from shared.ports.trace import TraceReader
from shared.steps.context import Ports
from shared.steps.dead_letters import dead_letters
from shared.steps.metrics import APPROVALS_REFUSED, Pulse, gauges, pulse_of
from shared.steps.people import REFUSED
from shared.steps.sweep import Swept


def report_tick(ports: Ports, swept: Swept) -> None:
    """Report what a tick found; one query besides."""
    ports.telemetry.report(gauges(swept.pulse, len(dead_letters(ports.inbox))))


def health_of(cases: Iterable[Case], inbox: Inbox, trace: TraceReader, now: datetime) -> dict[str, int]:
    """Every metric by name; refused approvals as far as the cases' traces still tell them."""
    pulse, refused = Pulse(), 0
    for case in cases:
        pulse += pulse_of(case, now)
        refused += sum(line.what == REFUSED for line in trace.list(case.org, case.id))
    return {**gauges(pulse, len(dead_letters(inbox))), APPROVALS_REFUSED: refused}
