"""The kill switch of a data folder: who may use it, how it stands, and carrying on once it is lifted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from infra.cli.archive import opened
from infra.cli.folder import DATABASE, DataFolder
from infra.cli.loopback import exchange
from infra.cli.output import Screen
from infra.cli.performance import asking, go_on, on_stage
from infra.cli.progress import narrating
from infra.cli.worldtime import present
from infra.dev.address import Address
from infra.local.clock import WorldClock
from infra.local.database import Database
from infra.local.directory import SqliteDirectory
from infra.local.switch import SqliteSwitch
from shared.case.case import Case
from shared.errors import Refused, Retryable
from shared.ports.directory import Role
from shared.ports.effects import Stop

if TYPE_CHECKING:
    from infra.google.directory import FirestoreDirectory
    from infra.google.switch import FirestoreSwitch

_MAY_SWITCH = frozenset({Role.ADMIN, Role.APPROVER})
_SWEEP_TIMEOUT_S = 180.0


@dataclass(frozen=True, slots=True)
class Standing:
    """How the switch stands. Effects are stopped while either stop is there."""

    folder: DataFolder
    of_org: Stop | None
    everywhere: Stop | None

    @property
    def stopped(self) -> bool:
        """Whether effects are stopped for the folder's org."""
        return self.of_org is not None or self.everywhere is not None


@dataclass(frozen=True, slots=True)
class _Desk:
    folder: DataFolder
    switch: SqliteSwitch | FirestoreSwitch
    directory: SqliteDirectory | FirestoreDirectory

    def require(self, email: str) -> str:
        """The e-mail of the member, who may use the switch. Raises Refused."""
        member = self.directory.org(self.folder.org).member(email)
        if member is None:
            raise Refused(f"{email} is not a member of {self.folder.org}")
        if member.role not in _MAY_SWITCH:
            raise Refused(f"{email} is a {member.role.value}; the kill switch takes an approver or admin")
        return member.email

    def standing(self) -> Standing:
        own = self.switch.status(self.folder.org)
        return Standing(self.folder, own if own is not None and own.org else None, self.switch.status(None))


def standing(folder: DataFolder) -> Standing:
    """How the switch stands. Raises NotFound when nothing has run in the folder."""
    with _desk(folder) as desk:
        return desk.standing()


def stop(folder: DataFolder, email: str, reason: str, *, everywhere: bool) -> tuple[bool, Standing]:
    """Stop effects of the folder's org, or of all; at once, whoever runs the folder. Raises Refused.

    A stop that is there already stays as it is (False): since when, by whom and why is of the first one.
    """
    with _desk(folder) as desk:
        by = desk.require(email)
        before = desk.standing()
        if (before.everywhere if everywhere else before.of_org) is not None:
            return False, before
        desk.switch.stop(None if everywhere else folder.org, by=by, reason=reason.strip())
        return True, desk.standing()


def start(folder: DataFolder, email: str, *, everywhere: bool) -> tuple[bool, Standing]:
    """Lift exactly this stop; whether there was one, and how the switch stands then. Raises Refused."""
    with _desk(folder) as desk:
        desk.require(email)
        lifted = desk.switch.start(None if everywhere else folder.org)
        return lifted, desk.standing()


def open_cases(folder: DataFolder, known: Sequence[Case] = ()) -> list[Case]:
    """The folder's cases that have not ended, and those of them that were known before as they stand now."""
    seen = {case.id for case in known}
    with opened(folder) as archive:
        return [case for case in archive.cases() if not case.terminal or case.id in seen]


def sweep_at_once(screen: Screen, folder: DataFolder) -> None:
    """Send everything again that is due, ignoring back-off, and have it carried out until people are asked."""
    if (dev := folder.dev) is not None and not dev.cloud:
        _have_swept(dev)
        screen.say(f"the `manthan dev` that runs {folder.path} goes on with it")
    elif folder.in_use:
        screen.say(f"the command that runs {folder.path} goes on with it at its next sweep")
    else:
        # A stage sweeps when it opens, without any back-off.
        with on_stage(folder.world, folder.path, fresh=False) as stage:
            with narrating(stage, screen, from_now=True) as narrator:
                go_on(stage, narrator)
                narrator.stands_still(asking(stage))


def _have_swept(dev: Address) -> None:
    """What the scheduler would do within the minute, but at once."""
    body, headers = json.dumps({"at_start": True}).encode(), {"Content-Type": "application/json"}
    status, _ = exchange(dev.functions["sweep"], body, headers, timeout_s=_SWEEP_TIMEOUT_S)
    if status != HTTPStatus.OK:
        raise Retryable(f"effects are on again, but the sweep answered {status}; the next one comes within a minute")


@contextmanager
def _desk(folder: DataFolder) -> Iterator[_Desk]:
    dev = folder.dev
    if dev is not None and dev.cloud:
        from infra.cloud.visiting import visiting  # only here: its libraries take half a second

        with visiting(dev.cloud) as cloud:
            yield _Desk(folder, cloud.stores.switch, cloud.stores.directory)
        return
    with opened(folder):  # says what to do where nothing has run
        clock = WorldClock(present(folder))
    with Database(folder.path / DATABASE) as database:
        yield _Desk(folder, SqliteSwitch(database, clock), SqliteDirectory(database))
