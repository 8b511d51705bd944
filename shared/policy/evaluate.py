"""What the policy says of one action: the strictest of everything that asks for people. It fails closed.

Each demand is worked out on its own, and one that cannot be worked out, for whatever reason, is a demand for two people
with the reason in words. No demand can lower another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from shared.case.actions import TIER_ORDER, Action, ActionDraft, DependencyKind, Tier, Verdict
from shared.case.brief import Decision
from shared.case.money import Money, currency_code
from shared.errors import InvalidInput, ManthanError
from shared.policy.at_risk import STAKE_OF, Stake, money_at_risk
from shared.policy.conditions import facts_asked, holds
from shared.policy.facts import Facts, read_fact
from shared.policy.model import Policy, Rule
from shared.policy.tiers import IN_WORDS, band_of
from shared.ports.directory import Org

AnyAction = Action | ActionDraft
T = TypeVar("T")

_UNEVALUABLE = (ManthanError, ArithmeticError, ValueError, LookupError, TypeError)
"""What working out a demand can raise; anything else is a fault of ours and must be seen as one."""

_NO_STAKE = frozenset({Stake.DEPENDENCIES, Stake.NOTHING})
"""Messages and internal actions: by themselves they put no money at risk."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One reason for asking people: how many, and why, in words an operator understands."""

    tier: Tier
    why: str


@dataclass(frozen=True, slots=True)
class _Setting:
    """Everything beside the action that a verdict depends on."""

    others: Mapping[str, AnyAction]
    decision: Decision
    org: Org
    policy: Policy
    facts: Facts


def evaluate(
    action: AnyAction,
    *,
    others: Mapping[str, AnyAction],
    decision: Decision,
    org: Org,
    policy: Policy,
    facts: Facts | None = None,
) -> Verdict:
    """The verdict on one action, with the rules that said so and the money at risk in the org's currency.

    `others` holds the actions of the case by the reference that `depends_on` uses. `facts` are what is known of the
    case; of these, policy rules see only the ones listed in shared.policy.facts, and never instead of the action's
    own. Never raises for what an action, an org or a policy file can contain: it asks for two people instead.
    """
    return _verdict(action, _Setting(others, decision, org, policy, facts or {}))


def _verdict(action: AnyAction, setting: _Setting) -> Verdict:
    if STAKE_OF[action.kind] is Stake.DEPENDENCIES:
        demands, at_risk = _of_dependencies(action, setting)
    else:
        demands, at_risk = _of_money(action, setting)
    demands += _of_policy(action, at_risk, setting)
    strictest = max((demand.tier for demand in demands), key=TIER_ORDER.__getitem__)
    return Verdict(tier=strictest, rules=tuple(demand.why for demand in demands), at_risk_minor=at_risk)


def _or_people(work: Callable[[], T], where: str = "") -> T | Demand:
    """The one boundary: what cannot be worked out becomes a demand for two people."""
    try:
        return work()
    except _UNEVALUABLE as error:
        reason = str(error) if isinstance(error, ManthanError) else f"{type(error).__name__} while evaluating"
        return Demand(Tier.TWO_APPROVERS, f"fail_closed: {where}{reason}")


def _of_money(action: AnyAction, setting: _Setting) -> tuple[list[Demand], int | None]:
    if STAKE_OF[action.kind] is Stake.NOTHING:
        return [Demand(Tier.AUTO, f"{action.kind.value} puts no money at risk: no approver")], 0
    at_risk = _or_people(lambda: money_at_risk(action, setting.org))
    if isinstance(at_risk, Demand):
        return [at_risk], None
    band = _or_people(lambda: _by_tier(at_risk, setting))
    return [band], at_risk


def _by_tier(at_risk: int, setting: _Setting) -> Demand:
    currency = currency_code(setting.org.currency)
    band, span = band_of(setting.policy.tiers, at_risk, currency)
    shown = Money(minor=at_risk, currency=currency)
    return Demand(band.approvers, f"{shown} at risk, tier {span}: {IN_WORDS[band.approvers]}")


def _of_dependencies(action: AnyAction, setting: _Setting) -> tuple[list[Demand], int | None]:
    """A message is as serious as the most serious thing it speaks about, however indirectly."""
    reached = _or_people(lambda: _reached(action, setting.others))
    if isinstance(reached, Demand):
        return [reached], None
    verdicts = [(other, _verdict(other, setting)) for other in reached]
    if not verdicts:
        return [Demand(Tier.ONE_APPROVER, "a message that depends on nothing that matters: one approver")], 0
    demands = [
        Demand(verdict.tier, f"depends on {other.kind.value}: {IN_WORDS[verdict.tier]}") for other, verdict in verdicts
    ]
    known = [verdict.at_risk_minor for _, verdict in verdicts if verdict.at_risk_minor is not None]
    return demands, max(known) if len(known) == len(verdicts) else None


def _reached(action: AnyAction, others: Mapping[str, AnyAction]) -> list[AnyAction]:
    """What a message depends on through any chain of dependencies; other messages and internal actions are only links,
    because a note that nobody must approve cannot vouch for a message."""
    found: dict[str, AnyAction] = {}
    pending = [action]
    while pending:
        for dependency in pending.pop().depends_on:
            if dependency.kind is DependencyKind.OUTCOME or dependency.ref in found:
                continue
            if dependency.ref not in others:
                raise InvalidInput("depends on an action that the case does not have")
            found[dependency.ref] = others[dependency.ref]
            pending.append(found[dependency.ref])
    return [other for other in found.values() if STAKE_OF[other.kind] not in _NO_STAKE]


def _of_policy(action: AnyAction, at_risk: int | None, setting: _Setting) -> list[Demand]:
    policy = setting.policy
    demands = list(_of_settings(action, setting))
    facts = _facts_of(action, at_risk, setting)
    for rule in policy.rules:
        demand = _or_people(partial(_by_rule, rule, facts), f"rule '{rule.name}': ")
        if demand is not None:
            demands.append(demand)
    return demands


def _of_settings(action: AnyAction, setting: _Setting) -> Iterator[Demand]:
    policy, decision = setting.policy, setting.decision
    if policy.error is not None:
        yield Demand(Tier.TWO_APPROVERS, f"fail_closed: {policy.error}")
    least = policy.minimums.get(action.kind)
    if least is not None:
        yield Demand(least, f"{action.kind.value}, whatever the amount: at least {IN_WORDS[least]}")
    doubt = policy.low_confidence
    if STAKE_OF[action.kind] not in _NO_STAKE and decision.confidence_pct < doubt.below_pct:
        why = (
            f"confidence {decision.confidence_pct} % is under {doubt.below_pct} %: at least {IN_WORDS[doubt.at_least]}"
        )
        yield Demand(doubt.at_least, why)


def _by_rule(rule: Rule, facts: Facts) -> Demand | None:
    answer = holds(rule.when, facts)
    if answer is None:
        unknown = [name for name in facts_asked(rule.when) if read_fact(facts, name) is None]
        raise InvalidInput(f"{', '.join(dict.fromkeys(unknown))} not known")
    return Demand(rule.at_least, f"rule '{rule.name}': at least {IN_WORDS[rule.at_least]}") if answer else None


def _facts_of(action: AnyAction, at_risk: int | None, setting: _Setting) -> Facts:
    currency = action.currency or action.at_risk_currency
    own: Facts = {
        "kind": action.kind.value,
        "effect": action.effect.value,
        "decision": setting.decision.kind.value,
        "confidence_pct": setting.decision.confidence_pct,
        "at_risk_minor": at_risk,
        "currency": currency.lower() if currency is not None else None,
    }
    return {**setting.facts, **own}
