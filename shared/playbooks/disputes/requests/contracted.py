"""An invoice beside the price that was signed: the difference, exactly, where it bills more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from shared.case.brief import Derivation
from shared.case.derivation_words import derived
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.derive import field
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.contracted_price import ContractedPrice, contracted_price
from shared.playbooks.disputes.requests.billed import Billed, billed_of
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.model import Errand, Owed, Ruling, declined, person
from shared.playbooks.disputes.signed import in_effect
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.words import day, listed


@dataclass(frozen=True, slots=True)
class _Priced:
    """A line of the invoice and the price that was signed for it."""

    line: Evidence
    agreed: Evidence

    @property
    def over_minor(self) -> int:
        """By how much the line bills more than was signed."""
        unit, agreed = whole(self.line, "price__unit_amount") or 0, whole(self.agreed, "unit_amount") or 0
        return (unit - agreed) * (whole(self.line, "quantity") or 0)


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """What the invoice bills beyond the signed price. Raises Said, Unevaluable."""
    rule = contracted_price(policy)
    billed = billed_of(material, claim)
    if isinstance(billed, str):
        return billed
    if labels.AGREEMENTS in claim.unread or labels.PRICES in claim.unread:
        raise person("what was signed with them could not be read whole", billed.invoice)
    signed = [row for row in claim.exhibits.rows("agreements.documents") if text(row, "kind") == rule.agreement]
    documents = [row for row in signed if in_effect(row, billed.issued_at)]
    found = _priced(claim, billed, documents)
    if not found:
        return f"no {rule.agreement} in effect names a price of this invoice"
    over = sum(item.over_minor for item in found)
    if over < 0 or any(item.over_minor < 0 for item in found):
        raise person("the invoice bills less than was signed for a price", billed.invoice, *_rows(found))
    if over == 0:
        return "the invoice bills the price that was signed"
    until = billed.issued_at + timedelta(days=rule.claim_within_days)
    if claim.received_at > until:
        reason = f"{policy.name} corrects an invoice until {day(until)}, and they asked on {claim.when}"
        told = f"a correction of that invoice had to be asked for by {day(until)}"
        return declined(reason, told, policy.evidence, billed.invoice, policy=policy)
    return _credited(claim, policy, rule, billed, found, documents)


def _credited(
    claim: Claim,
    policy: Policy,
    rule: ContractedPrice,
    billed: Billed,
    found: list[_Priced],
    documents: list[Evidence],
) -> Ruling:
    try:
        derivation = _derived(billed, found)
    except InvalidInput as why:
        raise person(f"what is owed could not be computed: {why}", policy.evidence, billed.invoice) from why
    owed = Owed(derivation, rule.instrument, _because(billed, found, derivation))
    named = listed([text(row, "title") for row in documents])
    told = listed([_told(billed, item) for item in found if item.over_minor])
    reasons = (f"{told}, as signed in {named}", f"{policy.name} lets the signed price count, not the rate table")
    finding = claimed(f"{told} ({named})", READ_OUT, *_rows(found), *documents, billed.invoice)
    return Ruling(
        owed.kind,
        reasons,
        (policy.evidence, billed.invoice, *documents),
        policy=policy,
        owed=owed,
        errand=Errand(
            purpose="correct_price",
            title=f"{claim.customer_name}: bill the price that was signed",
            body=f"Invoice {billed.number}: {told}. We credit {billed.money(derivation.value_minor)}. Please put the "
            "price right for the invoices to come.",
            assignee=rule.corrected_by,
        ),
        found=(finding,) if finding else (),
        invoice=billed.invoice,
    )


def _derived(billed: Billed, found: list[_Priced]) -> Derivation:
    unit = f"minor units of {billed.currency}"
    inputs, terms = {}, []
    for place, item in enumerate((item for item in found if item.over_minor), start=1):
        inputs[f"billed{place}"] = field(item.line, "price__unit_amount", unit)
        inputs[f"signed{place}"] = field(item.agreed, "unit_amount", unit)
        inputs[f"units{place}"] = field(item.line, "quantity", "units")
        terms.append(f"(billed{place} - signed{place}) * units{place}")
    return derived(" + ".join(terms), inputs, billed.currency)


def _priced(claim: Claim, billed: Billed, documents: list[Evidence]) -> list[_Priced]:
    """The lines for whose price one of the documents names another or the same. Raises Said where it is not clear."""
    ids = {row.row.record_id for row in documents}
    agreed = [row for row in claim.exhibits.rows("agreements.prices") if text(row, "agreement") in ids]
    found = []
    for line in billed.lines:
        fitting = [row for row in agreed if text(row, "price") and text(row, "price") == text(line, "price__id")]
        if not fitting:
            continue
        if len({(whole(row, "unit_amount"), text(row, "currency").lower()) for row in fitting}) > 1:
            raise person("two signed documents name different prices: which of them counts?", line, *fitting)
        _check_line(billed, line, fitting[-1])
        found.append(_Priced(line, fitting[-1]))
    return found


def _check_line(billed: Billed, line: Evidence, agreed: Evidence) -> None:
    """Raises Said for a line that is not so many units at its price, or a price in another currency."""
    quantity, unit = whole(line, "quantity"), whole(line, "price__unit_amount")
    if quantity is None or unit is None or quantity * unit != whole(line, "amount"):
        raise person("a line of the invoice is not so many units at its price", line)
    if whole(agreed, "unit_amount") is None or text(agreed, "currency").lower() != billed.currency:
        raise person("the signed price is not in the currency of the invoice", agreed, billed.invoice)


def _told(billed: Billed, item: _Priced) -> str:
    units, unit = whole(item.line, "quantity") or 0, whole(item.line, "price__unit_amount") or 0
    agreed = whole(item.agreed, "unit_amount") or 0
    return f"invoice {billed.number} bills {units} at {billed.money(unit)} instead of {billed.money(agreed)}"


def _because(billed: Billed, found: list[_Priced], derivation: Derivation) -> str:
    told = listed([_told(billed, item) for item in found if item.over_minor])
    return f"You are right: {told}, which is what we both signed. We are sorry ({derivation.words})."


def _rows(found: list[_Priced]) -> list[Evidence]:
    return [row for item in found for row in (item.line, item.agreed)]
