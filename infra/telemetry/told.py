"""What spans tell of a call: the identifiers and counts among its arguments and in its result, and nothing else.

A value is told because its type or its parameter is listed here. Texts, queries, amounts, addresses and payloads are
not, so that no new method can leak one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import singledispatch
from typing import Any, Final

from shared.case.actions import Action
from shared.case.evidence import Report
from shared.ports import Message, Task
from shared.ports.effects import Done, EffectContext
from shared.ports.sources import QueryResult
from shared.ports.store import InboxChange, InboxEntry, Write
from shared.team.contract import Job, Material

Told = dict[str, str | int]

_PARAMETERS: Final = {"org": "org", "case_id": "case"}
"""Parameters whose plain values are identifiers, by the names under which they are told."""


def parameters_of(method: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a method's parameters in their order."""
    return tuple(inspect.signature(method).parameters)


def told_of(parameters: Iterable[str], arguments: Iterable[Any]) -> Told:
    """What is told of these arguments."""
    found: Told = {}
    for name, value in zip(parameters, arguments, strict=False):
        if name in _PARAMETERS and isinstance(value, str):
            found[_PARAMETERS[name]] = value
        else:
            found |= told(value)
    return found


@singledispatch
def told(value: object) -> Told:
    """What is told of a value: nothing, unless its type says otherwise."""
    return {}


@told.register
def _(value: Write) -> Told:
    first, last = value.commit.first_seq, value.head.seq - 1
    return {"org": value.org, "case": value.case.id, "state": value.case.state.value, "seq": first, "last_seq": last}


@told.register
def _(value: Report) -> Told:
    return {"round": value.round, "specialist": value.specialist, "ended": value.ended.value, "rows": value.count}


@told.register
def _(value: InboxEntry) -> Told:
    return {"org": value.org, "event_id": value.id, "event_type": value.type, "status": value.status.value}


@told.register
def _(value: InboxChange) -> Told:
    return {"event_id": value.id, "status": value.status.value}


@told.register
def _(value: Message) -> Told:
    return {"topic": value.topic, **_about(value)}


@told.register
def _(value: Task) -> Told:
    return {"queue": value.queue, "task": value.name, **_about(value)}


def _about(sent: Message | Task) -> Told:
    names = ("org", "case_id", "event_id", "round", "specialist", "action_id")
    return {_PARAMETERS.get(name, name): sent.body[name] for name in names if name in sent.body}


@told.register
def _(value: Action) -> Told:
    return {"action_id": value.id, "action_kind": value.kind.value}


@told.register
def _(value: EffectContext) -> Told:
    return {"org": value.org, "case": value.case_id, "attempt": value.attempt}


@told.register
def _(value: Done) -> Told:
    return {"pending": int(value.pending)}


@told.register
def _(value: QueryResult) -> Told:
    return {"tables": ",".join(value.tables), "rows": len(value.rows), "truncated": int(value.truncated)}


@told.register
def _(value: Job) -> Told:
    return {"org": value.case.org, "case": value.case.id, "round": value.round, "specialist": value.specialist}


@told.register
def _(value: Material) -> Told:
    return {"org": value.case.org, "case": value.case.id, "round": value.round}
