"""From evidence to a draft: each kind of case has its own synthesizer, and all draft in the same way."""

from __future__ import annotations

from collections.abc import Callable

from shared.playbooks.disputes import contest
from shared.playbooks.disputes.failed_invoices import synthesis as failed_invoices
from shared.playbooks.disputes.fraud_warnings import synthesis as fraud_warnings
from shared.playbooks.disputes.requests import synthesis as requests
from shared.team.contract import Draft, Material

_BY_SUBJECT: dict[str, Callable[[Material], Draft]] = {
    "dispute": contest.synthesize,
    "early_fraud_warning": fraud_warnings.synthesize,
    "invoice": failed_invoices.synthesize,
    "request": requests.synthesize,
}


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    return _BY_SUBJECT[material.case.subject.kind](material)
