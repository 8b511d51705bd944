"""The claim families: what the cardholder's bank alleges decides which rules weigh the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from shared.playbooks.disputes.claims import cancellation, fraud, service, unrecognized
from shared.playbooks.disputes.claims.model import Ruler
from shared.playbooks.disputes.codes import Family

RULERS: Mapping[Family, Ruler] = {
    Family.FRAUD: fraud.rule,
    Family.UNRECOGNIZED: unrecognized.rule,
    Family.SUBSCRIPTION_CANCELED: cancellation.rule,
    Family.NOT_RECEIVED: service.rule,
    Family.NOT_AS_DESCRIBED: service.rule,
}
"""The rules of each family; a family without rules of its own is admitted, or refused, as a claim about the service."""
