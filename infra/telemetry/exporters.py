"""Where spans go: to a collector that speaks OTLP, or to Cloud Trace, which speaks it too."""

from __future__ import annotations

from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExporter

from shared.errors import InvalidInput

CLOUD_TRACE: Final = "google"
"""As the address of the collector: Cloud Trace, with the process's own credentials."""
_TELEMETRY_API: Final = "https://telemetry.googleapis.com/v1/traces"
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_TIMEOUT_S: Final = 2.0
"""Of one export with its retries: spans are sent before a request is answered."""


def exporter_to(where: str) -> SpanExporter:
    """The exporter to a collector's address (http://host:4318), or to Cloud Trace. Raises InvalidInput."""
    if where == CLOUD_TRACE:
        return _to_cloud_trace()
    if not where.startswith(("http://", "https://")):
        raise InvalidInput(f"spans go to {CLOUD_TRACE!r} or to a collector's address such as http://localhost:4318")
    path = "" if where.rstrip("/").endswith("/v1/traces") else "/v1/traces"
    return OTLPSpanExporter(endpoint=where.rstrip("/") + path, timeout=_TIMEOUT_S)


def _to_cloud_trace() -> SpanExporter:
    import google.auth
    from google.auth.transport.requests import AuthorizedSession

    credentials, _ = google.auth.default(scopes=[_SCOPE])
    session: Any = AuthorizedSession  # carries no types
    return OTLPSpanExporter(endpoint=_TELEMETRY_API, timeout=_TIMEOUT_S, session=session(credentials))
