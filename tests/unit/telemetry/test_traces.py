"""One trace per case, through every step, whoever starts it and however it travels."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from infra.telemetry import Watch, watch
from infra.telemetry.spans import Spans
from shared.case.lifecycle import State
from shared.errors import InvalidInput
from shared.ports import Work
from shared.ports.telemetry import parent_of, traceparent
from shared.steps import people
from tests.support.rig import ALICE, BOB, ORG, Rig
from tests.unit.telemetry.conftest import Recorded

TRACE = "0af7651916cd43dd8448eb211c80319c"


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


def played(rig: Rig) -> str:
    """A case from its event to its end, with people and the issuer in between; its trace."""
    case = rig.to_approval()
    for email in (ALICE, BOB):
        people.approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    rig.post(rig.event("test.closed", status="won"))
    rig.pump()
    assert rig.case().state is State.RESOLVED, rig.case().state_reason
    return rig.case().trace


def test_everything_that_is_done_for_a_case_is_in_the_trace_that_opened_it(rig: Rig, recorded: Recorded) -> None:
    trace = played(rig)
    steps = {span.name for span in recorded.spans if trace_of(span) == trace}
    assert {"stripe_webhook", "triage", "specialist", "synthesize", "policy_check", "act"} <= steps
    calls = {"store.write", "store.create_report", "messages.publish", "tasks.enqueue", "effects.perform"}
    assert calls | {"analyst.investigate", "analyst.synthesize", "inbox.put"} <= steps
    elsewhere = {span.name for span in recorded.spans if trace_of(span) != trace}
    # The issuer's event came in a trace of its own; what it started for the case went on in the case's.
    assert elsewhere <= {"stripe_webhook", "triage", "inbox.put", "messages.publish", "tasks.enqueue", "store.write"}
    refund = next(
        s for s in recorded.named("effects.perform") if s.attributes["manthan.action_kind"] == "stripe_refund"
    )  # type: ignore[index]
    assert trace_of(refund) == trace


def test_every_step_hangs_below_the_span_that_sent_it(rig: Rig, recorded: Recorded) -> None:
    trace = played(rig)
    by_id = {span.context.span_id: span for span in recorded.spans if span.context is not None}
    for name, sender in (("triage", "messages.publish"), ("specialist", "tasks.enqueue"), ("act", "tasks.enqueue")):
        for span in recorded.named(name):
            if trace_of(span) == trace and span.parent is not None:
                assert by_id[span.parent.span_id].name == sender
    roots = [span.name for span in recorded.spans if trace_of(span) == trace and span.parent is None]
    assert roots.count("stripe_webhook") == 1
    assert not {"triage", "synthesize", "policy_check", "specialist"} & set(roots)


def test_without_the_senders_span_a_step_is_still_in_the_cases_trace(rig: Rig, recorded: Recorded) -> None:
    rig.post(rig.event("test.created"))
    (message,) = rig.out.messages
    bare = {name: value for name, value in message.attributes.items() if name != "traceparent"}
    rig.deliver_message(replace(message, attributes=bare))
    (triage,) = recorded.named("triage")
    assert (trace_of(triage), triage.parent) == (message.attributes["trace"], None)


def test_a_sweep_that_sends_again_starts_the_work_in_the_cases_trace(rig: Rig, recorded: Recorded) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: hasattr(sent, "topic") and sent.topic == "triage")
    rig.out.tasks.clear()
    rig.advance(seconds=61)
    rig.sweep()
    trace = rig.case().trace
    assert {task.attributes["trace"] for task in rig.out.tasks} == {trace}
    (sweep,) = recorded.named("sweep")
    assert trace_of(sweep) != trace


def test_entries_that_are_sent_again_in_one_tick_open_their_cases_in_traces_of_their_own(rig: Rig) -> None:
    for subject in ("du_1", "du_2"):
        rig.post(rig.event("test.created", subject))
    rig.out.messages.clear()
    rig.advance(seconds=61)
    rig.sweep()
    rig.pump()
    assert len({rig.case("du_1").trace, rig.case("du_2").trace}) == 2


def test_what_went_wrong_is_told_by_its_kind_alone(rig: Rig, recorded: Recorded) -> None:
    def broken(material: object) -> None:
        raise RuntimeError("what a customer wrote")

    rig.playbook.conclude = broken  # type: ignore[assignment]
    rig.post(rig.event("test.created"))
    rig.pump()
    (failed,) = recorded.named("analyst.synthesize")
    assert not failed.status.is_ok
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "RuntimeError"
    assert (failed.status.description, failed.events) == (None, ())


def test_what_people_do_outside_of_any_request_is_in_the_cases_trace(rig: Rig, recorded: Recorded) -> None:
    case = rig.to_approval()
    recorded.exporter.clear()
    people.approve(rig.all_ports(), rig.context(ALICE), case.id)
    assert {trace_of(span) for span in recorded.spans} == {case.trace}


class Away(SpanExporter):
    """A collector that cannot be reached."""

    def __init__(self) -> None:
        self.tried = 0

    def export(self, spans: object) -> SpanExportResult:
        self.tried += 1
        return SpanExportResult.FAILURE


def test_a_collector_that_is_away_costs_one_request_and_stops_nobody(tmp_path: Path) -> None:
    away = Away()
    with Rig(tmp_path, telemetry=Watch(Spans(away, {}))) as rig:
        rig.to_approval()
    assert away.tried == 1


def test_without_a_collector_opentelemetry_is_not_even_loaded_and_the_ports_are_the_plain_ones(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        ports = rig.all_ports()
        assert (ports.store, ports.inbox, ports.playbooks["disputes"]) == (rig.store, rig.inbox, rig.playbook)
    code = "import sys, infra.local.composition; sys.exit('opentelemetry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("address", ["collector:4318", "ftp://collector", "cloud"])
def test_an_address_that_is_none_is_refused_with_what_it_could_be(address: str) -> None:
    with pytest.raises(InvalidInput, match="http://localhost:4318"):
        watch(traces=address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00-short-b7ad6b7169203331-01",
        f"00-{'0' * 32}-b7ad6b7169203331-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-b7ad6b7169203331-01",
        f"00-{TRACE.upper()}-b7ad6b7169203331-01",
    ],
)
def test_what_is_no_traceparent_names_no_parent(text: str) -> None:
    assert parent_of(text) is None


def test_a_traceparent_says_what_was_put_into_it() -> None:
    assert parent_of(traceparent(TRACE, "b7ad6b7169203331")) == (TRACE, "b7ad6b7169203331")


def test_a_trace_that_is_no_w3c_one_still_gives_one_trace(recorded: Recorded) -> None:
    for _ in range(2):
        with recorded.watch.doing(Work("act", "trace", org=ORG)):
            pass
    first, second = recorded.spans
    assert trace_of(first) == trace_of(second)
