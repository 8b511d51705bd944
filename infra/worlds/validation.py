"""From a parsed file to a model: every fault named by file, line and key, with what is expected there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from infra.worlds.documents import Document, Location, located
from infra.worlds.folder import Folder
from shared.errors import InvalidInput


class Entry(BaseModel):
    """Base of every shape that a person writes: immutable; a key nobody reads is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)


M = TypeVar("M", bound=BaseModel)


def validated(folder: Folder, document: Document, model: type[M], data: object = None, within: Location = ()) -> M:
    """The model of a document, or of the part `data` of it that stands at `within`.

    Raises InvalidInput with one line per fault: `<world>/<file>:<line>: <key>: <what is wrong, what is expected>`.
    """
    value = document.data if data is None else data
    if not isinstance(value, dict):
        line = document.line_of(within)
        raise folder.fault(document.path, f"a mapping with these keys is expected: {_keys(model)}", line)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        places = document if document.node is not None else located(folder, document)
        faults = [
            str(folder.fault(document.path, _message(model, fault), places.line_of([*within, *fault["loc"]])))
            for fault in error.errors(include_url=False, include_input=False)
        ]
        raise InvalidInput("\n".join(faults)) from None


def _message(model: type[BaseModel], fault: ErrorDetails) -> str:
    location = fault["loc"]
    name = ".".join(str(step) for step in location)
    if fault["type"] == "extra_forbidden":
        return f"{name}: unknown key; the keys here are: {_keys(_model_at(model, location[:-1]))}"
    if fault["type"] == "missing":
        return f"{name}: is missing"
    text = fault["msg"].removeprefix("Value error, ")
    return f"{name}: {text}" if name else text


def _keys(model: type[BaseModel]) -> str:
    return ", ".join(field.alias or name for name, field in model.model_fields.items())


def _model_at(model: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel]:
    for step in location:
        field = next((f for name, f in model.model_fields.items() if step in (name, f.alias)), None)
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
