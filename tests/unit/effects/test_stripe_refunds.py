from __future__ import annotations

from dataclasses import replace

import pytest

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.ports.effects import EffectRefused, EffectUnknown

from .actions import context, refund
from .objects import JsonObject, charge, dispute
from .server import Server, errs, says


def loaded(double: StripeDouble, **fields: object) -> JsonObject:
    made = charge(**fields)
    double.load([made])
    return made


def paid_out(double: StripeDouble, made: JsonObject) -> list[int]:
    return [effect["amount"] for effect in double.effects() if effect["charge"] == made["id"]]


def test_the_amount_goes_back_and_the_reference_is_stripes(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    wanted = refund(made["id"])
    done = effects.perform(wanted, context(wanted))
    assert done.external_ref.startswith("re_")
    assert done.summary == f"refund {done.external_ref} of 20.00 USD is succeeded"
    assert not done.pending
    assert paid_out(double, made) == [2_000]


def test_a_refund_that_has_not_settled_is_pending(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double, payment_method="pm_card_pendingRefund")
    wanted = refund(made["id"])
    assert effects.perform(wanted, context(wanted)).pending
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.pending
    assert found.summary.endswith("of 20.00 USD is pending")


def test_a_refund_that_wants_something_of_somebody_is_pending_too(server: Server, failing: StripeEffects) -> None:
    server.answer = says(200, {"id": "re_1", "object": "refund", "status": "requires_action", "currency": "usd"})
    wanted = refund("ch_1")
    done = failing.perform(wanted, context(wanted))
    assert done.pending
    assert done.summary.endswith("is pending (requires_action)")


def test_two_actions_on_one_charge_are_two_refunds(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    first, second = refund(made["id"]), refund(made["id"])
    done = [effects.perform(wanted, context(wanted)) for wanted in (first, second)]
    assert paid_out(double, made) == [2_000, 2_000]
    found = [effects.look_up(wanted, context(wanted)) for wanted in (first, second)]
    assert [item and item.external_ref for item in found] == [item.external_ref for item in done]


def test_a_refund_of_another_case_or_org_is_not_taken_for_ours(double: StripeDouble, effects: StripeEffects) -> None:
    wanted = refund(loaded(double)["id"])
    effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted, case_id="case_2")) is None
    assert effects.look_up(wanted, context(wanted, org="globex")) is None


def test_it_is_found_beyond_the_first_page(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double, amount=200_000)
    wanted = refund(made["id"])
    done = effects.perform(wanted, context(wanted))
    later = [
        {"object": "refund", "id": f"re_later_{number:03d}", "charge": made["id"], "amount": 1, "currency": "usd"}
        for number in range(130)
    ]
    double.load([{**item, "created": double.clock()["now"] + 1} for item in later])
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.external_ref == done.external_ref


def test_a_refund_of_ours_that_failed_was_refused(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    wanted = refund(made["id"])
    done = effects.perform(wanted, context(wanted))
    _fail(double, made, wanted.id, done.external_ref)
    with pytest.raises(EffectRefused, match=f"{done.external_ref} as failed: lost_or_stolen_card"):
        effects.look_up(wanted, context(wanted))


def test_the_same_key_tells_what_became_of_the_refund_not_how_it_began(
    double: StripeDouble, effects: StripeEffects
) -> None:
    made = loaded(double)
    wanted = refund(made["id"])
    done = effects.perform(wanted, context(wanted))
    _fail(double, made, wanted.id, done.external_ref)
    with pytest.raises(EffectRefused, match="failed"):
        effects.perform(wanted, context(wanted))


def _fail(double: StripeDouble, made: JsonObject, action_id: str, id: str, **fields: object) -> None:
    metadata = {"manthan_org": "acme", "manthan_case": "case_1", "manthan_action": action_id}
    body = {"object": "refund", "id": id, "charge": made["id"], "amount": 2_000, "currency": "usd", **fields}
    double.load([{**body, "status": "failed", "failure_reason": "lost_or_stolen_card", "metadata": metadata}])


def test_one_that_stands_counts_more_than_one_that_failed(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    wanted = refund(made["id"])
    done = effects.perform(wanted, context(wanted))
    _fail(double, made, wanted.id, f"re_failed_{made['id']}", created=double.clock()["now"] + 1)
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.external_ref == done.external_ref


def test_a_repeated_answer_whose_refund_cannot_be_read_is_unknown(server: Server, failing: StripeEffects) -> None:
    repeated = {"id": "re_1", "object": "refund", "status": "succeeded"}
    first, second = says(200, repeated, Idempotent_Replayed="true"), errs(500, "down")
    server.answer = lambda handler: (first if handler.command == "POST" else second)(handler)
    wanted = refund("ch_1")
    with pytest.raises(EffectUnknown, match="earlier attempt"):
        failing.perform(wanted, context(wanted))


def test_a_refund_that_stripe_makes_but_shows_as_failed_is_refused(server: Server, failing: StripeEffects) -> None:
    server.answer = says(200, {"id": "re_1", "object": "refund", "status": "failed", "failure_reason": "declined"})
    wanted = refund("ch_1")
    with pytest.raises(EffectRefused, match="re_1 as failed: declined"):
        failing.perform(wanted, context(wanted))


@pytest.mark.parametrize("reason", ["fraudulent", "friendly", 7])
def test_a_reason_that_is_not_ours_to_give_never_reaches_stripe(
    reason: object, server: Server, failing: StripeEffects
) -> None:
    wanted = refund("ch_1", payload={"reason": reason})
    with pytest.raises(EffectRefused, match="not a reason we give"):
        failing.perform(wanted, context(wanted))
    assert server.seen == []


def test_without_charge_or_amount_nothing_is_sent(server: Server, failing: StripeEffects) -> None:
    no_charge, no_amount = refund(""), refund("ch_1").model_copy(update={"amount_minor": None})
    for wanted in (no_charge, no_amount):
        with pytest.raises(EffectRefused, match="nothing was sent"):
            failing.perform(wanted, context(wanted))
    assert failing.look_up(no_charge, context(no_charge)) is None
    assert server.seen == []


def test_an_expanded_charge_is_as_good_as_its_id(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    wanted = refund(made["id"], payload={"charge": made})
    effects.perform(wanted, context(wanted))
    assert paid_out(double, made) == [2_000]


def test_a_charged_back_charge_is_refused_in_stripes_words(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    double.load([dispute(made)])
    wanted = refund(made["id"])
    with pytest.raises(EffectRefused, match=r"has been charged back; cannot issue a refund. \(charge_disputed, req_"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


def test_other_content_under_our_key_leaves_the_effect_unknown(double: StripeDouble, effects: StripeEffects) -> None:
    made = loaded(double)
    wanted = refund(made["id"])
    effects.perform(wanted, context(wanted))
    with pytest.raises(EffectUnknown, match="same parameters"):
        effects.perform(wanted.model_copy(update={"amount_minor": 3_000}), context(wanted))
    assert paid_out(double, made) == [2_000]


def test_a_key_that_may_only_read_is_refused(double: StripeDouble) -> None:
    made = loaded(double)
    reader = StripeEffects("rk_test_double", base_url=double.url)
    wanted = refund(made["id"])
    assert reader.observe(wanted, "acme") == {"refundable_minor": 10_000}
    with pytest.raises(EffectRefused, match="does not have the required permissions"):
        reader.perform(wanted, replace(context(wanted), attempt=2))
