"""The main job through the front door: signed events in, effects out."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from infra.fakes.stripe.courier import signature
from infra.stage import Stage
from infra.worlds import find_world, load_world
from shared.case.case import Case
from shared.case.evidence import Ended
from shared.case.lifecycle import State
from shared.playbooks.disputes.analysts import TEAM
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.steps.audit import audit
from shared.steps.reports import read_evidence
from shared.team.contract import Findings, Job, Specialist
from tests.e2e.conftest import WAITING, approve_all, play


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Aperture, played once to its end."""
    world = load_world(find_world("aperture"))
    with Stage(world, tmp_path_factory.mktemp("aperture")) as stage:
        play(stage)
        yield stage


def only_case(stage: Stage) -> Case:
    (case,) = stage.cases()
    return case


def kinds(stage: Stage) -> list[str]:
    return [str(effect["kind"]) for effect in stage.double.effects()]


def test_the_case_is_contested_won_paid_and_resolved(played: Stage) -> None:
    case = only_case(played)
    assert case.state is State.RESOLVED, case.state_reason
    assert case.brief is not None
    decision = case.brief.decision
    assert (decision.kind.value, decision.amount_minor, decision.currency) == ("credit", 56000, "usd")
    assert {action.kind.value: action.state.value for action in case.actions} == {
        "stripe_stage_evidence": "succeeded",
        "stripe_submit_evidence": "succeeded",
        "stripe_refund": "succeeded",
        "customer_email": "succeeded",
        "crm_note": "succeeded",
        "slack_brief": "succeeded",
    }


def test_the_money_is_paid_only_after_the_win(played: Stage) -> None:
    effects = played.double.effects()
    assert kinds(played) == ["staging", "submission", "refund"]
    closed = next(c for c in only_case(played).outcomes.values() if c.name == "dispute.won")
    assert effects[-1]["amount"] == 56000
    assert effects[-1]["at"] >= closed.at.timestamp()


def test_every_effect_at_stripe_carries_the_key_of_its_action(played: Stage) -> None:
    keys = {action.idempotency_key for action in only_case(played).actions}
    assert {effect["idempotency_key"] for effect in played.double.effects()} <= keys


def test_two_different_people_approved_what_needed_two(played: Stage) -> None:
    for action in only_case(played).actions:
        if action.verdict is not None and action.verdict.tier == "two_approvers":
            assert len({approval.email for approval in action.approvals}) == 2, action.id


def test_evidence_of_all_five_is_indexed_without_a_gap_and_every_citation_exists(played: Stage) -> None:
    case = only_case(played)
    evidence = read_evidence(played.composition.store, case)
    assert [item.index for item in evidence] == list(range(len(evidence)))
    assert len({item.specialist for item in evidence}) == 5
    assert case.brief is not None
    cited = {index for finding in case.brief.findings for index in finding.citations}
    assert cited <= set(range(len(evidence)))
    assert all(item.row.link for item in evidence)


def test_the_log_verifies_and_memory_holds_the_episode(played: Stage) -> None:
    case = only_case(played)
    found = audit(played.composition.store, case.org, case.id)
    assert (found.problems, found.events) == ((), case.events)
    (episode,) = played.composition.store.episodes(case.org, str(case.facts["customer.id"]))
    assert (episode.decision, episode.amount_minor, episode.outcome) == ("credit", 56000, "won")


def test_mail_note_and_brief_can_be_read(played: Stage) -> None:
    names = sorted(path.suffix for path in played.outbox.rglob("*") if path.is_file())
    assert len(names) == 3
    assert ".eml" in names


def test_only_act_used_the_write_key(played: Stage) -> None:
    keys = [request["key_kind"] for request in played.double.requests() if request["method"] == "POST"]
    assert set(keys) == {"write"}
    assert len(keys) == 4  # the exhibit, the evidence, its submission, the refund


def test_the_same_events_again_after_the_end_change_nothing(played: Stage) -> None:
    before, effects = only_case(played), kinds(played)
    for event in played.world.events:
        assert post(played, event) == 200
    played.run()
    assert (only_case(played), kinds(played)) == (before, effects)


def post(stage: Stage, event: object) -> int:
    """Deliver an event signed with the endpoint's secret, as Stripe would."""
    import http.client
    import json
    import time
    from urllib.parse import urlsplit

    body = json.dumps(event)
    secret = next(iter(stage.composition.settings.secrets.values()))
    target = urlsplit(stage.webhook_url)
    connection = http.client.HTTPConnection(target.netloc, timeout=10)
    try:
        headers = {"Stripe-Signature": signature(body, [secret], int(time.time()))}
        connection.request("POST", target.path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_same_event_five_times_in_parallel_is_one_case_and_one_set_of_effects(
    stage_on: Callable[[Path], Stage],
) -> None:
    with stage_on(find_world("aperture")) as stage:
        created = stage.world.events[0]
        codes: list[int] = []
        threads = [threading.Thread(target=lambda: codes.append(post(stage, created))) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert codes == [200] * 5
        stage.run(lambda: any(case.state in WAITING for case in stage.cases()))
        approve_all(stage)
        stage.run()
        assert only_case(stage).state is State.RESOLVED
        assert kinds(stage) == ["staging", "submission", "refund"]


class Meeting:
    """A specialist that goes on only when all five are at work at the same time."""

    def __init__(self, inner: Specialist, barrier: threading.Barrier) -> None:
        self.name, self.deadline_s = inner.name, inner.deadline_s
        self._inner, self._barrier = inner, barrier

    def investigate(self, job: Job, findings: Findings) -> None:
        self._barrier.wait(timeout=30)
        self._inner.investigate(job, findings)


def test_the_five_specialists_work_at_the_same_time(tmp_path: Path) -> None:
    barrier = threading.Barrier(5)
    playbook = DisputesPlaybook([Meeting(member, barrier) for member in TEAM])
    world = load_world(find_world("aperture"))
    with Stage(world, tmp_path, playbooks={"disputes": playbook}) as stage:
        stage.deliver_events()
        stage.run(lambda: any(case.state in WAITING for case in stage.cases()))
        reports = only_case(stage).rounds[0].reports
        assert [report.ended for report in reports] == [Ended.REPORTED] * 5


class Hanging:
    """A specialist that hangs until the test lets it go, and then reports after all."""

    def __init__(self, inner: Specialist, released: threading.Event, deadline_s: float) -> None:
        self.name, self.deadline_s = inner.name, deadline_s
        self._inner, self._released = inner, released
        self.ended = threading.Event()

    def investigate(self, job: Job, findings: Findings) -> None:
        self._released.wait(timeout=60)
        self._inner.investigate(job, findings)
        self.ended.set()


def test_a_hanging_specialist_becomes_a_gap_and_its_late_result_changes_nothing(tmp_path: Path) -> None:
    released = threading.Event()
    hanging = Hanging(TEAM[-1], released, deadline_s=1.5)
    playbook = DisputesPlaybook([*TEAM[:-1], hanging])
    world = load_world(find_world("aperture"))
    with Stage(world, tmp_path, playbooks={"disputes": playbook}) as stage:
        stage.deliver_events()
        stage.run(lambda: any(case.state in WAITING for case in stage.cases()))
        case = only_case(stage)
        assert case.rounds[0].reports[-1].ended is Ended.TIMED_OUT
        assert case.brief is not None
        assert hanging.name in {gap.specialist for gap in case.brief.gaps}
        released.set()
        assert hanging.ended.wait(timeout=30)
        stage.run(lambda: stage.runtime.idle())
        later = only_case(stage)
        assert (later.rounds, later.brief, later.evidence_count) == (case.rounds, case.brief, case.evidence_count)


def test_a_closing_before_the_opening_leaves_one_case_without_investigation(stage_on: Callable[[Path], Stage]) -> None:
    with stage_on(find_world("aperture")) as stage:
        created = stage.world.events[0]
        closed = {
            **created,
            "id": "evt_closed_first",
            "type": "charge.dispute.closed",
            "created": created["created"] + 60,
            "data": {"object": {**created["data"]["object"], "status": "lost"}},
        }
        assert post(stage, closed) == 200
        stage.run(lambda: stage.runtime.idle())
        assert stage.cases() == ()
        assert post(stage, created) == 200
        stage.run()
        case = only_case(stage)
        assert (case.state, case.rounds, case.actions) == (State.WITHDRAWN, (), ())
        assert kinds(stage) == []


RENAMED = {
    "Aperture Analytics": "Lumen Observatory",
    "Aperture": "Lumen",
    "aperture": "lumen",
    "8,400": "12,600",
    "8400": "12600",
}


def test_renaming_every_company_id_and_amount_changes_only_those(
    world_copy: Callable[[str], Path], stage_on: Callable[[Path], Stage], played: Stage
) -> None:
    folder = world_copy("aperture")
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "expect.yaml":
            path.write_text(renamed(path.read_text()))
    with stage_on(folder) as stage:
        play(stage)
        ours, theirs = only_case(stage), only_case(played)
        assert (ours.state, ours.evidence_count) == (theirs.state, theirs.evidence_count)
        assert ours.brief is not None
        assert theirs.brief is not None
        assert ours.brief.decision.amount_minor == 84000
        assert [f.citations for f in ours.brief.findings] == [f.citations for f in theirs.brief.findings]
        assert [a.kind for a in ours.actions] == [a.kind for a in theirs.actions]
        assert [a.verdict and a.verdict.tier for a in ours.actions] == [
            a.verdict and a.verdict.tier for a in theirs.actions
        ]


def renamed(text: str) -> str:
    """Other companies, other ids (the part after the prefix reversed), other amounts."""
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    return re.sub(
        r"\b(ch|pi|du|cus|sub|in|il|txn|price|prod|evt|inpay|re|si)_([A-Za-z0-9]{8,})\b",
        lambda match: f"{match[1]}_{match[2][::-1]}",
        text,
    )
