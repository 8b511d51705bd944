"""Running a world on its stage from the command line: until it has ended, or until only people can move it on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from infra.cli import folder as folders
from infra.cli.approving import Approvers, Turn
from infra.cli.folder import LOG, occupied
from infra.cli.logs import logged_to
from infra.cli.result import case_json
from infra.local.driver import WorldStuck
from infra.stage import Stage
from infra.worlds import find_world, load_world
from infra.worlds.model import World
from shared.case.case import Case
from shared.case.lifecycle import WAITING_FOR_PEOPLE
from shared.errors import Conflict, Refused
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps import people
from shared.steps.audit import Audit, audit
from shared.steps.texts import with_texts

_GUARD_S = 120.0


class Onlooker(Protocol):
    """Whoever watches a run."""

    def look(self) -> None:
        """Something may have changed."""
        ...

    def asked(self, case: Case) -> None:
        """People are asked to approve; nobody has answered yet."""
        ...

    def refused(self, turn: Turn, reason: str) -> None:
        """Somebody may not approve, or not any more."""
        ...


@contextmanager
def on_stage(
    named: str,
    data: Path | None,
    *,
    fresh: bool,
    set_up: Callable[[World, Path], Stage] = Stage,
    shelf: str = "demo",
) -> Iterator[Stage]:
    """A world on its stage, in its data folder.

    `named`: a shipped world or a folder. `shelf`: where the default folder is. Raises NotFound for a world that
    does not exist, InvalidInput for a broken one, FolderInUse.
    """
    world = load_world(find_world(named))
    folder = folders.of(named, world, data, shelf=shelf)
    with occupied(folder, fresh=fresh), logged_to(folder.path / LOG), set_up(world, folder.path) as stage:
        yield stage


def perform(stage: Stage, approvers: Approvers, onlooker: Onlooker) -> None:
    """Run a world until nothing is left to happen, or nothing but what people must do whom we cannot speak for."""

    def done() -> bool:
        onlooker.look()
        return _turn(stage, approvers) is not None or _stands_still(stage)

    while True:
        ended = not stage.run(done)
        if _take_turns(stage, approvers, onlooker):
            continue
        come_to_rest(stage)
        onlooker.look()
        if ended or (_stands_still(stage) and _turn(stage, approvers) is None):
            return


def go_on(stage: Stage, onlooker: Onlooker) -> None:
    """Run until nothing is left to happen; but while people are asked, or have stopped effects, time stands still."""

    def done() -> bool:
        onlooker.look()
        return bool(asking(stage)) or effects_stopped(stage)

    while stage.run(done):
        come_to_rest(stage)
        if done():
            return
    onlooker.look()


def asking(stage: Stage) -> list[Case]:
    """The cases that wait for people."""
    return [case for case in stage.cases() if case.state in WAITING_FOR_PEOPLE]


def effects_stopped(stage: Stage) -> bool:
    """Whether the kill switch is on: then nothing that is due would be done in time."""
    return stage.ports.switch.effects_stopped(stage.world.org.id)


def come_to_rest(stage: Stage) -> None:
    """Wait until nothing runs, without letting the world's clock jump. Raises WorldStuck."""
    ends_at = monotonic() + _GUARD_S
    while True:
        seen = stage.runtime.moves()
        if stage.runtime.idle():
            return
        if not stage.runtime.wait_for_move(seen, ends_at - monotonic()):
            raise WorldStuck(f"after {_GUARD_S:g} s something still runs: {stage.runtime.running()}")


def audited(stage: Stage, case: Case) -> Audit:
    """The case's log, read again and verified."""
    return audit(stage.ports.store, case.org, case.id)


def cases_json(stage: Stage) -> list[dict[str, Any]]:
    """Every case as JSON, the first opened first, each verified just now."""
    return [case_json(case, chain_ok=audited(stage, case).ok) for case in with_their_texts(stage)]


def with_their_texts(stage: Stage) -> list[Case]:
    """Every case as people read it, the first opened first."""
    return [with_texts(stage.ports.store, case) for case in stage.cases()]


def ignored_of(stage: Stage) -> list[InboxEntry]:
    """The events that concern nothing, with the reason, oldest first."""
    return list(stage.ports.inbox.list_entries(stage.world.org.id, InboxStatus.IGNORED))


def _stands_still(stage: Stage) -> bool:
    """Whether only people can move it on: all cases have ended or wait for them, and all events have arrived; or they
    have stopped effects."""
    if effects_stopped(stage):
        return True
    waiting, running = asking(stage), [case for case in stage.cases() if not case.terminal]
    return bool(waiting) and len(waiting) == len(running) and not _still_to_come(stage)


def _still_to_come(stage: Stage) -> bool:
    """Whether an event of the world has not been sent yet: it may move a case that waits for people."""
    now = stage.double.clock()["now"]
    return any(int(str(event["created"])) > now for event in stage.world.events)


def _turn(stage: Stage, approvers: Approvers) -> tuple[Case, Turn] | None:
    org = stage.ports.directory.org(stage.world.org.id)
    for case in stage.cases():
        turn = approvers.next_turn(case, org)
        if turn is not None:
            return case, turn
    return None


def _take_turns(stage: Stage, approvers: Approvers, onlooker: Onlooker) -> bool:
    """Approve as long as it is anybody's turn; False when it was nobody's."""
    asked: set[str] = set()
    while (found := _turn(stage, approvers)) is not None:
        case, turn = found
        if case.id not in asked:
            onlooker.asked(case)
            asked.add(case.id)
        approvers.had(turn, case)
        try:
            people.approve(stage.ports, stage.as_person(turn.email), case.id, turn.actions)
        except (Refused, Conflict) as error:
            onlooker.refused(turn, str(error))
        onlooker.look()
    return bool(asked)
