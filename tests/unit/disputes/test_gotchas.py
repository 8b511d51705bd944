"""What others stumbled over: the gotchas that concern deciding, each by its number, and where the others are tested.

The numbers are those of the list of gotchas that the product was built against: 32 faults of public integrations.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest

from shared.case.actions import ActionKind, Json, Tier
from shared.case.brief import DecisionKind
from shared.case.case import Case
from shared.case.lifecycle import State
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.playbooks.disputes.routing import route
from shared.policy.model import load_policy
from shared.steps.policy_check import verdicts_of
from shared.team.contract import Draft, Ignored, Routing
from tests.property.scene import ORG, Scene
from tests.property.verdict import judged
from tests.support.playbook import NAMES, ScriptedSpecialist, finds_charge
from tests.support.rig import Rig
from tests.unit.disputes.cases import DISPUTE, action, case, decision, event
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_state import disputed, take

_A, _D = ActionKind, DecisionKind
UNIT, HERE = Path(__file__).parents[1], "disputes/test_gotchas.py"

ELSEWHERE: dict[int, tuple[str, ...]] = {
    1: (
        "steps/test_act.py::test_a_refund_that_is_final_before_our_call_returned_does_not_wait",
        "steps/test_act.py::test_an_action_delivered_twice_is_carried_out_once",
    ),
    2: ("disputes/test_state.py::test_news_of_one_refund_is_not_older_news_of_another",),
    3: (
        "effects/test_stripe_faults.py::test_after_a_fault_it_is_looked_up_and_happens_once",
        "effects/test_stripe_refunds.py::test_two_actions_on_one_charge_are_two_refunds",
    ),
    4: ("steps/test_intake.py::test_the_same_hint_delivered_in_parallel_is_recorded_once_in_the_log",),
    7: (
        "steps/test_act.py::test_a_refund_that_fails_later_reopens_the_case_and_releases_the_money",
        "fakes_stripe/test_refunds.py::test_a_refund_that_is_pending_when_its_inquiry_escalates_fails",
    ),
    18: (
        "disputes/test_limits.py::test_files_may_have_as_many_pages_as_the_network_takes",
        "disputes/test_limits.py::test_files_may_have_four_and_a_half_megabytes_in_all",
        "disputes/test_exhibit.py::test_an_exhibit_that_does_not_fit_is_left_out_and_says_so",
    ),
    19: (
        "disputes/test_limits.py::test_a_field_may_be_as_long_as_its_limit_and_no_longer",
        "disputes/test_limits.py::test_all_fields_together_have_a_limit_too",
    ),
    20: (
        "disputes/test_exhibit.py::test_text_that_does_not_fit_goes_to_a_person_with_the_reason_and_nothing_is_drafted",
        "effects/test_stripe_files.py::test_another_file_in_its_place_stops_the_submission",
        "fakes_stripe/test_evidence.py::test_all_text_together_takes_its_limit_and_no_character_more",
    ),
    23: (
        "disputes/test_fraud_warnings.py::test_the_fee_and_the_break_even_are_the_bounds_and_between_them_somebody_looks",
        "disputes/test_fraud_warnings.py::test_any_dispute_on_the_charge_stops_the_refund_and_is_named",
        "effects/test_stripe_faults.py::test_after_a_fault_it_is_looked_up_and_happens_once",
    ),
    24: (
        "disputes/test_fraud_warnings.py::test_the_last_of_120_days_is_inside",
        "disputes/test_fraud_warnings.py::test_where_a_refund_makes_no_sense_it_is_recorded",
    ),
    25: ("disputes/test_failed_invoices.py::test_every_attempt_has_a_message_of_its_own_and_only_one",),
    26: (
        "steps/test_act.py::test_a_pending_refund_that_fails_tells_nobody_and_asks_a_person",
        "steps/test_act.py::test_nobody_is_told_of_a_refund_before_it_is_final",
    ),
    27: (
        "fakes_stripe/test_idempotency.py::test_the_same_key_with_other_parameters_is_refused",
        "effects/test_stripe_refunds.py::test_other_content_under_our_key_leaves_the_effect_unknown",
    ),
}
"""What tests of other rooms hold of a gotcha; what concerns deciding stands below."""

OF_STRIPE_FOR_REAL: dict[int, str] = {
    14: "outcomes that webhooks never brought are taken up by the reconciliation with Stripe",
}
"""Gotchas that concern a live account and are held where that is built."""


def test_every_gotcha_is_held_by_a_test_that_exists_or_belongs_to_a_live_account() -> None:
    here = {int(found) for found in re.findall(r"def test_gotcha_([0-9]{2})_", Path(__file__).read_text())}
    assert here | set(ELSEWHERE) | set(OF_STRIPE_FOR_REAL) == set(range(1, 33))
    for tests in ELSEWHERE.values():
        for named in tests:
            file, _, name = named.partition("::")
            assert f"def {name}(" in (UNIT / file).read_text(), named


def kind_of(found: tuple[Case, Draft]) -> DecisionKind:
    assert found[0].brief is not None
    return found[0].brief.decision.kind


def rig_with_the_real_playbook(folder: Path) -> Rig:
    playbook = DisputesPlaybook([ScriptedSpecialist(name, finds_charge) for name in NAMES])
    return Rig(folder, cast(Any, playbook))


def stripe_event(rig: Rig, type_: str, found: dict[str, Json], name: str) -> dict[str, Any]:
    made = event(type_, found, created=int(rig.clock.now().timestamp()))
    return {**made, "id": name, "object": "event"}


@pytest.mark.parametrize("status", ["needs_response", "under_review", "lost", "prevented"])
def test_gotcha_05_a_refund_on_a_charged_back_or_returned_charge_is_a_typed_refusal(status: str) -> None:
    known = case({"dispute.status": status})
    assert PLAYBOOK.illegal(known, decision(_D.REFUND), None) is not None
    assert PLAYBOOK.illegal(known, decision(_D.CREDIT), action(_A.STRIPE_REFUND)) is not None
    whole_back = judged(Scene(refunded_share=Fraction(1), refund="succeeded").material())
    assert not any(a.kind is _A.STRIPE_REFUND for a in whole_back[0].actions)


@pytest.mark.parametrize(("status", "legal"), [("lost", False), ("warning_closed", True), ("won", True)])
def test_gotcha_06_a_request_about_a_lost_dispute_pays_nothing_and_after_a_closed_inquiry_it_may(
    status: str, legal: bool
) -> None:
    known = case({"charge.dispute_status": status}, kind="request")
    assert (PLAYBOOK.illegal(known, decision(_D.REFUND), action(_A.STRIPE_REFUND)) is None) is legal


@pytest.mark.parametrize("type_", ["charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed"])
def test_gotcha_08_the_charge_of_a_dispute_is_its_charge_and_never_the_disputes_own_id(type_: str) -> None:
    routed = route(event(type_, DISPUTE))
    assert isinstance(routed, Routing)
    assert routed.observation.facts["charge.id"] == "ch_1"
    assert routed.subject.id == "du_1"


@pytest.mark.parametrize("charge", ["ch_1", {"id": "ch_1", "object": "charge"}])
def test_gotcha_09_a_charge_is_an_id_or_an_object_and_one_that_is_unknown_still_opens_a_case(charge: Json) -> None:
    routed = route(event("charge.dispute.created", {**DISPUTE, "charge": charge}))
    assert isinstance(routed, Routing)
    assert routed.observation.facts["charge.id"] == "ch_1"
    found = judged(Scene(missing=frozenset({"stripe.charges"})).material())
    assert kind_of(found) is _D.ESCALATE


def test_gotcha_10_a_dispute_without_any_metadata_is_found_through_its_charge() -> None:
    assert "metadata" not in DISPUTE
    assert kind_of(judged(Scene().material())) is _D.FIGHT


def test_gotcha_11_closed_before_created_ends_lost_without_a_second_look(tmp_path: Path) -> None:
    with rig_with_the_real_playbook(tmp_path) as rig:
        rig.post(stripe_event(rig, "charge.dispute.closed", disputed("lost"), "evt_2"))
        rig.pump()
        assert rig.find() is None, "a closing event opens nothing"
        rig.post(stripe_event(rig, "charge.dispute.created", disputed("needs_response"), "evt_1"))
        rig.pump()
        found = rig.case()
        assert found.state is State.WITHDRAWN
        assert found.facts["dispute.status"] == "lost"
        assert found.rounds == ()
        assert found.actions == ()


@pytest.mark.parametrize("method", [{"type": "sepa_debit"}, {"type": "card", "card": {"brand": "cartes_bancaires"}}])
def test_gotcha_12_lost_on_arrival_has_nothing_to_answer(tmp_path: Path, method: dict[str, Json]) -> None:
    found: dict[str, Json] = {
        **disputed("lost"),
        "evidence_details": {"due_by": None, "submission_count": 0},
        "payment_method_details": method,
    }
    known = take(case(), "charge.dispute.created", found, 100)
    for kind in (_D.FIGHT, _D.CREDIT, _D.ACCEPT, _D.ANSWER, _D.REFUND):
        assert PLAYBOOK.illegal(known, decision(kind), None) is not None
    assert PLAYBOOK.settled_by(known) == "the dispute was lost on arrival"


def test_gotcha_13_a_dispute_on_a_cancelled_subscription_revives_nothing() -> None:
    for status in ("needs_response", "lost"):
        drafted = judged(Scene(code="13.2", reason="subscription_canceled", status=status).material())[0].actions
        assert not {_A.STRIPE_RETRY_INVOICE} & {each.kind for each in drafted}


def test_gotcha_15_a_payment_in_euros_shows_its_own_amount_and_is_judged_by_the_converted_one() -> None:
    # 460.00 EUR are 506.00 USD at 1.10: below 500 in its own currency, above it in the org's.
    found, draft = judged(Scene(currency="eur", worth="506").material())
    assert draft.brief is not None
    assert "460.00 EUR" in draft.brief.tldr
    verdicts = verdicts_of(found, draft.brief.decision, ORG, load_policy(None))
    submit = next(each for each in found.actions if each.kind is _A.STRIPE_SUBMIT_EVIDENCE)
    assert verdicts[submit.id].tier is Tier.TWO_APPROVERS
    assert verdicts[submit.id].at_risk_minor == 50600


@pytest.mark.parametrize(("currency", "tier"), [("jpy", Tier.TWO_APPROVERS), ("aed", Tier.TWO_APPROVERS)])
def test_gotcha_16_an_inquiry_has_no_settlement_and_yet_a_tier(currency: str, tier: Tier) -> None:
    inquiry = Scene(network="amex", code="155", reason="product_not_received", status="warning_needs_response")
    found, draft = judged(inquiry.otherwise({"currency": currency, "worth": "8400"}).material())
    assert draft.brief is not None
    assert draft.brief.decision.kind is _D.ANSWER
    verdicts = verdicts_of(found, draft.brief.decision, ORG, load_policy(None))
    submit = next(each for each in found.actions if each.kind is _A.STRIPE_SUBMIT_EVIDENCE)
    assert verdicts[submit.id].tier is tier
    assert not [name for name in found.facts if name.startswith("books.")]


def test_gotcha_17_what_was_refunded_before_is_set_off_by_a_person_and_never_paid_again() -> None:
    found, draft = judged(Scene(refunded_share=Fraction(1, 5), refund="succeeded").material())
    assert draft.brief is not None
    told = " ".join(finding.text for finding in draft.brief.findings)
    assert "money was returned already" in told
    assert not any(each.kind is _A.STRIPE_REFUND for each in found.actions)
    lost, _ = judged(Scene(status="lost", refunded_share=Fraction(1, 5), refund="succeeded").material())
    assert PLAYBOOK.illegal(lost, decision(_D.CREDIT), action(_A.STRIPE_REFUND)) is not None


def test_gotcha_21_yen_have_no_cents() -> None:
    found, draft = judged(Scene(currency="jpy", worth="66.3233").material())
    assert draft.brief is not None
    assert (draft.brief.decision.amount_minor, draft.brief.decision.currency) == (9899, "jpy")
    assert "9,899 JPY" in draft.brief.tldr
    verdicts = verdicts_of(found, draft.brief.decision, ORG, load_policy(None))
    submit = next(each for each in found.actions if each.kind is _A.STRIPE_SUBMIT_EVIDENCE)
    assert (verdicts[submit.id].tier, verdicts[submit.id].at_risk_minor) == (Tier.ONE_APPROVER, 6632)


def test_gotcha_22_the_shapes_of_every_api_version_open_the_same_case() -> None:
    old: dict[str, Json] = {
        **{name: value for name, value in DISPUTE.items() if name not in ("payment_intent", "payment_method_details")},
        "network_reason_code": "13.3",
        "charge": {"id": "ch_1", "invoice": "in_1"},
    }
    expanded: dict[str, Json] = {**DISPUTE, "charge": {"id": "ch_1"}, "payment_intent": {"id": "pi_1"}}
    subjects = set()
    for found in (DISPUTE, old, expanded):
        routed = route(event("charge.dispute.created", found))
        assert isinstance(routed, Routing)
        subjects.add(routed.subject)
        assert routed.observation.facts["charge.id"] == "ch_1"
        assert routed.observation.facts["dispute.network_reason_code"] == "13.3"
    assert len(subjects) == 1


def test_gotcha_23_a_warning_that_is_disputed_pays_nothing_and_the_team_looks_again() -> None:
    known = case({"warning.actionable": False}, kind="early_fraud_warning")
    assert PLAYBOOK.illegal(known, decision(_D.REFUND), action(_A.STRIPE_REFUND)) is not None
    assert PLAYBOOK.reconsiders(known, {"charge.disputed": True}) is not None


def test_gotcha_25_a_redelivered_attempt_is_no_news_and_a_higher_one_is() -> None:
    known = case({"invoice.attempt_count": 1, "invoice.as_of": 100}, kind="invoice")
    again = route(event("invoice.payment_failed", {"id": "du_1", "amount_due": 5, "attempt_count": 1}, 200))
    higher = route(event("invoice.payment_failed", {"id": "du_1", "amount_due": 5, "attempt_count": 2}, 200))
    assert isinstance(again, Routing)
    assert isinstance(higher, Routing)
    assert not PLAYBOOK.observe(known, again.observation).reopens
    assert PLAYBOOK.observe(known, higher.observation).reopens


def test_gotcha_28_an_inquiry_is_called_one_and_costs_no_fee() -> None:
    inquiry = Scene(network="amex", code="155", reason="product_not_received", status="warning_needs_response")
    found, draft = judged(inquiry.material())
    assert draft.brief is not None
    assert found.trigger.summary.startswith("inquiry")
    assert "asks their bank about" in draft.brief.tldr
    assert "answering costs nothing" in draft.brief.approver_question
    assert PLAYBOOK.awaits(case({"dispute.status": "warning_under_review", "dispute.as_of": 0})) is not None


def test_gotcha_29_after_a_win_the_amount_is_back_and_the_received_fee_stays_a_cost() -> None:
    moved: Json = [
        {"id": "txn_1", "amount": -840000, "fee": 1500, "net": -841500, "currency": "usd"},
        {"id": "txn_2", "amount": 840000, "fee": 0, "net": 840000, "currency": "usd"},
    ]
    won = take(case(), "charge.dispute.closed", {**disputed("won"), "balance_transactions": moved}, 300)
    found = PLAYBOOK.post_mortem(won)
    assert found is not None
    assert (found.fees_minor, found.net_minor) == (1500, -1500)


def test_gotcha_30_lost_on_arrival_without_a_fee_is_shown_as_prevented_and_pays_nothing_more(tmp_path: Path) -> None:
    moved: Json = [{"id": "txn_1", "amount": -2000, "fee": 0, "net": -2000, "currency": "usd"}]
    found: dict[str, Json] = {
        **disputed("lost"),
        "evidence_details": {"due_by": None},
        "balance_transactions": moved,
    }
    with rig_with_the_real_playbook(tmp_path) as rig:
        rig.post(stripe_event(rig, "charge.dispute.created", found, "evt_1"))
        rig.pump()
        known = rig.case()
        assert known.state is State.WITHDRAWN
        assert "prevented before it became a chargeback" in known.state_reason
        assert known.post_mortem is not None
        assert known.post_mortem.outcome == "prevented"
        assert rig.effects.calls == []
    assert PLAYBOOK.illegal(known, decision(_D.REFUND), None) is not None


@pytest.mark.parametrize("method", ["klarna", "paypal"])
def test_gotcha_31_providers_keep_their_own_code_and_no_card_rule_holds_for_them(method: str) -> None:
    scene = Scene(method=method, network=method, code="some own words", reason="general", earlier_payments=3)
    found, draft = judged(scene.material())
    assert draft.brief is not None
    assert found.facts["dispute.network_reason_code"] == "some own words"
    assert found.facts["dispute.brand"] == method
    assert not any("enhanced_evidence" in str(each.payload) for each in found.actions)


def test_gotcha_32_a_dispute_that_we_closed_is_lost_and_labelled_as_accepted_by_us() -> None:
    from shared.case.actions import ActionState

    closed = action(_A.STRIPE_CLOSE_DISPUTE, ActionState.SUCCEEDED)
    known = case({"dispute.status": "lost"}, actions=(closed,))
    written = PLAYBOOK.post_mortem(known)
    assert written is not None
    assert (written.outcome, PLAYBOOK.outcome_of(known)) == ("accepted", "accepted")
    assert "accepted by us" in written.in_words


@pytest.mark.parametrize("due_in_hours", [0, None])
def test_edge_a_dispute_with_no_date_is_not_answered(due_in_hours: int | None) -> None:
    assert kind_of(judged(Scene(due_in_hours=due_in_hours).material())) is _D.ESCALATE


def test_edge_a_compliance_case_never_acknowledges_its_fee_by_itself() -> None:
    for changed in ({"case_type": "compliance"}, {"reason": "noncompliant"}, {"pair": ("visa", "C0135")}):
        found, _ = judged(Scene().otherwise(changed).material())
        assert not {_A.STRIPE_SUBMIT_EVIDENCE, _A.STRIPE_STAGE_EVIDENCE} & {each.kind for each in found.actions}


def test_edge_instructions_in_a_ticket_change_neither_decision_nor_amount() -> None:
    plain, told = judged(Scene().material())[0], judged(Scene(said=("instruction",)).material())[0]
    assert plain.brief is not None
    assert told.brief is not None
    assert told.brief.decision.amount_minor in (plain.brief.decision.amount_minor, None)
    assert not any("acct_evil" in str(each.target) for each in told.actions)


def test_edge_an_event_of_a_test_account_and_one_that_concerns_nothing_open_different_things() -> None:
    live = route({**event("charge.dispute.created", DISPUTE), "livemode": True})
    test = route(event("charge.dispute.created", DISPUTE))
    assert isinstance(live, Routing)
    assert isinstance(test, Routing)
    assert live.subject != test.subject
    assert isinstance(route(event("invoice.payment_failed", {"id": "in_1", "amount_due": 0})), Ignored)
