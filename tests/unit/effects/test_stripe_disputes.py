from __future__ import annotations

from typing import Any, cast

import pytest
import stripe
from stripe.params import DisputeUpdateParams

from infra.effects import StripeEffects
from infra.effects.stripe.evidence import changed_fields
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind
from shared.ports.effects import EffectRefused, EffectUnknown

from .actions import action, context
from .conftest import KEY
from .objects import JsonObject, charge, dispute
from .server import Server, says

EVIDENCE = {"uncategorized_text": "They used it every day.\r\nSee the log.", "access_activity_log": "a log "}


def loaded(double: StripeDouble, status: str = "needs_response", **fields: Any) -> JsonObject:
    made = charge()
    disputed = dispute(made, status, **fields)
    double.load([made, disputed])
    return disputed


def staging(disputed: JsonObject, evidence: dict[str, Any] = EVIDENCE) -> Action:
    return action(ActionKind.STRIPE_STAGE_EVIDENCE, {"dispute": disputed["id"], "evidence": evidence})


def submission(disputed: JsonObject, evidence: dict[str, Any] = EVIDENCE) -> Action:
    return action(ActionKind.STRIPE_SUBMIT_EVIDENCE, {"dispute": disputed["id"], "evidence": evidence})


def closing(disputed: JsonObject) -> Action:
    return action(ActionKind.STRIPE_CLOSE_DISPUTE, {"dispute": disputed["id"]})


def at_stripe(double: StripeDouble) -> stripe.DisputeService:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0).v1.disputes


def happened(double: StripeDouble, disputed: JsonObject) -> list[str]:
    return [effect["kind"] for effect in double.effects() if effect["object"] == disputed["id"]]


def test_staging_submits_nothing(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    staged = staging(disputed)
    done = effects.perform(staged, context(staged))
    assert done.external_ref == disputed["id"]
    now = at_stripe(double).retrieve(disputed["id"])
    assert (now.status, now.evidence_details.submission_count) == ("needs_response", 0)
    assert now.evidence.access_activity_log == "a log "
    assert happened(double, disputed) == ["staging"]


def test_what_was_staged_is_what_is_submitted(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    done = effects.perform(submitted, context(submitted))
    assert done.summary == "the staged evidence was submitted; the dispute is under_review"
    assert happened(double, disputed) == ["staging", "submission"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"uncategorized_text": "We were wrong."}, "uncategorized_text"),
        ({"access_activity_log": ""}, "access_activity_log"),
        ({"refund_refusal_explanation": "Never."}, "refund_refusal_explanation"),
    ],
)
def test_evidence_that_somebody_changed_is_not_submitted(
    change: dict[str, str], named: str, double: StripeDouble, effects: StripeEffects
) -> None:
    disputed = loaded(double)
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    at_stripe(double).update(disputed["id"], cast(DisputeUpdateParams, {"evidence": change, "submit": False}))
    with pytest.raises(EffectRefused, match=f"somebody has changed it: {named}; nothing was submitted"):
        effects.perform(submitted, context(submitted))
    assert "submission" not in happened(double, disputed)


def test_evidence_that_was_never_staged_is_not_submitted(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    submitted = submission(disputed)
    with pytest.raises(EffectRefused, match="access_activity_log, uncategorized_text"):
        effects.perform(submitted, context(submitted))
    assert happened(double, disputed) == []


def test_what_stripe_filled_in_itself_does_not_stop_a_submission(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double, evidence={"customer_name": "Jane", "customer_purchase_ip": "203.0.113.7"})
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    effects.perform(submitted, context(submitted))
    assert at_stripe(double).retrieve(disputed["id"]).evidence.customer_name == "Jane"


def test_new_evidence_of_ours_takes_the_place_of_what_we_staged_before(
    double: StripeDouble, effects: StripeEffects
) -> None:
    disputed = loaded(double, evidence={"customer_name": "Jane, as Stripe knows her"})
    first, second = staging(disputed), staging(disputed, {"uncategorized_text": "Better."})
    submitted = submission(disputed, {"uncategorized_text": "Better."})
    for wanted in (first, second, submitted):
        effects.perform(wanted, context(wanted))
    now = at_stripe(double).retrieve(disputed["id"]).evidence
    assert now.access_activity_log is None
    assert now.customer_name == "Jane, as Stripe knows her"


def test_what_a_person_staged_is_left_there_and_stops_the_submission(
    double: StripeDouble, effects: StripeEffects
) -> None:
    disputed = loaded(double, evidence={"receipt": "file_by_a_person"})
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    assert at_stripe(double).retrieve(disputed["id"]).evidence.receipt == "file_by_a_person"
    with pytest.raises(EffectRefused, match="receipt"):
        effects.perform(submitted, context(submitted))


def test_an_answer_to_an_inquiry_is_no_answer_to_the_chargeback_it_became(
    double: StripeDouble, effects: StripeEffects
) -> None:
    disputed = loaded(double, "warning_needs_response")
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    effects.perform(submitted, context(submitted))
    assert effects.look_up(submitted, context(submitted)) is not None
    now = at_stripe(double).retrieve(disputed["id"]).to_dict()
    double.load([{**now, "status": "needs_response"}])
    assert effects.look_up(submitted, context(submitted)) is None
    with pytest.raises(EffectUnknown, match="counts no new submission"):
        effects.perform(submitted, context(submitted))
    assert happened(double, disputed) == ["staging", "submission"]


def test_a_submission_by_somebody_else_is_not_taken_for_ours(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    staged, submitted = staging(disputed), submission(disputed)
    effects.perform(staged, context(staged))
    at_stripe(double).update(disputed["id"], {"submit": True})
    assert effects.look_up(submitted, context(submitted)) is None
    with pytest.raises(EffectRefused, match="under review"):
        effects.perform(submitted, context(submitted))


def test_text_beyond_stripes_limit_is_refused_and_not_cut(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    staged = staging(disputed, {"uncategorized_text": "x" * 20_001})
    with pytest.raises(EffectRefused, match="at most 20000 characters"):
        effects.perform(staged, context(staged))
    assert happened(double, disputed) == []


def test_closing_leaves_the_dispute_lost(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double)
    closed = closing(disputed)
    assert effects.perform(closed, context(closed)).external_ref == disputed["id"]
    assert at_stripe(double).retrieve(disputed["id"]).status == "lost"


def test_a_dispute_lost_after_an_answer_was_not_closed_by_us(double: StripeDouble, effects: StripeEffects) -> None:
    disputed = loaded(double, "lost", evidence_details={"submission_count": 1})
    closed = closing(disputed)
    assert effects.look_up(closed, context(closed)) is None
    with pytest.raises(EffectRefused, match="already closed"):
        effects.perform(closed, context(closed))


def test_an_answer_that_does_not_show_the_dispute_as_lost_is_unknown(server: Server, failing: StripeEffects) -> None:
    server.answer = says(200, {"id": "du_1", "object": "dispute", "status": "needs_response"})
    closed = closing({"id": "du_1"})
    with pytest.raises(EffectUnknown, match="shows dispute du_1 as needs_response"):
        failing.perform(closed, context(closed))


@pytest.mark.parametrize("make", [staging, submission, closing])
def test_an_unknown_dispute_is_refused_and_can_have_had_no_effect(make: Any, effects: StripeEffects) -> None:
    wanted = make({"id": "du_nowhere"})
    assert effects.look_up(wanted, context(wanted)) is None
    with pytest.raises(EffectRefused, match="du_nowhere"):
        effects.perform(wanted, context(wanted))


@pytest.mark.parametrize("kind", [ActionKind.STRIPE_STAGE_EVIDENCE, ActionKind.STRIPE_SUBMIT_EVIDENCE])
@pytest.mark.parametrize("payload", [{"dispute": "du_1"}, {"dispute": "du_1", "evidence": {"receipt": ""}}, {}])
def test_without_dispute_or_evidence_nothing_is_sent(
    kind: ActionKind, payload: dict[str, Any], server: Server, failing: StripeEffects
) -> None:
    wanted = action(kind, payload)
    with pytest.raises(EffectRefused, match="nothing was sent"):
        failing.perform(wanted, context(wanted))
    assert server.seen == []


@pytest.mark.parametrize(
    ("approved", "staged", "changed"),
    [
        ({"a": "x"}, {"a": "x", "b": None, "c": ""}, []),
        ({"a": "x\r\ny "}, {"a": "x\ny"}, []),
        ({"a": "x"}, {"a": "y", "b": "z"}, ["a", "b"]),
        ({"a": "x"}, {}, ["a"]),
        ({"enhanced_evidence": {"ce3": {"ids": ["1", "2"]}}}, {"enhanced_evidence": {"ce3": {"ids": ["1", "2"]}}}, []),
        (
            {"enhanced_evidence": {"ce3": {"ids": ["1"]}}},
            {"enhanced_evidence": {"ce3": {"ids": ["2"]}}},
            ["enhanced_evidence"],
        ),
        ({"enhanced_evidence": {"ce3": {"ids": ["1"]}}}, {"enhanced_evidence": {}}, ["enhanced_evidence"]),
        ({"enhanced_evidence": {"fee": True}}, {"enhanced_evidence": {"fee": False}}, ["enhanced_evidence"]),
        ({}, {"enhanced_evidence": {"ce3": {"status": "qualified"}}}, []),
    ],
)
def test_evidence_is_compared_field_by_field(
    approved: dict[str, Any], staged: dict[str, Any], changed: list[str]
) -> None:
    assert changed_fields(approved, staged) == changed
