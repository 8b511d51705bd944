"""A debit that the customer's bank took back: usually final. It is booked, the mandate repaired, nothing refunded.

SEPA gives eight weeks without a question and thirteen months for an unauthorised debit, and knows no contest; ACH
returns are normally final (docs.stripe.com/payments/sepa-debit and /ach-direct-debit, read 2026-05).
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import giving_up, purposes
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import RECORD_PCT, Errand, Ruling, Shown, confidence
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.stages import Stage
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import day, listed


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Book a debit that went back for good. Raises Stop where the bank takes an answer, or money went out twice."""
    if matter.stage is not Stage.LOST:
        raise Stop(
            (f"the bank still takes an answer about this debit ({matter.rule.meaning}), and no rule gives one",),
            (matter.dispute,),
        )
    if seen.refunds:
        raise Stop(
            ("the charge was refunded, and the bank has returned it as well: the money went out twice",),
            (matter.dispute, *seen.refunds),
        )
    money = matter.money(matter.disputed_minor, matter.dispute_currency)
    running = [row for row in matter.exhibits.rows("stripe.subscriptions") if giving_up.running(row)]
    reasons = (
        f"the customer's bank has taken back {money} ({matter.rule.meaning}): such a debit cannot be contested",
        "there is nothing to answer, and a refund would pay twice",
    )
    return Ruling(
        DecisionKind.RECORD,
        reasons,
        confidence(RECORD_PCT, seen, gaps),
        shown=(Shown(f"{money} went back to the customer's bank for good", (matter.dispute, matter.charge)),),
        errands=(
            Errand(
                purposes.REPAIR_MANDATE,
                f"{matter.customer_name}: the bank took back {money}",
                f"The bank of {matter.customer_name} took back {money} for {matter.plan}: {matter.rule.meaning}. "
                f"{_next(running)}Please agree with them on a new mandate or another way to pay before the next debit, "
                "and on how this amount is paid. Do not refund the charge: the bank has returned the money.",
            ),
        ),
    )


def _next(running: Sequence[Evidence]) -> str:
    """Which subscriptions will debit the same account again, and when."""
    told = [
        f"{text(row, 'price__nickname') or row.row.record_id} on {day(at)}"
        for row in running
        if (at := moment(whole(row, "current_period_end"))) is not None
    ]
    return f"The next debit is due for {listed(told)}. " if told else ""
