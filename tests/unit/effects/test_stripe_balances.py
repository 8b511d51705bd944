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
from .objects import JsonObject, customer
from .server import Server


def credit(customer: Any, minor: int = 1_500, currency: str = "usd", **payload: Any) -> Action:
    return action(
        ActionKind.STRIPE_BALANCE_CREDIT, {"customer": customer, **payload}, amount_minor=minor, currency=currency
    )


def loaded(double: StripeDouble, **fields: Any) -> JsonObject:
    owner = customer(**fields)
    double.load([owner])
    return owner


def at_stripe(double: StripeDouble) -> stripe.CustomerService:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0).v1.customers


def test_the_customer_is_owed_the_amount(double: StripeDouble, effects: StripeEffects) -> None:
    owner = loaded(double)
    wanted = credit(owner["id"], description="Outage of 3 March")
    done = effects.perform(wanted, context(wanted))
    assert done.summary == f"15.00 USD is credited to the balance of customer {owner['id']}"
    assert not done.pending
    assert at_stripe(double).retrieve(owner["id"]).balance == -1_500
    change = at_stripe(double).balance_transactions.retrieve(owner["id"], done.external_ref)
    assert (change.amount, change.currency, change.description) == (-1_500, "usd", "Outage of 3 March")


def test_yen_have_no_minor_unit(double: StripeDouble, effects: StripeEffects) -> None:
    owner = loaded(double, currency="jpy")
    wanted = credit(owner["id"], 9_899, "JPY")
    assert effects.perform(wanted, context(wanted)).summary.startswith("9,899 JPY is credited")
    assert at_stripe(double).retrieve(owner["id"]).balance == -9_899


def test_two_actions_for_one_customer_are_two_credits(double: StripeDouble, effects: StripeEffects) -> None:
    owner = loaded(double)
    first, second = credit(owner["id"]), credit(owner["id"])
    done = [effects.perform(wanted, context(wanted)) for wanted in (first, second)]
    assert at_stripe(double).retrieve(owner["id"]).balance == -3_000
    found = [effects.look_up(wanted, context(wanted)) for wanted in (first, second)]
    assert [item and item.external_ref for item in found] == [item.external_ref for item in done]


def test_a_credit_of_another_case_or_org_is_not_taken_for_ours(double: StripeDouble, effects: StripeEffects) -> None:
    wanted = credit(loaded(double)["id"])
    effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted, case_id="case_2")) is None
    assert effects.look_up(wanted, context(wanted, org="globex")) is None


def test_it_is_found_beyond_the_first_page(double: StripeDouble, effects: StripeEffects) -> None:
    owner = loaded(double)
    wanted = credit(owner["id"])
    done = effects.perform(wanted, context(wanted))
    later = {"object": "customer_balance_transaction", "customer": owner["id"], "amount": -1, "currency": "usd"}
    created = double.clock()["now"] + 1
    double.load([{**later, "id": f"cbtxn_{owner['id']}_{number}", "created": created} for number in range(130)])
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.external_ref == done.external_ref


def test_other_content_under_our_key_leaves_the_effect_unknown(double: StripeDouble, effects: StripeEffects) -> None:
    owner = loaded(double)
    wanted = credit(owner["id"])
    effects.perform(wanted, context(wanted))
    with pytest.raises(EffectUnknown, match="same parameters"):
        effects.perform(wanted.model_copy(update={"amount_minor": 3_000}), context(wanted))
    assert at_stripe(double).retrieve(owner["id"]).balance == -1_500


def test_an_unknown_customer_is_refused_and_can_have_had_no_credit(effects: StripeEffects) -> None:
    wanted = credit("cus_nowhere")
    with pytest.raises(EffectRefused, match="No such customer"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


@pytest.mark.parametrize(
    "lacking",
    [
        credit(""),
        credit("cus_1", description=["a", "list"]),
        credit("cus_1").model_copy(update={"amount_minor": None}),
        credit("cus_1").model_copy(update={"currency": None}),
    ],
    ids=["a customer", "a description that is a text", "an amount", "a currency"],
)
def test_without_what_it_needs_nothing_is_sent(lacking: Action, server: Server, failing: StripeEffects) -> None:
    with pytest.raises(EffectRefused, match="nothing was sent"):
        failing.perform(lacking, context(lacking))
    assert server.seen == []


def test_a_credit_without_a_customer_is_looked_up_nowhere(server: Server, failing: StripeEffects) -> None:
    lacking = credit("")
    assert failing.look_up(lacking, context(lacking)) is None
    assert server.seen == []
