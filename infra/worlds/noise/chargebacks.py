"""Other customers' disputes, refunds and fraud warnings: all of them ended, none of them telling."""

from __future__ import annotations

from datetime import datetime, timedelta

from infra.worlds.noise.dice import Dice, epoch
from infra.worlds.tables import Row, Tables

_REASONS = (
    ("fraudulent", "10.4"),
    ("subscription_canceled", "13.2"),
    ("product_not_received", "13.1"),
    ("general", "12.5"),
)
_DAY = 24 * 60
_FEE = 1500


def dispute(dice: Dice, charge: Row, at: datetime, tables: Tables, *, won: bool) -> None:
    """A chargeback on a charge of `at`, opened within four weeks and ruled on some ten weeks later."""
    reason, code = dice.pick(_REASONS)
    opened = dice.later(at, 3 * _DAY, 28 * _DAY)
    charge["disputed"] = True
    found: Row = {
        "id": dice.stripe_id("du"),
        "amount": charge["amount"],
        "currency": charge["currency"],
        "charge": charge["id"],
        "payment_intent": charge["payment_intent"],
        "reason": reason,
        "status": "won" if won else "lost",
        "created": epoch(opened),
        "is_charge_refundable": won,
        "livemode": False,
        "metadata": {},
        "evidence_details__due_by": epoch(opened + timedelta(days=14)),
        "evidence_details__has_evidence": won,
        "evidence_details__past_due": not won,
        "evidence_details__submission_count": int(won),
        "payment_method_details__type": "card",
        "payment_method_details__card__brand": "visa",
        "payment_method_details__card__case_type": "chargeback",
        "payment_method_details__card__network_reason_code": code,
    }
    tables["stripe.disputes"].append(found)
    amount = int(str(charge["amount"]))
    movements = tables["stripe.balance_transactions"]
    movements.append(movement(dice, found, -amount, _FEE, opened))
    if won:
        movements.append(movement(dice, found, amount, 0, dice.later(opened, 65 * _DAY, 80 * _DAY)))


def refund(dice: Dice, charge: Row, at: datetime, tables: Tables) -> None:
    """A refund in full of a charge of `at`, within two weeks."""
    charge["amount_refunded"], charge["refunded"] = charge["amount"], True
    tables["stripe.refunds"].append(
        {
            "id": dice.stripe_id("re"),
            "amount": charge["amount"],
            "currency": charge["currency"],
            "charge": charge["id"],
            "payment_intent": charge["payment_intent"],
            "reason": "requested_by_customer",
            "status": "succeeded",
            "created": epoch(dice.later(at, _DAY, 14 * _DAY)),
            "metadata": {},
        }
    )


def warning(dice: Dice, charge: Row, at: datetime, tables: Tables) -> None:
    """A fraud warning that came before the dispute on the same charge."""
    tables["stripe.early_fraud_warnings"].append(
        {
            "id": dice.stripe_id("issfr"),
            "charge": charge["id"],
            "payment_intent": charge["payment_intent"],
            "fraud_type": "unauthorized_use_of_card",
            "actionable": False,
            "created": epoch(dice.later(at, 300, 2 * _DAY)),
        }
    )


def movement(dice: Dice, source: Row, amount: int, fee: int, at: datetime) -> Row:
    """A balance transaction of a charge or a dispute; `amount` and `fee` in minor units."""
    charged = str(source["id"]).startswith("ch_")
    return {
        "id": dice.stripe_id("txn"),
        "amount": amount,
        "fee": fee,
        "net": amount - fee,
        "currency": source["currency"],
        "type": "charge" if charged else "adjustment",
        "source": source["id"],
        "reporting_category": "charge" if charged else "dispute",
        "created": epoch(at),
        "available_on": epoch(at + timedelta(days=2)),
    }
