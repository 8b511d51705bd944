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
from .objects import JsonObject, charge, customer, dispute, invoice, payment
from .server import Answer, Server, errs, says


def note(billed: Any, minor: int = 900, how: Any = "customer_balance", currency: str = "usd", **payload: Any) -> Action:
    named = {"invoice": billed, "how": how, **payload}
    return action(ActionKind.STRIPE_CREDIT_NOTE, named, amount_minor=minor, currency=currency)


def unpaid(double: StripeDouble, **fields: Any) -> JsonObject:
    owner = customer()
    billed = invoice(customer=owner["id"], **fields)
    double.load([owner, billed])
    return billed


def paid(double: StripeDouble, **fields: Any) -> tuple[JsonObject, JsonObject]:
    """An invoice of 49.00 and the charge that paid it."""
    owner = customer()
    by = charge(amount=4_900, customer=owner["id"], **fields)
    billed = invoice(status="paid", amount_paid=4_900, customer=owner["id"])
    double.load([owner, by, billed, *payment(billed, by)])
    return billed, by


def at_stripe(double: StripeDouble) -> stripe.V1Services:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0).v1


def happened(double: StripeDouble, of: Action) -> list[str]:
    key = context(of).idempotency_key
    return [effect["kind"] for effect in double.effects() if effect["idempotency_key"] == key]


def test_on_an_open_invoice_it_lowers_what_is_due_and_gives_nothing_back(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed = unpaid(double)
    wanted = note(billed["id"], memo="Outage of 3 March")
    done = effects.perform(wanted, context(wanted))
    assert done.summary == f"credit note {done.external_ref} of 9.00 USD: 9.00 USD off what is due"
    assert at_stripe(double).invoices.retrieve(billed["id"]).amount_remaining == 4_000
    assert at_stripe(double).credit_notes.retrieve(done.external_ref).memo == "Outage of 3 March"
    assert happened(double, wanted) == ["credit_note"]


@pytest.mark.parametrize(
    ("how", "told", "effect"),
    [
        ("customer_balance", "9.00 USD credited to the customer's balance", ["balance_credit"]),
        ("refund", "9.00 USD refunded", ["refund"]),
        ("out_of_band", "9.00 USD to be given outside of Stripe", []),
    ],
)
def test_on_a_paid_invoice_it_gives_back_in_the_way_that_was_approved(
    how: str, told: str, effect: list[str], double: StripeDouble, effects: StripeEffects
) -> None:
    billed, _ = paid(double)
    wanted = note(billed["id"], how=how)
    done = effects.perform(wanted, context(wanted))
    assert done.summary.endswith(f"of 9.00 USD: {told}")
    assert not done.pending
    assert effects.look_up(wanted, context(wanted)) == done
    assert happened(double, wanted) == [*effect, "credit_note"]


def test_only_what_exceeds_the_rest_of_a_partly_paid_invoice_is_given_back(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed = unpaid(double, amount_paid=4_000)
    wanted = note(billed["id"], 1_500)
    told = "9.00 USD off what is due, 6.00 USD credited to the customer's balance"
    assert effects.perform(wanted, context(wanted)).summary.endswith(told)
    assert at_stripe(double).customers.retrieve(billed["customer"]).balance == -600


def test_a_refund_that_has_not_settled_leaves_the_note_pending(double: StripeDouble, effects: StripeEffects) -> None:
    billed, _ = paid(double, payment_method="pm_card_pendingRefund")
    wanted = note(billed["id"], how="refund")
    done = effects.perform(wanted, context(wanted))
    assert done.pending
    assert done.summary.endswith("9.00 USD as a refund that is pending")


def test_the_refund_of_a_note_is_marked_as_ours_so_that_its_events_find_the_case(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed, by = paid(double, payment_method="pm_card_pendingRefund")
    wanted = note(billed["id"], how="refund")
    effects.perform(wanted, context(wanted))
    (made,) = at_stripe(double).refunds.list({"charge": by["id"]}).data
    assert made.metadata is not None
    assert (made.metadata["manthan_case"], made.metadata["manthan_action"]) == ("case_1", wanted.id)


def test_what_is_left_on_the_charge_is_read_for_a_note_that_is_given_back_as_a_refund(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed, by = paid(double)
    given = note(billed["id"], how="refund", charge=by["id"])
    assert effects.observe(given, "acme")["refundable_minor"] == 4_900
    assert "refundable_minor" not in effects.observe(note(billed["id"], charge=by["id"]), "acme")


def test_a_note_whose_refund_failed_was_refused(double: StripeDouble, effects: StripeEffects) -> None:
    billed, by = paid(double)
    wanted = note(billed["id"], how="refund")
    effects.perform(wanted, context(wanted))
    (made,) = at_stripe(double).refunds.list({"charge": by["id"]}).data
    failed = {"object": "refund", "id": made.id, "charge": by["id"], "amount": 900, "currency": "usd"}
    double.load([{**failed, "status": "failed", "failure_reason": "expired_or_canceled_card"}])
    for ask in (effects.look_up, effects.perform):
        with pytest.raises(EffectRefused, match=f"its refund {made.id} is failed: expired_or_canceled_card"):
            ask(wanted, context(wanted))


def _as_loaded(of: Action, billed: JsonObject, **fields: Any) -> JsonObject:
    metadata = {"manthan_org": "acme", "manthan_case": "case_1", "manthan_action": of.id}
    body = {"object": "credit_note", "id": f"cn_{of.id}", "invoice": billed["id"], "amount": 900, "currency": "usd"}
    return {**body, "metadata": metadata, **fields}


def test_a_note_that_was_voided_gives_nothing(double: StripeDouble, effects: StripeEffects) -> None:
    billed = unpaid(double)
    wanted = note(billed["id"])
    double.load([_as_loaded(wanted, billed, status="void")])
    with pytest.raises(EffectRefused, match=f"cn_{wanted.id} as void"):
        effects.look_up(wanted, context(wanted))


def test_one_that_stands_counts_more_than_one_that_was_voided(double: StripeDouble, effects: StripeEffects) -> None:
    billed = unpaid(double)
    wanted = note(billed["id"])
    done = effects.perform(wanted, context(wanted))
    double.load([_as_loaded(wanted, billed, status="void", created=double.clock()["now"] + 1)])
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.external_ref == done.external_ref


def test_a_note_of_another_case_is_not_taken_for_ours(double: StripeDouble, effects: StripeEffects) -> None:
    wanted = note(unpaid(double)["id"])
    effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted, case_id="case_2")) is None


def test_a_note_over_all_that_is_due_is_issued_once(double: StripeDouble, effects: StripeEffects) -> None:
    billed = unpaid(double)
    wanted = note(billed["id"], 4_900)
    done = effects.perform(wanted, context(wanted))
    # Now the invoice counts as paid, so the same note would have to give something back.
    with pytest.raises(EffectUnknown, match="same parameters"):
        effects.perform(wanted, context(wanted, attempt=2))
    assert effects.look_up(wanted, context(wanted)) == done
    assert happened(double, wanted) == ["credit_note"]


def test_a_refund_of_a_charged_back_charge_is_refused_with_the_note(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed, by = paid(double)
    double.load([dispute(by)])
    wanted = note(billed["id"], how="refund")
    with pytest.raises(EffectRefused, match="charge_disputed"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None
    assert happened(double, wanted) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"how": "cash"}, "cash is no way to give back"),
        ({"how": None}, "None is no way to give back"),
        ({"how": ["refund"]}, "is no way to give back"),
        ({"currency": "eur"}, "is in usd, not in eur"),
        ({"memo": 7}, "memo of .* is not a text"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    wrong: dict[str, Any], words: str, double: StripeDouble, effects: StripeEffects
) -> None:
    wanted = note(unpaid(double)["id"], **wrong)
    with pytest.raises(EffectRefused, match=words):
        effects.perform(wanted, context(wanted))
    assert happened(double, wanted) == []


def test_without_an_invoice_nothing_is_sent(server: Server, failing: StripeEffects) -> None:
    wanted = note("")
    with pytest.raises(EffectRefused, match="names no invoice; nothing was sent"):
        failing.perform(wanted, context(wanted))
    assert failing.look_up(wanted, context(wanted)) is None
    assert server.seen == []


def test_an_unknown_invoice_is_refused_and_can_have_had_no_note(effects: StripeEffects) -> None:
    wanted = note("in_nowhere")
    with pytest.raises(EffectRefused, match="knows no invoice in_nowhere"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


def _answers(issued: Answer, later: Answer) -> Answer:
    """An invoice, then the note, then what comes of reading anything else."""
    billed = says(200, {"id": "in_1", "object": "invoice", "currency": "usd", "amount_remaining": 0})

    def answer(handler: Any) -> None:
        reads = billed if handler.path.startswith("/v1/invoices/") else later
        (issued if handler.command == "POST" else reads)(handler)

    return answer


ISSUED = {"id": "cn_1", "object": "credit_note", "status": "issued", "amount": 900, "currency": "usd"}


def test_stripe_is_told_to_write_no_mail(server: Server, failing: StripeEffects) -> None:
    server.answer = _answers(says(200, ISSUED), errs(500))
    wanted = note("in_1")
    done = failing.perform(wanted, context(wanted))
    assert done.summary == "credit note cn_1 of 9.00 USD: Stripe does not say how it is made up"
    assert "email_type=none" in server.seen[-1]["body"]
    assert "credit_amount=900" in server.seen[-1]["body"]


@pytest.mark.parametrize("later", [errs(500, "down"), errs(404, "No such refund", code="resource_missing")])
def test_a_note_whose_refund_cannot_be_read_is_unknown(later: Answer, server: Server, failing: StripeEffects) -> None:
    refunds = [{"amount_refunded": 900, "refund": "re_1", "type": "refund"}]
    server.answer = _answers(says(200, {**ISSUED, "refunds": refunds}), later)
    wanted = note("in_1", how="refund")
    with pytest.raises(EffectUnknown, match="cn_1 was issued"):
        failing.perform(wanted, context(wanted))


def test_a_repeated_answer_whose_note_cannot_be_read_is_unknown(server: Server, failing: StripeEffects) -> None:
    server.answer = _answers(says(200, ISSUED, Idempotent_Replayed="true"), errs(500, "down"))
    wanted = note("in_1")
    with pytest.raises(EffectUnknown, match="cn_1 was issued"):
        failing.perform(wanted, context(wanted))
