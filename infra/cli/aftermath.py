"""Carrying out what a person decided: with the pipeline going on at once, or recorded for whoever runs it next."""

from __future__ import annotations

from collections.abc import Callable

from infra.cli.archive import opened
from infra.cli.folder import DataFolder, locked
from infra.cli.output import Screen
from infra.cli.performance import asking, go_on, on_stage
from infra.cli.progress import narrating
from infra.local.clock import WorldClock
from infra.local.composition import LocalComposition, LocalSettings
from shared.case.case import Case
from shared.errors import NotFound
from shared.steps.audit import Audit, audit
from shared.steps.context import Ports, RequestContext

Decide = Callable[[Ports, RequestContext], Case]


def carry_on(screen: Screen, folder: DataFolder, case_id: str, email: str, decide: Decide) -> tuple[Case, Audit]:
    """Decide on the case's stage and run it until nothing is left, or people are asked."""
    with on_stage(folder.world, folder.path, fresh=False) as stage:
        with narrating(stage, screen, from_now=True) as narrator:
            decide(stage.ports, stage.as_person(email))
            go_on(stage, narrator)
            narrator.stands_still(asking(stage))
        return _as_it_stands(stage.ports, folder.org, case_id)


def only_record(screen: Screen, folder: DataFolder, case_id: str, email: str, decide: Decide) -> tuple[Case, Audit]:
    """Decide, and leave what is due on the queue for the next command that runs the folder."""
    with opened(folder) as archive:
        # The world's time, not ours: its deadlines are counted in it.
        clock = WorldClock(archive.case(case_id).updated_at)
    with locked(folder.path), LocalComposition(LocalSettings(data=folder.path), clock=clock) as composition:
        ports = composition.ports("cli")
        member = ports.directory.org(folder.org).member(email)
        role = member.role.value if member else "stranger"
        who = RequestContext(org=folder.org, actor=email, role=role, trace=ports.entropy.token())
        decide(ports, who)
        found = _as_it_stands(ports, folder.org, case_id)
    screen.say(f"recorded; the next command that runs {folder.path} goes on, e.g. one without --no-run")
    return found


def _as_it_stands(ports: Ports, org: str, case_id: str) -> tuple[Case, Audit]:
    record = ports.store.read(org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    return record.case, audit(ports.store, org, case_id)
