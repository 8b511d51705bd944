"""How log records are written: as lines for people, or as JSON that Cloud Logging reads.

A record says what happened, with identifiers; it never holds what customers wrote or what an exception says: of an
exception only its type and frames are written, whoever logs it.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, TypeAlias

from infra.telemetry.present import present

OURS: Final = "manthan"
"""The logger of everything that the pipeline says of itself."""
FIELDS: Final = ("org", "case", "seq", "events", "state", "metrics")
"""What `extra` may add to a record."""

_Raised: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None] | BaseException
)


class PlainLines(logging.Formatter):
    """One record per line, for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatException(self, ei: Any) -> str:
        """The type of the exception and where it was raised."""
        return raised(ei)


class JsonLines(logging.Formatter):
    """One record per line as JSON, with the fields that Cloud Logging knows. `project`: whose Cloud Trace is meant."""

    def __init__(self, project: str | None = None) -> None:
        super().__init__()
        self._traces = "" if project is None else f"projects/{project}/traces/"

    def format(self, record: logging.LogRecord) -> str:
        """The record and the work that it belongs to."""
        entry: dict[str, Any] = {
            "severity": record.levelname,
            "message": record.getMessage(),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z"),
            "logger": record.name,
            **self._work(),
            **{name: getattr(record, name) for name in FIELDS if hasattr(record, name)},
        }
        if record.exc_info:
            entry["stack_trace"] = raised(record.exc_info)
        return json.dumps(entry, separators=(",", ":"), default=str)

    def _work(self) -> dict[str, Any]:
        doing = present()
        if doing is None:
            return {}
        work = doing.work
        known = {"step": work.step, "org": work.org, "case": work.case_id, **work.details}
        told: dict[str, Any] = {name: value for name, value in known.items() if value != ""}
        told["logging.googleapis.com/trace"] = self._traces + work.trace
        if doing.span:
            told["logging.googleapis.com/spanId"] = doing.span
            told["logging.googleapis.com/trace_sampled"] = True
        return told


def raised(raised: _Raised) -> str:
    """An exception without what it says: that may hold anything."""
    kind, _, frames = raised if isinstance(raised, tuple) else (type(raised), raised, raised.__traceback__)
    if kind is None:
        return ""
    return f"{kind.__name__}\n{''.join(traceback.format_tb(frames))}".rstrip()


def log_as_json(project: str | None) -> None:
    """Have this process write its records as JSON to stdout: ours from INFO, everybody else's from WARNING."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines(project))
    # Here and not by the loggers' levels: a library that sets its own would be heard all the same.
    handler.addFilter(lambda record: record.name == OURS or record.levelno >= logging.WARNING)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(logging.INFO)
