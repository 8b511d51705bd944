"""Spans with OpenTelemetry: only what is told is recorded, and only identifiers, counts and types are ever told.

Where a case's trace is known, its spans are in it, however they were started. What has ended is exported when the
piece of work that it belongs to ends, before its request is answered: afterwards an instance may have no processor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from opentelemetry import trace as api
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from infra.telemetry.present import doing
from shared.case.canonical import short_hash
from shared.errors import ManthanError
from shared.ports import Work
from shared.ports.telemetry import parent_of, traceparent

Attributes = Mapping[str, str | int]
KIND: Final = api.SpanKind
_MOST_WAITING: Final = 2000
_QUIET_AFTER_FAILURE_S: Final = 30.0
"""So long nothing is exported after a failure: a collector that is away must not cost every request its time."""


class Spans:
    """The spans of one process. `resource`: what the exporter says of the process."""

    def __init__(self, exporter: SpanExporter, resource: Mapping[str, str]) -> None:
        self._ids = _Ids()
        self._provider = TracerProvider(
            resource=Resource(dict(resource)),
            id_generator=self._ids,
            span_limits=SpanLimits(max_attribute_length=200),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(_AtTheEnd(exporter))
        self._tracer = self._provider.get_tracer("manthan")

    @contextmanager
    def work(self, work: Work) -> Iterator[None]:
        """The span of a piece of work: in its trace, below its sender's span."""
        attributes = _named({"step": work.step, "org": work.org, "case": work.case_id, **work.details})
        trace, above = _trace_id(work.trace), Context()
        sender = parent_of(traceparent(work.trace, work.parent))
        if sender is not None:
            flags = api.TraceFlags(api.TraceFlags.SAMPLED)
            remote = api.SpanContext(trace, int(sender[1], 16), is_remote=True, trace_flags=flags)
            above = api.set_span_in_context(api.NonRecordingSpan(remote), above)
        with self._ids.rooted_in(trace), self._open(work.step, KIND.SERVER, attributes, above) as span:
            with doing(work, f"{span.get_span_context().span_id:016x}"):
                yield

    @contextmanager
    def call(self, name: str, kind: api.SpanKind, attributes: Attributes, trace: str = "") -> Iterator[api.Span]:
        """The span of a call; outside of any work it is in the case's trace, if that is known."""
        apart = trace and not api.get_current_span().get_span_context().is_valid
        with self._ids.rooted_in(_trace_id(trace) if apart else None):
            with self._open(name, kind, _named(attributes), None) as span:
                yield span

    def tell(self, span: api.Span, attributes: Attributes) -> None:
        """What is known only once a call has returned."""
        span.set_attributes(_named(attributes))

    def sender(self, trace: str) -> str | None:
        """The traceparent of what is sent just now in this trace; None when the present span is in another one."""
        now = api.get_current_span().get_span_context()
        return traceparent(trace, f"{now.span_id:016x}") if now.is_valid and now.trace_id == _trace_id(trace) else None

    def close(self) -> None:
        """Export what is left."""
        self._provider.shutdown()

    @contextmanager
    def _open(self, name: str, kind: api.SpanKind, attributes: Attributes, above: Context | None) -> Iterator[api.Span]:
        # An exception's text and stack may hold anything: neither is recorded, only what kind it was.
        with self._tracer.start_as_current_span(
            name, above, kind, dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_status(api.StatusCode.ERROR)
                span.set_attribute("error.type", type(error).__name__)
                if isinstance(error, ManthanError):
                    span.set_attribute("manthan.error", error.code)
                raise


def _named(attributes: Attributes) -> dict[str, str | int]:
    return {f"manthan.{name}": value for name, value in attributes.items() if value != ""}


def _trace_id(trace: str) -> int:
    """A trace as a number; one that is none (in a test, or from before) is hashed to one."""
    told = parent_of(traceparent(trace, "f" * 16))
    return int(told[0] if told else short_hash(trace, length=32), 16)


class _Ids(RandomIdGenerator):
    """Random ids, but a span without a parent begins in the trace that was asked for."""

    def __init__(self) -> None:
        self._asked: ContextVar[int | None] = ContextVar("trace", default=None)

    @contextmanager
    def rooted_in(self, trace: int | None) -> Iterator[None]:
        """Spans begun inside without a parent are in this trace."""
        token = self._asked.set(trace)
        try:
            yield
        finally:
            self._asked.reset(token)

    def generate_trace_id(self) -> int:
        """The one asked for, or a random one."""
        return self._asked.get() or super().generate_trace_id()


class _AtTheEnd(SpanProcessor):
    """Gathers what has ended, and exports it when a span ends that has no parent in this process."""

    def __init__(self, exporter: SpanExporter, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._exporter = exporter
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._waiting: list[ReadableSpan] = []
        self._silent_until = float("-inf")

    def on_end(self, span: ReadableSpan) -> None:
        """Keep it, and export if it was the outermost."""
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.append(span)
        if span.parent is None or span.parent.is_remote:
            self.force_flush()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing to do yet."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Export everything that has ended; what cannot be exported is dropped."""
        with self._lock:
            spans, self._waiting = self._waiting, []
        if not spans or self._monotonic() < self._silent_until:
            return False
        if self._exporter.export(spans) is SpanExportResult.SUCCESS:
            return True
        self._silent_until = self._monotonic() + _QUIET_AFTER_FAILURE_S
        return False

    def shutdown(self) -> None:
        """Export what is left."""
        self.force_flush()
        self._exporter.shutdown()
