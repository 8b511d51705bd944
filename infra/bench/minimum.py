"""The least that a case of the bench's workload could use at Google, and what ours uses above it, and why.

A test holds the two together: what is measured is their sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Need:
    """Documents read and written, messages and tasks, for one reason."""

    what: str
    why: str
    reads: int = 0
    writes: int = 0
    messages: int = 0
    tasks: int = 0


MINIMUM: Final = (
    Need("the event, stored", "it is acknowledged only once it cannot be lost", writes=1),
    Need("the event, read and attached", "its message is only a hint; taken up in the batch of the commit", 1, 1),
    Need("events that wait for this case", "what came before it is taken up when it is opened", reads=1),
    Need("six commits", "triage, join, brief, policy check, intent, outcome: the case and its events", writes=12),
    Need("the case, for each of five specialists", "a task is only a hint: is the round still open?", reads=5),
    Need("five reports", "each is the fence against whoever comes later", writes=5),
    Need("the reports' heads, to join", "the case records count and hash of each", reads=5),
    Need("the reports' rows, to synthesize", "the brief cites them; their hashes are checked", reads=5),
    Need("the case, for brief, policy check and action", "messages and tasks are only hints", reads=3),
    Need("the texts of the brief", "the log holds references: stored before the commit, put back for the action", 1, 1),
    Need("the org, for policy check and action", "members, limits and policy as they are now", reads=2),
    Need("the kill switch, twice", "before the intent, and again before the call", reads=2),
    Need("what is remembered of the case", "the next case of this customer begins with it", writes=1),
    Need("the case, for the watchdog", "it comes at the deadline, and finds the round over", reads=1),
    Need("three messages", "triage, synthesize, policy check: each step is retried for itself", messages=3),
    Need("seven tasks", "a specialist each, their watchdog, the action: each with its own deadline", tasks=7),
)
"""Below this a guarantee would be missing."""

ABOVE: Final = (
    Need(
        "the case, before it is opened", "the first attempt of a commit reads: the event may belong to an open case", 1
    ),
    Need("events that wait, looked at again", "one that was parked while the case was being opened", reads=1),
    Need("the count of the round's reports", "whoever is last joins, and the other four read nothing", writes=5),
    Need("five claims", "a duplicate delivery does not pay for the same model call twice", writes=5),
)
"""What could be had for less at a price elsewhere."""


def total(needs: Iterable[Need]) -> dict[str, int]:
    """The sum of all needs, by operation."""
    chosen = tuple(needs)
    return {name: sum(getattr(need, name) for need in chosen) for name in ("reads", "writes", "messages", "tasks")}


def document() -> dict[str, Any]:
    """Both tables as the JSON holds them."""
    return {
        **total(MINIMUM),
        "needs": [asdict(need) for need in MINIMUM],
        "above": [asdict(need) for need in ABOVE],
    }
