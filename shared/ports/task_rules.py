"""What Cloud Tasks accepts of a task: refused everywhere, so that no adapter is more lenient than production."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from shared.errors import InvalidInput
from shared.ports.queue import Task

MAX_BODY_BYTES: Final = 100 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,500}")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e]*")


def check_task(task: Task, body: str) -> None:
    """Raises InvalidInput for a name or attribute with other than plain characters, and for a body over 100 KiB."""
    if not _NAME.fullmatch(task.name):
        raise InvalidInput("a task's name is 1 to 500 letters, digits, hyphens and underscores")
    if len(body) > MAX_BODY_BYTES:
        raise InvalidInput(f"the body of task {task.name} is larger than {MAX_BODY_BYTES} bytes: send identifiers")
    for name, value in task.attributes.items():
        if not _NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise InvalidInput(f"an attribute of task {task.name} cannot travel as a header: it has to be plain ASCII")


def attribute_headers(attributes: Mapping[str, str]) -> dict[str, str]:
    """How a task's attributes travel: as X-Manthan-* headers."""
    return {f"X-Manthan-{name.replace('_', '-').title()}": value for name, value in attributes.items()}
