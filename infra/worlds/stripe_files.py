"""events/NN-*.json and stripe/*.json: Stripe's own objects, whole, as Stripe sends them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from infra.worlds.documents import Json, json_document
from infra.worlds.folder import Folder
from infra.worlds.validation import validated

_NUMBERED = re.compile(r"(\d{2,})-[A-Za-z0-9._-]+\.json")


class _StripeShape(BaseModel):
    """The keys that we rely on; everything else is kept as it is."""

    model_config = ConfigDict(frozen=True, extra="allow")


class _EventData(_StripeShape):
    object: dict[str, object]


class _Event(_StripeShape):
    id: str = Field(min_length=1)
    object: Literal["event"]
    api_version: str | None
    type: str = Field(min_length=1)
    created: StrictInt
    livemode: StrictBool
    data: _EventData


class _Object(_StripeShape):
    id: str = Field(min_length=1)
    object: str = Field(min_length=1)


def numbered_files(folder: Folder, kind: str) -> list[Path]:
    """The files NN-name.json of a sub-folder by number. Raises InvalidInput for another name or a number used twice."""
    order: dict[int, Path] = {}
    for path in folder.files(".json", kind):
        match = _NUMBERED.fullmatch(path.name)
        if match is None:
            raise folder.fault(path, f"files in {kind}/ are named NN-name.json: the number gives their order")
        first = order.setdefault(int(match[1]), path)
        if first != path:
            raise folder.fault(path, f"the number {match[1]} is already used by {first.name}")
    return [order[number] for number in sorted(order)]


def read_events(folder: Folder) -> list[Json]:
    """The events in file order. Raises InvalidInput for a shape that is not Stripe's, or an event id used twice."""
    events: list[Json] = []
    places: dict[str, Path] = {}
    for path in numbered_files(folder, "events"):
        document = json_document(folder, path)
        event = validated(folder, document, _Event)
        first = places.setdefault(event.id, path)
        if first != path:
            raise folder.fault(path, f"the event id {event.id!r} is already used by {first.name}")
        events.append(document.mapping)
    return events


def read_stripe_objects(folder: Folder) -> list[Json]:
    """The objects of the simulated account, in file order.

    Raises InvalidInput for an object without id or kind, an id used twice, or a dispute whose charge is not there.
    """
    objects: dict[str, Json] = {}
    places: dict[str, Path] = {}
    for path in folder.files(".json", "stripe"):
        document = json_document(folder, path)
        shape = validated(folder, document, _Object)
        first = places.setdefault(shape.id, path)
        if first != path:
            raise folder.fault(path, f"the object id {shape.id!r} is already used by {first.name}")
        objects[shape.id] = document.mapping
    for key, found in objects.items():
        if found["object"] == "dispute" and isinstance(found.get("charge"), str) and found["charge"] not in objects:
            raise folder.fault(places[key], f"its charge {found['charge']} is not among the objects in stripe/")
    return list(objects.values())
