"""docs/settings.md, from the table of settings: `python -m infra.settings_page > docs/settings.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final, get_args

from pydantic.fields import FieldInfo

from infra.settings import CALLED, COMMAND_LINE, FUNCTIONS, PUBLISHERS, SENDERS, fields, is_secret, needed_by, used_by
from infra.settings import variable as variable_of

_HEAD: Final = """# Settings

Printed from `infra/settings.py` by `python -m infra.settings_page`; a test holds that this page is up to date.

Settings are environment variables, read once when a process starts. What is wrong with them is said then, by name.
`manthan doctor` compares a configuration with what can be reached. A **secret** is given by its variable, by a file
that `<NAME>_FILE` names, or as a reference `sm://projects/P/secrets/S/versions/V` that is read from Secret Manager;
values in a JSON object may be references, too. On Cloud Run, let the service inject secrets as variables.

"Needed by": on Google Cloud (`MANTHAN_RUNTIME=google`) these functions do not start without it. The embedded default
needs none of them. What is for emulators only is refused unless all three emulators are set.

| variable | type | default | secret | needed by | meaning |
|---|---|---|---|---|---|
"""
_GROUPS: Final = {
    frozenset((*FUNCTIONS, COMMAND_LINE)): "all",
    frozenset(PUBLISHERS): "all but dead_letter",
    frozenset(SENDERS): "all but stripe_webhook, dead_letter",
    frozenset(CALLED): "all but stripe_webhook",
}


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_rows())


def _rows() -> Iterator[str]:
    for name, field in fields().items():
        needs = _named(needed_by(field)) or f"- (used by {_named(used_by(field))})"
        cells = (f"`{variable_of(name)}`", _type(field), _default(field), "yes" if is_secret(field) else "")
        yield f"| {' | '.join((*cells, needs, str(field.description)))} |\n"


def _named(functions: tuple[str, ...]) -> str:
    return _GROUPS.get(frozenset(functions), ", ".join(functions))


def _type(field: FieldInfo) -> str:
    written = str(field.annotation)
    if "dict" in written:
        return "JSON object"
    if "tuple" in written:
        return "names"
    if "Literal" in written:
        return " or ".join(f"`{value}`" for value in get_args(field.annotation))
    return "path" if "Path" in written else "text"


def _default(field: FieldInfo) -> str:
    return f"`{field.default}`" if field.default not in (None, (), {}, "") else ""


if __name__ == "__main__":
    sys.stdout.write(page())
