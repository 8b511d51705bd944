"""What is under way between the transports and the functions: so that a world's time jumps only when nothing is."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Traffic:
    """Requests that are being answered, and messages that are still to be acknowledged. Thread-safe."""

    def __init__(self, *, gives_up_after: int, on_move: Callable[[], None] = lambda: None) -> None:
        self._moved = threading.Condition()
        self._gives_up_after = gives_up_after
        self._on_move = on_move
        self._moves = 0
        self._at_work: Counter[str] = Counter()
        self._waiting: dict[str, int] = {}
        """Deliveries so far, by message id."""
        self._gone: set[str] = set()
        """Messages that have been acknowledged or given up; some of them before we hear that they were published."""

    def tell(self, on_move: Callable[[], None]) -> None:
        """Call this whenever something has ended, instead of what was called before."""
        self._on_move = on_move

    @contextmanager
    def at_work(self, who: str) -> Iterator[None]:
        """Something is under way for as long as the block runs."""
        with self._moved:
            self._at_work[who] += 1
        try:
            yield
        finally:
            with self._moved:
                self._at_work[who] -= 1
            self.move()

    def published(self, message_id: str) -> None:
        """A message is on its way."""
        with self._moved:
            if message_id not in self._gone:
                self._waiting.setdefault(message_id, 0)

    def attempt(self, message_id: str) -> int:
        """A message is being delivered: how many times so far, this one included."""
        with self._moved:
            self._waiting[message_id] = self._waiting.get(message_id, 0) + 1
            return self._waiting[message_id]

    def delivered(self, message_id: str, *, acknowledged: bool) -> None:
        """A delivery has ended: with an acknowledgement the message is gone, and after too many without one, too."""
        with self._moved:
            if acknowledged or self._waiting.get(message_id, 0) >= self._gives_up_after:
                self._waiting.pop(message_id, None)
                self._gone.add(message_id)

    def move(self) -> None:
        """Something has ended."""
        with self._moved:
            self._moves += 1
            self._moved.notify_all()
        self._on_move()

    def quiet(self) -> bool:
        """Whether nothing is under way."""
        with self._moved:
            return not self._waiting and not +self._at_work

    def moves(self) -> int:
        """A number that grows whenever something has ended."""
        with self._moved:
            return self._moves

    def wait_for_move(self, seen: int, timeout_s: float) -> bool:
        """Return once `moves` is no longer what was seen. False: that took longer."""
        with self._moved:
            return self._moved.wait_for(lambda: self._moves != seen, timeout_s)

    def under_way(self) -> dict[str, int]:
        """What is under way, by who is at work; messages that wait count as `messages`."""
        with self._moved:
            found = dict(+self._at_work)
            return found | ({"messages": len(self._waiting)} if self._waiting else {})

    def forget(self) -> None:
        """What was published so far is waited for no more."""
        with self._moved:
            self._gone |= self._waiting.keys()
            self._waiting.clear()
