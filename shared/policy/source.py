"""Reading policy text: YAML of the plainest kind, with the line of everything that was read.

Numbers keep their exact text (50.00 stays 50.00); nothing is guessed from looks (no octal, no sexagesimal, no yes/no);
aliases, tags and repeated keys are refused, because a reader would misjudge what such a file says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import yaml

from shared.case.actions import Json
from shared.errors import InvalidInput

Path = tuple[str | int, ...]
"""Where something stands in the file: ("rules", 0, "when", "all", 1)."""

MAX_CHARACTERS = 32_768
MAX_DEPTH = 16

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(_TAG + kind for kind in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq"))


class PolicyFault(InvalidInput):
    """Something in a policy is wrong at a known place."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, slots=True)
class Document:
    """What a policy file says, and on which line it says it."""

    data: Json
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of this place, or of the nearest place around it that is in the file; from 1."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def read_document(text: str, name: str) -> Document:
    """The file as plain values. Raises InvalidInput naming the file and the line of what is wrong."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"{name} is longer than {MAX_CHARACTERS:,} characters")
    try:
        _check_shape(text, name)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _at(error.problem_mark or error.context_mark, name, error.problem or error.context) from error
    except yaml.YAMLError as error:
        raise InvalidInput(f"{name} line 1: not readable as YAML text") from error
    if root is None:
        raise InvalidInput(f"{name} line 1: the file is empty")
    lines: dict[Path, int] = {(): root.start_mark.line + 1}
    try:
        return Document(_plain(root, (), lines), lines)
    except PolicyFault as fault:
        raise InvalidInput(f"{name} line {lines[fault.path]}: {fault}") from fault


class _Mark(Protocol):
    """A place in a YAML text, as either of the parsers describes it."""

    @property
    def line(self) -> int: ...


def _check_shape(text: str, name: str) -> None:
    """Refuse aliases and nesting that no policy needs, before they can cost anything."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _at(event.start_mark, name, "aliases are not allowed in a policy")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _at(event.start_mark, name, f"nested deeper than {MAX_DEPTH} levels")


def _at(mark: _Mark | None, name: str, message: str | None) -> InvalidInput:
    return InvalidInput(f"{name} line {mark.line + 1 if mark else 1}: {message}")


def _plain(node: yaml.Node, path: Path, lines: dict[Path, int]) -> Json:
    if node.tag not in _PLAIN_TAGS:
        raise PolicyFault(path, "tags and merge keys are not allowed in a policy")
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*path, index)] = item.start_mark.line + 1
        return [_plain(item, (*path, index), lines) for index, item in enumerate(node.value)]
    return _scalar(node)


def _mapping(node: yaml.MappingNode, path: Path, lines: dict[Path, int]) -> Json:
    entries: dict[str, Json] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag not in _PLAIN_TAGS:
            raise PolicyFault(path, "a key must be plain text")
        place = (*path, key.value)
        repeated = place in lines
        lines[place] = key.start_mark.line + 1
        if repeated:
            raise PolicyFault(place, f"{key.value!r} is given twice")
        entries[key.value] = _plain(value, place, lines)
    return entries


def _scalar(node: yaml.Node) -> Json:
    text: str = node.value
    if node.tag == _TAG + "null":
        return None
    if node.tag == _TAG + "bool" and text in ("true", "false"):
        return text == "true"
    if node.tag == _TAG + "int" and _WHOLE.fullmatch(text):
        return int(text)
    return text
