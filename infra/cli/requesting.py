"""Taking up a person's request on a data folder: keeping its words for the specialists, then opening its case."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from infra.cli.aftermath import as_member, at_hand
from infra.cli.archive import Archive, anything_in, opened
from infra.cli.folder import DataFolder
from infra.cli.output import Screen
from infra.cli.performance import asking, go_on, on_stage
from infra.cli.progress import narrating
from infra.cli.watching import EVERY_S, follow
from infra.cli.worldtime import present
from infra.stage import Stage, requests
from infra.worlds import World, find_world, load_world
from shared.errors import Conflict, ManthanError
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps.context import Ports, RequestContext
from shared.steps.intake import Received
from shared.steps.request import PersonRequest, open_request

Wish = Callable[[datetime], PersonRequest]
"""The request, given the instant at which it is received."""


def take_up(screen: Screen, folder: DataFolder, email: str, wish: Wish) -> Received:
    """Open the request's case and run it until people are asked; the same request again changes nothing.

    Raises Refused for whoever may not open cases, and Conflict for another request under the same id.
    """
    if folder.dev is not None:
        return _beside_dev(screen, folder, email, wish)
    known = _entry(folder, wish(present(folder)).id)
    if known is not None and known.status is not InboxStatus.RECEIVED:
        return _only_ask(folder, email, wish)
    return _on_stage(screen, folder, email, wish)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A request whose words the specialists can read. `path`: where, if that was not so before."""

    request: PersonRequest
    path: Path | None

    def open(self, ports: Ports, who: RequestContext) -> Received:
        """Open it; the words of one that is refused are not kept."""
        try:
            return open_request(ports, who, self.request)
        except ManthanError:
            if self.path is not None:
                self.path.unlink(missing_ok=True)
            raise


def _keep(world: World, data: Path, wanted: PersonRequest) -> _Kept:
    """Keep the request, unless it is kept already: then it stays as it was received the first time."""
    earlier = next((known for known in requests.requests_of(world, data) if known.id == wanted.id), None)
    if earlier is None:
        return _Kept(wanted, requests.keep(data, wanted))
    if earlier.model_copy(update={"received_at": wanted.received_at}) != wanted:
        raise Conflict(f"request {wanted.id} is there already and says something else; give this one another --id")
    return _Kept(earlier, None)


def _on_stage(screen: Screen, folder: DataFolder, email: str, wish: Wish) -> Received:
    kept: list[_Kept] = []

    def set_up(world: World, data: Path) -> Stage:
        # Before the sources are loaded, so that they have it.
        kept.append(_keep(world, data, wish(present(folder))))
        return Stage(world, data)

    with on_stage(folder.world, folder.path, fresh=False, set_up=set_up) as stage:
        with narrating(stage, screen, from_now=True) as narrator:
            received = kept[0].open(stage.ports, stage.as_person(email))
            go_on(stage, narrator)
            narrator.stands_still(asking(stage))
    return received


def _only_ask(folder: DataFolder, email: str, wish: Wish) -> Received:
    with at_hand(folder) as ports:
        world = load_world(find_world(folder.world))
        return _keep(world, folder.path, wish(ports.clock.now())).open(ports, as_member(ports, folder.org, email))


def _beside_dev(screen: Screen, folder: DataFolder, email: str, wish: Wish) -> Received:
    received = _only_ask(folder, email, wish)
    with opened(folder) as archive:
        case_id = _case_of(archive, received.event_id)
        if case_id is not None and not received.known:
            follow(archive, case_id, screen)
    return received


def _case_of(archive: Archive, request_id: str) -> str | None:
    """The request's case, once the dev that runs the folder has routed it; None when it came to none."""
    pause = threading.Event()
    while True:
        entry = archive.inbox.get(archive.folder.org, request_id)
        if entry is None or entry.status is not InboxStatus.RECEIVED or not archive.folder.in_use:
            return None if entry is None else entry.case_id
        pause.wait(EVERY_S)


def _entry(folder: DataFolder, request_id: str) -> InboxEntry | None:
    if not anything_in(folder):
        return None
    with opened(folder) as archive:
        return archive.inbox.get(folder.org, request_id)
