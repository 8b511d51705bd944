"""The JSON of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from infra.cli.result import case_json, gaps_of, instant, run_json
from shared.case.evidence import Gap
from shared.ports.store import InboxEntry, InboxStatus
from shared.team.contract import Findings, Job
from tests.support.playbook import ScriptedPlaybook, ScriptedSpecialist, finds_charge
from tests.support.rig import ORG, Rig

IGNORED = InboxEntry(
    org=ORG,
    id="evt_1",
    type="payout.paid",
    received_at=datetime(2026, 5, 8, tzinfo=UTC),
    body="{}",
    status=InboxStatus.IGNORED,
    reason="not handled",
)


def test_one_case_is_the_document_itself(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        told = run_json([case_json(rig.to_approval(), chain_ok=True)], [IGNORED], 1234)
    assert told["case_id"].startswith("case_")
    assert told["elapsed_ms"] == 1234
    assert "cases" not in told


def test_several_cases_or_none_are_a_list_beside_what_was_ignored(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        cases = [case_json(rig.to_approval(subject), chain_ok=True) for subject in ("du_1", "du_2")]
    told = run_json(cases, [IGNORED], 1234)
    assert set(told) == {"cases", "ignored", "elapsed_ms"}
    assert len(told["cases"]) == 2
    assert told["ignored"] == [{"event_id": "evt_1", "type": "payout.paid", "reason": "not handled"}]
    assert run_json([], [IGNORED], 7) == {"cases": [], "ignored": told["ignored"], "elapsed_ms": 7}


def test_a_gap_is_told_before_there_is_a_brief_and_after(tmp_path: Path) -> None:
    def with_gap(job: Job, findings: Findings) -> None:
        finds_charge(job, findings)
        findings.gaps.append(Gap(specialist=job.specialist, what="the pager", why="it was down"))

    with Rig(tmp_path, ScriptedPlaybook(specialists=[ScriptedSpecialist("payments", with_gap)])) as rig:
        case = rig.to_approval()
    gap = {"specialist": "payments", "what": "the pager", "why": "it was down"}
    assert case_json(case, chain_ok=True)["gaps"] == [gap]
    bare = case.model_copy(update={"brief": None})
    assert [found.model_dump() for found in gaps_of(bare)] == [gap]
    assert case_json(bare, chain_ok=False)["decision"] is None


def test_instants_are_in_utc() -> None:
    assert instant(datetime(2026, 5, 8, 14, 0, tzinfo=timezone(timedelta(hours=2)))) == "2026-05-08T12:00:00Z"
