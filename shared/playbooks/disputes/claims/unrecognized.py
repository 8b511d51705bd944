"""A claim that the payment is not recognised: contested where the records show who paid; else as a claim of fraud."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_fraud
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import fraud
from shared.playbooks.disputes.claims.model import FIGHT_WITHOUT_POLICY_PCT, Payer, Ruling, confidence
from shared.playbooks.disputes.claims.service import DAYS_OF_USE
from shared.playbooks.disputes.compelling import compelling
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text
from shared.team.words import count


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest where use, descriptor and receipt show who paid. Raises Stop where neither they nor anything else do."""
    admit_fraud(matter, seen)
    fraud.check_pages(seen)
    payer = payer_of(matter, seen)
    if payer is None:
        return fraud.ruled(matter, seen, gaps)
    days = count(len({use.at.date() for use in payer.uses}), "day")
    reasons = (
        f"who paid is on record: {payer.address} had the receipt, the statement names {payer.descriptor}, and the same "
        f"address used the product on {days}",
        f"the default for this code: {matter.rule.stance}",
    )
    found = compelling(matter, {gap.what for gap in gaps})
    cites = (matter.charge, *(use.evidence for use in payer.uses))
    sure = confidence(FIGHT_WITHOUT_POLICY_PCT, seen, gaps)
    return Ruling(DecisionKind.FIGHT, reasons, sure, cites=cites, compelling=found, payer=payer)


def payer_of(matter: Matter, seen: Assessment) -> Payer | None:
    """The address that had the receipt and used the product, and the name on the statement; None without one of them."""
    address, descriptor = text(matter.charge, "receipt_email").lower(), text(matter.charge, "statement_descriptor")
    used = tuple(use for use in seen.uses if use.person == address)
    if not address or not descriptor or len({use.at.date() for use in used}) < DAYS_OF_USE:
        return None
    return Payer(address, descriptor, used)
