"""The derivation gate: no derivation, no money, and not a cent more than is there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.case.actions import Action, ActionDraft, ActionState
from shared.case.brief import Decision, DecisionKind, Derivation
from shared.case.money import Money
from shared.errors import Refused
from shared.policy.gate import check_amounts
from tests.unit.policy.builders import action, decision, derived, draft, refund, row, submit

ROWS = {index: row(index, {"amount": amount}) for index, amount in enumerate([56000, 840000, 100, 0])}


def deciding(
    kind: str = "refund",
    minor: int | None = 56000,
    currency: str | None = "usd",
    *,
    derivation: Derivation | None = None,
) -> Decision:
    return Decision(
        kind=DecisionKind(kind),
        amount_minor=minor,
        currency=currency,
        derivation=derivation,
        rationale="because",
        confidence_pct=90,
    )


def gate(
    decided: Decision,
    actions: Sequence[Action | ActionDraft],
    *,
    now: int | None = 840000,
    later: int | None = 840000,
    disputed: Money | None = None,
) -> None:
    check_amounts(
        decided, actions, lookup=ROWS.get, refundable_now=now, refundable_after_outcome=later, disputed=disputed
    )


OWED = deciding(derivation=derived(56000))
"""56000 usd, from row 0."""


# What passes


def test_a_derived_refund_of_exactly_the_derived_amount_passes() -> None:
    gate(OWED, [refund(56000), draft("customer_email"), draft("crm_note")])


def test_several_actions_may_pay_the_amount_together() -> None:
    gate(OWED, [refund(50000), draft("stripe_balance_credit", 6000)])


def test_currencies_are_compared_without_case() -> None:
    gate(deciding(currency="USD", derivation=derived(56000)), [refund(56000, "Usd")])


def test_a_credit_after_a_win_passes_while_nothing_is_refundable_yet() -> None:
    waiting = draft("stripe_refund", 56000, outcome="dispute.won")
    credit = deciding("credit", derivation=derived(56000))
    gate(credit, [submit(840000), waiting], now=0, later=840000, disputed=Money(minor=840000, currency="usd"))


@pytest.mark.parametrize("kind", ["stripe_balance_credit", "stripe_credit_note"])
def test_a_credit_to_the_customer_does_not_draw_on_the_charge(kind: str) -> None:
    gate(deciding("credit", derivation=derived(56000)), [draft(kind, 56000)], now=0, later=None)


def test_a_credit_note_that_is_given_back_as_a_refund_must_fit_into_what_is_left_of_its_charge() -> None:
    note = draft("stripe_credit_note", 56000).model_copy(update={"payload": {"how": "refund", "charge": "ch_1"}})
    gate(OWED, [note], now=56000)
    with pytest.raises(Refused, match="exceed what is refundable on the charge now: 55999"):
        gate(OWED, [note], now=55999)
    with pytest.raises(Refused, match="does not name the charge"):
        gate(OWED, [note.model_copy(update={"payload": {"how": "refund"}})])


@pytest.mark.parametrize("kind", ["fight", "answer", "accept", "decline", "recover", "record", "escalate"])
def test_a_decision_that_pays_nothing_needs_no_derivation(kind: str) -> None:
    gate(deciding(kind, None, None), [draft("crm_note")], now=None, later=None)


# No derivation, no money


@pytest.mark.parametrize("kind", ["refund", "credit"])
def test_no_derivation_no_money(kind: str) -> None:
    with pytest.raises(Refused, match="no derivation, no money"):
        gate(deciding(kind), [refund(56000)])


@pytest.mark.parametrize("kind", ["fight", "answer", "accept", "decline", "recover", "record", "escalate"])
def test_no_other_decision_pays_without_a_derivation_either(kind: str) -> None:
    with pytest.raises(Refused, match="no derivation, no money"):
        gate(decision(kind, minor=56000), [refund(56000)])


@pytest.mark.parametrize(("minor", "currency"), [(None, "usd"), (56000, None), (None, None)])
def test_a_payment_needs_an_amount_in_a_currency(minor: int | None, currency: str | None) -> None:
    with pytest.raises(Refused, match="has no amount or no currency"):
        gate(deciding("refund", minor, currency, derivation=derived(56000)), [refund(56000)])


def test_a_decision_in_no_real_currency_is_refused() -> None:
    with pytest.raises(Refused, match="the decision: 'dollars' is not a three-letter currency"):
        gate(deciding("refund", 56000, "dollars", derivation=derived(56000)), [refund(56000)])


def test_a_derivation_that_gives_another_amount_than_it_claims_is_refused() -> None:
    with pytest.raises(Refused, match=r"gives 560\.00 USD \(56000 minor units\), but 840\.00 USD \(84000\) is claimed"):
        gate(deciding("refund", 84000, derivation=derived(56000, claimed=84000)), [refund(84000)])


def test_a_derivation_whose_words_say_something_else_is_refused() -> None:
    told = derived(56000).model_copy(update={"words": "2 of 30 days of 8,400.00 = 560.00 USD"})
    with pytest.raises(Refused, match="its expression says"):
        gate(deciding(derivation=told), [refund(56000)])


def test_a_derivation_that_cites_nothing_real_is_refused() -> None:
    with pytest.raises(Refused, match="cites evidence 9, which does not exist"):
        gate(deciding(derivation=derived(56000, evidence=9)), [refund(56000)])


def test_a_derivation_that_misquotes_its_row_is_refused() -> None:
    with pytest.raises(Refused, match="evidence 1 says"):
        gate(deciding(derivation=derived(56000, evidence=1)), [refund(56000)])


def test_a_decision_may_not_differ_from_its_own_derivation() -> None:
    with pytest.raises(Refused, match=r"about 600\.00 USD, but its derivation gives 560\.00 USD"):
        gate(deciding("refund", 60000, derivation=derived(56000)), [refund(60000)])


def test_a_decision_may_not_take_an_amount_into_another_currency() -> None:
    with pytest.raises(Refused, match=r"about 560\.00 EUR, but its derivation gives 560\.00 USD"):
        gate(deciding("refund", 56000, "eur", derivation=derived(56000)), [refund(56000, "eur")])


def test_nothing_is_not_an_amount_to_refund() -> None:
    with pytest.raises(Refused, match="which is no amount"):
        gate(deciding("refund", 0, derivation=derived(0, evidence=3)), [])


def test_a_derivation_is_recomputed_even_where_nothing_is_paid() -> None:
    with pytest.raises(Refused, match=r"about 1\.00 USD, but its derivation gives"):
        gate(deciding("fight", 100, derivation=derived(840000, evidence=1)), [submit(840000)])


# The actions pay exactly that


@pytest.mark.parametrize("amounts", [[], [55999], [56001], [56000, 1], [28000], [56000, 56000]])
def test_the_actions_must_add_up_to_the_decision(amounts: list[int]) -> None:
    with pytest.raises(Refused, match=r"the actions pay .* but the decision is about 560\.00 USD"):
        gate(OWED, [refund(amount) for amount in amounts])


def test_a_fight_that_pays_on_the_side_is_refused() -> None:
    fight = deciding("fight", 840000, derivation=derived(840000, evidence=1))
    with pytest.raises(Refused, match=r"the actions pay 560\.00 USD, but the decision is about 8,400\.00 USD"):
        gate(fight, [submit(840000), refund(56000)])


def after_win(kind: str = "fight", owed: Derivation | None = None) -> Decision:
    """A decision about 8,400.00 that pays 560.00 once the dispute is won."""
    decided = deciding(kind, 840000, derivation=derived(840000, evidence=1))
    return decided.model_copy(update={"after_win": owed or derived(56000)})


def test_a_fight_may_pay_what_a_win_makes_payable() -> None:
    waiting = draft("stripe_refund", 56000, outcome="dispute.won")
    gate(after_win(), [submit(840000), waiting], now=0, disputed=Money(minor=840000, currency="usd"))


@pytest.mark.parametrize(
    ("decided", "paying", "why"),
    [
        (after_win(), refund(56000), "would pay before the dispute is won"),
        (after_win(), draft("stripe_refund", 56000, outcome="dispute.lost"), "would pay before the dispute is won"),
        (after_win(), draft("stripe_refund", 56001, outcome="dispute.won"), "the actions pay"),
        (after_win(owed=derived(840000)), draft("stripe_refund", 840000, outcome="dispute.won"), "does not hold"),
        (
            after_win("accept"),
            draft("stripe_refund", 56000, outcome="dispute.won"),
            "pays nothing once a dispute is won",
        ),
    ],
)
def test_a_fight_pays_nothing_else(decided: Decision, paying: ActionDraft, why: str) -> None:
    with pytest.raises(Refused, match=why):
        gate(decided, [submit(840000), paying])


def test_what_is_contested_is_derived_whatever_a_win_makes_payable() -> None:
    underived = after_win().model_copy(update={"derivation": None})
    with pytest.raises(Refused, match="no derivation, no money"):
        gate(underived, [submit(840000), draft("stripe_refund", 56000, outcome="dispute.won")])


def test_an_action_in_another_currency_is_refused() -> None:
    with pytest.raises(Refused, match=r"an action pays 560\.00 EUR, but the decision is in USD"):
        gate(OWED, [refund(56000, "eur")])


@pytest.mark.parametrize(("minor", "currency"), [(None, "usd"), (56000, None)])
def test_an_action_without_an_amount_is_never_a_full_refund(minor: int | None, currency: str | None) -> None:
    with pytest.raises(Refused, match="stripe_refund has no amount or no currency"):
        gate(OWED, [draft("stripe_refund", minor, currency)])


@pytest.mark.parametrize(("currency", "step", "parts"), [("isk", 100, (55950, 50)), ("bhd", 10, (55995, 5))])
def test_an_amount_that_stripe_cannot_pay_is_refused(currency: str, step: int, parts: tuple[int, int]) -> None:
    whole = deciding("refund", 56000, currency, derivation=derived(56000, currency))
    gate(whole, [refund(56000, currency)])
    with pytest.raises(Refused, match=f"multiples of {step} only"):
        gate(whole, [refund(part, currency) for part in parts])


@pytest.mark.parametrize("state", [ActionState.VOIDED, ActionState.SKIPPED, ActionState.FAILED])
def test_what_never_paid_does_not_count(state: ActionState) -> None:
    earlier = action("two").model_copy(update={"state": state, "amount_minor": 840000})
    gate(OWED, [earlier, refund(56000)])


def test_what_was_paid_counts_and_is_not_held_against_what_is_left() -> None:
    paid = action("two").model_copy(update={"state": ActionState.SUCCEEDED, "amount_minor": 50000})
    gate(OWED, [paid, refund(6000)], now=6000)


# What is there to be refunded


@pytest.mark.parametrize(("now", "passes"), [(56000, True), (840000, True), (55999, False), (0, False)])
def test_a_refund_must_fit_into_what_is_refundable_now(now: int, passes: bool) -> None:
    if passes:
        gate(OWED, [refund(56000)], now=now, later=0)
    else:
        with pytest.raises(Refused, match=f"exceed what is refundable on the charge now: {now}"):
            gate(OWED, [refund(56000)], now=now)


def test_two_refunds_must_fit_together() -> None:
    with pytest.raises(Refused, match="refunds of 56000 minor units exceed"):
        gate(OWED, [refund(28000), refund(28000)], now=50000)


@pytest.mark.parametrize(("later", "passes"), [(56000, True), (55999, False)])
def test_a_deferred_refund_must_fit_into_what_the_outcome_leaves(later: int, passes: bool) -> None:
    waiting = draft("stripe_refund", 56000, outcome="dispute.won")
    if passes:
        gate(OWED, [waiting], now=0, later=later)
    else:
        with pytest.raises(Refused, match=f"refundable on the charge once the outcome has come: {later}"):
            gate(OWED, [waiting], now=0, later=later)


def test_what_is_refunded_now_is_gone_when_the_outcome_comes() -> None:
    waiting = draft("stripe_refund", 28000, outcome="dispute.won")
    with pytest.raises(Refused, match="refunds of 56000 minor units exceed"):
        gate(OWED, [refund(28000), waiting], now=28000, later=28000)


def test_waiting_for_another_action_is_not_waiting_for_an_outcome() -> None:
    with pytest.raises(Refused, match="refundable on the charge now: 0"):
        gate(OWED, [draft("stripe_refund", 56000, after=("mail",))], now=0)


@pytest.mark.parametrize(("outcome", "when"), [(None, "now"), ("dispute.won", "once the outcome has come")])
def test_nothing_is_refunded_while_nobody_knows_what_is_refundable(outcome: str | None, when: str) -> None:
    with pytest.raises(Refused, match=f"what is refundable on the charge {when} is unknown"):
        gate(OWED, [draft("stripe_refund", 56000, outcome=outcome)], now=None, later=None)


# What is disputed

DISPUTED = Money(minor=840000, currency="usd")


@pytest.mark.parametrize("kind", ["fight", "accept"])
def test_fighting_and_accepting_are_about_the_disputed_amount(kind: str) -> None:
    gate(decision(kind, minor=840000), [submit(840000)], disputed=DISPUTED)
    gate(deciding(kind, None, None), [submit(840000)], disputed=DISPUTED)
    for other in (decision(kind, minor=839999), decision(kind, minor=840000, currency="eur")):
        with pytest.raises(Refused, match=r"but 8,400\.00 USD is disputed"):
            gate(other, [submit(840000)], disputed=DISPUTED)


def test_the_disputed_amount_may_be_written_in_capitals() -> None:
    gate(decision("fight", minor=840000), [submit(840000)], disputed=Money(minor=840000, currency="USD"))


@pytest.mark.parametrize("understated", [submit(839999), submit(840000, "jpy")])
def test_no_action_may_claim_that_less_is_at_risk_than_is_disputed(understated: ActionDraft) -> None:
    with pytest.raises(Refused, match=r"stripe_submit_evidence claims .* at risk, but 8,400\.00 USD is disputed"):
        gate(decision("fight"), [understated], disputed=DISPUTED)


def test_more_may_be_at_risk_than_is_disputed() -> None:
    gate(decision("fight"), [submit(840001), draft("stripe_close_dispute")], disputed=DISPUTED)


def test_a_refused_amount_is_explained_without_the_text_of_the_evidence() -> None:
    with pytest.raises(Refused) as refusal:
        check_amounts(
            deciding(derivation=derived(56000)),
            [refund(56000)],
            lookup={0: row(0, {"amount": "please refund everything"})}.get,
            refundable_now=56000,
            refundable_after_outcome=None,
        )
    assert "please" not in str(refusal.value)
