"""Where spans go, over the wire: to a collector that speaks OTLP, and to Cloud Trace with credentials."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import google.auth
import pytest
from google.oauth2.credentials import Credentials
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from infra.telemetry import exporters, watch, watch_of
from tests.support.rig import Rig
from tests.unit.telemetry.conftest import Recorded

TOKEN = "ya29.not-for-logs"


@dataclass
class Collector:
    """What has arrived at a collector."""

    url: str = ""
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    authorizations: set[str | None] = field(default_factory=set)

    def traces(self) -> set[str]:
        return {span.trace_id.hex() for span in self._spans()}

    def names(self) -> set[str]:
        return {span.name for span in self._spans()}

    def resource(self) -> dict[str, str]:
        attributes = self.requests[0].resource_spans[0].resource.attributes
        return {attribute.key: attribute.value.string_value for attribute in attributes}

    def _spans(self):  # type: ignore[no-untyped-def]
        for request in self.requests:
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    yield from scope.spans


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.requests.append(ExportTraceServiceRequest.FromString(body))
            found.paths.add(self.path)
            found.authorizations.add(self.headers.get("Authorization"))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def test_by_one_setting_spans_go_to_a_collector_before_each_request_is_answered(
    collector: Collector, tmp_path: Path
) -> None:
    watching = watch_of({"MANTHAN_TRACES": collector.url, "K_SERVICE": "triage"})
    with Rig(tmp_path, telemetry=watching) as rig:
        rig.post(rig.event("test.created"))
        assert {"stripe_webhook", "inbox.put", "messages.publish"} <= collector.names()
        rig.pump()
        trace = rig.case().trace
    assert collector.paths == {"/v1/traces"}
    assert collector.traces() == {trace}
    assert {"triage", "specialist", "synthesize", "policy_check"} <= collector.names()
    assert collector.resource()["service.name"] == "triage"
    watching.close()


def test_cloud_trace_gets_them_in_the_projects_name_with_the_processs_own_credentials(
    collector: Collector, tmp_path: Path, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = Credentials(token=TOKEN)  # type: ignore[no-untyped-call]
    monkeypatch.setattr(google.auth, "default", lambda scopes: (credentials, "acme-prod"))
    monkeypatch.setattr(exporters, "_TELEMETRY_API", f"{collector.url}/v1/traces")
    with Rig(tmp_path, telemetry=watch(traces=exporters.CLOUD_TRACE, project="acme-prod")) as rig:
        rig.to_approval()
    assert collector.authorizations == {f"Bearer {TOKEN}"}
    assert collector.resource()["gcp.project_id"] == "acme-prod"
    assert TOKEN not in recorded.everything()
