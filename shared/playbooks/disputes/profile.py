"""What the rules of an approval policy may ask about a customer, as far as evidence tells it.

What is not known exactly is left out: a rule that asks for it then asks for people.
"""

from __future__ import annotations

from shared.case.actions import Json
from shared.case.money import exponent
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.telling import Party
from shared.ports.directory import Org
from shared.team import language
from shared.team.exhibits import decimal, text


def profile(party: Party, org: Org, subject_id: str) -> dict[str, Json]:
    """`customer_arr_minor` (org's currency), `prior_disputes` and `untrusted_flags`; each only where it is known."""
    facts: dict[str, Json] = {"untrusted_flags": _untrusted_flags(party)}
    arr, disputes = arr_minor(party, org), _prior_disputes(party, subject_id)
    if arr is not None:
        facts["customer_arr_minor"] = arr
    if disputes is not None:
        facts["prior_disputes"] = disputes
    return facts


def arr_minor(party: Party, org: Org) -> int | None:
    """The yearly revenue in minor units of the org's currency, where the CRM holds exactly one figure.

    A CRM keeps it in the org's own currency; of a customer who is billed in another one that is not certain.
    """
    billed = text(party.customer, "currency").lower() if party.customer else ""
    if billed and billed != org.currency:
        return None
    rows = party.exhibits.rows("salesforce.accounts", "hubspot.companies")
    found = {figure for row in rows if (figure := decimal(row.row.fields.get("arr"))) is not None}
    if len(found) != 1:
        return None
    minor = found.pop() * 10 ** exponent(org.currency)
    return int(minor) if minor.denominator == 1 and minor >= 0 else None


def _prior_disputes(party: Party, subject_id: str) -> int | None:
    others = [row for row in party.exhibits.rows("stripe.disputes") if row.row.record_id != subject_id]
    return len(others) if others or party.exhibits.absences(labels.NO_EARLIER_DISPUTE) else None


def _untrusted_flags(party: Party) -> int:
    return sum(
        item.row.untrusted and language.is_instruction(text(item, *item.row.fields)) for item in party.exhibits.all()
    )
