"""Why card payments fail, in families: what each means, who can do something, and whether trying again can help."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SOURCE = "docs.stripe.com/declines/codes (read 2026-05)"


class Family(StrEnum):
    """What stands in the way of the payment."""

    FUNDS = "there was not enough money"
    CARD = "the card cannot be used any more"
    HOLDER = "the bank wants the holder to confirm the payment"
    BANK = "the bank declined without saying why"
    MOMENT = "something went wrong for the moment"
    SUSPECTED = "the bank suspects fraud"
    UNKNOWN = "no reason is known"


@dataclass(frozen=True, slots=True)
class Decline:
    """One decline code. `contact`: the customer has to do something; `retry`: trying again can help by itself."""

    code: str
    family: Family
    contact: bool
    retry: bool


_OF_FAMILY: dict[Family, tuple[bool, bool, tuple[str, ...]]] = {
    Family.FUNDS: (
        True,
        True,
        ("insufficient_funds", "card_velocity_exceeded", "withdrawal_count_limit_exceeded"),
    ),
    Family.CARD: (
        True,
        False,
        (
            "expired_card",
            "lost_card",
            "stolen_card",
            "pickup_card",
            "restricted_card",
            "incorrect_number",
            "invalid_number",
            "incorrect_cvc",
            "invalid_cvc",
            "invalid_expiry_month",
            "invalid_expiry_year",
            "invalid_account",
            "new_account_information_available",
            "card_not_supported",
            "currency_not_supported",
            "revocation_of_authorization",
            "revocation_of_all_authorizations",
            "stop_payment_order",
        ),
    ),
    Family.HOLDER: (True, False, ("authentication_required", "offline_pin_required", "online_or_offline_pin_required")),
    Family.BANK: (
        True,
        False,
        (
            "do_not_honor",
            "generic_decline",
            "card_declined",
            "call_issuer",
            "no_action_taken",
            "not_permitted",
            "transaction_not_allowed",
            "service_not_allowed",
            "security_violation",
        ),
    ),
    Family.MOMENT: (
        False,
        True,
        ("processing_error", "try_again_later", "reenter_transaction", "issuer_not_available", "approve_with_id"),
    ),
    Family.SUSPECTED: (False, False, ("fraudulent", "merchant_blacklist", "highest_risk_level", "elevated_risk_level")),
}

_DECLINES = {
    code: Decline(code, family, contact, retry)
    for family, (contact, retry, codes) in _OF_FAMILY.items()
    for code in codes
}


def lookup(code: str | None) -> Decline:
    """What a code means; one that is not known, or none, tells nothing: the customer is asked, nothing is retried."""
    name = (code or "").strip().lower()
    return _DECLINES.get(name, Decline(name, Family.UNKNOWN, contact=True, retry=False))
