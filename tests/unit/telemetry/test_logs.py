"""Log records as Cloud Logging reads them: what they belong to, and nothing that anybody wrote."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime

import pytest

from infra.telemetry import watch
from infra.telemetry.logs import JsonLines, PlainLines, log_as_json
from infra.telemetry.present import doing
from shared.ports import Message, Work
from tests.support.rig import ORG, Rig
from tests.unit.telemetry.conftest import Recorded

SPOKEN = "what a customer wrote"


def failed(lines: logging.Formatter) -> str:
    """A record about an exception, formatted."""
    try:
        raise ValueError(SPOKEN)
    except ValueError:
        record = logging.LogRecord("flask.app", logging.ERROR, __file__, 1, "failed on %s", ("/",), sys.exc_info())
        return lines.format(record)


def test_a_record_says_which_work_it_belongs_to_in_cloud_loggings_own_fields() -> None:
    record = logging.LogRecord("manthan", logging.WARNING, __file__, 1, "said %s", ("so",), None)
    work = Work("act", "0af7651916cd43dd8448eb211c80319c", org=ORG, case_id="case_1", details={"action_id": "refund-1"})
    with doing(work, span="b7ad6b7169203331"):
        line = json.loads(JsonLines("acme-prod").format(record))
    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line == {
        "severity": "WARNING",
        "message": "said so",
        "logger": "manthan",
        "step": "act",
        "org": ORG,
        "case": "case_1",
        "action_id": "refund-1",
        "logging.googleapis.com/trace": "projects/acme-prod/traces/0af7651916cd43dd8448eb211c80319c",
        "logging.googleapis.com/spanId": "b7ad6b7169203331",
        "logging.googleapis.com/trace_sampled": True,
    }


@pytest.mark.parametrize("lines", [JsonLines(), PlainLines()])
def test_an_exception_is_told_by_its_type_and_where_it_was_raised_never_by_its_text(lines: logging.Formatter) -> None:
    told = failed(lines)
    assert "ValueError" in told
    assert "in failed" in told
    assert SPOKEN not in told


def test_every_commit_is_one_record_with_the_numbers_of_its_events(rig: Rig, recorded: Recorded) -> None:
    case = rig.to_approval()
    lines = recorded.about("committed")
    assert [line["step"] for line in lines] == ["triage", "specialist", "synthesize", "policy_check", "act", "act"]
    assert [line["seq"] for line in lines][-1] == case.events - 1
    assert sum(line["events"] for line in lines) == case.events
    assert {line["logging.googleapis.com/trace"] for line in lines} == {f"projects/acme-prod/traces/{case.trace}"}
    assert {(line["org"], line["case"]) for line in lines} == {(ORG, case.id)}


def test_a_refused_request_is_logged_with_its_dead_letter_which_knows_why(rig: Rig, recorded: Recorded) -> None:
    rig.deliver_message(Message("synthesize", {"org": ORG, "case_id": SPOKEN}))
    (line,) = [line for line in recorded.lines if line["severity"] == "WARNING"]
    assert line["message"].startswith("synthesize: quarantined a request as dead letter synthesize-")
    assert SPOKEN not in line["message"]


def test_in_production_a_process_writes_json_and_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    root, ours = logging.getLogger(), logging.getLogger("manthan")
    before = root.handlers[:], root.level, ours.level
    try:
        watch(json_logs=True, project="acme-prod")
        ours.info("committed", extra={"seq": 3})
        chatty = logging.getLogger("somebody.else")
        chatty.setLevel(logging.DEBUG)
        chatty.info("chatter")
        line = json.loads(capsys.readouterr().out)
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        ours.setLevel(before[2])
    assert (line["severity"], line["message"], line["seq"]) == ("INFO", "committed", 3)


def test_logging_twice_for_the_same_process_changes_nothing() -> None:
    root, ours = logging.getLogger(), logging.getLogger("manthan")
    before = root.handlers[:], root.level, ours.level
    try:
        log_as_json(None)
        log_as_json(None)
        assert len(root.handlers) == 1
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        ours.setLevel(before[2])
