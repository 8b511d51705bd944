"""How money that a policy owes is given: the parameter `instrument` of every rule that answers a request with money."""

from __future__ import annotations

from enum import StrEnum

from shared.playbooks.disputes.policy_rules.reading import one_of


class Instrument(StrEnum):
    """`charge_refund`: back to the card. `account_credit`: to the customer's balance at Stripe, off the next invoices,
    never paid out. A credit note lowers an invoice on paper as well, as tax has to be: `credit_note_refund` gives it
    back to the card, `credit_note_balance` to the balance.
    """

    CHARGE_REFUND = "charge_refund"
    ACCOUNT_CREDIT = "account_credit"
    CREDIT_NOTE_REFUND = "credit_note_refund"
    CREDIT_NOTE_BALANCE = "credit_note_balance"

    @property
    def is_credit(self) -> bool:
        """Whether the money stays at Stripe, to be taken off later invoices."""
        return self in (Instrument.ACCOUNT_CREDIT, Instrument.CREDIT_NOTE_BALANCE)


instrument = one_of(*(item.value for item in Instrument))
"""Accepts the name of an instrument."""
