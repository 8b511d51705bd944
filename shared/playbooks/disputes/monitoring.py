"""How close the account is to the monitoring programmes of the card networks, which count disputes and fraud reports.

They count by month: Mastercard from 100 chargebacks and 1.5 % of the payments, Visa from 1,500 disputes and fraud
reports together and 1.5 %. Close is half of that share with three quarters of the smaller count: both numbers, like the
programmes' own, are figures of the rule base (vamp.*, ecm.*, hecm.*, efm.*, monitoring.close.*).
"""

from __future__ import annotations

from datetime import timedelta

from shared.case.evidence import Evidence
from shared.playbooks.disputes.figures import figure
from shared.playbooks.disputes.rulebase import sources
from shared.team.exhibits import Exhibits, whole

SOURCE = "; ".join(str(sources()[name]) for name in ("vamp", "mastercard-monitoring", "stripe-comfort"))
TABLE, RECORD = "rules.monitoring", "last-30-days"
PERIOD = timedelta(days=30)
CLOSE_COUNT = figure("monitoring.close.count")
CLOSE_PER_TEN_THOUSAND = figure("monitoring.close.share")


def figures(exhibits: Exhibits) -> Evidence | None:
    """The counts of the last 30 days; None where they could not be read."""
    row = exhibits.one(TABLE, RECORD)
    return row if row is not None and None not in (_reported(row), whole(row, "payments")) else None


def is_close(row: Evidence) -> bool:
    """Whether these counts are close to a threshold."""
    reported = _reported(row) or 0
    return reported >= CLOSE_COUNT and reported * 10_000 >= CLOSE_PER_TEN_THOUSAND * (whole(row, "payments") or 0)


def in_words(row: Evidence) -> str:
    """3 disputes and warnings on 41 payments in 30 days."""
    return f"{_reported(row)} disputes and warnings on {whole(row, 'payments')} payments in {PERIOD.days} days"


def _reported(row: Evidence) -> int | None:
    disputes, warnings = whole(row, "disputes"), whole(row, "warnings")
    return None if disputes is None or warnings is None else disputes + warnings
