from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from infra.telemetry import Watch
from infra.telemetry.logs import OURS, JsonLines
from infra.telemetry.spans import Spans
from tests.support.rig import Rig


class Recorded:
    """What a process has let out: its spans, and its log lines as Cloud Logging would get them."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.watch = Watch(Spans(self.exporter, {"service.name": "test"}))
        self.lines: list[dict[str, Any]] = []

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def about(self, message: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["message"] == message]

    def everything(self) -> str:
        """All of it as one text."""
        return "\n".join([*(span.to_json() for span in self.spans), *map(json.dumps, self.lines)])


class _Listening(logging.Handler):
    def __init__(self, lines: list[dict[str, Any]]) -> None:
        super().__init__()
        self.setFormatter(JsonLines("acme-prod"))
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(json.loads(self.format(record)))


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    """Everything from INFO, also what libraries log."""
    listening = Recorded()
    handler = _Listening(listening.lines)
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    before = root.level, ours.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    ours.setLevel(logging.INFO)
    yield listening
    root.removeHandler(handler)
    root.setLevel(before[0])
    ours.setLevel(before[1])


@pytest.fixture
def rig(tmp_path: Path, recorded: Recorded) -> Iterator[Rig]:
    with Rig(tmp_path, telemetry=recorded.watch) as rig:
        yield rig
