"""The actions that tell somebody: the customer, the team, the owner of an account, the CRM.

Recipients come from our own records at Stripe and in the CRM, never from what a message says.
"""

from __future__ import annotations

from typing import Protocol

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind
from shared.case.evidence import Evidence
from shared.playbooks.disputes import purposes
from shared.team.exhibits import Exhibits, text


class Party(Protocol):
    """Whoever a case is about, as evidence shows them."""

    @property
    def exhibits(self) -> Exhibits:
        """The evidence of the case."""
        ...

    @property
    def customer(self) -> Evidence | None:
        """The customer at Stripe, if one is known."""
        ...

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        ...


def recipient(party: Party, wanted: str = "") -> str:
    """The customer's own address at Stripe, else the first contact in the CRM; empty where neither has one.

    `wanted`, the address that wrote to us, is taken where one of these records holds it.
    """
    contacts = party.exhibits.rows("hubspot.contacts", "salesforce.contacts")
    known = [text(party.customer, "email") if party.customer else "", *(text(row, "email") for row in contacts)]
    held = [address for address in known if address]
    same = [address for address in held if address.lower() == wanted.strip().lower()]
    return next(iter([*same, *held]), "")


def customer_email(
    *, to: str, subject: str, body: str, purpose: str, description: str, after: str | None = None
) -> ActionDraft:
    """A message to the customer; `after`: the purpose of the action that must have succeeded before."""
    waits = (Dependency(kind=DependencyKind.ACTION, ref=after),) if after else ()
    return ActionDraft(
        kind=ActionKind.CUSTOMER_EMAIL,
        purpose=purpose,
        target=to,
        payload={"to": to, "subject": subject, "body_text": body},
        description=description,
        depends_on=waits,
    )


def crm_note(party: Party, summary: str, round: int) -> ActionDraft | None:
    """Record the decision of a round at the customer's account. None without an account that the CRM itself gave us."""
    companies = party.exhibits.rows("hubspot.companies") or party.exhibits.rows("salesforce.accounts")
    if not companies:
        return None
    company = companies[0].row
    return ActionDraft(
        kind=ActionKind.CRM_NOTE,
        purpose=purposes.in_round(purposes.NOTE, round),
        target=company.record_id,
        payload={"crm": company.source, "company_id": company.record_id, "body": summary},
        description=f"Note the decision at {party.customer_name} in the CRM",
        needed=False,
    )


def slack_brief(channel: str, summary: str, round: int) -> ActionDraft:
    """Tell the team of the decision of a round, in the org's channel."""
    return ActionDraft(
        kind=ActionKind.SLACK_BRIEF,
        purpose=purposes.in_round(purposes.BRIEF, round),
        target=channel,
        payload={"channel": channel, "text": summary},
        description=f"Post the brief to {channel}",
        needed=False,
    )
