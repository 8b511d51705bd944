"""What contesting is worth: the arithmetic, for whoever decides."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.case.money import MissingRate
from shared.playbooks.disputes import economics
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.claims.worth import figures_page, worth_of
from shared.playbooks.disputes.findings.claim import WEAK, claimed
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.stages import Stage


def worth(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """The expected value of contesting against accepting; None for what is no open chargeback, or without a rate."""
    row = matter.exhibits.one(economics.TABLE, economics.RECORD)
    if matter.stage is not Stage.OPEN or row is None:
        return None
    try:
        weighed = worth_of(matter, seen, ruling)
    except MissingRate:
        return None
    page = figures_page(seen)
    return claimed(weighed.words, WEAK, matter.dispute, row, page.evidence if page else None)
