"""JSON and YAML files, read with the line at which each value stands, so that a fault can be pointed at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import yaml

from infra.worlds.folder import Folder

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: the same documents, read more slowly
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

Json = dict[str, object]
Location = Sequence[int | str]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file with the places of its values; `first_line` is where the parsed text starts in the file."""

    path: Path
    data: object
    node: yaml.Node | None
    first_line: int = 1

    @property
    def mapping(self) -> Json:
        """The data of a document that has been found to be a mapping."""
        return self.data if isinstance(self.data, dict) else {}

    def line_of(self, location: Location) -> int | None:
        """The line of the value at a path of keys and indexes, or of the nearest value above it that exists."""
        node, line = self.node, None if self.node is None else self.first_line + self.node.start_mark.line
        for step in location:
            found = _child(node, step)
            if found is None:
                break
            key, node = found
            line = self.first_line + key.start_mark.line
        return line


def yaml_document(folder: Folder, path: Path, text: str | None = None, first_line: int = 1) -> Document:
    """Parse a YAML file, or a part of one that starts at `first_line`.

    Raises InvalidInput for bad YAML, a key given twice, and a number with a fraction (it would become a float).
    """
    loader = _Loader(folder.read(path) if text is None else text)
    try:
        node = loader.get_single_node()
        if node is not None:
            _check_nodes(folder, path, node, first_line)
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = first_line + error.problem_mark.line if error.problem_mark else None
        raise folder.fault(path, f"not valid YAML: {error.problem or error.context}", line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise folder.fault(path, f"not valid YAML: {error}") from None
    finally:
        loader.dispose()
    return Document(path, data, node, first_line)


def json_document(folder: Folder, path: Path) -> Document:
    """Parse a JSON file that holds one object. Numbers stay as Stripe sends them. Raises InvalidInput."""
    text = folder.read(path)
    data = _parse_json(folder, path, text, None)
    if not isinstance(data, dict):
        raise folder.fault(path, f"one JSON object is expected, this is {_kind(data)}", 1)
    return Document(path, data, None)


def located(folder: Folder, document: Document) -> Document:
    """The same JSON document with the places of its values: found only when there is a fault to point at."""
    try:
        node = yaml.compose(folder.read(document.path), Loader=_Loader)
    except yaml.YAMLError:
        return document
    return Document(document.path, document.data, node)


def json_lines(folder: Folder, path: Path) -> Iterator[tuple[int, Json]]:
    """The objects of a JSONL file with their line numbers; blank lines are skipped, fractions become decimal text."""
    for number, line in enumerate(folder.read(path).splitlines(), start=1):
        if line.strip():
            yield number, json_row(folder, path, line, number)


def json_row(folder: Folder, path: Path, text: str, line: int) -> Json:
    """One row from its JSON text: an object whose numbers with a fraction are exact decimal text, never floats."""
    row = _parse_json(folder, path, text, line, parse_float=_decimal_text)
    if not isinstance(row, dict):
        raise folder.fault(path, f"a row is a JSON object, this is {_kind(row)}", line)
    return row


def _parse_json(
    folder: Folder, path: Path, text: str, line: int | None, parse_float: Callable[[str], object] | None = None
) -> object:
    try:
        found: object = json.loads(
            text, parse_float=parse_float, parse_constant=_no_constant, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if line else f"line {error.lineno}, column {error.colno}"
        raise folder.fault(path, f"not valid JSON at {where}: {error.msg}", line or error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise folder.fault(path, f"not valid JSON: {error}", line) from None
    return found


def _unique(pairs: list[tuple[str, object]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _decimal_text(text: str) -> str:
    return f"{Decimal(text):f}"


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "something else")


def _child(node: yaml.Node | None, step: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _check_nodes(folder: Folder, path: Path, node: yaml.Node, first_line: int) -> None:
    """Refuse what YAML would let pass in silence: a key given twice, an alias or a float."""
    seen: set[int] = set()

    def visit(node: yaml.Node) -> None:
        line = first_line + node.start_mark.line
        if id(node) in seen:
            raise folder.fault(path, "anchors and aliases are not supported; write the value out", line)
        seen.add(id(node))
        if node.tag == "tag:yaml.org,2002:float":
            raise folder.fault(path, f"{node.value} is a number with a fraction: write it in quotes", line)
        if isinstance(node, yaml.MappingNode):
            names: set[str] = set()
            for key, value in node.value:
                if str(key.value) in names:
                    key_line = first_line + key.start_mark.line
                    raise folder.fault(path, f"the key {key.value!r} is given twice", key_line)
                names.add(str(key.value))
                visit(value)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                visit(item)

    visit(node)
