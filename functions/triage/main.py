"""Triage: started by a message about an inbox entry."""

from __future__ import annotations

import functions_framework
from flask import Request, Response
from pydantic import Field

from functions.transport import Envelope, Handler, Hint, handle_push
from infra.bootstrap import ports_of
from shared.steps import triage as step
from shared.steps.context import Ports, RequestContext


class EntryHint(Hint):
    """Which inbox entry to look at."""

    event_id: str = Field(min_length=1, max_length=300)


def _run(ports: Ports, context: RequestContext, hint: EntryHint, envelope: Envelope) -> None:
    step.triage(ports, context, hint.event_id)


def _on_fault(ports: Ports, context: RequestContext, hint: EntryHint, fault: str) -> None:
    step.give_up(ports, context, hint.event_id, f"triage failed with {fault} in every attempt")


_ports = ports_of("triage")
_handler = Handler("triage", EntryHint, _run, _on_fault)


@functions_framework.http
def triage(request: Request) -> Response:
    """Route the event to its case."""
    return handle_push(request, _ports(), _handler)
