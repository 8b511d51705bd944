"""Carrying out what a person decided: with the pipeline going on at once, or recorded for whoever runs it next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from infra.cli.folder import DataFolder, locked
from infra.cli.output import Screen
from infra.cli.performance import asking, go_on, on_stage
from infra.cli.progress import narrating
from infra.cli.worldtime import present
from infra.local.clock import WorldClock
from infra.local.composition import LocalComposition, LocalSettings
from shared.case.case import Case
from shared.errors import NotFound
from shared.steps.audit import Audit, audit
from shared.steps.context import Ports, RequestContext
from shared.steps.texts import with_texts

Decide = Callable[[Ports, RequestContext], Case]


def carry_on(screen: Screen, folder: DataFolder, case_id: str, email: str, decide: Decide) -> tuple[Case, Audit]:
    """Decide on the case's stage and run it until nothing is left, or people are asked.

    While a `manthan dev` runs the folder, that is its affair: then this only decides.
    """
    if folder.dev is not None:
        return only_record(screen, folder, case_id, email, decide)
    with on_stage(folder.world, folder.path, fresh=False) as stage:
        with narrating(stage, screen, from_now=True) as narrator:
            decide(stage.ports, stage.as_person(email))
            go_on(stage, narrator)
            narrator.stands_still(asking(stage))
        return _as_it_stands(stage.ports, folder.org, case_id)


def only_record(screen: Screen, folder: DataFolder, case_id: str, email: str, decide: Decide) -> tuple[Case, Audit]:
    """Decide, and leave what is due on the queue for whoever runs the folder."""
    with at_hand(folder) as ports:
        decide(ports, as_member(ports, folder.org, email))
        found = _as_it_stands(ports, folder.org, case_id)
    if folder.dev is not None:
        screen.say(f"recorded; the `manthan dev` that runs {folder.path} goes on with it")
    else:
        screen.say(f"recorded; the next command that runs {folder.path} goes on, e.g. one without --no-run")
    return found


@contextmanager
def at_hand(folder: DataFolder) -> Iterator[Ports]:
    """The folder's ports without running anything: what is put on its queue waits for whoever runs it.

    A folder that a `manthan dev` runs can be worked on beside it. Raises FolderInUse for one that another command runs.
    """
    dev = folder.dev
    if dev is not None and dev.cloud:
        from infra.cloud.visiting import visiting  # only here: its libraries take half a second

        with visiting(dev.cloud) as cloud:
            yield cloud.ports("cli")
        return
    with ExitStack() as stack:
        if dev is None:
            stack.enter_context(locked(folder.path))
        # The world's time, not ours: its deadlines are counted in it.
        clock = WorldClock(present(folder))
        yield stack.enter_context(LocalComposition(LocalSettings(data=folder.path), clock=clock)).ports("cli")


def as_member(ports: Ports, org: str, email: str) -> RequestContext:
    """The context of whoever says to be this member, on this machine."""
    member = ports.directory.org(org).member(email)
    role = member.role.value if member else "stranger"
    return RequestContext(org=org, actor=email, role=role, trace=ports.entropy.token())


def _as_it_stands(ports: Ports, org: str, case_id: str) -> tuple[Case, Audit]:
    record = ports.store.read(org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    return with_texts(ports.store, record.case), audit(ports.store, org, case_id)
