"""Dead letter: takes what a subscription has given up, so that operators see it instead of nobody."""

from __future__ import annotations

import json
import logging
from typing import Final

import functions_framework
from flask import Request, Response

from functions.transport import Envelope, answered, decode_push
from infra.bootstrap import ports_of
from shared.errors import InvalidInput
from shared.ports.telemetry import Work
from shared.steps.context import Ports
from shared.steps.dead_letters import quarantine

logger = logging.getLogger("manthan")

SOURCE: Final = "CloudPubSubDeadLetterSourceSubscription"
COUNT: Final = "CloudPubSubDeadLetterSourceDeliveryCount"
PUBLISHED: Final = "CloudPubSubDeadLetterSourceTopicPublishTime"
"""What Pub/Sub says of a message that it has given up."""

_NO_ENVELOPE = Envelope(body=None, trace="", delivery=None)

_ports = ports_of("dead_letter")


@functions_framework.http
def dead_letter(request: Request) -> Response:
    """204 once the letter is kept for operators."""
    ports = _ports()
    return answered(request, ports, "dead_letter", lambda: _keep(request, ports))


def _keep(request: Request, ports: Ports) -> Response:
    try:
        letter = decode_push(request)
    except InvalidInput:
        letter = _NO_ENVELOPE  # kept as it is
    with ports.telemetry.doing(Work("dead_letter", letter.trace, letter.parent)):
        return _quarantine(request, ports, letter)


def _quarantine(request: Request, ports: Ports, letter: Envelope) -> Response:
    source = letter.attributes.get(SOURCE, "dead_letter").rsplit("/", 1)[-1]
    count = letter.attributes.get(COUNT, "all")
    kept = quarantine(
        ports,
        source,
        request.get_data(as_text=True),
        f"not acknowledged in {count} deliveries",
        hint=letter.body,
        attributes=letter.attributes,
        # The same message may be given up more than once, under a new id each time.
        key=None if letter.body is None else json.dumps([letter.body, letter.attributes.get(PUBLISHED)]),
    )
    logger.error("dead_letter: %s gave a message up after %s deliveries: %s", source, count, kept)
    return Response(status=204)
