"""The drafted actions of a decision, from the remedy table: what each would do, to what, and after what."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind, Json
from shared.case.evidence import Evidence
from shared.case.money import currency_code
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.packet import packet
from shared.playbooks.disputes.ruling import Ruling
from shared.team.exhibits import text
from shared.team.words import day, feature, listed

STAGE, SUBMIT, REFUND, EMAIL, NOTE, BRIEF = (
    "stage_evidence",
    "submit_evidence",
    "refund_owed_after_win",
    "tell_customer_of_refund",
    "note_decision",
    "brief_team",
)
"""Purposes: how the actions of a draft refer to each other."""

WON = "dispute.won"


def contest(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    """Stage the packet once its submission is approved, then submit it. Raises InvalidInput when it breaks a limit."""
    payload: dict[str, Json] = {"dispute": matter.dispute.row.record_id, "evidence": {**packet(matter, seen, ruling)}}
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    snapshot = _dispute_snapshot(matter)
    return [
        ActionDraft(
            kind=ActionKind.STRIPE_STAGE_EVIDENCE,
            purpose=STAGE,
            target=matter.dispute.row.record_id,
            account=matter.case.subject.account,
            payload=payload,
            description=f"Stage the evidence against the chargeback of {disputed}, without submitting it",
            depends_on=(Dependency(kind=DependencyKind.APPROVAL, ref=SUBMIT),),
            snapshot=snapshot,
        ),
        ActionDraft(
            kind=ActionKind.STRIPE_SUBMIT_EVIDENCE,
            purpose=SUBMIT,
            target=matter.dispute.row.record_id,
            account=matter.case.subject.account,
            at_risk_minor=matter.disputed_minor,
            at_risk_currency=currency_code(matter.dispute_currency),
            payload=payload,
            description=f"Submit the evidence against the chargeback of {disputed}; the bank takes it once",
            depends_on=(Dependency(kind=DependencyKind.ACTION, ref=STAGE),),
            snapshot=snapshot,
        ),
    ]


def refund_after_win(matter: Matter, credit: Credit) -> ActionDraft:
    """Pay what is owed as a refund on the charge, once the dispute is won; if it is lost, nothing more is paid."""
    owed = credit.derivation.value_minor
    charge = matter.charge.row.record_id
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=REFUND,
        target=charge,
        account=matter.case.subject.account,
        amount_minor=owed,
        currency=currency_code(matter.currency),
        payload={
            "charge": charge,
            "dispute": matter.dispute.row.record_id,
            "amount_minor": owed,
            "currency": currency_code(matter.currency),
            "reason": "requested_by_customer",
        },
        description=f"Refund {matter.money(owed)} of {matter.money(matter.paid_minor)} once the dispute is won",
        depends_on=(Dependency(kind=DependencyKind.OUTCOME, ref=WON),),
        snapshot={
            "charge.amount": matter.paid_minor,
            "charge.amount_refunded": matter.charge.row.fields.get("amount_refunded"),
            "charge.currency": text(matter.charge, "currency"),
            "dispute.status": text(matter.dispute, "status"),
        },
    )


def tell_customer(matter: Matter, credit: Credit) -> ActionDraft | None:
    """Tell the customer of the refund, after it. None without an address that our own records hold."""
    recipient = _recipient(matter)
    if not recipient:
        return None
    owed = matter.money(credit.derivation.value_minor)
    features = listed(sorted({feature(item.service) for item in credit.troubles}))
    start, end = credit.windows[0].start, credit.windows[-1].end
    when = f"on {day(start)}" if start.date() == end.date() else f"from {day(start)} to {day(end)}"
    body = (
        f"Hello,\n\n{when} {features} did not work as it should have. We are sorry about that.\n\n"
        f"We have refunded {owed} to the card you paid with. That is the share of your {matter.plan} payment of "
        f"{matter.money(matter.paid_minor)} for that time ({credit.derivation.words}). It usually takes five to ten "
        "business days until the bank shows it.\n\nIf anything about this is unclear, just reply to this message."
    )
    return ActionDraft(
        kind=ActionKind.CUSTOMER_EMAIL,
        purpose=EMAIL,
        target=recipient,
        payload={"to": recipient, "subject": f"Your refund of {owed}", "body_text": body},
        description=f"Tell {recipient} that {owed} were refunded, once they were",
        depends_on=(Dependency(kind=DependencyKind.ACTION, ref=REFUND),),
    )


def crm_note(matter: Matter, summary: str) -> ActionDraft | None:
    """Record the decision at the customer's account. None without an account that the CRM itself gave us."""
    companies = matter.exhibits.rows("hubspot.companies") or matter.exhibits.rows("salesforce.accounts")
    if not companies:
        return None
    company = companies[0].row
    return ActionDraft(
        kind=ActionKind.CRM_NOTE,
        purpose=NOTE,
        target=company.record_id,
        payload={"crm": company.source, "company_id": company.record_id, "body": summary},
        description=f"Note the decision at {matter.customer_name} in the CRM",
        needed=False,
    )


def slack_brief(channel: str, summary: str) -> ActionDraft:
    """Tell the team, in the org's channel."""
    return ActionDraft(
        kind=ActionKind.SLACK_BRIEF,
        purpose=BRIEF,
        target=channel,
        payload={"channel": channel, "text": summary},
        description=f"Post the brief to {channel}",
        needed=False,
    )


def _dispute_snapshot(matter: Matter) -> dict[str, Json]:
    fields = matter.dispute.row.fields
    return {
        "dispute.status": fields.get("status"),
        "dispute.amount": fields.get("amount"),
        "dispute.currency": fields.get("currency"),
        "dispute.charge": fields.get("charge"),
        "dispute.submission_count": fields.get("evidence_details__submission_count"),
    }


def _recipient(matter: Matter) -> str:
    """The customer's own address at Stripe, else the first contact in the CRM; never one from a message."""
    contacts: list[Evidence] = matter.exhibits.rows("hubspot.contacts", "salesforce.contacts")
    stripe = text(matter.customer, "email") if matter.customer else ""
    return stripe or next((address for row in contacts if (address := text(row, "email"))), "")
