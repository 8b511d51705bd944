"""What people can do with a case, what they cannot, and what they are told."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from shared.case.actions import Action, ActionKind, ActionState, Json
from shared.case.brief import Decision, DecisionKind, Option
from shared.case.case import Case
from shared.case.lifecycle import State
from shared.errors import Conflict, InvalidInput, ManthanError, NotFound, Refused
from shared.playbooks.disputes.choices import chosen
from shared.ports import Member, Role
from shared.steps.context import RequestContext
from shared.steps.people import answer, approve, edit, reject
from shared.steps.texts import with_texts
from shared.team.contract import AskHuman, Draft, Material
from tests.support.playbook import ScriptedPlaybook, partial_credit
from tests.support.rig import ALICE, BOB, CAROL, ORG, OSCAR, VERA, Rig


def replace_member(rig: Rig, email: str, **changes: object) -> None:
    org = rig.directory.org(ORG)
    members = tuple(m.model_copy(update=changes) if m.email == email else m for m in org.members)
    rig.directory.put_org(org.model_copy(update={"members": members}))


def test_automatic_internal_actions_run_while_the_others_wait_and_evidence_is_not_staged(rig: Rig) -> None:
    rig.to_approval()
    assert rig.states() == {
        "stripe_submit_evidence": "awaiting_approval",
        "stripe_stage_evidence": "approved",
        "stripe_refund": "awaiting_approval",
        "customer_email": "awaiting_approval",
        "crm_note": "succeeded",
    }


def test_one_person_approving_twice_counts_once(rig: Rig) -> None:
    case = rig.to_approval()
    approve(rig.all_ports(), rig.context(ALICE), case.id)
    approve(rig.all_ports(), rig.context(ALICE.upper()), case.id)
    submit = rig.case().action(rig.id_of("stripe_submit_evidence"))
    assert submit is not None
    assert ([a.email for a in submit.approvals], submit.state) == ([ALICE], ActionState.AWAITING_APPROVAL)


def test_two_people_approving_at_the_same_moment_both_count(rig: Rig) -> None:
    case = rig.to_approval()
    threads = [
        threading.Thread(target=approve, args=(rig.all_ports(), rig.context(email), case.id)) for email in (ALICE, BOB)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    submit = rig.case().action(rig.id_of("stripe_submit_evidence"))
    assert submit is not None
    assert {given.email for given in submit.approvals} == {ALICE, BOB}
    rig.pump()
    assert rig.effects.calls.count("stripe_submit_evidence") == 1


def test_a_single_action_can_be_approved_alone(rig: Rig) -> None:
    case = rig.to_approval()
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id, [rig.id_of("stripe_refund")])
    assert rig.states()["stripe_refund"] == "deferred"
    assert rig.case().state is State.AWAITING_APPROVAL


@pytest.mark.parametrize(
    ("email", "reason"),
    [(VERA, "viewer"), (OSCAR, "operator"), ("stranger@else.test", "not a member"), (CAROL, "limit")],
)
def test_whoever_may_not_approve_is_told_why_and_nothing_is_approved(rig: Rig, email: str, reason: str) -> None:
    case = rig.to_approval()
    before = rig.case()
    with pytest.raises(Refused, match=reason):
        approve(rig.all_ports(), rig.context(email), case.id)
    assert rig.case() == before


def test_only_people_approve(rig: Rig) -> None:
    case = rig.to_approval()
    with pytest.raises(Refused, match="only people"):
        approve(rig.all_ports(), rig.context(), case.id)
    with pytest.raises(Refused, match="only people"):
        approve(rig.all_ports(), RequestContext(ORG, "agent:helper", "agent", "t"), case.id)


def test_an_approval_of_content_that_has_changed_since_is_a_conflict(rig: Rig) -> None:
    case = rig.to_approval()
    refund = rig.id_of("stripe_refund")
    with pytest.raises(Conflict, match="has changed since"):
        approve(rig.all_ports(), rig.context(ALICE), case.id, [refund], hashes={refund: "0" * 64})


def test_an_approval_after_the_time_to_decide_is_refused(rig: Rig) -> None:
    case = rig.to_approval()
    rig.advance(hours=73)
    with pytest.raises(Refused, match="the time to decide ended"):
        approve(rig.all_ports(), rig.context(ALICE), case.id)


def test_an_approval_after_the_dispute_closed_is_a_conflict_that_says_so(rig: Rig) -> None:
    case = rig.to_approval()
    rig.post(rig.event("test.closed", status="lost"))
    rig.pump()
    with pytest.raises(Conflict, match="the dispute was lost"):
        approve(rig.all_ports(), rig.context(ALICE), case.id)


def test_an_unknown_case_or_action_is_not_found(rig: Rig) -> None:
    case = rig.to_approval()
    with pytest.raises(NotFound):
        approve(rig.all_ports(), rig.context(ALICE), "case_unknown")
    with pytest.raises(NotFound):
        approve(rig.all_ports(), rig.context(ALICE), case.id, ["nothing"])


def test_an_edited_action_loses_its_approvals_and_so_does_what_depends_on_it(rig: Rig) -> None:
    case = rig.to_approval()
    approve(rig.all_ports(), rig.context(ALICE), case.id)
    stage, submit = rig.id_of("stripe_stage_evidence"), rig.id_of("stripe_submit_evidence")
    edit(rig.all_ports(), rig.context(OSCAR), case.id, stage, {"evidence": {"uncategorized_text": "better"}})
    rig.pump()
    told = with_texts(rig.store, rig.case())
    edited, dependent = told.action(stage), told.action(submit)
    refund = rig.case().action(rig.id_of("stripe_refund"))
    assert edited is not None
    assert dependent is not None
    assert refund is not None
    assert dependent.payload["evidence"] == edited.payload["evidence"] == {"uncategorized_text": "better"}
    assert (dependent.approvals, dependent.editors) == ((), (OSCAR,))
    assert [given.email for given in refund.approvals] == [ALICE]
    assert rig.case().state is State.AWAITING_APPROVAL


def test_whoever_edited_is_never_the_only_approver(rig: Rig) -> None:
    case = rig.to_approval()
    mail = rig.id_of("customer_email")
    edit(rig.all_ports(), rig.context(ALICE), case.id, mail, {"subject": "Your refund, with apologies"})
    rig.pump()
    approve(rig.all_ports(), rig.context(ALICE), case.id, [mail])
    assert rig.states()["customer_email"] == "awaiting_approval"
    approve(rig.all_ports(), rig.context(BOB), case.id, [mail])
    assert rig.states()["customer_email"] == "approved"


@pytest.mark.parametrize(
    ("kind", "changes", "error"),
    [
        ("stripe_refund", {"amount_minor": 84000}, "follow from the decision"),
        ("customer_email", {"to": "thief@example.test"}, "cannot be edited"),
        ("stripe_submit_evidence", {"dispute": "du_other"}, "cannot be edited"),
        ("customer_email", {"subject": ""}, "non-empty"),
        ("customer_email", {"subject": 7}, "non-empty str"),
        ("stripe_submit_evidence", {"evidence": {"nonsense": "hello"}}, "no field 'nonsense'; its fields are: uncat"),
        ("stripe_submit_evidence", {"evidence": {"uncategorized_text": ""}}, "must stay a non-empty str"),
    ],
)
def test_targets_recipients_and_amounts_cannot_be_edited(
    rig: Rig, kind: str, changes: dict[str, object], error: str
) -> None:
    case = rig.to_approval()
    before = rig.case()
    with pytest.raises(ManthanError, match=error):
        edit(rig.all_ports(), rig.context(ALICE), case.id, rig.id_of(kind), changes)
    assert rig.case() == before


def test_what_has_happened_cannot_be_edited(rig: Rig) -> None:
    case = rig.to_approval()
    with pytest.raises(Conflict, match="succeeded"):
        edit(rig.all_ports(), rig.context(ALICE), case.id, rig.id_of("crm_note"), {"body": "other"})
    with pytest.raises(NotFound):
        edit(rig.all_ports(), rig.context(ALICE), case.id, "nothing", {"body": "other"})
    with pytest.raises(Refused, match="viewer"):
        edit(rig.all_ports(), rig.context(VERA), case.id, rig.id_of("crm_note"), {"body": "other"})


def test_a_rejection_voids_what_has_not_happened_and_keeps_the_reason(rig: Rig) -> None:
    case = rig.to_approval()
    with pytest.raises(InvalidInput, match="say why"):
        reject(rig.all_ports(), rig.context(BOB), case.id, " ")
    reject(rig.all_ports(), rig.context(BOB), case.id, "we promised otherwise")
    reject(rig.all_ports(), rig.context(BOB), case.id, "we promised otherwise")
    assert (rig.case().state, rig.case().state_reason) == (State.REJECTED, f"{BOB}: we promised otherwise")
    assert set(rig.states().values()) == {"voided", "succeeded"}
    rig.pump()
    assert rig.effects.calls == ["crm_note"]


def test_a_case_that_is_acting_or_settled_cannot_be_rejected(rig: Rig) -> None:
    case = rig.to_approval()
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id)
    with pytest.raises(Conflict, match="acting"):
        reject(rig.all_ports(), rig.context(BOB), case.id, "too late")


def test_nobody_deciding_in_time_expires_the_case(rig: Rig) -> None:
    rig.to_approval()
    rig.advance(hours=72, seconds=1)
    rig.sweep()
    assert rig.case().state is State.EXPIRED
    assert "approved" not in rig.states().values()


def test_people_are_reminded_before_the_time_to_decide_ends(rig: Rig) -> None:
    rig.to_approval()
    rig.advance(hours=25)
    rig.sweep()
    rig.advance(hours=24)
    rig.sweep()
    assert len(rig.case().reminded) == 2
    assert rig.case().state is State.AWAITING_APPROVAL


def test_the_time_to_decide_ends_when_the_dispute_is_due(rig: Rig) -> None:
    due_by = "2026-05-09T00:00:00+00:00"
    rig.post(rig.event("test.created", due_by=due_by))
    rig.pump()
    decide_by = rig.case().decide_by
    assert decide_by is not None
    assert decide_by.isoformat() == due_by


def test_a_stricter_policy_since_the_check_counts_at_approval(rig: Rig) -> None:
    case = rig.to_approval()
    org = rig.directory.org(ORG)
    rig.directory.put_org(org.model_copy(update={"approval_policy": "nonsense: ["}))
    approve(rig.all_ports(), rig.context(ALICE), case.id, [rig.id_of("stripe_refund")])
    refund = rig.case().action(rig.id_of("stripe_refund"))
    assert refund is not None
    assert refund.verdict is not None
    assert refund.verdict.tier == "two_approvers"


def asks(material: Material) -> Draft:
    if not material.case.questions:
        return Draft(
            brief=None,
            question=AskHuman("Did we promise it?", (Option(id="yes", label="Yes"), Option(id="no", label="No"))),
        )
    return partial_credit(material)


def test_a_question_pauses_the_case_and_its_answer_makes_synthesize_due(rig: Rig) -> None:
    rig.playbook.conclude = asks
    rig.post(rig.event("test.created"))
    rig.pump()
    case = rig.case()
    assert (case.state, case.open_question is not None) == (State.AWAITING_ANSWER, True)
    with pytest.raises(InvalidInput, match="choose one of: yes, no"):
        answer(rig.all_ports(), rig.context(ALICE), case.id, "maybe")
    with pytest.raises(Refused, match="viewer"):
        answer(rig.all_ports(), rig.context(VERA), case.id, "yes")
    answer(rig.all_ports(), rig.context(ALICE), case.id, "yes")
    rig.pump()
    assert rig.case().state is State.AWAITING_APPROVAL


def test_the_same_answer_again_succeeds_and_a_different_one_is_a_conflict(rig: Rig) -> None:
    rig.playbook.conclude = asks
    rig.post(rig.event("test.created"))
    rig.pump()
    case = rig.case()
    answer(rig.all_ports(), rig.context(ALICE), case.id, "yes")
    answer(rig.all_ports(), rig.context(BOB), case.id, "yes")
    with pytest.raises(Conflict, match=f"answered with yes by {ALICE}"):
        answer(rig.all_ports(), rig.context(BOB), case.id, "no")
    with pytest.raises(NotFound):
        answer(rig.all_ports(), rig.context(BOB), case.id, "no", question_id="q9")


def test_an_unanswered_question_goes_to_manual_review(rig: Rig) -> None:
    rig.playbook.conclude = asks
    rig.post(rig.event("test.created"))
    rig.pump()
    rig.advance(hours=73)
    rig.sweep()
    assert rig.case().state is State.MANUAL_REVIEW


def escalates(material: Material) -> Draft:
    draft = partial_credit(material)
    assert draft.brief is not None
    decision = draft.brief.decision.model_copy(
        update={"kind": DecisionKind.ESCALATE, "amount_minor": None, "derivation": None, "rationale": "two policies"}
    )
    brief = draft.brief.model_copy(update={"decision": decision})
    return Draft(brief=brief, actions=tuple(a for a in draft.actions if a.purpose == "note"), facts=draft.facts)


def test_an_escalation_goes_to_a_person_with_the_ways_out_and_tells_the_org_by_itself(rig: Rig) -> None:
    rig.playbook.conclude = escalates
    rig.post(rig.event("test.created"))
    rig.pump()
    case = rig.case()
    assert (case.state, case.state_reason) == (State.MANUAL_REVIEW, "two policies")
    assert case.open_question is not None
    assert {option.id for option in case.open_question.options} >= {"reinvestigate", "handled_outside"}
    assert rig.effects.calls == ["crm_note"]


def test_an_escalation_offers_its_own_ways_out_and_a_choice_starts_another_round(rig: Rig) -> None:
    way = Option(id="keep_on", label="Keep them on")

    def offers(material: Material) -> Draft:
        draft = escalates(material)
        assert draft.brief is not None
        return replace(draft, brief=draft.brief.model_copy(update={"ways_out": (way,)}))

    rig.playbook.conclude = offers
    rig.post(rig.event("test.created"))
    rig.pump()
    question = rig.case().open_question
    assert question is not None
    assert way in question.options
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "keep_on")
    case = rig.case()
    assert (case.state, case.state_reason) == (State.INVESTIGATING, f"{ALICE} chose keep_on")
    chosen_ = chosen(case)
    assert chosen_ is not None
    assert chosen_.option == "keep_on"


def test_a_person_can_have_a_case_investigated_again(rig: Rig) -> None:
    rig.playbook.conclude = escalates
    rig.post(rig.event("test.created"))
    rig.pump()
    rig.playbook.conclude = partial_credit
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "reinvestigate", note="look at May")
    rig.pump()
    case = rig.case()
    assert (case.state, len(case.rounds), case.evidence_count) == (State.AWAITING_APPROVAL, 2, 10)
    assert [pointer.base for pointer in case.rounds[1].reports] == [5, 6, 7, 8, 9]
    assert rig.effects.calls == ["crm_note"]


def test_a_person_can_say_that_it_was_handled_outside(rig: Rig) -> None:
    rig.playbook.conclude = escalates
    rig.post(rig.event("test.created"))
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "handled_outside")
    assert rig.case().state is State.RESOLVED
    with pytest.raises(Conflict):
        answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "reinvestigate")


def test_a_case_without_a_team_goes_to_a_person_from_the_start(rig: Rig) -> None:
    rig.playbook.specialists = []
    rig.post(rig.event("test.created"))
    rig.pump()
    assert rig.case().state is State.MANUAL_REVIEW
    with pytest.raises(Refused, match="no playbook"):
        answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "reinvestigate")


def test_an_operator_is_a_worker_but_decides_nothing(rig: Rig) -> None:
    case = rig.to_approval()
    replace_member(rig, BOB, role=Role.OPERATOR)
    with pytest.raises(Refused, match="operator"):
        reject(rig.all_ports(), rig.context(BOB), case.id, "no")
    assert rig.directory.org(ORG).member(BOB) == Member(email=BOB, name="Bob", role=Role.OPERATOR)


def with_an_exhibit(material: Material) -> Draft:
    """A draft whose evidence goes with a file."""
    draft = partial_credit(material)
    files: dict[str, Json] = {"service_documentation": {"document": "{}", "sha256": "0" * 64, "bytes": 9, "pages": 1}}
    return replace(
        draft,
        actions=tuple(
            action.model_copy(update={"payload": {**action.payload, "files": files}})
            if action.kind in (ActionKind.STRIPE_STAGE_EVIDENCE, ActionKind.STRIPE_SUBMIT_EVIDENCE)
            else action
            for action in draft.actions
        ),
    )


def test_an_exhibit_can_be_left_out_and_not_be_changed(tmp_path: Path) -> None:
    with Rig(tmp_path, ScriptedPlaybook(conclude=with_an_exhibit)) as rig:
        case = rig.to_approval()
        stage, submit = rig.id_of("stripe_stage_evidence"), rig.id_of("stripe_submit_evidence")
        before = rig.case().action(stage)
        forged: dict[str, Json] = {"service_documentation": {"sha256": "1" * 64, "bytes": 9, "pages": 1}}
        with pytest.raises(InvalidInput, match="can only be left out"):
            edit(rig.all_ports(), rig.context(OSCAR), case.id, stage, {"files": forged})
        edit(rig.all_ports(), rig.context(OSCAR), case.id, stage, {"files": {}})
        after, dependent = rig.case().action(stage), rig.case().action(submit)
        assert before is not None
        assert after is not None
        assert dependent is not None
        assert after.payload["files"] == dependent.payload["files"] == {}
        assert before.hash != after.hash


def test_an_approval_binds_to_the_digest_of_the_exhibit(tmp_path: Path) -> None:
    hashes = set()
    for digest in ("0", "1"):

        def conclude(material: Material, digest: str = digest) -> Draft:
            draft = with_an_exhibit(material)
            stage = next(action for action in draft.actions if action.kind is ActionKind.STRIPE_STAGE_EVIDENCE)
            file = {"document": "{}", "sha256": digest * 64, "bytes": 9, "pages": 1}
            changed = stage.model_copy(update={"payload": {**stage.payload, "files": {"service_documentation": file}}})
            return replace(draft, actions=tuple(changed if item is stage else item for item in draft.actions))

        with Rig(tmp_path / digest, ScriptedPlaybook(conclude=conclude)) as rig:
            rig.to_approval()
            staged = rig.case().action(rig.id_of("stripe_stage_evidence"))
            assert staged is not None
            hashes.add(staged.hash)
    assert len(hashes) == 2


def test_an_edit_that_would_not_be_legal_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    def too_long(case: Case, decision: Decision, action: Action | None) -> str | None:
        told = str(action.payload.get("evidence")) if action else ""
        return "it has 20,001 characters, Stripe takes 20,000" if ":20001'" in told else None

    with Rig(tmp_path, ScriptedPlaybook(refusal=too_long)) as rig:
        case = rig.to_approval()
        text: dict[str, Json] = {"evidence": {"uncategorized_text": "x" * 20_001}}
        for kind in ("stripe_stage_evidence", "stripe_submit_evidence"):
            with pytest.raises(InvalidInput, match="20,001 characters"):
                edit(rig.all_ports(), rig.context(OSCAR), case.id, rig.id_of(kind), text)
        assert rig.case() == case
