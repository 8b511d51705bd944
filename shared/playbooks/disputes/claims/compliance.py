"""A compliance case of the network: never automatic, since contesting it costs 500 USD that only a win returns."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.evidence import Gap
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.remedies import COMPLIANCE


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Raises Stop, always: with what a person has to weigh."""
    raise Stop(
        (
            COMPLIANCE,
            "whoever contests it has to acknowledge that fee at Stripe; closing it gives up "
            f"{matter.money(matter.disputed_minor, matter.dispute_currency)}",
        ),
        (matter.dispute, matter.charge, *matter.exhibits.rows("rules.network_codes")),
    )
