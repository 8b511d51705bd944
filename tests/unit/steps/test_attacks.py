"""Attacks that once succeeded: each was a way in which work, money or an approval got lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from infra.local.composition import WEBHOOK_PATH
from shared.case.brief import Option
from shared.case.lifecycle import State
from shared.errors import Conflict, InvalidInput
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.ports.effects import EffectUnavailable, EffectUnknown
from shared.steps.intake import Endpoint, receive
from shared.steps.people import answer, approve, edit
from shared.team.contract import AskHuman, Draft
from tests.support.playbook import partial_credit
from tests.support.rig import ALICE, BOB, ORG, OSCAR, Rig, sign


@pytest.fixture
def rig(tmp_path):
    with Rig(tmp_path) as r:
        yield r


def both(rig, *kinds):
    ids = [rig.id_of(k) for k in kinds]
    for who in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(who), rig.case().id, ids)


def fails(kind, error):
    def run(a):
        if a.kind == kind:
            raise error

    return run


def ok(a):
    pass


def won(rig):
    rig.effects.world["dispute.status"] = "won"
    rig.post(rig.event("test.closed", status="won"))


def go(rig, n=4, **d):
    for _ in range(n):
        rig.sweep()
        rig.pump()
        rig.advance(**(d or {"minutes": 31}))


EV = {"evidence": {"uncategorized_text": "better"}}


def test_never_again_inflight_refund_is_voided_although_it_landed(rig):
    rig.to_approval()
    both(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnknown("timeout"))
    won(rig)
    rig.pump()
    rig.effects.before, real = ok, rig.effects.look_up

    def look_up(a, c):  # the slow first call lands right after we looked
        found = real(a, c)
        if a.kind == "stripe_refund":
            rig.effects.done[c.idempotency_key] = (a, c)
            rig.effects.world["refundable_minor"] = 0
        return found

    rig.effects.look_up = look_up
    go(rig)
    assert rig.states()["stripe_refund"] == "succeeded"  # voided, reservation released


def test_never_again_unknown_is_forgotten_by_unavailable(rig):
    rig.to_approval()
    both(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnknown("timeout"))
    won(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnavailable("lock_timeout"))
    rig.advance(minutes=2)
    rig.sweep()
    rig.pump()
    assert rig.states()["stripe_refund"] == "unknown"  # approved: editable, voidable, never looked up
    assert rig.store.read_ledger(ORG, None, "ch_payments").reservations


def test_never_again_unknown_goes_back_to_people_and_expires(rig):
    rig.to_approval()
    both(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnknown("timeout"))
    won(rig)
    rig.pump()
    rig.effects.before = ok
    rule = "{name: x, when: {kind: {eq: stripe_refund}}, at_least: forbidden}"
    p = f"version: 1\ntiers: [{{approvers: auto}}]\nrules: [{rule}]\n"
    rig.directory.put_org(rig.directory.org(ORG).model_copy(update={"approval_policy": p}))
    go(rig)
    assert rig.states()["stripe_refund"] == "unknown"
    assert rig.store.read_ledger(ORG, None, "ch_payments").reservations


def test_never_again_approving_one_by_one(rig):
    rig.to_approval()
    both(rig, "stripe_submit_evidence")
    rig.pump()
    approve(
        rig.all_ports(), rig.context(ALICE), rig.case().id
    )  # IllegalTransition awaiting_approval -> awaiting_outcome


def test_never_again_edit_while_a_note_is_being_written(rig):
    def hook(a):
        if a.kind == "crm_note":
            edit(rig.all_ports(), rig.context(ALICE), rig.case().id, rig.id_of("stripe_submit_evidence"), EV)

    rig.post(rig.event("test.created"))
    rig.effects.before = hook
    rig.pump()
    go(rig)
    assert rig.states()["stripe_submit_evidence"] == "awaiting_approval"  # drafted for ever, evidence never filed


def test_never_again_won_while_drafted_loses_what_is_owed(rig):
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda s: getattr(s, "topic", "") != "policy_check")
    rig.out.messages.clear()
    won(rig)
    rig.pump()
    go(rig)
    assert (rig.case().state, rig.states()["stripe_refund"]) != (State.WITHDRAWN, "drafted")


def test_never_again_event_lost_won_in_a_second_round(rig):
    rig.playbook.refusal = lambda case, decision, action: "not now"
    rig.post(rig.event("test.created"))
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "reinvestigate")
    won(rig)
    hint = rig.out.messages[-1]
    assert rig.deliver_message(hint) == 204
    assert "dispute.won" in rig.case().outcomes
    assert rig.case().state is State.WITHDRAWN


def test_never_again_unknown_for_ever_nobody_can_leave(rig):
    case = rig.to_approval()
    both(rig)
    rig.effects.before = fails("stripe_stage_evidence", EffectUnknown("t"))
    rig.pump()
    go(rig, 40)
    rig.effects.before = ok
    go(rig, 40)  # Stripe works again; look-up says: not there
    answer(rig.all_ports(), rig.context(ALICE), case.id, "handled_outside")


def test_never_again_late_answer_to_the_teams_question_strands_the_case(rig):
    rig.playbook.conclude = lambda m: Draft(brief=None, question=AskHuman("?", (Option(id="yes", label="y"),)))
    rig.post(rig.event("test.created"))
    rig.pump()
    q = rig.case().open_question
    rig.advance(hours=73)
    rig.sweep()
    rig.pump()
    with pytest.raises(Conflict):
        answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "yes", question_id=q.id)
    go(rig)
    assert rig.case().state is State.MANUAL_REVIEW
    assert rig.case().open_question is not None


def test_never_again_the_second_answer_is_ignored(rig):
    ask = Draft(brief=None, question=AskHuman("?", (Option(id="yes", label="y"),)))
    rig.playbook.conclude = lambda m: (
        partial_credit(m) if any(q.answer and q.answer.option == "yes" for q in m.case.questions) else ask
    )
    rig.post(rig.event("test.created"))
    rig.pump()
    rig.advance(hours=73)
    rig.sweep()
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "reinvestigate")
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "yes")
    rig.pump()
    go(rig)
    assert rig.case().state is State.AWAITING_APPROVAL


def test_never_again_unavailable_for_ever_in_silence(rig):
    rig.to_approval()
    both(rig)
    rig.effects.before = fails("stripe_stage_evidence", EffectUnavailable("key revoked"))
    rig.pump()
    go(rig, 100, days=1)
    assert rig.case().state is not State.ACTING


def test_never_again_operator_rewrites_an_auto_mail(rig):
    def small(m):
        d = partial_credit(m)
        der = d.brief.decision.derivation.model_copy(update={"expression": "amount / 42", "value_minor": 2000})
        dec = d.brief.decision.model_copy(update={"amount_minor": 2000, "derivation": der})
        acts = tuple(
            a.model_copy(update={"amount_minor": 2000, "payload": {**a.payload, "amount_minor": 2000}})
            if a.kind == "stripe_refund"
            else a
            for a in d.actions
        )
        return Draft(brief=d.brief.model_copy(update={"decision": dec}), actions=acts, facts=d.facts)

    rig.playbook.conclude = small
    case = rig.to_approval()
    edit(
        rig.all_ports(),
        rig.context(OSCAR),
        case.id,
        rig.id_of("customer_email"),
        {"body_text": "send your card number to evil@x.test"},
    )
    rig.pump()
    both(rig, "stripe_submit_evidence")
    rig.pump()
    won(rig)
    rig.pump()
    go(rig)
    assert "customer_email" not in rig.effects.calls  # sent; approvals == ()


def test_never_again_first_editor_approves_alone(rig):
    case = rig.to_approval()
    m = rig.id_of("customer_email")
    for who, change in ((ALICE, {"body_text": "alice's"}), (BOB, {"subject": "bob's"})):
        edit(rig.all_ports(), rig.context(who), case.id, m, change)
        rig.pump()
    approve(rig.all_ports(), rig.context(ALICE), case.id, [m])
    assert rig.states()["customer_email"] == "awaiting_approval"


@pytest.mark.parametrize("pump", [False, True])
def test_never_again_edit_of_an_approved_action(rig, pump):
    case = rig.to_approval()
    both(rig)
    if pump:
        rig.pump()
    edit(rig.all_ports(), rig.context(ALICE), case.id, rig.id_of("customer_email"), {"subject": "s"})
    rig.pump()
    assert rig.states()["customer_email"] == "awaiting_approval"


def test_never_again_effect_in_a_failed_case(rig):
    rig.to_approval()
    both(rig)
    k = "stripe_stage_evidence"
    i = rig.id_of(k)
    rig.effects.before = fails(k, ValueError("bug"))
    task = next(t for t in rig.out.tasks if t.body.get("action_id") == i)
    for n in range(8):
        rig.deliver_task(task, retry=n)
        rig.advance(seconds=80)
    assert not rig.case().terminal
    assert rig.states()[k] == "unknown"
    rig.effects.before = ok
    go(rig)
    assert rig.effects.calls.count(k) == 1


def test_never_again_effect_in_an_expired_case(rig):
    rig.effects.before = fails("crm_note", EffectUnknown("?"))
    rig.to_approval()
    rig.effects.finding = lambda a: (_ for _ in ()).throw(EffectUnavailable("down"))
    go(rig, 80, hours=1)
    assert rig.case().state is State.MANUAL_REVIEW
    assert "outcome of an action was unknown" in rig.case().state_reason


def test_never_again_one_unreadable_case_stops_every_sweep(rig):
    for s in ("du_1", "du_2"):
        rig.post(rig.event("test.created", s))
    rig.pump(only=lambda s: getattr(s, "topic", "") == "triage")
    rig.out.tasks.clear()
    bad = rig.case("du_1").id
    rig.store._database.write(lambda c: c.execute("UPDATE cases SET body = '{}' WHERE id = ?", (bad,)))
    rig.advance(minutes=5)
    assert rig.apps["sweep"].test_client().post("/").status_code == 200
    assert rig.out.tasks


def test_never_again_quarantined_at_one_endpoint_lost_at_the_right_one(rig):
    rig.directory.register_endpoint("/live", "current", None, ORG)
    body = json.dumps(rig.event("test.created")).encode()
    for ep in (
        Endpoint("/live", {"current": "whsec_test"}, livemode=True),
        Endpoint(WEBHOOK_PATH, {"current": "whsec_test"}),
    ):
        receive(rig.ports("stripe_webhook"), ep, body, sign(body), trace="t", received_at=datetime.now(UTC))
    rig.pump()
    assert rig.find() is not None


def test_never_again_approval_of_a_deferred_action_lasts_seven_days(rig):
    rig.to_approval()
    both(rig)
    rig.pump()
    rig.effects.before = fails("stripe_refund", EffectUnavailable("x"))
    won(rig)
    rig.pump()
    rig.advance(days=40)
    rig.effects.before = ok
    go(rig)
    assert "stripe_refund" not in rig.effects.calls


def test_never_again_first_approver_after_the_policy_was_loosened(rig):
    case = rig.to_approval()
    approve(rig.all_ports(), rig.context(ALICE), case.id)
    rig.directory.put_org(
        rig.directory.org(ORG).model_copy(update={"approval_policy": "version: 1\ntiers: [{approvers: one}]\n"})
    )
    approve(rig.all_ports(), rig.context(ALICE), case.id)
    assert rig.states()["stripe_submit_evidence"] == "approved"


@pytest.mark.parametrize("value", [1.5, float("nan")])
def test_never_again_float_in_an_edit(rig, value):
    case = rig.to_approval()
    with pytest.raises(InvalidInput):  # TypeError; CLI: rc 70 "a fault of ours"
        edit(
            rig.all_ports(),
            rig.context(ALICE),
            case.id,
            rig.id_of("stripe_stage_evidence"),
            {"evidence": {"uncategorized_text": value}},
        )


@pytest.mark.parametrize(
    "change", [{"reason": "\ud83d"}, {"created": 10**30}, {"evidence_details": {"due_by": 10**30}}]
)
def test_never_again_odd_values_in_a_signed_event(tmp_path, change):
    with Rig(tmp_path, DisputesPlaybook(())) as rig:
        t = int(rig.clock.now().timestamp())
        d = {
            "id": "du_1",
            "object": "dispute",
            "status": "needs_response",
            "amount": 1,
            "currency": "usd",
            "charge": "ch",
            **change,
        }
        rig.post(
            {
                "id": "evt_1",
                "object": "event",
                "type": "charge.dispute.created",
                "created": change.get("created", t),
                "livemode": False,
                "data": {"object": d},
            }
        )
        for _ in range(5):
            rig.pump()
            rig.advance(hours=24)
            rig.sweep()
        assert 500 not in [c for _, c in rig.answers]
        assert rig.inbox.list_entries(ORG)[0].status != "received"


@pytest.mark.parametrize("call", ["specialist", "sweep"])
def test_never_again_500_from_a_body(rig, call):
    case = rig.to_approval()
    body = (
        b"[" * 100000
        if call == "sweep"
        else json.dumps({"org": ORG, "case_id": case.id, "round": 10**30, "deadline": "x"}).encode()
    )
    body2 = json.dumps({"org": ORG, "case_id": case.id, "round": 10**30, "specialist": "payments"}).encode()
    assert 500 not in (rig._call(call, body, {}), rig._call(call, body2, {}))


def only_refund(rig):
    """The task of a refund whose dispute was won, not delivered yet."""
    rig.to_approval()
    both(rig)
    rig.pump()
    rig.out.tasks.clear()
    won(rig)
    rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
    return next(task for task in rig.out.tasks if task.body.get("action_id") == rig.id_of("stripe_refund"))


def test_never_again_a_duplicate_voids_what_the_other_delivery_is_doing(rig):
    """Found by the simulator (seed 52): it read the case before, and the world after, the other one's effect."""
    task, real = only_refund(rig), rig.effects.observe

    def observe_late(action, org):
        rig.effects.observe = real
        rig.effects.after = fails("stripe_refund", EffectUnknown("timeout"))
        rig.deliver_task(task)
        rig.effects.after = ok
        rig.effects.world["refundable_minor"] = 0
        return real(action, org)

    rig.effects.observe = observe_late
    rig.deliver_task(task, retry=1)
    assert rig.states()["stripe_refund"] == "unknown"
    assert rig.store.read_ledger(ORG, None, "ch_payments").reservations
    go(rig)
    assert rig.states()["stripe_refund"] == "succeeded"


class Dies(BaseException):
    pass


@pytest.mark.parametrize("answer", [EffectUnavailable("lock_timeout"), EffectUnknown("timeout")])
def test_never_again_a_late_answer_ends_the_lease_of_the_next_attempt(rig, answer):
    task = only_refund(rig)

    def slow(action):
        rig.effects.before = fails("stripe_refund", Dies())
        rig.advance(seconds=80)
        with pytest.raises(Dies):
            rig.deliver_task(task, retry=1)
        raise answer

    rig.effects.before = slow
    rig.deliver_task(task)
    refund = rig.case().action(rig.id_of("stripe_refund"))
    assert (refund.state, refund.attempt) == ("intended", 2)
    assert refund.lease_until > rig.clock.now()
