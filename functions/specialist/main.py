"""Specialist: one task per assignment, and the watchdog's task at its deadline."""

from __future__ import annotations

import functions_framework
from flask import Request, Response
from pydantic import Field

from functions.transport import CaseHint, Envelope, Handler, handle_task
from infra.bootstrap import ports_of
from shared.errors import InvalidInput
from shared.steps.context import Ports, RequestContext
from shared.steps.faults import mark_failed
from shared.steps.investigate import Delivery, investigate, watch


class AssignmentHint(CaseHint):
    """Which assignment to work on, or, with `deadline`, which round's deadline has come."""

    round: int = Field(ge=1, le=1_000_000)
    specialist: str | None = None
    deadline: str | None = None


def _run(ports: Ports, context: RequestContext, hint: AssignmentHint, envelope: Envelope) -> None:
    if hint.deadline is not None:
        watch(ports, context, hint.case_id, hint.round)
    elif hint.specialist is not None:
        delivery = Delivery(generation=hint.generation, retry=envelope.delivery or 0)
        investigate(ports, context, hint.case_id, hint.round, hint.specialist, delivery)
    else:
        raise InvalidInput("the hint names neither a specialist nor a deadline")


def _on_fault(ports: Ports, context: RequestContext, hint: AssignmentHint, fault: str) -> None:
    mark_failed(ports, context, hint.case_id, "specialist", fault)


_ports = ports_of("specialist")
_handler = Handler("specialist", AssignmentHint, _run, _on_fault)


@functions_framework.http
def specialist(request: Request) -> Response:
    """Run one attempt of one specialist, or end what has not ended by its deadline."""
    return handle_task(request, _ports(), _handler)
