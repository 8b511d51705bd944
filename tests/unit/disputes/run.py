"""Running the team over tables: the real engine under the real twins, then the synthesizer over what they found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from infra.sources.build import build_database
from infra.sources.duckdb_files import DuckDbSources
from infra.worlds.loader import find_world, load_world
from shared.case.actions import Json
from shared.case.case import Case, Trigger, case_id
from shared.case.evidence import Evidence, Gap
from shared.case.lifecycle import State
from shared.errors import Retryable
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.ports.directory import Org
from shared.ports.sources import Sources
from shared.team.contract import Draft, Findings, Job, Material, OutOfTime, Routing

Tables = dict[str, list[dict[str, object]]]
PLAYBOOK = DisputesPlaybook()


@dataclass(frozen=True)
class World:
    """A merchant's systems at one moment, and the event that arrives."""

    tables: Tables
    org: Org
    now: datetime
    event: Mapping[str, Json]


def aperture() -> World:
    """The shipped world."""
    return shipped("aperture")


@contextmanager
def sources(path: Path, tables: Tables) -> Iterator[Sources]:
    """The embedded engine over these tables."""
    build_database(path, tables)
    with DuckDbSources(path) as found:
        yield found


def opened(world: World) -> Case:
    """The case that the world's event opens."""
    routing = PLAYBOOK.route(world.org.id, world.event)
    assert isinstance(routing, Routing)
    return Case(
        id=case_id(world.org.id, routing.subject),
        org=world.org.id,
        subject=routing.subject,
        playbook=routing.playbook,
        state=State.INVESTIGATING,
        trigger=Trigger(event_id="evt", type=str(world.event["type"]), summary=routing.summary, created_at=world.now),
        opened_at=world.now,
        updated_at=world.now,
        facts=dict(routing.observation.facts),
    )


def investigate(case: Case, world: World, found: Sources) -> tuple[list[Evidence], list[Gap]]:
    """One attempt of every specialist; their rows numbered in the order of the team, failures degraded to gaps."""
    evidence: list[Evidence] = []
    gaps: list[Gap] = []
    for specialist in PLAYBOOK.team(case):
        findings = Findings()
        try:
            specialist.investigate(job(case, world, specialist.name, found), findings)
        except (Retryable, OutOfTime) as error:
            gaps.append(Gap(specialist=specialist.name, what="its whole report", why=str(error)))
        evidence += [
            Evidence(index=len(evidence) + ordinal, specialist=specialist.name, row=row)
            for ordinal, row in enumerate(findings.rows)
        ]
        gaps += findings.gaps
    return evidence, gaps


def job(case: Case, world: World, specialist: str, found: Sources, remaining_s: float = 60.0) -> Job:
    """A first attempt at an assignment."""
    return Job(case, world.org, specialist, 1, 0, world.now, found, remaining_s)


def synthesized(
    case: Case, org: Org, now: datetime, evidence: Sequence[Evidence], gaps: Sequence[Gap], number: int = 1
) -> Draft:
    """The draft over this evidence, in a round."""
    return PLAYBOOK.synthesize(Material(case=case, org=org, round=number, evidence=evidence, gaps=gaps, now=now))


def request_event(row: Mapping[str, object]) -> Mapping[str, Json]:
    """A request in the envelope in which intake hands it to triage."""
    item: dict[str, Json] = {name: value for name, value in row.items() if value is not None}  # type: ignore[misc]
    item["from"] = item.pop("sender")
    created = int(datetime.fromisoformat(str(item["received_at"])).timestamp())
    type_ = "manthan.request.created"
    return {"id": item["id"], "object": "event", "type": type_, "created": created, "data": {"object": item}}


def shipped(name: str, place: int = 0) -> World:
    """A shipped world with one of its events, or, where it has none, with one of its requests."""
    loaded = load_world(find_world(name))
    requests: list[dict[str, object]] = [request.model_dump(mode="json") for request in loaded.requests]
    tables: Tables = {**loaded.tables(), "manthan.requests": requests}  # type: ignore[dict-item]
    happened = [*loaded.events, *map(request_event, requests)]
    return World(tables, loaded.org, loaded.now, happened[place])  # type: ignore[arg-type]
