"""A claim that the payment is not recognised: contested where the records show who paid; else as a claim of fraud."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_fraud
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import fraud
from shared.playbooks.disputes.claims.model import FIGHT_WITHOUT_POLICY_PCT, Argument, Ruling, Shown, confidence
from shared.playbooks.disputes.claims.worth import DAYS_OF_USE
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.usage import Use
from shared.team.exhibits import text
from shared.team.words import count, minute


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest where use, descriptor and receipt show who paid. Raises Stop where neither they nor anything else do."""
    admit_fraud(matter, seen)
    address, descriptor = text(matter.charge, "receipt_email").lower(), text(matter.charge, "statement_descriptor")
    used = [use for use in seen.uses if use.person == address]
    days = len({use.at.date() for use in used})
    if not address or not descriptor or days < DAYS_OF_USE:
        return fraud.ruled(matter, seen, gaps)
    told = (
        f'the receipt went to {address}, the card statement says "{descriptor}", and that address used the product on '
        f"{count(days, 'day')} after the payment"
    )
    return Ruling(
        DecisionKind.FIGHT,
        (f"who paid is on record: {told}", f"the default for this code: {matter.rule.stance}"),
        confidence(FIGHT_WITHOUT_POLICY_PCT, seen, gaps),
        shown=(Shown(told, (matter.charge, *[use.evidence for use in used])),),
        argument=_argument(matter, address, descriptor, used),
    )


def _argument(matter: Matter, address: str, descriptor: str, used: Sequence[Use]) -> Argument:
    bought = (matter.paid_at, f"{minute(matter.paid_at)}: the receipt went to {address}.")
    first = (used[0].at, f"{minute(used[0].at)}: {address} began to use what was bought.")
    closing = (
        f'The card statement names us as "{descriptor}". Whoever received the receipt used the product afterwards: the '
        "payment was made by the customer, or with their knowledge."
    )
    return Argument({"customer_email_address": address}, (bought, first), closing)
