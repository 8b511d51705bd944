"""Telemetry as a composition takes it: one object that knows where logs and spans of this process go."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from infra.telemetry import present
from infra.telemetry.logs import OURS, log_as_json
from infra.telemetry.seen import with_commits_logged, with_spans
from shared.ports import Work
from shared.steps.context import Ports

if TYPE_CHECKING:
    from infra.telemetry.spans import Spans

_log = logging.getLogger(OURS)


class Watch:
    """Sees what the functions of a process do; implements shared.ports.Telemetry.

    Without spans, and while nobody listens to INFO, ports stay as they are and OpenTelemetry is not even loaded.
    """

    def __init__(self, spans: Spans | None = None) -> None:
        self._spans = spans

    def over(self, ports: Ports) -> Ports:
        """The ports as a composition hands them out: they say what they do, and steps can report."""
        ports = replace(ports, telemetry=self)
        if _log.isEnabledFor(logging.INFO):
            ports = with_commits_logged(ports)
        return with_spans(ports, self._spans) if self._spans is not None else ports

    def doing(self, work: Work) -> AbstractContextManager[None]:
        """What is done and logged inside the block belongs to this work."""
        return present.doing(work) if self._spans is None else self._spans.work(work)

    def report(self, numbers: Mapping[str, int]) -> None:
        """One structured record: jsonPayload.metrics.<name>."""
        _log.info("metrics", extra={"metrics": dict(numbers)})

    def close(self) -> None:
        """Export what is left."""
        if self._spans is not None:
            self._spans.close()


def watch(
    *, traces: str | None = None, json_logs: bool = False, project: str | None = None, service: str = "manthan"
) -> Watch:
    """The telemetry that settings describe, set up for this process.

    `traces`: `google` for Cloud Trace, a collector's address, or None for no spans. `json_logs`: records for Cloud
    Logging on stdout. `service`: what the process is called. Raises InvalidInput for an address that is none.
    """
    if json_logs:
        log_as_json(project)
    if not traces:
        return Watch()
    # Imported here: whoever records no spans does not load OpenTelemetry.
    from infra.telemetry.exporters import exporter_to
    from infra.telemetry.spans import Spans

    resource = {"service.name": service}
    if project is not None:
        resource["gcp.project_id"] = project
    return Watch(Spans(exporter_to(traces), resource))


def watch_of(environment: Mapping[str, str] = os.environ) -> Watch:
    """The telemetry of a process by its environment: MANTHAN_TRACES, MANTHAN_LOGS (json or text), MANTHAN_PROJECT.

    Cloud Run says in K_SERVICE what the process is called. Raises InvalidInput.
    """
    return watch(
        traces=environment.get("MANTHAN_TRACES"),
        json_logs=environment.get("MANTHAN_LOGS") == "json",
        project=environment.get("MANTHAN_PROJECT"),
        service=environment.get("K_SERVICE") or "manthan",
    )
