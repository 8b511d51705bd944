"""Sweep: called by the scheduler every minute."""

from __future__ import annotations

import functions_framework
from flask import Request, Response, jsonify

from functions.transport import answered, body_of
from infra.bootstrap import ports_of
from shared.ports.telemetry import Work
from shared.steps import sweep as step
from shared.steps.context import Ports
from shared.steps.health import report_tick

_ports = ports_of("sweep")


@functions_framework.http
def sweep(request: Request) -> Response:
    """Look again at whatever has gone quiet."""
    ports = _ports()
    return answered(request, ports, "sweep", lambda: _sweep(request, ports))


def _sweep(request: Request, ports: Ports) -> Response:
    body = body_of(request)
    at_start = isinstance(body, dict) and body.get("at_start") is True
    trace = ports.entropy.token()
    with ports.telemetry.doing(Work("sweep", trace)):
        swept = step.sweep(ports, trace, at_start=at_start)
        report_tick(ports, swept)
    response: Response = jsonify(cases=swept.cases, entries=swept.entries, failed=swept.failed)
    return response
