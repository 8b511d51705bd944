"""Policy check: started by a message about a draft."""

from __future__ import annotations

import functions_framework
from flask import Request, Response

from functions.transport import CaseHint, Envelope, Handler, handle_push
from infra.bootstrap import ports_of
from shared.steps import policy_check as step
from shared.steps.context import Ports, RequestContext
from shared.steps.faults import mark_failed


def _run(ports: Ports, context: RequestContext, hint: CaseHint, envelope: Envelope) -> None:
    step.check(ports, context, hint.case_id)


def _on_fault(ports: Ports, context: RequestContext, hint: CaseHint, fault: str) -> None:
    mark_failed(ports, context, hint.case_id, "policy_check", fault)


_ports = ports_of("policy_check")
_handler = Handler("policy_check", CaseHint, _run, _on_fault)


@functions_framework.http
def policy_check(request: Request) -> Response:
    """Say who must approve what."""
    return handle_push(request, _ports(), _handler)
