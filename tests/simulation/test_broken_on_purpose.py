"""The tester, tested: the pipeline is broken on purpose, and the simulator or its auditor has to notice.

Each way of breaking it is one that somebody could commit by accident. Some show in any weather, some only in bad
weather; none of them may survive so many seeds, and the same seeds are clean with the code as it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from infra.simulation.audit import audit
from infra.simulation.drafts import Flow
from infra.simulation.memory import MemoryStore
from infra.simulation.run import play
from infra.simulation.scenario import Scenario, of_flow, of_seed
from infra.simulation.weather import CrashPoint, Weather
from shared.case import evolve
from shared.case.actions import ActionState, Tier
from shared.case.events import ActionEdited
from shared.policy import approvals
from shared.steps import act, people, policy_check, sending, sweep, triage
from shared.steps.commit import Change, Committed

Breaking = Callable[[pytest.MonkeyPatch], None]


def skip_the_fencing_check(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(act, "_refuse_if_leased", lambda ports, action, now: None)


def count_the_same_approver_twice(patch: pytest.MonkeyPatch) -> None:
    def approvers(action, org):
        return [given.email for given in action.approvals] * 2

    patch.setattr(approvals, "_approvers", lambda action, org: _Twice(approvers(action, org)))


class _Twice(set):
    def __len__(self) -> int:
        return 2 * super().__len__()


def act_before_recording_the_intent(patch: pytest.MonkeyPatch) -> None:
    real = act.commit

    def commit_later(ports, context, case_id, decide, *, seen=None):
        record = ports.store.read(context.org, case_id)
        change = decide(record.case, ports.clock.now())
        intended = change.events and change.events[0].type == "action_intended"
        if not intended:
            return real(ports, context, case_id, decide, seen=seen)
        after = evolve.evolve(record.case, change.events[0], ports.clock.now())
        return Committed(record.case, after, True, 0, None)

    patch.setattr(act, "commit", commit_later)


def take_an_unknown_outcome_for_a_failure(patch: pytest.MonkeyPatch) -> None:
    real = act._record

    def record(ports, context, case_id, action_id, event, **named):
        if getattr(event, "to", None) is ActionState.UNKNOWN:
            event = event.model_copy(update={"to": ActionState.FAILED})
        real(ports, context, case_id, action_id, event, **named)

    patch.setattr(act, "_record", record)


def try_again_without_looking_first(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(act, "_found", lambda ports, context, case, action: False)


def make_a_new_key_for_every_attempt(patch: pytest.MonkeyPatch) -> None:
    real = act.idempotency_key
    patch.setattr(act, "idempotency_key", lambda org, case_id, action: f"{real(org, case_id, action)}-{action.attempt}")


def forget_what_others_have_reserved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(act, "reserve", lambda ledger, case_id, action, refundable_minor: ledger)


def let_approvals_survive_an_edit(patch: pytest.MonkeyPatch) -> None:
    real = evolve._action_edited

    def edited(case, event, at):
        before = case.action(event.action_id)
        changes = real(case, event, at)
        after = next(action for action in changes["actions"] if action.id == event.action_id)
        given = tuple(approval.model_copy(update={"hash": after.hash}) for approval in before.approvals)
        approved = after.model_copy(update={"approvals": given})
        kept = tuple(approved if action.id == after.id else action for action in changes["actions"])
        return {**changes, "actions": kept}

    patch.setitem(evolve._CHANGES, ActionEdited, edited)


def let_policy_pass_everything(patch: pytest.MonkeyPatch) -> None:
    real = policy_check.evaluate

    def lenient(*arguments, **named):
        return real(*arguments, **named).model_copy(update={"tier": Tier.AUTO})

    patch.setattr(policy_check, "evaluate", lenient)
    patch.setattr(act, "evaluate", lenient)


def ignore_the_kill_switch_before_the_call(patch: pytest.MonkeyPatch) -> None:
    real = act._carry_out

    def carry_out(ports, context, case, intent):
        real(replace(ports, switch=_Off()), context, case, intent)

    patch.setattr(act, "_carry_out", carry_out)


class _Off:
    def effects_stopped(self, org: str) -> bool:
        return False


def act_on_the_world_as_it_was(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(act, "drift", lambda action, world, outcomes: None)


def let_any_amount_through_the_gate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(policy_check, "check_amounts", lambda *arguments, **named: None)


def let_a_late_report_replace_the_first(patch: pytest.MonkeyPatch) -> None:
    real = MemoryStore.create_report

    def create(self, org, case_id, report):
        self._state.reports.setdefault((org, case_id, report.round), {}).pop(report.specialist, None)
        return real(self, org, case_id, report)

    patch.setattr(MemoryStore, "create_report", create)


def leave_the_inbox_out_of_the_commit(patch: pytest.MonkeyPatch) -> None:
    real = triage.commit

    def without_inbox(ports, context, case_id, decide, **named):
        def bare(case, now):
            change = decide(case, now)
            return Change(change.events, ledger=change.ledger) if change.events else change

        return real(ports, context, case_id, bare, **named)

    patch.setattr(triage, "commit", without_inbox)


def sweep_without_sending_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sweep, "_resend", lambda ports, context, record: None)


def accept_late_approvals(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "_require_time_to_decide", lambda case, now: None)


def make_a_reference_up(patch: pytest.MonkeyPatch) -> None:
    real = act._succeeded
    patch.setattr(act, "_succeeded", lambda action, done: real(action, replace(done, external_ref="made up")))


BREAKINGS: dict[Breaking, str] = {
    skip_the_fencing_check: "one_attempt_at_a_time",
    count_the_same_approver_twice: "approved_by_whom_policy_demands",
    act_before_recording_the_intent: "no_call_without_intent",
    take_an_unknown_outcome_for_a_failure: "every_effect_is_known",
    try_again_without_looking_first: "looked_up_before_again",
    make_a_new_key_for_every_attempt: "one_key_per_action",
    forget_what_others_have_reserved: "never_more_than_refundable",
    let_approvals_survive_an_edit: "approved_by_whom_policy_demands",
    let_policy_pass_everything: "approved_by_whom_policy_demands",
    ignore_the_kill_switch_before_the_call: "kill_switch_before_call",
    act_on_the_world_as_it_was: "world_checked_before_intent",
    let_any_amount_through_the_gate: "never_more_than_derived",
    let_a_late_report_replace_the_first: "evidence_is_never_rewritten",
    leave_the_inbox_out_of_the_commit: "event_in_one_case",
    sweep_without_sending_again: "comes_to_rest",
    accept_late_approvals: "approvals_in_time",
    make_a_reference_up: "success_is_what_the_other_side_said",
}


SEEDS = range(3_000, 3_200)


def scenario(seed: int, breaking: Breaking) -> Scenario:
    """The seed's own; where it takes people who rewrite what others have approved, nothing else disturbs them."""
    if breaking is not let_approvals_survive_an_edit:
        return of_seed(seed)
    return replace(of_seed(seed), weather=Weather(random.Random(seed), {"person_edits": 0.5}), storm_s=4 * 86_400.0)


@pytest.mark.parametrize("breaking", BREAKINGS, ids=lambda breaking: breaking.__name__)
def test_the_auditor_notices(breaking: Breaking, monkeypatch: pytest.MonkeyPatch) -> None:
    breaking(monkeypatch)
    runs = (audit(play(scenario(seed, breaking))) for seed in SEEDS)
    noticed = any(violation.rule == BREAKINGS[breaking] for violations in runs for violation in violations)
    assert noticed, f"{len(SEEDS)} seeds, and nobody has noticed"


def test_people_who_rewrite_what_others_have_approved_break_no_rule() -> None:
    runs = [audit(play(scenario(seed, let_approvals_survive_an_edit))) for seed in SEEDS[:40]]
    assert not any(runs)


def test_without_the_sweeper_it_shows_that_a_duplicate_no_longer_drives_the_case_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def always_ends_well() -> bool:
        calls = play(of_flow(Flow.REFUND, sweeps=False)).journal.port_calls
        runs = (play(of_flow(Flow.REFUND, sweeps=False, crash=CrashPoint(n, after=True))) for n in range(1, calls + 1))
        return all(audit(played) == [] for played in runs)

    monkeypatch.setattr(sending, "send_all", lambda ports, context, committed: None)
    assert not always_ends_well()
