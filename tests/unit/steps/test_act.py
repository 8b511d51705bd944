"""One approved action, carried out at most once as far as anyone can tell."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.case.actions import Action, ActionState
from shared.case.lifecycle import State
from shared.errors import NotFound
from shared.ports import Role, Task
from shared.ports.effects import EffectRefused, EffectUnavailable, EffectUnknown
from shared.ports.store import CaseQuery
from shared.steps.audit import audit
from shared.steps.budgets import ACT_ATTEMPTS_BEFORE_PEOPLE
from shared.steps.people import approve
from tests.support.rig import ALICE, BOB, ORG, Rig


def approved(rig: Rig) -> None:
    case = rig.to_approval()
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id)


def fails(kind: str, error: Exception):  # type: ignore[no-untyped-def]
    def run(action: Action) -> None:
        if action.kind == kind:
            raise error

    return run


def task_for(rig: Rig, kind: str) -> Task:
    wanted = rig.id_of(kind)
    return next(task for task in rig.out.tasks if task.body.get("action_id") == wanted)


def won(rig: Rig) -> None:
    rig.effects.world["dispute.status"] = "won"
    rig.post(rig.event("test.closed", status="won"))


def ledger(rig: Rig):  # type: ignore[no-untyped-def]
    return rig.store.read_ledger(ORG, None, "ch_payments").reservations


def test_the_intent_is_recorded_before_the_call(rig: Rig) -> None:
    seen: list[tuple[str, str | None]] = []

    def look(action: Action) -> None:
        stored = rig.case().action(action.id)
        assert stored is not None
        seen.append((stored.state.value, stored.idempotency_key))

    rig.effects.before = look
    approved(rig)
    rig.pump()
    assert [state for state, _ in seen] == ["intended"] * len(seen)
    assert len({key for _, key in seen}) == len(seen) == 3


def test_an_action_delivered_twice_is_carried_out_once(rig: Rig) -> None:
    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    assert [rig.deliver_task(stage), rig.deliver_task(stage)] == [204, 204]
    assert rig.effects.calls.count("stripe_stage_evidence") == 1


def test_another_delivery_is_told_to_come_later_while_the_lease_is_alive(rig: Rig) -> None:
    answers: list[int] = []
    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")

    def deliver_again(action: Action) -> None:
        if action.kind == "stripe_stage_evidence" and not answers:
            answers.append(rig.deliver_task(stage))

    rig.effects.before = deliver_again
    assert (rig.deliver_task(stage), answers) == (204, [503])


def test_a_crash_after_the_effect_is_found_by_looking_it_up_and_not_repeated(rig: Rig) -> None:
    def crash(action: Action) -> None:
        if action.kind == "stripe_submit_evidence":
            raise KeyboardInterrupt

    rig.effects.after = crash
    approved(rig)
    rig.deliver_task(task_for(rig, "stripe_stage_evidence"))
    submit = task_for(rig, "stripe_submit_evidence")
    with pytest.raises(KeyboardInterrupt):
        rig.deliver_task(submit)
    assert rig.states()["stripe_submit_evidence"] == "intended"
    assert rig.deliver_task(submit) == 503
    rig.advance(seconds=80)
    rig.effects.after = lambda action: None
    assert rig.deliver_task(submit) == 204
    assert rig.states()["stripe_submit_evidence"] == "succeeded"
    assert rig.effects.calls.count("stripe_submit_evidence") == 1


def test_a_crash_before_the_effect_is_tried_again_under_the_same_key(rig: Rig) -> None:
    keys: list[str | None] = []

    def crash_once(action: Action) -> None:
        if action.kind == "stripe_stage_evidence":
            keys.append(action.idempotency_key)
            if len(keys) == 1:
                raise KeyboardInterrupt

    rig.effects.before = crash_once
    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    with pytest.raises(KeyboardInterrupt):
        rig.deliver_task(stage)
    rig.advance(seconds=80)
    assert rig.deliver_task(stage) == 204
    assert keys[0] == keys[1]


def test_an_unknown_outcome_is_looked_up_before_anything_is_tried_again(rig: Rig) -> None:
    rig.effects.after = fails("stripe_submit_evidence", EffectUnknown("the connection broke"))
    approved(rig)
    rig.deliver_task(task_for(rig, "stripe_stage_evidence"))
    submit = task_for(rig, "stripe_submit_evidence")
    assert rig.deliver_task(submit) == 503
    assert rig.states()["stripe_submit_evidence"] == "unknown"
    rig.effects.after = lambda action: None
    assert rig.deliver_task(submit) == 204
    assert rig.effects.calls.count("stripe_submit_evidence") == 1


def test_an_outcome_that_stays_unknown_is_shown_to_people(rig: Rig) -> None:
    rig.effects.before = fails("stripe_stage_evidence", EffectUnknown("no answer"))
    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    answers = [rig.deliver_task(stage) for _ in range(ACT_ATTEMPTS_BEFORE_PEOPLE + 1)]
    assert set(answers) == {503}
    assert rig.case().state is State.MANUAL_REVIEW
    assert "still unknown" in rig.case().state_reason


def test_a_service_that_is_down_gives_lease_and_reservation_back(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnavailable("429", after=7))
    won(rig)
    rig.pump()
    assert rig.states()["stripe_refund"] == "approved"
    assert ledger(rig) == ()
    rig.effects.before = lambda action: None
    rig.advance(seconds=61)
    rig.sweep()
    rig.pump()
    assert rig.case().state is State.RESOLVED


def test_a_refusal_fails_the_action_in_the_other_sides_words_and_skips_what_depended_on_it(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectRefused("Charge ch_payments has been charged back."))
    won(rig)
    rig.pump()
    refund, mail = (rig.case().action(rig.id_of(kind)) for kind in ("stripe_refund", "customer_email"))
    assert refund is not None
    assert mail is not None
    assert (refund.state, refund.error) == (ActionState.FAILED, "Charge ch_payments has been charged back.")
    assert (mail.state, mail.reason) == (
        ActionState.SKIPPED,
        "skipped because stripe_refund was failed: Charge ch_payments has been charged back.",
    )
    assert rig.case().state is State.MANUAL_REVIEW
    assert (ledger(rig), rig.store.episodes(ORG, "cus_1")) == ((), []) or not rig.store.episodes(ORG, "cus_1")


def test_a_world_that_has_changed_voids_the_action_and_asks_a_person(rig: Rig) -> None:
    approved(rig)
    rig.effects.world["dispute.status"] = "under_review"
    rig.pump()
    assert rig.states()["stripe_stage_evidence"] == "voided"
    assert rig.effects.calls == ["crm_note"]
    assert rig.case().state is State.MANUAL_REVIEW
    assert "was needs_response when this was approved and is under_review now" in rig.case().state_reason


def test_a_field_that_cannot_be_read_again_counts_as_changed(rig: Rig) -> None:
    approved(rig)
    del rig.effects.world["dispute.status"]
    rig.pump()
    assert rig.states()["stripe_stage_evidence"] == "voided"


def test_a_deferred_payment_waits_for_its_outcome_and_is_paid_once(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    case = rig.case()
    assert (case.state, rig.states()["stripe_refund"]) == (State.AWAITING_OUTCOME, "deferred")
    assert case.waiting is not None
    assert case.waiting.what == "the issuer's decision"
    won(rig)
    rig.pump()
    won(rig)
    rig.pump()
    assert rig.effects.calls.count("stripe_refund") == 1
    assert [(item.amount_minor, item.paid) for item in ledger(rig)] == [(8400, True)]


def test_a_lost_dispute_pays_nothing_and_still_resolves(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    rig.post(rig.event("test.closed", status="lost"))
    rig.pump()
    assert rig.states()["stripe_refund"] == "skipped"
    assert rig.case().state is State.RESOLVED
    assert "stripe_refund" not in rig.effects.calls
    assert [episode.outcome for episode in rig.store.episodes(ORG, "cus_1")] == ["dispute.lost"]


def test_an_outcome_known_before_the_submission_was_recorded_is_not_lost(rig: Rig) -> None:
    def closes_first(action: Action) -> None:
        if action.kind == "stripe_submit_evidence":
            won(rig)
            rig.pump(only=lambda sent: not isinstance(sent, Task))

    rig.effects.after = closes_first
    approved(rig)
    rig.pump()
    assert rig.case().state is State.RESOLVED
    assert rig.effects.calls.count("stripe_refund") == 1


def test_the_kill_switch_stops_before_the_intent_and_before_the_call(rig: Rig) -> None:
    rig.switch.stop(ORG, by=ALICE)
    approved(rig)
    rig.pump()
    assert rig.effects.calls == []
    rig.switch.start(ORG)
    observe = rig.effects.observe

    def stop_in_between(action: Action, org: str):  # type: ignore[no-untyped-def]
        rig.switch.stop(ORG, by=ALICE)
        return observe(action, org)

    rig.effects.observe = stop_in_between  # type: ignore[method-assign]
    rig.advance(seconds=61)
    rig.sweep()
    rig.pump()
    assert (rig.effects.calls, rig.states()["stripe_stage_evidence"]) == ([], "approved")
    rig.effects.observe = observe  # type: ignore[method-assign]
    rig.switch.start(ORG)
    rig.advance(minutes=3)
    rig.sweep()
    rig.pump()
    assert rig.case().state is State.AWAITING_OUTCOME


def test_a_preparation_so_slow_that_the_lease_would_end_during_the_call_stands_down(rig: Rig) -> None:
    real = rig.store.write

    def slow(write):  # type: ignore[no-untyped-def]
        real(write)
        rig.advance(seconds=60)

    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    rig.store.write = slow  # type: ignore[method-assign]
    assert rig.deliver_task(stage) == 503
    rig.store.write = real  # type: ignore[method-assign]
    assert ("stripe_stage_evidence" in rig.effects.calls, rig.states()["stripe_stage_evidence"]) == (False, "approved")


def test_approvals_are_checked_again_when_the_action_is_carried_out(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    org = rig.directory.org(ORG)
    fired = tuple(m.model_copy(update={"role": Role.VIEWER}) if m.email == BOB else m for m in org.members)
    rig.directory.put_org(org.model_copy(update={"members": fired}))
    rig.effects.world["dispute.status"] = "won"
    rig.post(rig.event("test.closed", status="won"))
    org_two = rig.directory.org(ORG).model_copy(update={"approval_policy": ""})
    rig.directory.put_org(org_two)
    rig.pump()
    assert "stripe_refund" not in rig.effects.calls
    assert rig.case().state is State.AWAITING_APPROVAL


def test_two_cases_on_one_charge_cannot_pay_more_than_it_has(rig: Rig) -> None:
    rig.effects.world["refundable_minor"] = 10000
    for subject in ("du_1", "du_2"):
        case = rig.to_approval(subject)
        for email in (ALICE, BOB):
            approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    rig.effects.world["dispute.status"] = "won"

    def second_case_meanwhile(action: Action) -> None:
        if action.kind == "stripe_refund" and rig.effects.calls.count("stripe_refund") == 0:
            rig.effects.before = lambda other: None
            rig.post(rig.event("test.closed", "du_2", status="won"))
            rig.pump()

    rig.effects.before = second_case_meanwhile
    rig.post(rig.event("test.closed", "du_1", status="won"))
    rig.pump()
    assert rig.effects.calls.count("stripe_refund") == 1
    states = {rig.states("du_1")["stripe_refund"], rig.states("du_2")["stripe_refund"]}
    assert states == {"succeeded", "voided"}
    loser = next(s for s in ("du_1", "du_2") if rig.states(s)["stripe_refund"] == "voided")
    assert "reserved by other cases" in rig.case(loser).state_reason


def test_a_refund_that_fails_later_reopens_the_case_and_releases_the_money(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    assert rig.case().state is State.RESOLVED
    rig.advance(days=5)
    rig.post(rig.event("test.refund_failed", action=rig.id_of("stripe_refund")))
    rig.pump()
    case = rig.case()
    assert (case.state, rig.states()["stripe_refund"]) == (State.MANUAL_REVIEW, "failed")
    assert "must be corrected" in case.state_reason
    assert ledger(rig) == ()


def test_an_inquiry_that_escalates_starts_a_new_round_whatever_the_state(rig: Rig) -> None:
    rig.to_approval()
    rig.post(rig.event("test.escalated"))
    rig.pump()
    case = rig.case()
    assert (len(case.rounds), case.state) == (2, State.AWAITING_APPROVAL)


def test_act_does_nothing_for_an_action_that_is_not_due_or_not_there(rig: Rig) -> None:
    rig.to_approval()
    ports, context = rig.all_ports(), rig.context()
    from shared.steps.act import act

    act(ports, context, rig.case().id, rig.id_of("stripe_refund"))
    assert "stripe_refund" not in rig.effects.calls
    with pytest.raises(NotFound):
        act(ports, context, rig.case().id, "nothing")


def test_only_act_is_given_effects_and_only_the_specialist_sources(rig: Rig) -> None:
    given = {name: rig.ports(name) for name in ("triage", "specialist", "synthesize", "policy_check", "act", "sweep")}
    assert [name for name, ports in given.items() if ports.effects is not None] == ["act"]
    assert [name for name, ports in given.items() if ports.sources is not None] == ["specialist"]


def test_every_log_verifies_at_the_end(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    for case in rig.store.list_cases(ORG, CaseQuery()).cases:
        assert audit(rig.store, ORG, case.id).problems == ()
    lease = timedelta(seconds=0)
    assert all(action.lease_until is None for action in rig.case().actions), lease


def test_the_lease_of_a_process_that_is_provably_dead_need_not_be_waited_out(rig: Rig) -> None:
    def crash(action: Action) -> None:
        if action.kind == "stripe_stage_evidence":
            raise KeyboardInterrupt

    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    rig.effects.before = crash
    with pytest.raises(KeyboardInterrupt):
        rig.deliver_task(stage)
    rig.effects.before = lambda action: None
    assert rig.deliver_task(stage) == 503
    rig.workers.provably_dead = lambda identity: True  # type: ignore[method-assign]
    assert rig.deliver_task(stage) == 204
    assert rig.effects.calls.count("stripe_stage_evidence") == 1


def test_a_new_process_sends_everything_that_is_due_at_once(rig: Rig) -> None:
    approved(rig)
    rig.out.tasks.clear()
    client = rig.apps["sweep"].test_client()  # type: ignore[attr-defined]
    assert client.post("/", json={"at_start": True}).get_json()["cases"] == 1
    rig.pump()
    assert rig.case().state is State.AWAITING_OUTCOME


def test_an_earlier_attempt_that_is_found_to_have_failed_is_recorded_in_the_other_sides_words(rig: Rig) -> None:
    rig.effects.after = fails("stripe_stage_evidence", EffectUnknown("no answer"))
    approved(rig)
    stage = task_for(rig, "stripe_stage_evidence")
    assert rig.deliver_task(stage) == 503
    rig.effects.finding = fails("stripe_stage_evidence", EffectRefused("insufficient_funds"))
    assert rig.deliver_task(stage) == 204
    found = rig.case().action(rig.id_of("stripe_stage_evidence"))
    assert found is not None
    assert (found.state, found.error) == (ActionState.FAILED, "insufficient_funds")


def test_nobody_is_told_of_a_refund_before_it_is_final(rig: Rig) -> None:
    rig.effects.pending = {"stripe_refund"}
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    case = rig.case()
    assert (case.state, rig.states()["customer_email"]) == (State.AWAITING_OUTCOME, "approved")
    assert case.waiting is not None
    assert case.waiting.what == "stripe_refund to become final"
    rig.post(rig.event("test.refund_succeeded", action=rig.id_of("stripe_refund")))
    rig.pump()
    assert (rig.case().state, rig.states()["customer_email"]) == (State.RESOLVED, "succeeded")


def test_a_pending_refund_that_fails_tells_nobody_and_asks_a_person(rig: Rig) -> None:
    rig.effects.pending = {"stripe_refund"}
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    rig.post(rig.event("test.refund_failed", action=rig.id_of("stripe_refund")))
    rig.pump()
    assert (rig.case().state, rig.states()["customer_email"]) == (State.MANUAL_REVIEW, "skipped")
    assert "customer_email" not in rig.effects.calls


def test_a_refund_that_is_final_before_our_call_returned_does_not_wait(rig: Rig) -> None:
    def faster(action: Action) -> None:
        if action.kind == "stripe_refund":
            rig.post(rig.event("test.refund_succeeded", action=action.id))
            rig.pump(only=lambda sent: not isinstance(sent, Task))

    rig.effects.pending = {"stripe_refund"}
    rig.effects.after = faster
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    assert rig.case().state is State.RESOLVED


def test_a_refund_that_stays_pending_for_a_fortnight_is_shown_to_a_person(rig: Rig) -> None:
    rig.effects.pending = {"stripe_refund"}
    approved(rig)
    rig.pump()
    won(rig)
    rig.pump()
    rig.advance(days=15)
    rig.sweep()
    assert rig.case().state is State.MANUAL_REVIEW
