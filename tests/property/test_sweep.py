"""Every code in every state with every kind of evidence ends in a legal set of actions, or with a person."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.worlds import find_world, shipped_worlds
from infra.worlds.folder import Folder
from infra.worlds.policies import read_policies
from shared.case.brief import DecisionKind
from shared.case.money import payable_step
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.codes import CODES
from shared.playbooks.disputes.policy_rules.proration import CLOCKS
from shared.playbooks.disputes.stages import OF_STATUS
from tests.property.scene import ABSENCES, CURRENCIES, WORTH, Scene
from tests.property.verdict import judged

pytestmark = pytest.mark.timeout(1800)
"""Some 4,000 drafts: 40 seconds of work, more beside other work."""

STATUSES = (*OF_STATUS, "something_new")
KNOWN_CODES = tuple((rule.network, rule.code.rstrip("*") + "9" * rule.code.count("*")) for rule in CODES.values())
UNKNOWN_CODES = (("visa", "99.9"), ("visa", ""), ("some_new_network", "X1"), ("", ""))
REASONS = (*(code for network, code in CODES if network == "any"), "a_new_reason")
METHODS = ("card", "klarna", "paypal", "us_bank_account", "sepa_debit")


def _rules() -> tuple[tuple[str, object], ...]:
    """Every rule that a shipped world's policies hold, some that nobody can follow, and a page of prose."""
    found: dict[str, object] = {}
    for name in shipped_worlds():
        for page in read_policies(Folder.open(find_world(name))):
            if page.get("rule"):
                found.setdefault(str(page["rule"]), json.loads(str(page["rule"])))
    shipped = tuple((f"page-{place}", rule) for place, rule in enumerate(found.values()))
    return (
        *shipped,
        ("new-kind", {"kind": "a_new_kind"}),
        ("broken", {"kind": "incident_proration", "x": 1}),
        ("prose", None),
    )


def _is_proration(rule: object) -> bool:
    """Whether a rule gives back the share of an incident by a clock that we can read."""
    return isinstance(rule, dict) and rule.get("kind") == "incident_proration" and rule.get("clock") in CLOCKS


RULES = _rules()
GAPS = (labels.CHATS, labels.TICKETS, labels.ALERTS, labels.INCIDENTS, labels.WARNINGS, labels.DISPUTES, "its report")
CAN_BE_MISSING = ("stripe.disputes", "stripe.charges", "stripe.customers", "policies.documents", "rules.remedies")
SAID = ((), ("complaint",), ("complaint", "promise"), ("cancellation",), ("evaluating", "thanks"), ("instruction",))
TROUBLE = ("none", "alert", "open", "other_tier", "other_region", "staging", "unused", "incident", "blip")
CHOICES: dict[str, tuple[object, ...]] = {
    "pair": (*KNOWN_CODES, *UNKNOWN_CODES),
    "reason": REASONS,
    "status": STATUSES,
    "case_type": ("inquiry", "compliance", "block"),
    "method": METHODS,
    "currency": CURRENCIES,
    "worth": WORTH,
    "dispute_currency": CURRENCIES,
    "disputed_share": (Fraction(1, 3), Fraction(13, 10)),
    "refunded_share": (Fraction(1, 5), Fraction(1)),
    "captured": (False,),
    "due_in_hours": (30, 1, -1, 0, None),
    "submissions": (1,),
    "cycle": (False,),
    "customer": (False,),
    "crm": (False,),
    "three_d_secure": ("authenticated", "failed"),
    "days_used": (3, 2, 0),
    "trouble": TROUBLE,
    "said": SAID,
    "policies": (*((rule,) for rule in RULES), tuple(RULES[:2]), tuple(RULES[-2:])),
    "refund": ("succeeded", "pending", "failed"),
    "earlier_payments": (1, 2, 3),
    "twin": ("same_invoice", "own_invoice"),
    "earlier_dispute": ("won", "lost", "needs_response"),
    "sibling": tuple(OF_STATUS),
    "warning": (True,),
    "absences": tuple(ABSENCES - {name} for name in ABSENCES),
    "gaps": tuple((name,) for name in GAPS),
    "missing": tuple(frozenset({table}) for table in CAN_BE_MISSING),
}
"""What can be otherwise in a scene, and how: evidence that is absent, contradicts, or has not been read."""

PRORATION = tuple((name, rule) for name, rule in RULES if _is_proration(rule))
BASES = (
    Scene(),
    Scene(trouble="alert", said=("complaint", "promise"), policies=PRORATION[:1]),
    Scene(code="10.4", reason="fraudulent", earlier_payments=3),
    Scene(network="mastercard", code="4837", reason="fraudulent", three_d_secure="authenticated"),
    Scene(network="amex", code="155", reason="product_not_received", status="warning_needs_response"),
    Scene(code="13.2", reason="subscription_canceled"),
    Scene(code="13.2", reason="subscription_canceled", said=("cancellation",)),
    Scene(code="12.6.1", reason="duplicate", twin="same_invoice"),
    Scene(code="12.6.1", reason="duplicate", twin="own_invoice"),
    Scene(code="13.6", reason="credit_not_processed", said=("promise",)),
    Scene(code="13.6", reason="credit_not_processed", refund="succeeded"),
    Scene(network="ach", code="R10", reason="debit_not_authorized", method="us_bank_account", status="lost"),
    Scene(code="10.4", reason="fraudulent", worth="42", crm=False, days_used=0),
    *(Scene(network=network, code=code, reason="general") for network, code in KNOWN_CODES),
)
"""Where a scene starts: what the rules can decide, and every code."""

evenly = st.sampled_from(sorted(CHOICES)).flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(CHOICES[name])))
scenes = st.builds(
    lambda base, changed: base.otherwise(dict(changed)),
    base=st.one_of(st.sampled_from(BASES[:13]), st.sampled_from(BASES)),
    changed=st.lists(evenly, max_size=4),
)
HURRY = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


@settings(HURRY, max_examples=2000, derandomize=True)
@given(scenes)
def test_whatever_is_known_the_draft_is_legal_exact_and_cited_or_a_person_decides(scene: Scene) -> None:
    judged(scene.material())


@pytest.mark.soak
@settings(HURRY, max_examples=60_000)
@given(scenes)
def test_the_same_for_tens_of_thousands(scene: Scene) -> None:
    judged(scene.material())


def test_every_code_in_every_state_with_the_same_evidence() -> None:
    decided = set()
    for (network, code), status in product((*KNOWN_CODES, *UNKNOWN_CODES), STATUSES):
        case, _ = judged(Scene(network=network, code=code, reason="general", status=status).material())
        assert case.brief is not None
        decided.add(case.brief.decision.kind)
    assert {DecisionKind.FIGHT, DecisionKind.ANSWER, DecisionKind.ESCALATE} <= decided


@pytest.mark.parametrize("currency", CURRENCIES)
@pytest.mark.parametrize("worth", WORTH)
def test_every_currency_on_both_sides_of_every_tier_is_paid_to_the_smallest_unit(currency: str, worth: str) -> None:
    scene = Scene(
        currency=currency, worth=worth, trouble="alert", said=("complaint", "promise"), policies=PRORATION[:1]
    )
    case, _ = judged(scene.material())
    assert case.brief is not None
    if case.brief.decision.kind is DecisionKind.CREDIT:
        assert case.brief.decision.amount_minor == _two_of_thirty(scene)
    else:
        assert _two_of_thirty(scene) == 0


def _two_of_thirty(scene: Scene) -> int:
    """Two of thirty days, rounded once, half up, to the smallest amount that Stripe can pay."""
    step = payable_step(scene.currency)
    return int(Fraction(scene.paid_minor * 2, 30) / step + Fraction(1, 2)) * step
