"""From evidence about a failed invoice to a draft."""

from __future__ import annotations

from shared.case.actions import ActionKind, Json
from shared.case.brief import DecisionKind
from shared.playbooks.disputes.conclusion import NO_ADDRESS, Conclusion, capital, drafted, unreadable
from shared.playbooks.disputes.established import customer_facts
from shared.playbooks.disputes.failed_invoices.actions import actions
from shared.playbooks.disputes.failed_invoices.bill import Bill, bill_of
from shared.playbooks.disputes.failed_invoices.findings import findings
from shared.playbooks.disputes.failed_invoices.model import Ruling
from shared.playbooks.disputes.failed_invoices.ruling import rule
from shared.playbooks.disputes.matter import Incomplete
from shared.playbooks.disputes.profile import profile
from shared.team.contract import Draft, Material
from shared.team.words import day


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    try:
        bill = bill_of(material)
    except Incomplete as why:
        return unreadable(material, "a failed invoice", str(why))
    ruling = rule(bill, material.gaps)
    does = tuple(actions(bill, ruling))
    unsent = ruling.contact and all(action.kind is not ActionKind.CUSTOMER_EMAIL for action in does)
    conclusion = Conclusion(
        kind=ruling.kind,
        reasons=ruling.reasons,
        confidence_pct=ruling.confidence_pct,
        summary=_summary(bill, ruling),
        question=_question(bill, ruling),
        findings=findings(bill, ruling),
        actions=does,
        notes=("Suspending a customer is never done here: at most a ticket for the owner of the account.",),
        gaps=(NO_ADDRESS,) if unsent else (),
        ways_out=ruling.ways_out,
    )
    return drafted(material, bill, conclusion, _facts(bill, ruling))


def _facts(bill: Bill, ruling: Ruling) -> dict[str, Json]:
    facts: dict[str, Json] = {**customer_facts(bill), **profile(bill, bill.org, bill.case.subject.id)}
    # Said each time: a day that an earlier round waited for is over with it.
    facts["invoice.hold_until"] = int(ruling.hold_until.timestamp()) if ruling.hold_until is not None else None
    if bill.next_attempt is not None:
        facts["invoice.next_payment_attempt"] = int(bill.next_attempt.timestamp())
    return facts


def _summary(bill: Bill, ruling: Ruling) -> str:
    opening = f"{bill.customer_name}: {bill.money(bill.due_minor)} of invoice {bill.number} could not be collected"
    told = f"{opening} (attempt {bill.attempt}). {'. '.join(capital(reason) for reason in ruling.reasons)}."
    return f"{told} A person has to decide." if ruling.kind is DecisionKind.ESCALATE else told


def _question(bill: Bill, ruling: Ruling) -> str:
    due = bill.money(bill.due_minor)
    if ruling.hold_until is not None:
        return (
            f"Shall the {due} wait until {day(ruling.hold_until)}, when they usually have the money? Trying earlier "
            "most likely fails again. The alternative is to ask them now."
        )
    if ruling.kind is DecisionKind.RECOVER:
        return (
            f"Shall we follow up the {due} like this? Writing too early costs goodwill, waiting costs days; "
            "trying a card again that cannot be used makes the bank trust us less. The alternative is that the "
            "owner calls first."
        )
    return f"What shall become of the {due} that could not be collected? {'; '.join(ruling.reasons)}."
