"""The rule base of the card networks: what a dispute code means, what decides it, and where we stand by default."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SOURCE = "docs.stripe.com/disputes/categories and /disputes/reason-codes-defense-requirements (read 2026-05)"


class Family(StrEnum):
    """What a dispute claims, across networks. Stripe's `reason` is coarser: decide on the network code."""

    FRAUD = "fraud"
    UNRECOGNIZED = "unrecognized"
    SUBSCRIPTION_CANCELED = "subscription_canceled"
    NOT_RECEIVED = "product_not_received"
    NOT_AS_DESCRIBED = "product_unacceptable"
    CREDIT_NOT_PROCESSED = "credit_not_processed"
    DUPLICATE = "duplicate"
    PROCESSING_ERROR = "processing_error"
    AUTHORIZATION = "authorization"
    COMPLIANCE = "compliance"
    INQUIRY = "inquiry"
    BANK_DEBIT = "bank_debit"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class NetworkCode:
    """One code of one network. `network` is any where the code is Stripe's own `reason`."""

    network: str
    code: str
    family: Family
    meaning: str
    evidence_fields: tuple[str, ...]
    stance: str
    source: str = SOURCE

    @property
    def id(self) -> str:
        """Its name in the rule base, e.g. visa-13.3."""
        return f"{self.network}-{self.code}"


_USE = ("access_activity_log", "service_date")
_FIELDS: dict[Family, tuple[str, ...]] = {
    Family.FRAUD: ("customer_purchase_ip", "access_activity_log", "customer_name", "customer_email_address"),
    Family.UNRECOGNIZED: ("customer_name", "customer_email_address", "access_activity_log", "uncategorized_text"),
    Family.SUBSCRIPTION_CANCELED: ("cancellation_policy_disclosure", "cancellation_rebuttal", "access_activity_log"),
    Family.NOT_RECEIVED: (*_USE, "product_description", "uncategorized_text"),
    Family.NOT_AS_DESCRIBED: ("product_description", *_USE, "refund_policy_disclosure", "uncategorized_text"),
    Family.CREDIT_NOT_PROCESSED: ("refund_policy_disclosure", "refund_refusal_explanation", "uncategorized_text"),
    Family.DUPLICATE: ("duplicate_charge_explanation", "duplicate_charge_id", "uncategorized_text"),
    Family.PROCESSING_ERROR: ("uncategorized_text", "service_date"),
    Family.AUTHORIZATION: ("uncategorized_text",),
    Family.COMPLIANCE: (),
    Family.INQUIRY: ("uncategorized_text",),
    Family.BANK_DEBIT: (),
    Family.GENERAL: ("uncategorized_text", "product_description", *_USE),
}
LIKE_FRAUD = frozenset({Family.FRAUD, Family.UNRECOGNIZED})
"""Who says that they do not know a payment says that they did not make it: the same evidence speaks against both."""

_STANCE: dict[Family, str] = {
    Family.FRAUD: "contest with Visa CE 3.0 or a successful 3DS check; otherwise by value",
    Family.UNRECOGNIZED: "contest with what shows who paid: their use, descriptor and receipt; otherwise as fraud",
    Family.SUBSCRIPTION_CANCELED: "accept if any channel holds a cancellation request; otherwise contest with the use",
    Family.NOT_RECEIVED: "contest with use in the period; settle if an outage is on record",
    Family.NOT_AS_DESCRIBED: "an incident in the period leans to a settlement; otherwise contest with the use",
    Family.CREDIT_NOT_PROCESSED: "contest if the refund was made or none is owed; otherwise accept",
    Family.DUPLICATE: "compare the invoices first; a true duplicate is accepted",
    Family.PROCESSING_ERROR: "a true error is accepted",
    Family.AUTHORIZATION: "accept unless a valid approval is on record",
    Family.COMPLIANCE: "a person decides: contesting costs 500 USD extra",
    Family.INQUIRY: "answer briefly with facts, or refund in full",
    Family.BANK_DEBIT: "usually final: accept and repair the mandate, never refund as well",
    Family.GENERAL: "a person reads the claim",
}

_F = Family
_TABLE: tuple[tuple[str, str, Family, str], ...] = (
    ("visa", "10.1", _F.FRAUD, "chip liability shift, counterfeit"),
    ("visa", "10.2", _F.FRAUD, "chip liability shift, other fraud"),
    ("visa", "10.3", _F.FRAUD, "other fraud, card present"),
    ("visa", "10.4", _F.FRAUD, "other fraud, card absent"),
    ("visa", "10.5", _F.FRAUD, "Visa fraud monitoring programme"),
    ("visa", "11.1", _F.AUTHORIZATION, "card recovery bulletin"),
    ("visa", "11.2", _F.AUTHORIZATION, "declined authorisation"),
    ("visa", "11.3", _F.AUTHORIZATION, "no authorisation"),
    ("visa", "12.1", _F.PROCESSING_ERROR, "late presentment"),
    ("visa", "12.2", _F.PROCESSING_ERROR, "incorrect transaction code"),
    ("visa", "12.3", _F.PROCESSING_ERROR, "incorrect currency"),
    ("visa", "12.4", _F.PROCESSING_ERROR, "incorrect account number"),
    ("visa", "12.5", _F.PROCESSING_ERROR, "incorrect amount"),
    ("visa", "12.6.1", _F.DUPLICATE, "duplicate processing"),
    ("visa", "12.6.2", _F.DUPLICATE, "paid by other means"),
    ("visa", "12.7", _F.PROCESSING_ERROR, "invalid data"),
    ("visa", "13.1", _F.NOT_RECEIVED, "merchandise or services not received"),
    ("visa", "13.2", _F.SUBSCRIPTION_CANCELED, "cancelled recurring transaction"),
    ("visa", "13.3", _F.NOT_AS_DESCRIBED, "not as described or defective merchandise or services"),
    ("visa", "13.4", _F.NOT_AS_DESCRIBED, "counterfeit merchandise"),
    ("visa", "13.5", _F.NOT_AS_DESCRIBED, "misrepresentation"),
    ("visa", "13.6", _F.CREDIT_NOT_PROCESSED, "credit not processed"),
    ("visa", "13.7", _F.SUBSCRIPTION_CANCELED, "cancelled merchandise or services"),
    ("visa", "13.8", _F.CREDIT_NOT_PROCESSED, "original credit transaction not accepted"),
    ("visa", "13.9", _F.NOT_RECEIVED, "non-receipt of cash or load transaction value"),
    ("visa", "28", _F.INQUIRY, "cardholder request for a copy"),
    ("visa", "30", _F.INQUIRY, "cardholder disputes, request for information"),
    ("visa", "33", _F.INQUIRY, "fraud analysis request"),
    ("visa", "34", _F.INQUIRY, "legal process request"),
    ("mastercard", "4808", _F.AUTHORIZATION, "authorisation-related chargeback"),
    ("mastercard", "4831", _F.PROCESSING_ERROR, "transaction amount differs"),
    ("mastercard", "4834", _F.DUPLICATE, "point-of-interaction error"),
    ("mastercard", "4837", _F.FRAUD, "no cardholder authorisation"),
    ("mastercard", "4841", _F.SUBSCRIPTION_CANCELED, "cancelled recurring or digital goods"),
    ("mastercard", "4849", _F.FRAUD, "questionable merchant activity"),
    ("mastercard", "4853", _F.NOT_AS_DESCRIBED, "cardholder dispute"),
    ("mastercard", "4855", _F.NOT_RECEIVED, "goods or services not provided"),
    ("mastercard", "4860", _F.CREDIT_NOT_PROCESSED, "credit not processed"),
    ("mastercard", "4863", _F.UNRECOGNIZED, "cardholder does not recognise"),
    ("mastercard", "4870", _F.FRAUD, "chip liability shift"),
    ("mastercard", "4871", _F.FRAUD, "chip and PIN liability shift"),
    ("amex", "A01", _F.PROCESSING_ERROR, "charge amount exceeds the authorised amount"),
    ("amex", "A02", _F.AUTHORIZATION, "no valid authorisation"),
    ("amex", "A08", _F.AUTHORIZATION, "authorisation approval expired"),
    ("amex", "C02", _F.CREDIT_NOT_PROCESSED, "credit not processed"),
    ("amex", "C04", _F.CREDIT_NOT_PROCESSED, "goods or services returned or refused"),
    ("amex", "C05", _F.CREDIT_NOT_PROCESSED, "goods or services cancelled"),
    ("amex", "C08", _F.NOT_RECEIVED, "goods or services not received"),
    ("amex", "C14", _F.DUPLICATE, "paid by other means"),
    ("amex", "C28", _F.SUBSCRIPTION_CANCELED, "cancelled recurring billing"),
    ("amex", "C31", _F.NOT_AS_DESCRIBED, "goods or services not as described"),
    ("amex", "C32", _F.NOT_AS_DESCRIBED, "goods or services damaged or defective"),
    ("amex", "F10", _F.FRAUD, "missing imprint"),
    ("amex", "F24", _F.FRAUD, "multiple charges without authority"),
    ("amex", "F29", _F.FRAUD, "card not present"),
    ("amex", "FR2", _F.FRAUD, "fraud full recourse programme"),
    ("amex", "FR4", _F.FRAUD, "immediate chargeback programme"),
    ("amex", "FR6", _F.FRAUD, "partial immediate chargeback programme"),
    ("amex", "P05", _F.PROCESSING_ERROR, "incorrect charge amount"),
    ("amex", "P08", _F.DUPLICATE, "duplicate charge"),
    ("amex", "R03", _F.GENERAL, "insufficient reply to an inquiry"),
    ("amex", "R13", _F.GENERAL, "no reply to an inquiry"),
    ("amex", "127", _F.INQUIRY, "cardholder does not recognise the charge"),
    ("amex", "155", _F.INQUIRY, "goods or services not received"),
    ("amex", "175", _F.INQUIRY, "credit not processed"),
    ("amex", "176", _F.INQUIRY, "card-absent charge not recognised"),
    ("amex", "177", _F.INQUIRY, "unauthorised charge"),
    ("amex", "680", _F.INQUIRY, "amount differs"),
    ("amex", "691", _F.INQUIRY, "request for supporting documents"),
    ("discover", "4534", _F.DUPLICATE, "duplicate processing"),
    ("discover", "4541", _F.SUBSCRIPTION_CANCELED, "cancelled recurring payment"),
    ("discover", "4553", _F.NOT_AS_DESCRIBED, "cardholder disputes the quality of goods or services"),
    ("discover", "4752", _F.UNRECOGNIZED, "does not recognise"),
    ("discover", "4755", _F.NOT_RECEIVED, "non-receipt of goods or services"),
    ("discover", "4863", _F.AUTHORIZATION, "authorisation non-compliance"),
    ("discover", "4865", _F.DUPLICATE, "paid by other means"),
    ("discover", "6005", _F.INQUIRY, "request for transaction documents, dispute"),
    ("discover", "6021", _F.INQUIRY, "transaction documentation request"),
    ("discover", "6040", _F.INQUIRY, "good faith investigation"),
    ("discover", "6041", _F.INQUIRY, "transaction documentation request for fraud analysis"),
    ("discover", "7010", _F.FRAUD, "fraud, card present"),
    ("discover", "7030", _F.FRAUD, "fraud, card absent"),
    ("discover", "8002", _F.CREDIT_NOT_PROCESSED, "credit not processed"),
    ("any", "bank_cannot_process", _F.BANK_DEBIT, "the customer's bank cannot process the debit"),
    ("any", "check_returned", _F.BANK_DEBIT, "check returned"),
    ("any", "credit_not_processed", _F.CREDIT_NOT_PROCESSED, "a credit or refund was expected"),
    ("any", "debit_not_authorized", _F.BANK_DEBIT, "debit not authorised"),
    ("any", "duplicate", _F.DUPLICATE, "charged more than once"),
    ("any", "fraudulent", _F.FRAUD, "the cardholder says they did not make the payment"),
    ("any", "incorrect_account_details", _F.BANK_DEBIT, "incorrect account details"),
    ("any", "insufficient_funds", _F.BANK_DEBIT, "insufficient funds"),
    ("any", "noncompliant", _F.COMPLIANCE, "the network alleges a breach of its rules"),
    ("any", "product_not_received", _F.NOT_RECEIVED, "goods or services not received"),
    ("any", "product_unacceptable", _F.NOT_AS_DESCRIBED, "goods or services defective or not as described"),
    ("any", "subscription_canceled", _F.SUBSCRIPTION_CANCELED, "charged after a cancellation"),
    ("any", "unrecognized", _F.UNRECOGNIZED, "the cardholder does not recognise the payment"),
    ("any", "general", _F.GENERAL, "no category given"),
)

CODES: dict[tuple[str, str], NetworkCode] = {
    (network, code): NetworkCode(network, code, family, meaning, _FIELDS[family], _STANCE[family])
    for network, code, family, meaning in _TABLE
}

_NETWORK_NAMES = {
    "american_express": "amex",
    "american express": "amex",
    "master_card": "mastercard",
    "mc": "mastercard",
}


def lookup(network: str | None, code: str | None, reason: str | None) -> NetworkCode:
    """The rule for a dispute: by its network code, else by Stripe's reason, else the general one.

    Mastercard 4853 covers many claims, so Stripe's reason refines it; a compliance case is one whatever its code.
    """
    name = (network or "").strip().lower()
    name = _NETWORK_NAMES.get(name, name)
    by_code = CODES.get((name, (code or "").strip().upper()))
    by_reason = CODES.get(("any", (reason or "").strip().lower()), CODES[("any", "general")])
    if by_reason.family is Family.COMPLIANCE or by_code is None:
        return by_reason
    if by_code.id == "mastercard-4853" and by_reason.code in _CLAIMS_UNDER_4853:
        return NetworkCode(
            by_code.network,
            by_code.code,
            by_reason.family,
            by_reason.meaning,
            by_reason.evidence_fields,
            by_reason.stance,
        )
    return by_code


_CLAIMS_UNDER_4853 = frozenset({"product_not_received", "subscription_canceled", "credit_not_processed"})
