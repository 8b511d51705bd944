"""Claims of fraud that are not worth a contest, payments that nobody recognises, and what a contest is worth."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from shared.case.actions import ActionDraft, ActionKind, ActionState
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.case.money import MissingRate, Money
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.economics import DEFAULT, ODDS_PCT, Costs, Strength, weigh
from shared.ports.directory import Org
from tests.unit.disputes.cases import action, case
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_variants import escalates

CHARGES, EVENTS, POLICIES = "stripe.charges", "posthog.events", "policies.documents"
SECURE = "payment_method_details__card__three_d_secure__result"
ORG = Org(id="acme", currency="usd", fx={"eur": "1.10", "jpy": "0.0070"})


@pytest.fixture
def small(investigated: Callable[..., Dossier]) -> Dossier:
    """A small self-serve payment."""
    return investigated("teasel")


@pytest.fixture
def trial(investigated: Callable[..., Dossier]) -> Dossier:
    """The first payment after a trial; the merchant counts what a contest is worth."""
    return investigated("marram")


@pytest.fixture
def unknown(investigated: Callable[..., Dossier]) -> Dossier:
    """A payment that the cardholder does not recognise."""
    return investigated("plover")


def by_kind(dossier: Dossier) -> dict[ActionKind, ActionDraft]:
    return {action.kind: action for action in dossier.draft().actions}


def kind_of(dossier: Dossier) -> DecisionKind:
    return dossier.brief().decision.kind


def charge_of(dossier: Dossier) -> str:
    return str(dossier.case.facts["charge.id"])


def rule(dossier: Dossier, page: str, **parameters: object) -> Dossier:
    row = next(item.row for item in dossier.evidence if item.row.record_id == page)
    return dossier.changed(POLICIES, page, rule=json.dumps({**json.loads(str(row.fields["rule"])), **parameters}))


def told(dossier: Dossier) -> str:
    return "\n".join(finding.text for finding in dossier.brief().findings)


def disputing(dossier: Dossier, minor: int, currency: str = "usd") -> Dossier:
    """The same with another amount, paid and disputed."""
    paid = dossier.changed(CHARGES, charge_of(dossier), amount=minor, amount_captured=minor, currency=currency)
    return paid.changed("stripe.disputes", dossier.case.subject.id, amount=minor, currency=currency)


# Small payments


def test_a_small_payment_is_closed_and_nothing_else_is_done(small: Dossier) -> None:
    assert kind_of(small) is DecisionKind.ACCEPT
    assert "is below 100.00 USD, no CRM knows them" in small.brief().decision.rationale
    assert set(by_kind(small)) == {ActionKind.STRIPE_CLOSE_DISPUTE, ActionKind.SLACK_BRIEF}


@pytest.mark.parametrize(("minor", "given_up"), [(9_999, True), (10_000, False)])
def test_the_bound_of_the_amount_is_outside(small: Dossier, minor: int, given_up: bool) -> None:
    assert (kind_of(disputing(small, minor)) is DecisionKind.ACCEPT) is given_up


@pytest.mark.parametrize(("minor", "given_up"), [(15_799, True), (15_800, False)])
def test_what_they_have_paid_in_all_counts_with_the_disputed_payment(
    small: Dossier, minor: int, given_up: bool
) -> None:
    customer = next(i.row.fields["customer"] for i in small.evidence if i.row.record_id == charge_of(small))
    other: dict[str, Cell] = {"customer": customer, "amount": minor, "currency": "usd", "status": "succeeded"}
    assert (kind_of(small.added(CHARGES, "ch_other", other)) is DecisionKind.ACCEPT) is given_up
    failed = {**other, "status": "failed"}
    assert kind_of(small.added(CHARGES, "ch_other", failed)) is DecisionKind.ACCEPT
    returned = {**other, "amount_refunded": minor}
    assert kind_of(small.added(CHARGES, "ch_other", returned)) is DecisionKind.ACCEPT


@pytest.mark.parametrize(("more", "given_up"), [(2, True), (3, False)])
def test_fewer_than_five_things_that_count(small: Dossier, more: int, given_up: bool) -> None:
    did = small
    for place in range(more):
        did = did.added(EVENTS, f"e{place}", {"event": "card_moved", "person_email": "robin.achterberg@gmail.com"})
    for place, event in enumerate(["$pageview", "page_viewed", "checkout_completed"]):
        did = did.added(EVENTS, f"p{place}", {"event": event, "person_email": "robin.achterberg@gmail.com"})
    assert (kind_of(did) is DecisionKind.ACCEPT) is given_up
    named = rule(did, "self-serve-small", critical_actions=["board_shared"])
    assert kind_of(named) is DecisionKind.ACCEPT


def test_whom_a_crm_knows_or_may_know_is_not_small(small: Dossier) -> None:
    escalates(small.without_absences(labels.NO_CRM), "no rule decides claims of the kind fraud")


@pytest.mark.parametrize("label", [labels.CHARGES, labels.ACTIONS])
def test_what_was_not_read_whole_is_not_small(small: Dossier, label: str) -> None:
    escalates(small.with_gaps(Gap(specialist="x", what=label, why="cut")), "no rule decides")


def test_it_gives_way_to_what_would_win(small: Dossier, investigated: Callable[..., Dossier]) -> None:
    assert kind_of(small.changed(CHARGES, charge_of(small), **{SECURE: "authenticated"})) is DecisionKind.FIGHT
    row = next(i.row for i in small.evidence if i.row.record_id == "self-serve-small")
    qualifies = investigated("saffron", 1)
    page: dict[str, Cell] = {**row.fields, "id": "small"}
    assert kind_of(qualifies.added(POLICIES, "small", page)) is DecisionKind.FIGHT


def test_an_amount_without_a_rate_goes_to_a_person(small: Dossier) -> None:
    escalates(disputing(small, 4_000, "chf"), "cannot be compared with the policy's amounts")
    here = replace(small, org=small.org.model_copy(update={"fx": {"jpy": "0.0070"}}))
    assert kind_of(disputing(here, 9_899, "jpy")) is DecisionKind.ACCEPT
    assert kind_of(disputing(here, 15_000, "jpy")) is DecisionKind.ESCALATE


def test_a_rule_that_cannot_be_followed_goes_to_a_person(small: Dossier) -> None:
    for parameters in ({"below_minor": "100"}, {"currency": "USD"}, {"why": "x"}, {"critical_actions": "x"}):
        escalates(rule(small, "self-serve-small", **parameters), "has to be read by a person")


def test_what_we_closed_ourselves_is_remembered_as_accepted() -> None:
    closed = action(ActionKind.STRIPE_CLOSE_DISPUTE, ActionState.SUCCEEDED)
    assert PLAYBOOK.outcome_of(case({"dispute.status": "lost"}, actions=(closed,))) == "accepted"
    assert PLAYBOOK.outcome_of(case({"dispute.status": "lost"})) == "lost"
    assert PLAYBOOK.outcome_of(case({"dispute.status": "won"}, actions=(closed,))) == "won"


# What a contest is worth


def test_a_contest_that_loses_money_at_the_best_odds_is_not_made(trial: Dossier) -> None:
    decision = trial.brief().decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.ACCEPT, 3_900)
    assert "gives up what costs more than it brings even at the best odds" in decision.rationale
    assert "5 to 15 % to win" in decision.rationale


@pytest.mark.parametrize(
    ("minor", "kind", "why"),
    [
        (16_833, DecisionKind.ACCEPT, "even at the best odds"),
        (16_834, DecisionKind.ESCALATE, "leaves this to a person"),
        (53_499, DecisionKind.ESCALATE, "leaves this to a person"),
        (53_500, DecisionKind.ESCALATE, "contesting may be worth it"),
    ],
)
def test_the_odds_band_decides(trial: Dossier, minor: int, kind: DecisionKind, why: str) -> None:
    """15 % of 168.33 is below 12.75 of the fee and 12.50 for the work; 5 % of 535.00 is 14.25 and 12.50."""
    decision = disputing(trial, minor).brief().decision
    assert decision.kind is kind
    assert why in decision.rationale.lower()


def test_the_rule_says_what_negative_and_unclear_come_to(trial: Dossier) -> None:
    escalates(rule(trial, "worth-contesting", when_negative="escalate"), "leaves this to a person")
    unclear = rule(disputing(trial, 30_000), "worth-contesting", when_unclear="accept")
    assert "at the worse odds" in unclear.brief().decision.rationale
    free = rule(disputing(trial, 25_001), "worth-contesting", account_country="MX")
    escalates(free, "contesting may be worth it")
    escalates(rule(trial, "worth-contesting", account_country=7), "has to be read by a person")


@pytest.mark.parametrize(("below", "kind"), [(20_001, DecisionKind.ACCEPT), (20_000, DecisionKind.ESCALATE)])
def test_below_a_bound_nothing_is_weighed(trial: Dossier, below: int, kind: DecisionKind) -> None:
    assert kind_of(rule(disputing(trial, 20_000), "worth-contesting", accept_below_minor=below)) is kind


def test_the_arithmetic_is_shown_and_decides_nothing_without_a_policy(unknown: Dossier, trial: Dossier) -> None:
    assert "brings" in told(unknown)
    assert "Left to Smart Disputes at the same odds" in told(unknown)
    bare = trial.without(POLICIES).absent(POLICIES, labels.NO_POLICY)
    escalates(bare, "no rule decides claims of the kind fraud")
    assert "less a fee of 15.00 that only a win returns and 15.00 for the work" in told(bare)
    assert "brings" not in told(replace(bare, org=bare.org.model_copy(update={"currency": "sek"})))


@pytest.mark.parametrize("strength", list(Strength))
@pytest.mark.parametrize("minor", [0, 1, 4_500, 100_000, 10**12])
def test_the_expected_value_is_exact(strength: Strength, minor: int) -> None:
    worth = weigh(Money(minor=minor, currency="usd"), DEFAULT, strength, ORG)
    least, most = (Fraction(pct, 100) for pct in ODDS_PCT[strength])
    assert worth.low == least * minor - (1 - least) * 1500 - 1500
    assert worth.high == most * minor - (1 - most) * 1500 - 1500
    assert worth.smart == (least * minor * Fraction(70, 100), most * minor * Fraction(70, 100))
    assert worth.low <= worth.high
    even = worth.break_even_pct / 100
    assert even * minor - (1 - even) * 1500 - 1500 == 0


def test_a_contest_at_even_odds_and_no_work_pays_from_three_fees_on() -> None:
    """At 25 % a contest of 45.00 brings as much as it costs: p times amount = (1 - p) times 15.00."""
    costs = Costs(labour_minutes=0)
    assert weigh(Money(minor=4_500, currency="usd"), costs, Strength.STRONG, ORG).low == 0


def test_amounts_are_weighed_in_the_currency_of_the_merchant() -> None:
    euro = weigh(Money(minor=10_000, currency="eur"), DEFAULT, Strength.FAIR, ORG)
    assert (euro.disputed_minor, euro.fee_minor) == (11_000, 1500)
    yen = weigh(Money(minor=9_899, currency="jpy"), DEFAULT, Strength.FAIR, ORG)
    assert yen.disputed_minor == 6_929
    with pytest.raises(MissingRate):
        weigh(Money(minor=1, currency="chf"), DEFAULT, Strength.FAIR, ORG)


# Payments that nobody recognises


def test_who_paid_is_shown_by_receipt_statement_and_use(unknown: Dossier) -> None:
    assert kind_of(unknown) is DecisionKind.FIGHT
    stage = by_kind(unknown)[ActionKind.STRIPE_STAGE_EVIDENCE]
    evidence = stage.payload["evidence"]
    assert isinstance(evidence, dict)
    assert 'The card statement names us as "PLOVER PROOFING"' in str(evidence["uncategorized_text"])
    assert evidence["customer_email_address"] == "noor@sableandfinch.example"


@pytest.mark.parametrize(
    "fields", [{"statement_descriptor": None}, {"receipt_email": None}, {"receipt_email": "x@sableandfinch.example"}]
)
def test_with_one_of_them_missing_it_is_a_claim_of_fraud(unknown: Dossier, fields: dict[str, Cell]) -> None:
    escalates(unknown.changed(CHARGES, charge_of(unknown), **fields), "no rule decides claims of the kind unrecognized")


def test_use_on_two_days_shows_nobody(unknown: Dossier) -> None:
    used = [i.row for i in unknown.evidence if i.row.fields.get("person_email") == "noor@sableandfinch.example"]
    days = sorted({str(row.fields["timestamp"])[:10] for row in used})[:2]
    few = unknown
    for row in used:
        if str(row.fields["timestamp"])[:10] not in days:
            few = few.without(EVENTS, record=row.record_id)
    escalates(few, "without earlier payments that qualify")


def test_a_page_on_fraud_is_for_what_nobody_recognises_too(unknown: Dossier, small: Dossier) -> None:
    escalates(unknown.policy("prose", None, applies_to="fraud"), "has to be read by a person")
    row = next(i.row for i in small.evidence if i.row.record_id == "self-serve-small")
    page: dict[str, Cell] = {**row.fields, "id": "small", "applies_to": "fraud"}
    bare = unknown.changed(CHARGES, charge_of(unknown), statement_descriptor=None, amount=4_200, amount_captured=4_200)
    bare = bare.changed("stripe.disputes", amount=4_200).absent("hubspot.companies", labels.NO_CRM).without(EVENTS)
    assert kind_of(bare.added(POLICIES, "small", page)) is DecisionKind.ACCEPT
