"""A whole case, for people and for other programs: what `cases show` shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.cli.archive import Archive
from infra.cli.clocks import clock_json, clock_of, show_clock
from infra.cli.output import Screen
from infra.cli.render import show_case, show_end, show_evidence, show_timeline
from infra.cli.result import case_json, evidence_json, question_json, timeline_json
from infra.cli.story import entries
from shared.steps.audit import audit


def show_whole(
    screen: Screen,
    archive: Archive,
    case_id: str,
    *,
    with_evidence: bool = False,
    besides: Mapping[str, Any] | None = None,
) -> None:
    """The brief, the actions and the timeline of a case; `besides` goes into the document, too. Raises NotFound."""
    found = archive.case(case_id)
    evidence = archive.evidence(found)
    log = list(entries(archive.store, found.org, found.id))
    audited = audit(archive.store, found.org, found.id)
    document = case_json(found, chain_ok=audited.ok)
    document["questions"] = [question_json(question) for question in found.questions]
    document["timeline"] = [timeline_json(entry) for entry in log]
    clock = clock_of(archive, found)
    document["deadline"] = clock_json(clock)
    if with_evidence:
        document["evidence"] = [evidence_json(item) for item in evidence]
    screen.emit({**document, **(besides or {})})
    show_clock(screen, clock)
    show_case(screen, found, evidence)
    show_timeline(screen, log)
    if with_evidence:
        show_evidence(screen, evidence)
    show_end(screen, found, audited)
