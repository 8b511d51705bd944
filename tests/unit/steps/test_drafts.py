"""A draft is checked before anyone is asked to approve it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.actions import ActionDraft, Dependency, DependencyKind
from shared.case.brief import Finding
from shared.case.lifecycle import State
from shared.errors import NotFound
from shared.steps.people import answer
from shared.steps.policy_check import check
from shared.steps.synthesize import synthesize
from shared.team.contract import Draft, Material
from tests.support.playbook import partial_credit
from tests.support.rig import ALICE, ORG, Rig


def run(rig: Rig, change: Callable[[Draft], Draft]) -> None:
    rig.playbook.conclude = lambda material: change(partial_credit(material))
    rig.post(rig.event("test.created"))
    rig.pump()


def actions(draft: Draft, change: Callable[[ActionDraft], ActionDraft]) -> Draft:
    return Draft(brief=draft.brief, actions=tuple(change(action) for action in draft.actions), facts=draft.facts)


def cites_nothing_that_exists(draft: Draft) -> Draft:
    assert draft.brief is not None
    finding = Finding(text="It was promised.", citations=(5,), confidence_pct=90)
    return Draft(
        brief=draft.brief.model_copy(update={"findings": (finding,)}), actions=draft.actions, facts=draft.facts
    )


def amount_that_does_not_recompute(draft: Draft) -> Draft:
    assert draft.brief is not None
    decision = draft.brief.decision
    derivation = decision.derivation
    assert derivation is not None
    changed = decision.model_copy(
        update={"amount_minor": 9000, "derivation": derivation.model_copy(update={"value_minor": 9000})}
    )
    return Draft(brief=draft.brief.model_copy(update={"decision": changed}), actions=draft.actions, facts=draft.facts)


def amount_without_derivation(draft: Draft) -> Draft:
    assert draft.brief is not None
    decision = draft.brief.decision.model_copy(update={"derivation": None})
    return Draft(brief=draft.brief.model_copy(update={"decision": decision}), actions=draft.actions, facts=draft.facts)


def pays_more_than_was_decided(draft: Draft) -> Draft:
    return actions(draft, lambda a: a.model_copy(update={"amount_minor": 8401}) if a.kind == "stripe_refund" else a)


def not_refundable(draft: Draft) -> Draft:
    return Draft(brief=draft.brief, actions=draft.actions, facts={**draft.facts, "charge.refundable_later_minor": 8399})


def same_purpose_twice(draft: Draft) -> Draft:
    return actions(draft, lambda a: a.model_copy(update={"purpose": "same", "depends_on": ()}))


def depends_on_nothing(draft: Draft) -> Draft:
    ghost = (Dependency(kind=DependencyKind.ACTION, ref="ghost"),)
    return actions(draft, lambda a: a.model_copy(update={"depends_on": ghost}))


def circle(draft: Draft) -> Draft:
    ring = {"stage": "submit", "submit": "mail", "mail": "stage"}
    return actions(
        draft,
        lambda a: (
            a.model_copy(update={"depends_on": (Dependency(kind=DependencyKind.ACTION, ref=ring[a.purpose]),)})
            if a.purpose in ring
            else a
        ),
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (cites_nothing_that_exists, "cites evidence 5, but there are only 5 rows"),
        (amount_that_does_not_recompute, "9000"),
        (amount_without_derivation, "deriv"),
        (pays_more_than_was_decided, "84.01"),
        (not_refundable, "8399"),
        (same_purpose_twice, "same purpose"),
        (depends_on_nothing, "ghost, which was not drafted"),
        (circle, "in a circle"),
    ],
)
def test_a_draft_that_cannot_be_vouched_for_goes_to_a_person_and_nothing_is_done(
    rig: Rig, change: Callable[[Draft], Draft], reason: str
) -> None:
    run(rig, change)
    case = rig.case()
    assert case.state is State.MANUAL_REVIEW
    assert reason in case.state_reason
    assert rig.effects.calls == []


def test_an_illegal_pair_of_decision_and_state_is_refused_whoever_asks(rig: Rig) -> None:
    rig.playbook.refusal = lambda case, decision, action: "an open chargeback cannot be refunded"
    rig.post(rig.event("test.created"))
    rig.pump()
    assert (rig.case().state, rig.case().state_reason) == (
        State.MANUAL_REVIEW,
        "an open chargeback cannot be refunded",
    )
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "take_draft")
    rig.pump()
    assert rig.case().state is State.MANUAL_REVIEW
    assert rig.effects.calls == []


def test_a_draft_that_a_person_takes_is_checked_again_and_then_needs_its_approvals(rig: Rig) -> None:
    rig.playbook.refusal = lambda case, decision, action: "not now"
    rig.post(rig.event("test.created"))
    rig.pump()
    rig.playbook.refusal = lambda case, decision, action: None
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "take_draft")
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def test_an_invalid_approval_policy_means_two_people_for_everything(rig: Rig) -> None:
    org = rig.directory.org(ORG)
    rig.directory.put_org(org.model_copy(update={"approval_policy": "tiers: maybe"}))
    rig.to_approval()
    tiers = {action.verdict.tier.value for action in rig.case().actions if action.verdict is not None}
    assert tiers == {"two_approvers"}


def test_the_same_draft_in_two_rounds_is_the_same_action(rig: Rig) -> None:
    first = rig.to_approval()
    rig.post(rig.event("test.escalated"))
    rig.pump()
    ids = [action.id for action in rig.case().actions]
    assert len(set(ids)) == len(ids)
    note = [action for action in rig.case().actions if action.kind == "crm_note"]
    assert [(action.id, action.state.value) for action in note] == [
        (first.action(rig.id_of("crm_note")).id, "succeeded")  # type: ignore[union-attr]
    ]
    assert rig.effects.calls == ["crm_note"]


def test_steps_that_have_nothing_to_do_only_drive_on(rig: Rig) -> None:
    case = rig.to_approval()
    before = rig.store.read(ORG, case.id)
    synthesize(rig.all_ports(), rig.context(), case.id)
    check(rig.all_ports(), rig.context(), case.id)
    assert rig.store.read(ORG, case.id) == before
    for step in (synthesize, check):
        with pytest.raises(NotFound):
            step(rig.all_ports(), rig.context(), "case_unknown")


def test_a_conclusion_drawn_from_an_earlier_round_is_dropped(rig: Rig) -> None:
    def interrupted(material: Material) -> Draft:
        rig.playbook.conclude = partial_credit
        rig.post(rig.event("test.escalated"))
        rig.pump()
        return partial_credit(material)

    rig.playbook.conclude = interrupted
    rig.post(rig.event("test.created"))
    rig.pump()
    brief = rig.case().brief
    assert brief is not None
    assert (brief.round, rig.case().state) == (2, State.AWAITING_APPROVAL)
