"""Requests that people make on a stage: those of the world, and those that were opened by hand in its data folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from infra.worlds.model import World
from shared.case.canonical import short_hash
from shared.errors import InvalidInput
from shared.steps.request import PersonRequest

TABLE: Final = "manthan.requests"
"""Where specialists read what people wrote: customers' text is evidence, and never a fact of the case."""


def requests_of(world: World, data: Path) -> tuple[PersonRequest, ...]:
    """All requests, in the order they were received. Raises InvalidInput for a kept one that cannot be read."""
    shipped = [PersonRequest.model_validate(request.model_dump()) for request in world.requests]
    return tuple(sorted([*shipped, *_kept(data)], key=lambda request: (request.received_at, request.id)))


def keep(data: Path, request: PersonRequest) -> Path:
    """Keep a request that was opened by hand, so that the specialists can read it; complete in its file, or not there.

    A stage that is opened later shows it to them; so does a running dev. Returns the file.
    """
    folder = data / "requests"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{short_hash(request.id)}.json"
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(request.model_dump_json(), encoding="utf-8")
    return unfinished.replace(path)


def rows(requests: Iterable[PersonRequest]) -> Sequence[Mapping[str, object]]:
    """The requests as rows of their table."""
    return [
        {**request.model_dump(mode="json", exclude={"sender"}), "from": request.sender, "sender": request.sender}
        for request in requests
    ]


def edition(requests: Iterable[PersonRequest]) -> str:
    """A name for this set of requests: another set needs another database of sources."""
    return short_hash(*(json.dumps(request.model_dump(mode="json"), sort_keys=True) for request in requests), length=12)


def _kept(data: Path) -> list[PersonRequest]:
    found = []
    for path in sorted((data / "requests").glob("*.json")):
        try:
            found.append(PersonRequest.model_validate_json(path.read_text(encoding="utf-8")))
        except (ValidationError, OSError) as error:
            raise InvalidInput(f"{path} is not a request that can be read ({type(error).__name__})") from None
    return found
