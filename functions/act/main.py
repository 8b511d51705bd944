"""Act: one task per action. The only function that holds credentials which can change the outside world."""

from __future__ import annotations

import functions_framework
from flask import Request, Response
from pydantic import Field

from functions.transport import CaseHint, Envelope, Handler, handle_task
from infra.bootstrap import ports_of
from shared.steps import act as step
from shared.steps.context import Ports, RequestContext
from shared.steps.faults import mark_failed


class ActionHint(CaseHint):
    """Which action to carry out."""

    action_id: str = Field(min_length=1, max_length=300)


def _run(ports: Ports, context: RequestContext, hint: ActionHint, envelope: Envelope) -> None:
    step.act(ports, context, hint.case_id, hint.action_id)


def _on_fault(ports: Ports, context: RequestContext, hint: ActionHint, fault: str) -> None:
    mark_failed(ports, context, hint.case_id, "act", fault)


_ports = ports_of("act")
_handler = Handler("act", ActionHint, _run, _on_fault)


@functions_framework.http
def act(request: Request) -> Response:
    """Carry out one approved action."""
    return handle_task(request, _ports(), _handler)
