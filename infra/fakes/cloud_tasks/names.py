"""Resource names: projects/P/locations/L/queues/Q/tasks/T, checked as the service checks them."""

from __future__ import annotations

import re
from typing import Final

from .refusals import invalid

_LOCATION: Final = r"projects/[A-Za-z0-9:.-]+/locations/[A-Za-z0-9-]+"
_QUEUE: Final = rf"{_LOCATION}/queues/[A-Za-z0-9-]{{1,100}}"
_LOCATION_NAME: Final = re.compile(_LOCATION)
_QUEUE_NAME: Final = re.compile(_QUEUE)
_TASK_NAME: Final = re.compile(rf"({_QUEUE})/tasks/([A-Za-z0-9_-]{{1,500}})")


def check_location(name: str) -> str:
    """The name of a location, as it is. Raises Refusal when it is none."""
    if not _LOCATION_NAME.fullmatch(name):
        raise invalid("Parent must be of the form projects/PROJECT_ID/locations/LOCATION_ID.")
    return name


def check_queue(name: str) -> str:
    """The full name of a queue, as it is. Raises Refusal when it is none."""
    if not _QUEUE_NAME.fullmatch(name):
        raise invalid(
            "Queue name must be of the form projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID, the last part"
            " at most 100 letters ([A-Za-z]), numbers ([0-9]), or hyphens (-)."
        )
    return name


def queue_of_task(name: str) -> str:
    """The queue's full name from a task's. Raises Refusal when it is not the full name of a task."""
    found = _TASK_NAME.fullmatch(name)
    if found is None:
        raise invalid(
            "Task name must be of the form"
            " projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID/tasks/TASK_ID, the last part at most 500"
            " letters ([A-Za-z]), numbers ([0-9]), hyphens (-), or underscores (_)."
        )
    return found[1]


def short(name: str) -> str:
    """The last part of a name: the id of the queue or task."""
    return name.rsplit("/", 1)[-1]
