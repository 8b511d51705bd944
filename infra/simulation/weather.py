"""What goes wrong, how often, and how often it did: drawn from the seed, or laid down for one exhaustive run."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

RATES: Final[Mapping[str, float]] = {
    # Processes and their machines
    "crash_before_call": 0.003,
    "crash_after_call": 0.003,
    "process_stalled": 0.003,
    "clock_skewed": 0.3,
    # The store
    "store_unavailable": 0.004,
    "write_conflict": 0.03,
    "acknowledgement_lost": 0.04,
    "acknowledgement_lost_with_error": 0.02,
    "query_stale": 0.2,
    "entry_not_yet_visible": 0.1,
    "directory_stale": 0.3,
    # Messages and tasks
    "send_failed": 0.02,
    "message_lost": 0.04,
    "message_duplicated": 0.15,
    "message_delayed": 0.15,
    "task_deleted": 0.04,
    "task_duplicated": 0.1,
    "task_delayed": 0.1,
    "answer_lost": 0.03,
    "sweep_skipped": 0.2,
    "sweep_duplicated": 0.2,
    # Stripe and the other services
    "stripe_timeout_before": 0.12,
    "stripe_timeout_after": 0.12,
    "stripe_lands_late": 0.12,
    "stripe_409": 0.08,
    "stripe_429": 0.08,
    "stripe_500_before": 0.08,
    "stripe_500_after": 0.08,
    "client_broken": 0.04,
    "look_up_unavailable": 0.1,
    "refund_pending": 0.3,
    "refund_fails_later": 0.3,
    "refund_by_others": 0.15,
    "webhook_duplicated": 0.3,
    "webhook_delayed": 0.3,
    "webhook_lost_once": 0.1,
    "dispute_closed_early": 0.3,
    "dispute_escalated": 0.2,
    "issuer_changed_its_mind": 0.3,
    "deadline_moved": 0.15,
    # The team
    "specialist_hangs": 0.05,
    "specialist_fails": 0.06,
    "specialist_rubbish": 0.05,
    "evidence_hostile": 0.3,
    "draft_rubbish": 0.2,
    # People
    "person_twice": 0.3,
    "person_late": 0.2,
    "person_not_allowed": 0.2,
    "person_edits": 0.2,
    "person_rejects": 0.08,
    "person_odd_answer": 0.2,
    "effects_stopped": 0.25,
    "member_demoted": 0.15,
    "policy_changed": 0.15,
}
"""Every fault, and how often it strikes where it can, before a seed's own weather scales it."""


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """The one port call at which a process dies, counted from 1 over the whole run."""

    call: int
    after: bool


class Weather:
    """The faults of one run. Quiet weather strikes nowhere; `crash` strikes once whatever the weather."""

    def __init__(
        self,
        chance: random.Random,
        rates: Mapping[str, float],
        *,
        crash: CrashPoint | None = None,
        steady: bool = False,
    ) -> None:
        self._chance = chance
        self._rates = dict(rates)
        self._crash = crash
        self._steady = steady
        self.counts: Counter[str] = Counter()

    def strikes(self, fault: str) -> bool:
        """Whether this fault happens here and now; counted if so."""
        rate = self._rates.get(fault, 0.0)
        if rate <= 0.0 or self._chance.random() >= rate:
            return False
        self.counts[fault] += 1
        return True

    def crashes(self, call: int, *, after: bool) -> bool:
        """Whether the process dies at this port call."""
        if self._crash is not None and self._crash.call == call and self._crash.after is after:
            self.counts["crash_after_call" if after else "crash_before_call"] += 1
            return True
        return self.strikes("crash_after_call" if after else "crash_before_call")

    def clear_up(self) -> None:
        """From now on nothing goes wrong."""
        self._rates, self._crash = {}, None

    def seconds(self, mean: float) -> float:
        """How long something takes, in seconds: always `mean` in steady weather."""
        return mean if self._steady else self._chance.expovariate(1 / mean)

    def between(self, shortest: float, longest: float) -> float:
        """A duration in seconds of any order of magnitude between these two."""
        return math.exp(self._chance.uniform(math.log(shortest), math.log(longest)))


def drawn(seed: int) -> Weather:
    """The weather of a seed: a part of all faults, each more or less often than usual; a tenth of all seeds is calm."""
    chance = random.Random(f"weather {seed}")
    share = chance.choice((0.0, 0.1, 0.25, 0.5, 0.5, 0.75, 0.75, 0.9, 1.0, 1.0))
    rates = {
        fault: min(rate * math.exp(chance.uniform(-1.0, 1.2)), 0.9)
        for fault, rate in RATES.items()
        if chance.random() < share
    }
    return Weather(chance, rates)
