"""Earlier payments with the same card, and the checkouts behind them: what speaks against a claim of fraud."""

from __future__ import annotations

from datetime import timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import charges
from shared.playbooks.disputes.analysts.charges import Paid
from shared.playbooks.disputes.codes import OF_FRAUD, lookup
from shared.playbooks.disputes.compelling import MOST_DAYS
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import one_of, quote
from shared.team.tools import Tools

MOST_CHARGES = 20


def ask(job: Job, tools: Tools, dispute: Row, charge: Row) -> list[Paid]:
    """Earlier charges on the card and the customer's own, for a claim of fraud alone.

    The caller reads what is disputed of them.
    """
    brand, code, reason = (
        str(dispute.get(name) or "")
        for name in (
            "payment_method_details__card__brand",
            "payment_method_details__card__network_reason_code",
            "reason",
        )
    )
    if lookup(brand, code, reason).family not in OF_FRAUD:
        return []
    rows = [*_with_the_card(tools, charge), *_of_the_customer(tools, charge)]
    unique = {str(row["id"]): row for row in rows if row["id"] != charge.get("id")}
    earlier = [Paid.of(row) for row in unique.values()]
    intents = [item.intent for item in [Paid.of(charge), *earlier] if item.intent]
    tools.gather(
        "the checkouts of these payments",
        "SELECT e.id, e.event, e.person_email, e.timestamp, e.ip, e.device_id, e.properties FROM posthog.events e "
        "WHERE e.event = 'checkout_completed' AND "
        f"json_extract_string(e.properties, '$.payment_intent') IN {one_of(intents)} ORDER BY e.timestamp, e.id",
        table="posthog.events",
        limit=2 * MOST_CHARGES + 1,
    )
    return earlier


def _with_the_card(tools: Tools, charge: Row) -> tuple[Row, ...]:
    card, paid_at = charge.get("payment_method_details__card__fingerprint"), charge.get("created")
    if not card or not isinstance(paid_at, int):
        return ()
    since = paid_at - int(timedelta(days=MOST_DAYS + 1).total_seconds())
    answer = tools.gather(
        "earlier payments with the card",
        f"SELECT {charges.CHARGE} FROM stripe.charges "
        f"WHERE payment_method_details__card__fingerprint = {quote(str(card))} AND created >= {since} "
        f"AND created < {paid_at} AND status = 'succeeded' ORDER BY created DESC, id",
        table="stripe.charges",
        limit=MOST_CHARGES,
    )
    return answer.rows[:MOST_CHARGES]


def _of_the_customer(tools: Tools, charge: Row) -> tuple[Row, ...]:
    """What the customer has ever paid: a small sum is worth less than a contest."""
    customer = charge.get("customer")
    if not customer:
        return ()
    answer = tools.gather(
        labels.CHARGES,
        f"SELECT {charges.CHARGE} FROM stripe.charges WHERE customer = {quote(str(customer))} "
        "AND status = 'succeeded' ORDER BY created DESC, id",
        table="stripe.charges",
        limit=MOST_CHARGES,
    )
    return answer.rows[:MOST_CHARGES]
