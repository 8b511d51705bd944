"""One run: a scenario played to its end, and everything that was seen and stored on the way."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from infra.local.callers import LoopbackCallers
from infra.local.entropy import SeededEntropy
from infra.simulation.account import Account, Charge, Dispute
from infra.simulation.baton import Baton
from infra.simulation.courier import Courier
from infra.simulation.gate import Gate, Through
from infra.simulation.journal import Journal, Played
from infra.simulation.memory import MemoryClaims, MemoryInbox, MemoryState, MemoryStore
from infra.simulation.people import MEMBERS, People
from infra.simulation.playbook import TEAM, SimulatedPlaybook, SimulatedSpecialist
from infra.simulation.scenario import START, Scenario
from infra.simulation.served import BOARD, PLAYBOOK, faults_told_to
from infra.simulation.surroundings import (
    SeenInbox,
    SeenStore,
    SimulatedClock,
    SimulatedDirectory,
    SimulatedSwitch,
    SimulatedTrace,
    SimulatedWorkers,
)
from infra.simulation.transport import Transport
from shared.ports import Org, Sources
from shared.steps.context import Ports

ORG: Final = "acme"
CALM_S: Final = 3_600.0
"""Within so many seconds after faults have stopped, every case has come to rest."""
_MINUTE_S: Final = 60.0
_MOST_TICKS: Final = 300
"""A storm that the sweeper has seen so often is over: what people leave lying is looked at for ever."""


def play(scenario: Scenario) -> Played:
    """Play a scenario. Raises whatever is wrong with the simulator itself; what is wrong with the code is audited."""
    run = _Run(scenario)
    with faults_told_to(lambda where, what: run.journal.faults_of_ours.append((where, what))):
        return run.play()


class _Run:
    """The world of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.weather = scenario, scenario.weather
        self.journal, self.baton, self.state = Journal(), Baton(), MemoryState()
        self.gate = Gate(self.baton, self.weather, self.journal)
        self.clock = SimulatedClock(self.baton, START)
        self.transport = Transport(self.baton, self.weather, self.journal, BOARD.deliver, self.clock.now)
        self.transport.duplicate_everything = scenario.duplicate_everything
        self.courier = Courier(self.baton, self.weather, self.journal, BOARD.deliver)
        self.account = Account(self.baton, self.weather, self.journal, self.gate, START, self.courier.send)
        chance = random.Random(f"people {scenario.seed}")
        self.people = People(
            self.baton, self.weather, self.journal, chance, lambda: self.ports, ORG, diligent=scenario.diligent
        )
        org = Org(id=ORG, currency="usd", members=MEMBERS)
        self.directory = SimulatedDirectory(self.baton, self.weather, self.journal, org)
        self.switch = SimulatedSwitch(self.baton, self.gate, self.journal)
        self.ports = self._ports()

    # The run

    def play(self) -> Played:
        """Storm, then calm."""
        BOARD.of_run(self.ports)
        self._schedule()
        self._go_on(until=self.scenario.storm_s)
        calm_since = self.baton.now
        self._clear_up()
        self._go_on(until=calm_since + CALM_S, calm=True)
        self.baton.finish()
        return Played(
            journal=self.journal,
            state=self.state,
            started_at=START,
            seconds=calm_since + CALM_S,
            captured={charge.id: charge.captured for charge in self.account.charges.values()},
            provably_dead=self.gate.dead if self.scenario.death_is_provable else frozenset(),
        )

    def _schedule(self) -> None:
        for name, plan in self.scenario.plans.items():
            self.account.charges.setdefault(plan.charge, Charge(plan.charge, plan.charge_amount))
            dispute = Dispute(name, plan.charge, plan.charge_amount, self.scenario.due_by.get(name))
            self.baton.at(self.scenario.opens_at[name], partial(self.account.open, dispute))
        changes: tuple[tuple[str, Callable[[], None]], ...] = (
            ("member_demoted", partial(self.directory.demote, "bob@acme.test")),
            ("policy_changed", self.directory.tighten),
        )
        for fault, change in changes:
            if self.weather.strikes(fault):
                self.baton.at(self.weather.between(1.0, 30 * 86_400.0), change)
        if self.weather.strikes("effects_stopped"):
            stop = self.weather.between(1.0, 10 * 86_400.0)
            self.baton.at(stop, partial(self.switch.turn, True))
            self.baton.at(stop + self.weather.between(1.0, 40_000.0), partial(self.switch.turn, False))

    def _clear_up(self) -> None:
        """Faults stop, nothing new comes from outside, and what Stripe has not got rid of yet it delivers now."""
        self.journal.tell(self.baton.now, "the weather clears up")
        self.weather.clear_up()
        self.account.quiet = True
        self.people.away = True
        self.switch.turn(False)
        self.courier.flush()

    def _go_on(self, until: float, *, calm: bool = False) -> None:
        """Let time pass; the sweeper comes at full minutes, but only if there is anything for it to look at."""
        ticks = 0
        while self.baton.now < until and (calm or ticks < _MOST_TICKS):
            following = self._next_minute()
            if following is None or following > until:
                self.baton.run(until)
                return
            self.baton.run(following)
            if self._anything_due():
                ticks += 1
                self._tick()

    def _next_minute(self) -> float | None:
        instants = [self.baton.next_at()]
        if self.scenario.sweeps:
            instants.append(self._looked_for())
        known = [instant for instant in instants if instant is not None]
        if not known:
            return None
        # The sweeper comes later than what happens by itself at the same minute.
        return (math.floor(max(min(known), self.baton.now) / _MINUTE_S) + 1) * _MINUTE_S

    def _looked_for(self) -> float | None:
        wakes = (MemoryStore(self.state).next_wake(), MemoryInbox(self.state).next_look())
        return min(((wake - START).total_seconds() for wake in wakes if wake is not None), default=None)

    def _anything_due(self) -> bool:
        look = self._looked_for()
        return self.scenario.sweeps and look is not None and look <= self.baton.now

    def _tick(self) -> None:
        if self.weather.strikes("sweep_skipped"):
            return
        self.transport.tick()
        if self.weather.strikes("sweep_duplicated"):
            self.transport.tick()

    # What the functions are given

    def _ports(self) -> Ports:
        """Every port, behind the gate."""
        specialists = [
            SimulatedSpecialist(name, self.scenario.plans, self.gate, self.weather, self.baton.sleep) for name in TEAM
        ]

        def behind(port: str, inner: object) -> Any:
            return Through(port, inner, self.gate)

        return Ports(
            store=behind(
                "store", SeenStore(self.state, self.baton, self.gate, self.weather, self.journal, self.people.notice)
            ),
            inbox=behind("inbox", SeenInbox(self.state, self.weather, self.gate, self.clock.now)),
            claims=behind("claims", MemoryClaims(self.state)),
            messages=behind("messages", self.transport),
            tasks=behind("tasks", self.transport),
            directory=behind("directory", self.directory),
            switch=behind("switch", self.switch),
            clock=self.clock,
            entropy=SeededEntropy(self.scenario.seed),
            trace=SimulatedTrace(self.journal),
            workers=SimulatedWorkers(self.gate, self.gate.dead, provable=self.scenario.death_is_provable),
            playbooks={PLAYBOOK: SimulatedPlaybook(self.scenario.plans, specialists)},
            sources=lambda org: cast(Sources, None),
            effects=self.account,
            callers=LoopbackCallers(),
        )
