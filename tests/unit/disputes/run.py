"""Running the team over tables: the real engine under the real twins, then the synthesizer over what they found."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from infra.sources.build import build_database
from infra.sources.duckdb_files import DuckDbSources
from infra.worlds.loader import load_world
from infra.worlds.loader import find_world
from shared.case.case import Case, Trigger, case_id
from shared.case.evidence import Evidence, Gap
from shared.case.lifecycle import State
from shared.errors import Retryable
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.ports.directory import Org
from shared.ports.sources import Sources
from shared.team.contract import Draft, Findings, Job, Material, Routing

Tables = dict[str, list[dict[str, object]]]
PLAYBOOK = DisputesPlaybook()


def world_tables(name: str) -> tuple[Tables, Org, datetime, Mapping[str, object]]:
    """The tables of a shipped world, its org, its clock, and its first event."""
    world = load_world(find_world(name))
    return copy.deepcopy(world.tables()), world.org, world.now, world.events[0]


@contextmanager
def sources(path: Path, tables: Tables) -> Iterator[Sources]:
    """The embedded engine over these tables."""
    build_database(path, tables)
    with DuckDbSources(path) as found:
        yield found


def opened(event: Mapping[str, object], org: Org, now: datetime) -> Case:
    """The case that an event opens."""
    routing = PLAYBOOK.route(org.id, event)  # type: ignore[arg-type]
    assert isinstance(routing, Routing)
    return Case(
        id=case_id(org.id, routing.subject),
        org=org.id,
        subject=routing.subject,
        playbook=routing.playbook,
        state=State.INVESTIGATING,
        trigger=Trigger(event_id="evt", type=str(event["type"]), summary=routing.summary, created_at=now),
        opened_at=now,
        updated_at=now,
        facts=dict(routing.observation.facts),
    )


def investigate(case: Case, org: Org, now: datetime, found: Sources) -> tuple[list[Evidence], list[Gap]]:
    """One attempt of every specialist; their rows numbered in the order of the team."""
    evidence: list[Evidence] = []
    gaps: list[Gap] = []
    for specialist in PLAYBOOK.team(case):
        findings = Findings()
        job = Job(case, org, specialist.name, 1, 0, now, found, remaining_s=60.0)
        try:
            specialist.investigate(job, findings)
        except Retryable as error:
            gaps.append(Gap(specialist=specialist.name, what="its whole report", why=str(error)))
        evidence += [
            Evidence(index=len(evidence) + ordinal, specialist=specialist.name, row=row)
            for ordinal, row in enumerate(findings.rows)
        ]
        gaps += findings.gaps
    return evidence, gaps


def synthesized(case: Case, org: Org, now: datetime, evidence: Sequence[Evidence], gaps: Sequence[Gap]) -> Draft:
    """The draft over this evidence."""
    return PLAYBOOK.synthesize(Material(case=case, org=org, round=1, evidence=evidence, gaps=gaps, now=now))
