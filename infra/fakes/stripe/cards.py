"""What a card says when an invoice is charged to it: paid, authentication required, or a decline.

Sources: docs.stripe.com/declines/codes, docs.stripe.com/testing and docs.stripe.com/api/errors.
"""

from __future__ import annotations

PAID = "paid"
REQUIRES_ACTION = "requires_action"

DECLINES = frozenset(
    (
        "approve_with_id",
        "call_issuer",
        "card_not_supported",
        "card_velocity_exceeded",
        "currency_not_supported",
        "do_not_honor",
        "do_not_try_again",
        "duplicate_transaction",
        "expired_card",
        "fraudulent",
        "generic_decline",
        "incorrect_cvc",
        "insufficient_funds",
        "invalid_account",
        "invalid_amount",
        "issuer_not_available",
        "lost_card",
        "merchant_blacklist",
        "new_account_information_available",
        "no_action_taken",
        "not_permitted",
        "pickup_card",
        "processing_error",
        "reenter_transaction",
        "restricted_card",
        "revocation_of_all_authorizations",
        "revocation_of_authorization",
        "security_violation",
        "service_not_allowed",
        "stolen_card",
        "stop_payment_order",
        "testmode_decline",
        "transaction_not_allowed",
        "try_again_later",
        "withdrawal_count_limit_exceeded",
    )
)
OUTCOMES = DECLINES | {PAID, REQUIRES_ACTION}

_TEST_CARDS = {
    "pm_card_authenticationRequired": REQUIRES_ACTION,
    "pm_card_chargeCustomerFail": "generic_decline",
    "pm_card_chargeDeclinedExpiredCard": "expired_card",
    "pm_card_chargeDeclinedProcessingError": "processing_error",
    "pm_card_visa_chargeDeclined": "generic_decline",
    "pm_card_visa_chargeDeclinedInsufficientFunds": "insufficient_funds",
    "pm_card_visa_chargeDeclinedLostCard": "lost_card",
    "pm_card_visa_chargeDeclinedStolenCard": "stolen_card",
}
"""Stripe's test payment methods that do not simply pay."""
_CODES_OF_THEIR_OWN = ("expired_card", "incorrect_cvc", "processing_error")
_MESSAGES = {
    "card_not_supported": "Your card is not supported.",
    "expired_card": "Your card has expired.",
    "incorrect_cvc": "Your card's security code is incorrect.",
    "insufficient_funds": "Your card has insufficient funds.",
    "processing_error": "An error occurred while processing your card. Try again in a little bit.",
}


def outcome(chosen: str | None, payment_method: str | None) -> str:
    """What an attempt leads to: what was chosen for the invoice, else what the test card stands for, else `paid`."""
    return chosen or _TEST_CARDS.get(payment_method or "", PAID)


def error_code(decline: str) -> str:
    """The `code` of the error for a decline code; most are `card_declined`."""
    return decline if decline in _CODES_OF_THEIR_OWN else "card_declined"


def message(decline: str) -> str:
    """What the customer is told; a lost or stolen card is not called that."""
    return _MESSAGES.get(decline, "Your card was declined.")
