"""A queue that loses and duplicates: hints go through it on their way to the real one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from shared.ports import Message, Messages, Task, Tasks
from shared.steps.context import Ports

Lose = Callable[[int, str], bool]
"""Whether the hint of this number, sent by this function, is lost."""


@dataclass
class Lossy:
    """Delivers every hint it does not lose `copies` times."""

    lose: Lose = lambda number, function: False
    copies: int = 1
    lost: int = 0
    extra: int = 0
    _sent: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, ports: Ports, function: str) -> Ports:
        """The ports of this function, its hints on an unreliable way."""
        return replace(
            ports,
            messages=_Messages(self, function, ports.messages),
            tasks=_Tasks(self, function, ports.tasks),
        )

    def copies_of_next(self, function: str) -> int:
        """How often the next hint of this function arrives."""
        with self._lock:
            self._sent += 1
            lost = self.lose(self._sent, function)
            self.lost += lost
            self.extra += 0 if lost else self.copies - 1
            return 0 if lost else self.copies


@dataclass
class _Messages:
    way: Lossy
    function: str
    inner: Messages

    def publish(self, message: Message) -> None:
        for _ in range(self.way.copies_of_next(self.function)):
            self.inner.publish(message)


@dataclass
class _Tasks:
    way: Lossy
    function: str
    inner: Tasks

    def enqueue(self, task: Task) -> bool:
        """A copy has a name of its own: what is tested is not whether names are told apart."""
        taken = True
        for copy in range(self.way.copies_of_next(self.function)):
            taken = self.inner.enqueue(task if copy == 0 else replace(task, name=f"{task.name}-{copy}")) and taken
        return taken
