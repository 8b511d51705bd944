"""Every time budget in one place, in seconds, so that their order can be checked against the deployment.

The rule: soft budget in code < function timeout < dispatch deadline < lease of `act` < watchdog < sweeper horizon.
Each function's own timeout is below the deadline of whoever calls it, so that the caller never gives up on an answer
that was still to come. A function that was timed out keeps running on the platform: its late result must lose, which
the reports' create and the lease see to, whatever these numbers are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from shared.ports.queue import Retry

ASSIGNMENT_DEADLINE_S = 180.0
"""From planning to the end of all attempts of one specialist."""

SPECIALIST_SOFT_S = 40.0
SPECIALIST_TIMEOUT_S = 50.0
SPECIALIST_DISPATCH_S = 60.0

ACT_CALL_TIMEOUT_S = 20.0
"""One call to an outside service."""
ACT_TIMEOUT_S = 50.0
ACT_DISPATCH_S = 60.0
ACT_LEASE_S = 75.0

SWEEP_HORIZON_S = 600.0

DECIDE_WITHIN = timedelta(hours=72)
"""Time to decide where the business object sets no deadline."""

PENDING_AT_MOST = timedelta(days=14)
"""How long a refund may be pending before a person is asked to look: banks take up to ten business days."""

OUTCOME_AT_MOST = timedelta(days=120)
"""How long an outcome that nobody announced may take: the longest cycle of a dispute."""

DUE_AT_MOST = timedelta(hours=6)
"""How long an approved action may fail to be carried out before a person is told."""

TAKE_OVER_AFTER = timedelta(minutes=10)
"""How long after its latest attempt a person may take over an action of unknown outcome: no call lasts so long."""

APPROVAL_OUTLIVES_OUTCOME = timedelta(days=7)
"""How long after its outcome the approval of a deferred action counts."""

INBOX_KEEP = timedelta(days=40)
"""Longer than anything can redeliver an event: tasks live 31 days, dead letters are replayed within that."""

INBOX_RESEND_AFTER = timedelta(seconds=60)
INBOX_GIVE_UP_AFTER = timedelta(days=3)
"""How long a bookkeeping event waits for its case before it is ignored."""

ORPHANS_EXPIRE_AFTER = timedelta(days=7)

ACT_ATTEMPTS_BEFORE_PEOPLE = 12
"""After so many attempts that ended without an answer, a person is told; looking up goes on."""

FAULTS_BEFORE_FAILED = 8
"""Deliveries of one message that end in an unexpected error before the case is shown to operators as failed."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How one class of tasks is dispatched. `at_once`: how many attempts of its queue may be under way."""

    queue: str
    dispatch_s: float
    retry: Retry
    at_once: int


SPECIALISTS = Budget(
    queue="specialists",
    dispatch_s=SPECIALIST_DISPATCH_S,
    retry=Retry(max_attempts=5, min_backoff_s=1.0, max_backoff_s=20.0, max_duration_s=ASSIGNMENT_DEADLINE_S),
    at_once=16,
)
WATCHDOGS = Budget(
    queue="watchdogs",
    # The function is the specialists': its timeout has to fit in.
    dispatch_s=SPECIALIST_DISPATCH_S,
    retry=Retry(max_attempts=10, min_backoff_s=1.0, max_backoff_s=60.0, max_duration_s=SWEEP_HORIZON_S),
    at_once=4,
)
ACTIONS = Budget(
    queue="actions",
    dispatch_s=ACT_DISPATCH_S,
    retry=Retry(max_attempts=10, min_backoff_s=2.0, max_backoff_s=300.0, max_duration_s=3600.0),
    at_once=4,
)
QUEUES: Final = (SPECIALISTS, WATCHDOGS, ACTIONS)

PUSH_ACK_S = 60.0
"""A push subscription's acknowledgement deadline: it is the request's time limit."""
PUSH_RETRY = Retry(max_attempts=20, min_backoff_s=1.0, max_backoff_s=600.0, max_duration_s=0.0)
"""A subscription's policy: so many attempts, then the dead letters; age alone never ends them."""
PUSH_KEEP = timedelta(days=7)
"""How long a message that nobody acknowledges is kept."""

SWEEP_EVERY_S = 60.0
SWEEP_DISPATCH_S = 180.0
"""How long the scheduler waits for the answer of a sweep."""

WEBHOOK_ANSWER_S = 20.0
"""Stripe gives a delivery up and sends it again later when it gets no answer for long."""

FUNCTION_TIMEOUT_S: Final[Mapping[str, float]] = {
    "stripe_webhook": 15.0,
    "triage": 50.0,
    "specialist": SPECIALIST_TIMEOUT_S,
    "synthesize": 50.0,
    "policy_check": 50.0,
    "act": ACT_TIMEOUT_S,
    "sweep": 170.0,
    "dead_letter": 50.0,
}
"""When the platform ends each function."""

CALLER_WAITS_S: Final[Mapping[str, float]] = {
    "stripe_webhook": WEBHOOK_ANSWER_S,
    "triage": PUSH_ACK_S,
    "specialist": min(SPECIALISTS.dispatch_s, WATCHDOGS.dispatch_s),
    "synthesize": PUSH_ACK_S,
    "policy_check": PUSH_ACK_S,
    "act": ACTIONS.dispatch_s,
    "sweep": SWEEP_DISPATCH_S,
    "dead_letter": PUSH_ACK_S,
}
"""How long whoever calls a function waits for its answer."""
