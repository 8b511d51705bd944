"""Downtime under a signed addendum: hours / hours of the month x fee x multiplier of the severity, and not more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from shared.case.brief import Derivation, Finding, Input
from shared.case.derivation_words import derived
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import labels, trouble, usage
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.derive import field
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.contractual_sla import RECORDS, ContractualSla, contractual_sla
from shared.playbooks.disputes.requests.billed import Billed, billed_of
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.model import Errand, Owed, Ruling, declined, person
from shared.playbooks.disputes.setting import Stretch
from shared.playbooks.disputes.signed import in_effect
from shared.playbooks.disputes.trouble import Bearing, Trouble
from shared.team.contract import Material
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, day, feature, listed, minute

_UNREAD = {"pager": labels.PAGES, "incident_record": labels.INCIDENTS, "monitor_alert": labels.ALERTS}
_NAMES = {"pager": "the pager", "incident_record": "the incident tool", "monitor_alert": "the monitors"}


@dataclass(frozen=True, slots=True)
class _Down:
    """A stretch of downtime that counts, with the severity that the clock gave it and what others show of it."""

    record: Trouble
    severity: str
    multiplier: int
    confirmed: tuple[Evidence, ...]


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """The credit of the addendum, however much they kept by themselves. Raises Said, Unevaluable."""
    rule = contractual_sla(policy)
    billed = billed_of(material, claim)
    if isinstance(billed, str):
        return billed
    if billed.fee is None:
        return "no line of the invoice bills a period"
    line, cycle = billed.fee
    signed = [row for row in claim.exhibits.rows("agreements.documents") if text(row, "kind") == rule.agreement]
    found = _counted(claim, billed, line, cycle, rule)
    if not found:
        return f"{_NAMES[rule.clock]} holds no downtime with a multiplier in the billed period"
    document = next((row for row in signed if all(in_effect(row, item.record.start) for item in found)), None)
    if document is None:
        raise person(f"no {rule.agreement} signed by both sides was in effect then", *signed, policy.evidence)
    late = [item for item in found if _claim_until(item, rule) < claim.received_at]
    if late:
        return _too_late(claim, policy, rule, found, late)
    return _credited(claim, policy, rule, billed, line, cycle, found, document)


def _credited(
    claim: Claim,
    policy: Policy,
    rule: ContractualSla,
    billed: Billed,
    line: Evidence,
    cycle: Cycle,
    found: list[_Down],
    document: Evidence,
) -> Ruling:
    try:
        derivation = _derived(policy, rule, billed, line, found)
    except InvalidInput as why:
        raise person(f"what is owed could not be computed: {why}", policy.evidence, line) from why
    owed = billed.money(derivation.value_minor)
    kept = billed.left_minor if billed.is_short_paid else 0
    reason = f"{listed([_told(item) for item in found])}: {policy.name} gives {owed}"
    reasons = [reason, f"the credit rests on {text(document, 'title')}, signed {day(_signed(document))}"]
    if kept:
        rest = billed.money(max(0, kept - derivation.value_minor))
        reasons.append(
            f"they kept {billed.money(kept)} by themselves, which the addendum allows nobody: {rest} stays due"
        )
    return Ruling(
        kind=Owed(derivation, rule.instrument, "").kind,
        reasons=tuple(reasons),
        cites=(policy.evidence, document, billed.invoice),
        policy=policy,
        owed=Owed(derivation, rule.instrument, _because(billed, found, derivation, kept)),
        errand=_errand(claim, billed, owed, kept) if kept else None,
        found=_findings(billed, found, document),
        invoice=billed.invoice,
    )


def _derived(policy: Policy, rule: ContractualSla, billed: Billed, line: Evidence, found: list[_Down]) -> Derivation:
    inputs = {
        "fee": field(line, "amount", f"minor units of {billed.currency}"),
        "since": field(line, "period__start", "start of the billed period"),
        "until": field(line, "period__end", "end of the billed period"),
    }
    terms = []
    for place, item in enumerate(found, start=1):
        start, end = item.record.fields
        inputs[f"from{place}"] = field(item.record.evidence, start, "start of the downtime")
        inputs[f"to{place}"] = field(item.record.evidence, end, "end of the downtime")
        factor = "multiplier" if len(found) == 1 else f"multiplier{place}"
        inputs[factor] = Input(value=item.multiplier, note=f"{policy.id}: multiplier of {item.severity}")
        terms.append(f"fee * overlap_seconds(from{place}, to{place}, since, until) * {factor}")
    month = "seconds(since, until)"
    if rule.month_hours is not None:
        month = "(month_hours * 3600)"
        inputs["month_hours"] = Input(value=rule.month_hours, unit="hours", note=f"{policy.id}: month_hours")
    credit = " + ".join(f"{term} / {month}" for term in terms)
    cap = "fee" if rule.cap_months == 1 else f"fee * {rule.cap_months}"
    return derived(f"min({credit}, {cap})", inputs, billed.currency)


def _counted(claim: Claim, billed: Billed, line: Evidence, cycle: Cycle, rule: ContractualSla) -> list[_Down]:
    """The downtime by the policy's clock that concerned them, each confirmed as the policy asks. Raises Said."""
    unread = sorted({_UNREAD[name] for name in (rule.clock, *rule.confirmed_by)} & claim.unread)
    if unread:
        raise person(f"{listed(unread)} could not be read whole", billed.invoice)
    theirs = Stretch(claim.exhibits, claim.customer_name, claim.domains, billed.invoice, billed.issued_at, line, cycle)
    records = trouble.troubles(theirs, [use for use in usage.uses(theirs) if use.at < cycle.end])
    table, column = RECORDS[rule.clock]
    timed = [item for item in records if item.table == table]
    unclear = [item for item in timed if item.bearing is Bearing.UNCLEAR]
    if unclear:
        raise person(f"whether it concerned them is not clear: {unclear[0].why}", *[row.evidence for row in unclear])
    found = []
    for item in (item for item in timed if item.bearing is Bearing.CONCERNS):
        severity = text(item.evidence, column).upper()
        if not severity:
            raise person("a record of downtime has no severity, so its multiplier is not known", item.evidence)
        if rule.multipliers.get(severity, 0) > 0:
            found.append(_Down(item, severity, rule.multipliers[severity], _confirmed(item, records, rule)))
    _check_apart(found)
    return found


def _confirmed(item: Trouble, records: list[Trouble], rule: ContractualSla) -> tuple[Evidence, ...]:
    """What the other systems show of the same time. Raises Said where one of them shows nothing, or it goes on."""
    end = item.end
    if end is None:
        raise person("the downtime has no end yet: how long it lasts is not known", item.evidence)
    rows = []
    for name in rule.confirmed_by:
        shown = [
            other.evidence
            for other in records
            if other.table == RECORDS[name][0]
            and other.service == item.service
            and other.bearing is not Bearing.DOES_NOT
            and other.start < end
            and (other.end is None or other.end > item.start)
        ]
        if not shown:
            raise person(f"{_NAMES[rule.clock]} shows downtime that {_NAMES[name]} does not", item.evidence)
        rows += shown
    return tuple(rows)


def _check_apart(found: list[_Down]) -> None:
    """Records that overlap would count some hours twice. Raises Said."""
    ordered = sorted(found, key=lambda item: item.record.start)
    for before, after in pairwise(ordered):
        if before.record.end is not None and after.record.start < before.record.end:
            rows = (before.record.evidence, after.record.evidence)
            raise person("two records of downtime overlap: which of them counts?", *rows)


def _claim_until(item: _Down, rule: ContractualSla) -> datetime:
    return _end(item) + timedelta(days=rule.claim_within_days)


def _end(item: _Down) -> datetime:
    assert item.record.end is not None  # _confirmed has seen to it
    return item.record.end


def _too_late(claim: Claim, policy: Policy, rule: ContractualSla, found: list[_Down], late: list[_Down]) -> Ruling:
    """A no, where every claim came too late. Raises Said where only some did."""
    rows = [item.record.evidence for item in found]
    until = max(_claim_until(item, rule) for item in late)
    if len(late) < len(found):
        raise person("they claim in time for some of the downtime only: which is meant?", policy.evidence, *rows)
    reason = f"{policy.name} takes claims until {day(until)}, and they asked on {claim.when}"
    told = f"a claim for that downtime had to reach us by {day(until)}"
    return declined(reason, told, policy.evidence, *rows, policy=policy)


def _signed(document: Evidence) -> datetime:
    at = moment(document.row.fields.get("countersigned_at"))
    assert at is not None  # `in_effect` has seen to it
    return at


def _told(item: _Down) -> str:
    minutes = count(int((_end(item) - item.record.start).total_seconds()) // 60, "minute")
    return f"{feature(item.record.service)} was down for {minutes} from {minute(item.record.start)} ({item.severity})"


def _because(billed: Billed, found: list[_Down], derivation: Derivation, kept: int) -> str:
    told = f"You are right: {listed([_told(item) for item in found])}. We are sorry."
    gives = f"Your addendum gives a credit of {billed.money(derivation.value_minor)} for it ({derivation.words})."
    if not kept:
        return f"{told} {gives}"
    rest = billed.money(max(0, kept - derivation.value_minor))
    return (
        f"{told} {gives} It does not allow to keep back {billed.money(kept)} of invoice {billed.number}, so {rest} of "
        "it stays due; please pay that as usual."
    )


def _errand(claim: Claim, billed: Billed, owed: str, kept: int) -> Errand:
    return Errand(
        purpose="collect_short_payment",
        title=f"{claim.customer_name}: {billed.money(kept)} of invoice {billed.number} kept back",
        body=(
            f"They kept back {billed.money(kept)} for downtime; the addendum gives {owed}, which we credit. The rest "
            "stays due: please speak with them. Nothing is switched off."
        ),
    )


def _findings(billed: Billed, found: list[_Down], document: Evidence) -> tuple[Finding, ...]:
    records = [item.record.evidence for item in found]
    confirmed = [row for item in found for row in item.confirmed]
    paid = f"invoice {billed.number}: {billed.money(billed.left_minor)} of it is still due"
    told = (
        claimed(listed([_told(item) for item in found]), READ_OUT, *records),
        claimed("other systems show the same time", INFERRED, *confirmed),
        claimed(f"{text(document, 'title')} was in effect and signed by both sides", READ_OUT, document),
        claimed(paid, READ_OUT, billed.invoice, *billed.lines),
    )
    return tuple(item for item in told if item is not None)
