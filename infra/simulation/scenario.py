"""What a seed is about: which disputes, what they come to, and for how long the storm lasts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from infra.simulation.drafts import Flaw, Flow, Plan
from infra.simulation.weather import CrashPoint, Weather, drawn

START: Final = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
_FLOWS: Final = (
    Flow.CREDIT_AFTER_WIN,
    Flow.CREDIT_AFTER_WIN,
    Flow.CREDIT_AFTER_WIN,
    Flow.REFUND,
    Flow.REFUND,
    Flow.REFUND,
    Flow.ACCEPT,
    Flow.RECORD,
    Flow.ESCALATE,
)
_FLAWS: Final = (Flaw.CITES_NOTHING, Flaw.WRONG_SUM, Flaw.OBEYS, Flaw.OBEYS, Flaw.NO_DERIVATION)
_AMOUNTS: Final = (3_000, 9_000, 40_000, 84_000, 250_000)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run. Times in virtual seconds from its start."""

    seed: int
    plans: Mapping[str, Plan]
    weather: Weather
    opens_at: Mapping[str, float]
    due_by: Mapping[str, datetime] = field(default_factory=dict)
    storm_s: float = 7_200.0
    """How long things go wrong, and go on at all."""
    diligent: bool = False
    """People who do all they should, and nothing else."""
    duplicate_everything: bool = False
    sweeps: bool = True
    death_is_provable: bool = False
    """Whether a dead process is known to be dead, as on one machine; else its leases have to run out."""


def of_seed(seed: int) -> Scenario:
    """The scenario of a seed."""
    chance, weather = random.Random(f"scenario {seed}"), drawn(seed)
    plans: dict[str, Plan] = {}
    for number in range(chance.choice((1, 1, 1, 2))):
        # Two disputes of one run are about the same charge more often than not.
        shared = plans and chance.random() < 0.7
        amount = next(iter(plans.values())).charge_amount if shared else chance.choice(_AMOUNTS)
        plans[f"du_{number + 1}"] = _plan(chance, weather, "ch_1" if shared or not plans else "ch_2", amount)
    if len(plans) == 2 and len({plan.charge for plan in plans.values()}) == 1 and chance.random() < 0.6:
        # Two refunds that do not both fit: what the ledger is for.
        plans = {name: replace(plan, flow=Flow.REFUND, tenths=6) for name, plan in plans.items()}
    opens = {name: chance.uniform(0.0, 30.0) if chance.random() < 0.7 else chance.uniform(0, 90_000) for name in plans}
    opens[next(iter(opens))] = 0.0
    due = {name: START + timedelta(days=chance.uniform(0.2, 21.0)) for name in plans if chance.random() < 0.5}
    storm_s = weather.between(1_800.0, 90 * 86_400.0)
    return Scenario(seed, plans, weather, opens, due, storm_s=storm_s, death_is_provable=chance.random() < 0.3)


def _plan(chance: random.Random, weather: Weather, charge: str, amount: int) -> Plan:
    flawed = weather.strikes("draft_rubbish")
    return Plan(
        flow=chance.choice(_FLOWS),
        charge=charge,
        charge_amount=amount,
        tenths=chance.choice((1, 1, 6, 10)),
        asks=chance.random() < 0.15,
        hostile=weather.strikes("evidence_hostile"),
        bulky=chance.random() < 0.01,
        flaw=chance.choice(_FLAWS) if flawed else Flaw.NONE,
        flawed_rounds=chance.choice((1, 1, 99)) if flawed else 0,
    )


def of_flow(
    flow: Flow,
    *,
    crash: CrashPoint | None = None,
    duplicates: bool = False,
    sweeps: bool = True,
    weather: Weather | None = None,
) -> Scenario:
    """One case of this flow with diligent people: in steady weather with at most one death, or in one's own weather."""
    weather = weather or Weather(random.Random(7), {}, crash=crash, steady=True)
    plan = Plan(flow=flow, charge="ch_1", charge_amount=84_000, tenths=6 if flow is Flow.REFUND else 1)
    return Scenario(
        seed=0,
        plans={"du_1": plan},
        weather=weather,
        opens_at={"du_1": 0.0},
        storm_s=76 * 86_400.0,
        diligent=True,
        duplicate_everything=duplicates,
        sweeps=sweeps,
    )
