"""Claims of fraud that nothing decisive speaks against: given up where a policy says that they are not worth it."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.case.money import MissingRate, Money, convert
from shared.playbooks.disputes import economics, labels, product
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import ACCEPT_PCT, Ruling, confidence, followed
from shared.playbooks.disputes.claims.worth import costs_of, disputed, strength_without_proof
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import economics as economics_rule
from shared.playbooks.disputes.policy_rules import small_accept as small_rule
from shared.playbooks.disputes.policy_rules.small_accept import SmallAccept
from shared.team.exhibits import text, whole
from shared.team.words import count, listed


def give_up(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    """The ruling where a policy gives it up; None where none does. Raises Stop where that cannot be told."""
    try:
        return _small(matter, seen, gaps) or _not_worth_it(matter, seen, gaps)
    except MissingRate as why:
        raise Stop(
            (f"what is disputed cannot be compared with the policy's amounts: {why}",), (matter.dispute,)
        ) from why


def _small(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    policy = _page(seen, small_rule.KIND)
    if policy is None:
        return None
    wanted = followed(policy, small_rule.small_accept, ())
    unmet = _unmet(matter, wanted, {gap.what for gap in gaps})
    if unmet:
        return None
    charges = _charges(matter)
    actions = _actions(matter, wanted)
    absent = matter.exhibits.absences(labels.NO_CRM)
    reasons = (
        f"{policy.name} gives it up: {matter.money(matter.disputed_minor, matter.dispute_currency)} is below "
        f"{wanted.below}, {_small_in_words(matter, wanted, charges, actions)}",
        "neither earlier payments nor 3-D Secure speak against the claim",
    )
    cites = (policy.evidence, matter.dispute, *charges, *absent, *actions)
    return Ruling(DecisionKind.ACCEPT, reasons, confidence(ACCEPT_PCT, seen, gaps), cites=cites, policy=policy)


def _unmet(matter: Matter, wanted: SmallAccept, unread: set[str]) -> list[str]:
    """What of the policy's conditions does not hold, or is not known to."""
    org = matter.org
    unmet = []
    if convert(disputed(matter), org.currency, org.fx) >= convert(wanted.below, org.currency, org.fx):
        unmet.append("the amount")
    if wanted.no_crm_record and not matter.exhibits.absences(labels.NO_CRM):
        unmet.append("the CRM")
    if wanted.lifetime_below is not None:
        paid = sum(convert(_kept(row), org.currency, org.fx) for row in _charges(matter))
        if labels.CHARGES in unread or paid >= convert(wanted.lifetime_below, org.currency, org.fx):
            unmet.append("what they have paid")
    few = wanted.critical_actions_below
    if few is not None and (labels.ACTIONS in unread or len(_actions(matter, wanted)) >= few):
        unmet.append("what they did")
    return unmet


def _small_in_words(
    matter: Matter, wanted: SmallAccept, charges: Sequence[Evidence], actions: Sequence[Evidence]
) -> str:
    told = []
    if wanted.no_crm_record:
        told.append("no CRM knows them")
    if wanted.lifetime_below is not None:
        paid = listed([str(_kept(row)) for row in charges])
        told.append(f"they have paid {paid} in all (below {wanted.lifetime_below})")
    if wanted.critical_actions_below is not None:
        told.append(f"and did {count(len(actions), 'thing')} that count (fewer than {wanted.critical_actions_below})")
    return ", ".join(told)


def _not_worth_it(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    policy = _page(seen, economics_rule.KIND)
    if policy is None:
        return None
    wanted = followed(policy, economics_rule.economics, ())
    org, cites = matter.org, (policy.evidence, matter.dispute)
    sure = confidence(ACCEPT_PCT, seen, gaps)
    shown = matter.money(matter.disputed_minor, matter.dispute_currency)
    below = wanted.accept_below
    if below is not None and convert(disputed(matter), org.currency, org.fx) < convert(below, org.currency, org.fx):
        reasons: tuple[str, ...] = (f"{policy.name} gives up what is below {below}, and {shown} is",)
        return Ruling(DecisionKind.ACCEPT, reasons, sure, cites=cites, policy=policy)
    worth = economics.weigh(disputed(matter), costs_of(seen), strength_without_proof(seen), org)
    if worth.low >= 0:
        raise Stop((f"contesting may be worth it, without decisive evidence: {worth.words}",), cites)
    clear = worth.high < 0
    if not (wanted.accepts_negative if clear else wanted.accepts_unclear):
        raise Stop((f"{policy.name} leaves this to a person: {worth.words}",), cites)
    why = "even at the best odds" if clear else "at the worse odds"
    reasons = (f"{policy.name} gives up what costs more than it brings {why}: {worth.words}",)
    return Ruling(DecisionKind.ACCEPT, reasons, sure, cites=cites, policy=policy)


def _page(seen: Assessment, kind: str) -> Policy | None:
    return next((page for page in seen.in_force if page.kind == kind), None)


def _charges(matter: Matter) -> list[Evidence]:
    """The customer's charges that went through, the disputed one included."""
    customer = text(matter.charge, "customer")
    rows = matter.exhibits.rows("stripe.charges")
    return [
        row
        for row in rows
        if row.index == matter.charge.index
        or (customer and text(row, "customer") == customer and text(row, "status") == "succeeded")
    ]


def _kept(charge: Evidence) -> Money:
    paid = (whole(charge, "amount") or 0) - (whole(charge, "amount_refunded") or 0)
    return Money(minor=paid, currency=text(charge, "currency").lower())


def _actions(matter: Matter, wanted: SmallAccept) -> list[Evidence]:
    return [
        item
        for item in matter.exhibits.rows("posthog.events")
        if matter.is_theirs(text(item, "person_email"))
        and (
            text(item, "event") in wanted.critical_actions
            if wanted.critical_actions
            else product.is_action(text(item, "event"))
        )
    ]
