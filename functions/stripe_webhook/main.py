"""The Stripe webhook: verifies the signature on the raw bytes, stores the event once, answers fast."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import functions_framework
from flask import Request, Response, jsonify

from infra.bootstrap import endpoints, ports_of
from shared.errors import InvalidInput, NotFound, Retryable
from shared.ports.telemetry import Work
from shared.steps.context import Ports
from shared.steps.intake import MAX_BODY_BYTES, receive

logger = logging.getLogger("manthan")

_ports = ports_of("stripe_webhook")
_endpoint = endpoints()


@functions_framework.http
def stripe_webhook(request: Request) -> Response:
    """200 once the event is safe; 400 for what Stripe should not send again unchanged; 503 to be sent again."""
    if request.method != "POST":
        return _answer(405, error="send events with POST")
    if (request.content_length or 0) > MAX_BODY_BYTES:
        return _answer(413, error=f"at most {MAX_BODY_BYTES} bytes are accepted")
    ports = _ports()
    trace = ports.entropy.token()
    with ports.telemetry.doing(Work("stripe_webhook", trace)):
        return _take(request, ports, trace)


def _take(request: Request, ports: Ports, trace: str) -> Response:
    try:
        received = receive(
            ports,
            _endpoint(request.path),
            request.get_data(),
            request.headers.get("Stripe-Signature", ""),
            trace=trace,
            # The receiver's own clock, whatever instant a simulated world has reached.
            received_at=datetime.now(UTC),
        )
    except NotFound as error:
        return _answer(404, error=str(error))
    except InvalidInput as error:
        logger.warning("stripe_webhook: refused a delivery (%s)", error.code)
        return _answer(400, error=str(error), reason=error.code)
    except Retryable as error:
        logger.error("stripe_webhook: not stored: %s", error.code)
        return _answer(503, error="not stored; send it again")
    return _answer(200, event=received.event_id, status=received.status.value, known=received.known)


def _answer(code: int, **body: object) -> Response:
    response: Response = jsonify(body)
    response.status_code = code
    return response
