"""Synthesize: started by a message when the last assignment of a round has ended."""

from __future__ import annotations

import functions_framework
from flask import Request, Response

from functions.transport import CaseHint, Envelope, Handler, handle_push
from infra.bootstrap import ports_of
from shared.steps import synthesize as step
from shared.steps.context import Ports, RequestContext
from shared.steps.faults import mark_failed


def _run(ports: Ports, context: RequestContext, hint: CaseHint, envelope: Envelope) -> None:
    step.synthesize(ports, context, hint.case_id)


def _on_fault(ports: Ports, context: RequestContext, hint: CaseHint, fault: str) -> None:
    mark_failed(ports, context, hint.case_id, "synthesize", fault)


_ports = ports_of("synthesize")
_handler = Handler("synthesize", CaseHint, _run, _on_fault)


@functions_framework.http
def synthesize(request: Request) -> Response:
    """Draft the cited brief."""
    return handle_push(request, _ports(), _handler)
