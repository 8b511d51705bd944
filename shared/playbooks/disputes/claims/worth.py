"""What contesting a dispute is worth, by the evidence there is for it and by the merchant's figures or the default."""

from __future__ import annotations

from shared.case.brief import DecisionKind
from shared.case.money import Money
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.codes import OF_FRAUD
from shared.playbooks.disputes.economics import DEFAULT, Costs, Strength, Worth, weigh
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import economics as economics_rule
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.standing import liability_shifted

DAYS_OF_USE = 3
"""On how many days use says something about who made a payment."""


def worth_of(matter: Matter, seen: Assessment, ruling: Ruling) -> Worth:
    """What contesting would bring. Raises MissingRate where an amount cannot be converted."""
    return weigh(disputed(matter), costs_of(seen), strength_of(matter, seen, ruling), matter.org)


def strength_of(matter: Matter, seen: Assessment, ruling: Ruling) -> Strength:
    """How well the evidence supports a contest: decisive proof, a ruling to contest by a policy, use, or little."""
    if ruling.compelling is not None or (matter.rule.family in OF_FRAUD and liability_shifted(matter.charge)):
        return Strength.COMPELLING
    if matter.rule.family in OF_FRAUD and ruling.kind is not DecisionKind.FIGHT:
        return strength_without_proof(seen)
    if ruling.kind is DecisionKind.FIGHT:
        return Strength.STRONG if ruling.policy else Strength.FAIR
    return Strength.WEAK if ruling.kind is DecisionKind.ACCEPT else Strength.FAIR


def strength_without_proof(seen: Assessment) -> Strength:
    """The same for a claim of fraud with neither earlier payments that qualify nor 3-D Secure."""
    days = {use.at.date() for use in seen.uses}
    return Strength.FAIR if len(days) >= DAYS_OF_USE else Strength.WEAK


def costs_of(seen: Assessment) -> Costs:
    """The merchant's figures where a current policy has them, else the default."""
    page = figures_page(seen)
    try:
        return economics_rule.economics(page).costs if page else DEFAULT
    except Unevaluable:
        return DEFAULT


def figures_page(seen: Assessment) -> Policy | None:
    """The merchant's page on what contesting is worth."""
    return next((page for page in seen.in_force if page.kind == economics_rule.KIND), None)


def disputed(matter: Matter) -> Money:
    """What is disputed."""
    return Money(minor=matter.disputed_minor, currency=matter.dispute_currency)
