"""Ports that say what they do: decorators around them, put on where ports are composed, so that no step knows.

Queries, commits, reports, effects, sends, and the analysts' own work, where a model thinks: each is a span. A commit is
also one log record, with the sequence numbers of its events.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from infra.telemetry.logs import OURS
from infra.telemetry.told import Told, parameters_of, told, told_of
from shared.ports import CaseStore, Message, Sources, Task
from shared.ports.store import Version, Write
from shared.ports.telemetry import TRACEPARENT
from shared.steps.context import Ports
from shared.team.contract import Playbook, Specialist

if TYPE_CHECKING:
    from infra.telemetry.spans import Spans

_log = logging.getLogger(OURS)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Which methods of a port are spans, and of which kind (OpenTelemetry's names)."""

    methods: tuple[str, ...]
    span: str = "CLIENT"


PORTS: Final[Mapping[str, _Kind]] = {
    "store": _Kind(("write", "create_report", "put_chunk", "put_texts")),
    "inbox": _Kind(("put", "settle")),
    "messages": _Kind(("publish",), "PRODUCER"),
    "tasks": _Kind(("enqueue",), "PRODUCER"),
    "effects": _Kind(("observe", "look_up", "perform")),
    "sources": _Kind(("sql",)),
    "analyst": _Kind(("investigate", "synthesize"), "INTERNAL"),
}
"""What becomes a span, as `port.method`. Reads are not: a case has dozens, and they say little."""


def with_spans(ports: Ports, spans: Spans) -> Ports:
    """The same ports, each call that counts in a span."""

    def seen(port: str) -> Any:
        inner = getattr(ports, port)
        return None if inner is None else _Seen(port, inner, spans)

    open_sources = ports.sources
    return replace(
        ports,
        **{port: seen(port) for port in ("store", "inbox", "messages", "tasks", "effects")},
        sources=None if open_sources is None else lambda org: cast(Sources, _Seen("sources", open_sources(org), spans)),
        playbooks={name: cast(Playbook, _SeenPlaybook(playbook, spans)) for name, playbook in ports.playbooks.items()},
    )


def with_commits_logged(ports: Ports) -> Ports:
    """The same ports, with a log record for every commit."""
    return replace(ports, store=cast(CaseStore, _LoggedStore(ports.store)))


class _Seen:
    """A port whose listed methods are spans; everything else is the port's own."""

    def __init__(self, port: str, inner: Any, spans: Spans) -> None:
        self._port, self._inner, self._spans = port, inner, spans
        self._kind = PORTS[port]
        self._known: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._kind.methods:
            return getattr(self._inner, name)
        if name not in self._known:
            method = getattr(self._inner, name)
            self._known[name] = partial(self._call, f"{self._port}.{name}", method, parameters_of(method))
        return self._known[name]

    def _call(
        self, span_name: str, method: Callable[..., Any], parameters: tuple[str, ...], *args: Any, **kwargs: Any
    ) -> Any:
        spans, attributes = self._spans, told_of(parameters, args)
        with spans.call(span_name, _span_kind(self._kind), attributes, _trace_of(args)) as span:
            result = method(*(self._stamped(value) for value in args), **kwargs)
            spans.tell(span, told(result))
            return result

    def _stamped(self, value: Any) -> Any:
        """What is sent carries the span that sends it, as the parent of the work that it starts."""
        if not isinstance(value, (Message, Task)):
            return value
        sender = self._spans.sender(value.attributes.get("trace", ""))
        return value if sender is None else replace(value, attributes={**value.attributes, TRACEPARENT: sender})


class _SeenPlaybook:
    """A playbook whose analysts' work is in spans: the one place where models think, and rules."""

    def __init__(self, inner: Playbook, spans: Spans) -> None:
        self._inner, self._spans = inner, spans
        self.synthesize = _Seen("analyst", inner, spans).synthesize

    def team(self, case: Any) -> Sequence[Specialist]:
        """Its specialists, each seen at work."""
        return [cast(Specialist, _Seen("analyst", member, self._spans)) for member in self._inner.team(case)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _LoggedStore:
    """A store that logs its commits."""

    def __init__(self, inner: CaseStore) -> None:
        self._inner = inner

    def write(self, write: Write) -> Version:
        """Write, and say which events of which case were recorded."""
        version = self._inner.write(write)
        last: Told = {"seq": write.head.seq - 1, "events": len(write.commit.entries), "state": write.case.state.value}
        _log.info("committed", extra={"org": write.org, "case": write.case.id, **last})
        return version

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _span_kind(kind: _Kind) -> Any:
    from infra.telemetry.spans import KIND

    return KIND[kind.span]


def _trace_of(args: Sequence[Any]) -> str:
    """The trace of the case that a call is about, where its arguments tell."""
    for value in args:
        if isinstance(value, Write):
            return value.case.trace
        if isinstance(value, (Message, Task)):
            return value.attributes.get("trace", "")
    return ""
