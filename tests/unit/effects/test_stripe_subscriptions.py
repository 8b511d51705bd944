from __future__ import annotations

from typing import Any

import pytest
import stripe

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind
from shared.ports.effects import EffectRefused, EffectUnknown

from .actions import action, context
from .conftest import KEY
from .objects import JsonObject, subscription
from .server import Answer, Server, errs, says


def cancellation(id: str, **payload: Any) -> Action:
    return action(ActionKind.STRIPE_CANCEL_SUBSCRIPTION, {"subscription": id, **payload})


def loaded(double: StripeDouble, **fields: Any) -> JsonObject:
    running = subscription(**fields)
    double.load([running])
    return running


def at_stripe(double: StripeDouble) -> stripe.SubscriptionService:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0).v1.subscriptions


def comment(double: StripeDouble, id: str) -> str:
    details = at_stripe(double).retrieve(id).cancellation_details
    return (details and details.comment) or ""


def credited(double: StripeDouble, id: str) -> list[int]:
    return [effect["amount"] for effect in double.effects() if effect["object"] == id]


@pytest.mark.parametrize("payload", [{}, {"prorate": False}])
def test_it_ends_at_once_and_gives_nothing_back(
    payload: dict[str, Any], double: StripeDouble, effects: StripeEffects
) -> None:
    running = loaded(double)
    wanted = cancellation(running["id"], **payload)
    done = effects.perform(wanted, context(wanted))
    assert (done.external_ref, done.summary) == (running["id"], f"subscription {running['id']} is cancelled")
    assert at_stripe(double).retrieve(running["id"]).status == "canceled"
    assert comment(double, running["id"]) == f"[manthan acme case_1 {wanted.id}]"
    assert credited(double, running["id"]) == [0]


def test_unused_time_is_credited_when_that_was_approved(double: StripeDouble, effects: StripeEffects) -> None:
    running = loaded(double)
    wanted = cancellation(running["id"], prorate=True)
    effects.perform(wanted, context(wanted))
    assert credited(double, running["id"]) == [2_000]


def test_what_the_customer_wrote_is_kept(double: StripeDouble, effects: StripeEffects) -> None:
    running = loaded(double, cancellation_details={"comment": "I asked twice."}, cancel_at_period_end=True)
    wanted = cancellation(running["id"])
    effects.perform(wanted, context(wanted))
    assert comment(double, running["id"]) == f"I asked twice. [manthan acme case_1 {wanted.id}]"
    assert effects.look_up(wanted, context(wanted)) is not None


def test_a_planned_end_is_not_a_cancellation(double: StripeDouble, effects: StripeEffects) -> None:
    wanted = cancellation(loaded(double, cancel_at_period_end=True)["id"])
    assert effects.look_up(wanted, context(wanted)) is None


def test_a_cancellation_by_somebody_else_is_not_taken_for_ours(double: StripeDouble, effects: StripeEffects) -> None:
    running = loaded(double)
    at_stripe(double).cancel(running["id"], {"cancellation_details": {"comment": "by hand"}})
    wanted = cancellation(running["id"])
    assert effects.look_up(wanted, context(wanted)) is None
    with pytest.raises(EffectRefused, match="was already cancelled, and not by this action"):
        effects.perform(wanted, context(wanted))
    assert comment(double, running["id"]) == "by hand"


def test_nor_is_one_by_an_action_whose_id_begins_like_ours(double: StripeDouble, effects: StripeEffects) -> None:
    running = loaded(double)
    first = cancellation(running["id"])
    second = first.model_copy(update={"id": f"{first.id}-2"})
    effects.perform(second, context(second))
    assert effects.look_up(first, context(first)) is None
    assert effects.look_up(second, context(second)) is not None
    assert effects.look_up(second, context(second, case_id="case_2")) is None


def test_an_unknown_subscription_is_refused_and_can_have_had_no_end(effects: StripeEffects) -> None:
    wanted = cancellation("sub_nowhere")
    with pytest.raises(EffectRefused, match="knows no subscription sub_nowhere"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


@pytest.mark.parametrize("lacking", [cancellation(""), cancellation("sub_1", prorate="yes")])
def test_without_what_it_needs_nothing_is_sent(lacking: Action, server: Server, failing: StripeEffects) -> None:
    with pytest.raises(EffectRefused, match=r"nothing was (sent|changed)"):
        failing.perform(lacking, context(lacking))
    assert server.seen == []


def _stripe(server: Server, ended: Answer, *reads: Answer) -> None:
    """Answers the reads in their order, and every cancellation alike."""
    left = list(reads)
    server.answer = lambda handler: (ended if handler.command == "DELETE" else left.pop(0))(handler)


def _shown(status: str, said: str | None = None) -> Answer:
    shown = {"id": "sub_1", "object": "subscription", "status": status, "cancellation_details": {"comment": said}}
    return says(200, shown)


GONE = errs(404, "No such subscription: 'sub_1'", code="resource_missing")


def test_a_call_that_finds_an_earlier_one_of_ours_arrived_is_done(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1")
    _stripe(server, GONE, _shown("active"), _shown("canceled", f"[manthan acme case_1 {wanted.id}]"))
    assert failing.perform(wanted, context(wanted, attempt=2)).external_ref == "sub_1"


def test_a_call_that_finds_somebody_else_was_faster_says_so(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1")
    _stripe(server, GONE, _shown("active"), _shown("canceled", "by hand"))
    with pytest.raises(EffectRefused, match="already cancelled, and not by this action"):
        failing.perform(wanted, context(wanted))


def test_a_refusal_that_cannot_be_explained_is_unknown(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1")
    _stripe(server, GONE, _shown("active"), errs(500, "down"))
    with pytest.raises(EffectUnknown, match=r"No such subscription.* earlier attempt"):
        failing.perform(wanted, context(wanted))


def test_any_other_refusal_is_told_in_stripes_words(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1")
    _stripe(server, errs(403, "not permitted"), _shown("active"), _shown("active"))
    with pytest.raises(EffectRefused, match="not permitted"):
        failing.perform(wanted, context(wanted))


def test_an_answer_that_shows_it_running_is_unknown(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1")
    _stripe(server, _shown("active"), _shown("active"))
    with pytest.raises(EffectUnknown, match="shows subscription sub_1 as active"):
        failing.perform(wanted, context(wanted))


def test_it_carries_its_mark_instead_of_a_key(server: Server, failing: StripeEffects) -> None:
    wanted = cancellation("sub_1").model_copy(update={"account": "acct_connected"})
    _stripe(server, _shown("canceled"), _shown("active"))
    failing.perform(wanted, context(wanted))
    request = server.seen[-1]
    assert request["method"] == "DELETE"
    assert "Idempotency-Key" not in request["headers"]
    assert request["headers"]["Stripe-Account"] == "acct_connected"
    assert wanted.id in request["path"]
