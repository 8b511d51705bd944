"""What the outside world says settles a case, whatever we are in the middle of."""

from __future__ import annotations

from shared.case.lifecycle import State
from shared.ports import Message
from shared.ports.store import InboxStatus
from shared.steps.people import answer, approve
from tests.support.rig import ALICE, BOB, ORG, Rig


def approved(rig: Rig) -> None:
    case = rig.to_approval()
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id)


def close(rig: Rig, status: str) -> None:
    rig.effects.world["dispute.status"] = status
    rig.post(rig.event("test.closed", status=status))
    rig.pump()


def test_a_dispute_that_closes_while_people_decide_leaves_nothing_to_approve(rig: Rig) -> None:
    rig.to_approval()
    close(rig, "lost")
    assert rig.case().state is State.WITHDRAWN
    assert not {"awaiting_approval", "approved", "deferred"} & set(rig.states().values())
    rig.pump()
    assert rig.effects.calls == ["crm_note"]


def test_a_win_while_people_decide_keeps_what_is_owed_waiting_for_them(rig: Rig) -> None:
    case = rig.to_approval()
    close(rig, "won")
    assert rig.states() == {
        "stripe_submit_evidence": "voided",
        "stripe_stage_evidence": "voided",
        "stripe_refund": "awaiting_approval",
        "customer_email": "awaiting_approval",
        "crm_note": "succeeded",
    }
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    assert rig.case().state is State.RESOLVED
    assert rig.effects.calls == ["crm_note", "stripe_refund", "customer_email"]


def test_a_dispute_that_closes_while_specialists_work_ends_the_case_and_their_late_results_change_nothing(
    rig: Rig,
) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: isinstance(sent, Message))
    specialists = [task for task in rig.out.tasks if task.queue == "specialists"]
    rig.post(rig.event("test.closed", status="lost"))
    rig.pump(only=lambda sent: isinstance(sent, Message))
    case = rig.case()
    assert case.state is State.WITHDRAWN
    assert [rig.deliver_task(task) for task in specialists] == [204] * 5
    assert rig.case() == case


def test_a_dispute_that_closes_while_a_person_reviews_ends_the_case(rig: Rig) -> None:
    rig.playbook.refusal = lambda case, decision, action: "not legal"
    rig.post(rig.event("test.created"))
    rig.pump()
    assert rig.case().state is State.MANUAL_REVIEW
    close(rig, "lost")
    assert rig.case().state is State.WITHDRAWN


def test_lost_and_then_won_is_shown_to_a_person_and_what_was_voided_does_not_revive(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    close(rig, "lost")
    assert rig.case().state is State.RESOLVED
    rig.advance(days=20)
    close(rig, "won")
    case = rig.case()
    assert case.state is State.MANUAL_REVIEW
    assert "changed its mind" in case.state_reason
    assert rig.states()["stripe_refund"] == "skipped"
    assert "stripe_refund" not in rig.effects.calls


def test_an_outcome_that_settles_nothing_new_does_not_reopen_a_resolved_case(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    close(rig, "won")
    assert rig.case().state is State.RESOLVED
    rig.post(rig.event("test.closed", status="acknowledged"))
    rig.pump()
    assert rig.case().state is State.RESOLVED


def test_a_case_handled_outside_stays_closed_when_its_dispute_closes(rig: Rig) -> None:
    rig.playbook.refusal = lambda case, decision, action: "not legal"
    rig.post(rig.event("test.created"))
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "handled_outside")
    close(rig, "lost")
    assert rig.case().state is State.RESOLVED
    assert {entry.status for entry in rig.inbox.list_entries(ORG)} == {InboxStatus.ATTACHED}


def test_an_update_that_changes_nothing_leaves_a_case_where_it_is(rig: Rig) -> None:
    rig.to_approval()
    state = rig.states()
    rig.post(rig.event("test.updated"))
    rig.pump()
    assert (rig.case().state, rig.states()) == (State.AWAITING_APPROVAL, state)


def test_an_issuer_that_never_answers_is_shown_to_a_person(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    rig.advance(days=76)
    rig.sweep()
    assert rig.case().state is State.MANUAL_REVIEW
    assert "should have come by now" in rig.case().state_reason


def test_where_the_sources_tell_what_became_of_it_a_wait_that_ended_is_followed_by_another_round(rig: Rig) -> None:
    approved(rig)
    rig.pump()
    rig.playbook.another_look = "the object is read again"
    rig.advance(days=76)
    rig.sweep()
    case = rig.case()
    assert (case.state, case.state_reason) == (State.INVESTIGATING, "the object is read again")
    assert len(case.rounds) == 2


def test_an_event_that_waits_for_no_case_is_ignored_without_one_and_taken_with_one(rig: Rig) -> None:
    rig.post(rig.event("test.aside", status="needs_response"))
    rig.pump()
    (entry,) = rig.inbox.list_entries(ORG)
    assert (entry.status, entry.reason) == (InboxStatus.IGNORED, "no case is about its object")
    rig.post(rig.event("test.created"))
    rig.pump()
    rig.post(rig.event("test.aside", status="under_review"))
    rig.pump()
    assert rig.case().facts["dispute.status"] == "under_review"


def test_a_refusal_that_an_outside_event_explains_is_skipped_and_not_failed(rig: Rig) -> None:
    from shared.case.actions import Action
    from shared.ports.effects import EffectRefused

    def closed_under_our_hands(action: Action) -> None:
        if action.kind == "stripe_submit_evidence":
            rig.post(rig.event("test.closed", status="lost"))
            rig.pump(only=lambda sent: isinstance(sent, Message))
            raise EffectRefused("This dispute is already closed")

    rig.effects.before = closed_under_our_hands
    approved(rig)
    rig.pump()
    assert rig.states()["stripe_submit_evidence"] == "skipped"
    assert rig.case().state is State.WITHDRAWN
