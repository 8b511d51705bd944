"""Value added tax that was charged although the register knows the customer as a business in another member state."""

from __future__ import annotations

import re

from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.findings.claim import INFERRED, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.tax_exemption import EU, TaxExemption, tax_exemption
from shared.playbooks.disputes.requests import amounts
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import invoice_of, payment_meant, untouched
from shared.playbooks.disputes.requests.model import Errand, Owed, Ruling, person
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.json_text import parsed
from shared.team.moments import moment
from shared.team.words import day

_PREFIX = {"GR": "EL"}
"""Where a VAT number does not begin with the country's code."""


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """The tax of the invoice, and nothing else of it. Raises Said, Unevaluable."""
    rule = tax_exemption(policy)
    numbers = {_bare(text(row, "vat_id")) for row in claim.accounts} - {""}
    if not numbers:
        return "the CRM holds no VAT number of theirs"
    if labels.VAT_CHECKS in claim.unread:
        raise person("the register of VAT numbers could not be read", claim.request)
    checks = [row for row in claim.exhibits.rows("tax.vies_checks") if _bare(text(row, "vat_id")) in numbers]
    if not checks:
        return "their VAT number was never checked in the register"
    payment = payment_meant(material, claim)
    taxed = _taxed(payment)
    if taxed is None:
        return "no tax was charged on what they paid"
    country = _country(claim, payment)
    if country == rule.supplier_country or country not in EU:
        return (
            f"reverse charge is for businesses in other member states, and they are in {country or 'no known country'}"
        )
    check = _confirmed(claim, rule, payment, checks, country)
    if check is None:
        return "the register did not confirm their VAT number in time"
    untouched(claim, payment)
    return _ruled(claim, policy, rule, payment, taxed, check)


def _ruled(
    claim: Claim, policy: Policy, rule: TaxExemption, payment: Payment, invoice: Evidence, check: Evidence
) -> Ruling:
    number = text(check, "vat_id")
    at = moment(check.row.fields.get("checked_at"))
    because = (
        f"Your VAT number {number} is confirmed in the European register, so the tax on this invoice is not ours to "
        "charge. The price itself stays as it is."
    )
    owed = Owed(amounts.tax_of(invoice, payment.currency), rule.instrument, because)
    flag = (text(claim.customer, "tax_exempt") if claim.customer else "") or "unknown"
    told = (
        f"VIES confirmed {number}{f' on {day(at)}' if at else ''}; Stripe has them as tax_exempt: {flag}, and the "
        f"invoice charged tax: {owed.derivation.words}"
    )
    finding = claimed(told, INFERRED, check, claim.customer, invoice, *_holding(claim, number))
    errand = Errand(
        purpose="set_tax_status",
        title=f"{claim.customer_name}: reverse charge at Stripe",
        body=f"{told}. Please set their tax status at Stripe to reverse charge, or the next invoice is wrong as well.",
    )
    return Ruling(
        owed.kind,
        (f"{told}; {policy.name} gives back the tax, and only the tax",),
        (policy.evidence, check, invoice),
        policy=policy,
        payment=payment,
        owed=owed,
        errand=errand,
        found=(finding,) if finding else (),
    )


def _taxed(payment: Payment) -> Evidence | None:
    """The invoice that was paid, where it has tax on it. Raises Said where its figures do not agree with each other."""
    invoice = invoice_of(payment)
    if invoice is None:
        raise person("which invoice was paid is not clear, so its tax is not", payment.charge, payment=payment)
    total, subtotal = whole(invoice, "total"), whole(invoice, "subtotal")
    said = [figure for figure in (whole(invoice, "tax"), _listed(invoice)) if figure is not None]
    if total is None or subtotal is None or not said:
        raise person("the invoice does not say what of it is tax", invoice, payment=payment)
    if any(figure != total - subtotal for figure in said):
        raise person("the figures of the invoice do not agree about the tax", invoice, payment=payment)
    return invoice if total > subtotal else None


def _listed(invoice: Evidence) -> int | None:
    """The sum of the invoice's own tax lines; None where it has none."""
    taxes = parsed(text(invoice, "total_taxes"))
    found = [item.get("amount") for item in taxes if isinstance(item, dict)] if isinstance(taxes, list) else []
    amounts_ = [amount for amount in found if isinstance(amount, int) and not isinstance(amount, bool)]
    return sum(amounts_) if amounts_ and len(amounts_) == len(found) else None


def _country(claim: Claim, payment: Payment) -> str:
    """Where the customer is, by Stripe. Raises Said where Stripe's own records disagree."""
    found = {
        text(row, name).upper()
        for row, name in ((claim.customer, "address__country"), (payment.charge, "billing_details__address__country"))
        if row is not None
    } - {""}
    if len(found) > 1:
        raise person(f"Stripe has them in {' and in '.join(sorted(found))}", payment.charge, payment=payment)
    return found.pop() if found else ""


def _confirmed(
    claim: Claim, rule: TaxExemption, payment: Payment, checks: list[Evidence], country: str
) -> Evidence | None:
    """The latest check in time. Raises Said where checks disagree, or the number is not of the customer's country."""
    until = payment.paid_at if rule.before_charge else claim.received_at
    timed = [
        (at, row) for row in checks if (at := moment(row.row.fields.get("checked_at"))) is not None and at <= until
    ]
    valid = [row for _, row in sorted(timed, key=lambda pair: pair[0]) if row.row.fields.get("valid") is True]
    if not valid:
        return None
    if any(row.row.fields.get("valid") is not True for row in checks):
        raise person("checks of their VAT number disagree", *checks, payment=payment)
    if not _bare(text(valid[-1], "vat_id")).startswith(_PREFIX.get(country, country)):
        raise person(f"their VAT number is not one of {country}, where they are", valid[-1], payment=payment)
    return valid[-1]


def _holding(claim: Claim, number: str) -> list[Evidence]:
    return [row for row in claim.accounts if _bare(text(row, "vat_id")) == _bare(number)]


def _bare(number: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", number.upper())
