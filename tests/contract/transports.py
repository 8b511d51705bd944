"""The transports that the contract of Messages and Tasks is held against, each with a function behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.ports.queue import Messages, Tasks
from tests.unit.runtime.house import Function, house, running, settled


@dataclass(frozen=True)
class Transport:
    """One adapter's ports. `function` receives everything; `settle` returns when nothing is ready or under way;
    `pass_time` lets so many seconds go by."""

    messages: Messages
    tasks: Tasks
    function: Function
    settle: Callable[[], None]
    pass_time: Callable[[float], None]


@contextmanager
def embedded(folder: Path) -> Iterator[Transport]:
    """The queue in a SQLite file, with its runtime."""
    function = Function()
    with house(folder) as home:
        with running(home.runtime({"triage": function, "specialist": function})) as runtime:
            yield Transport(
                messages=home.messages,
                tasks=home.tasks,
                function=function,
                settle=lambda: settled(runtime),
                pass_time=home.clock.advance,
            )


TRANSPORTS: dict[str, Callable[[Path], AbstractContextManager[Transport]]] = {"embedded": embedded}
