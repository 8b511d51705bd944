"""The claim families: what the cardholder's bank alleges decides which rules weigh the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from shared.playbooks.disputes.claims import (
    authorization,
    bank_debit,
    cancellation,
    compliance,
    credit_not_processed,
    duplicate,
    fraud,
    general,
    processing_error,
    service,
    unrecognized,
)
from shared.playbooks.disputes.claims.model import Ruler
from shared.playbooks.disputes.codes import Family

RULERS: Mapping[Family, Ruler] = {
    Family.FRAUD: fraud.rule,
    Family.UNRECOGNIZED: unrecognized.rule,
    Family.SUBSCRIPTION_CANCELED: cancellation.rule,
    Family.NOT_RECEIVED: service.rule,
    Family.NOT_AS_DESCRIBED: service.rule,
    Family.DUPLICATE: duplicate.rule,
    Family.CREDIT_NOT_PROCESSED: credit_not_processed.rule,
    Family.PROCESSING_ERROR: processing_error.rule,
    Family.AUTHORIZATION: authorization.rule,
    Family.COMPLIANCE: compliance.rule,
    Family.BANK_DEBIT: bank_debit.rule,
    Family.GENERAL: general.rule,
}
"""The rules of each family; a family without rules of its own is admitted, or refused, as a claim about the service."""
