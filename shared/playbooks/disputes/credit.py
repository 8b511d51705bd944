"""What is owed for an incident by the merchant's policy, or what keeps the rules from saying so."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.brief import Derivation
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import derive, testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.matter import Matter, paid_lines
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.proration import CLOCKS, Proration
from shared.playbooks.disputes.standing import left_minor, lines_add_up
from shared.playbooks.disputes.testimony import Statement
from shared.playbooks.disputes.trouble import Trouble, Window, windows
from shared.playbooks.disputes.usage import Use
from shared.team import language
from shared.team.exhibits import text, whole
from shared.team.words import listed, minute


@dataclass(frozen=True, slots=True)
class Credit:
    """What is owed, and everything that makes it so."""

    policy: Policy
    rule: Proration
    windows: list[Window]
    troubles: list[Trouble]
    uses: list[Use]
    complaints: list[Statement]
    priced: Evidence
    """The row whose amount was paid for the cycle."""
    derivation: Derivation


class Stop(Exception):
    """A person has to decide: why, and what shows it."""

    def __init__(self, reasons: tuple[str, ...], cites: tuple[Evidence, ...]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons
        self.cites = cites


class AllOwed(Stop):
    """What is owed is all that is disputed."""


def credit_of(matter: Matter, seen: Assessment, policy: Policy, wanted: Proration) -> Credit:
    """What this policy gives back. Raises Stop, with what is missing, when that is for a person to say."""
    line, cycle = billed(matter)
    counted = [item for item in seen.relevant if item.table == CLOCKS[wanted.clock]]
    unclear = [item for item in seen.unclear if item.table == CLOCKS[wanted.clock]]
    if unclear:
        raise Stop((f"whether more of it concerned them is not clear: {unclear[0].why}",), evidence_of(unclear))
    if any(item.end is None for item in counted):
        raise Stop(("an alert has no end yet: how long it lasts is not known",), evidence_of(counted))
    found = windows(counted, cycle)
    _check_downgrade(matter, wanted, found)
    services = frozenset(item.service for item in counted)
    during = [use for use in seen.uses if any(item.service == use.service and _covers(item, use) for item in counted)]
    heard = _heard(seen, services, found, wanted)
    _check_requirements(wanted, seen.relevant, found, during, heard, policy)
    priced = _priced(matter, counted)
    try:
        derivation = derive.share_of_cycle(priced, matter.currency, line, cycle, found, wanted, policy)
    except InvalidInput as why:
        raise Stop((f"what is owed could not be computed: {why}",), (policy.evidence, *evidence_of(counted))) from why
    _check_amount(matter, derivation, policy)
    return Credit(policy, wanted, found, counted, during, heard, priced, derivation)


def billed(matter: Matter) -> tuple[Evidence, Cycle]:
    """The invoice line that the charge paid and its cycle. Raises Stop when they are not known."""
    if matter.line is None or matter.cycle is None:
        raise Stop(("the billing cycle of the charge is not known, so what happened in it is not",), (matter.charge,))
    return matter.line, matter.cycle


def _check_requirements(
    wanted: Proration,
    concerned: list[Trouble],
    found: list[Window],
    during: list[Use],
    heard: list[Statement],
    policy: Policy,
) -> None:
    """Every requirement needs its evidence; what is missing is named, for the person who decides."""
    missing = []
    if not found:
        missing.append(f"a record by the policy's clock ({wanted.clock}) with a start and an end inside the cycle")
    if "feature_usage" in wanted.requires and not during:
        missing.append("use of the feature during the incident by people of this customer")
    if "contemporaneous_complaint" in wanted.requires and not heard:
        missing.append(
            f"a complaint by people of this customer, at most {wanted.complaint_within_days} days after the incident"
        )
    if missing:
        raise Stop(
            (f"{policy.name} asks for more than is on file; missing: {listed(missing)}",),
            (policy.evidence, *evidence_of(concerned)),
        )


def _heard(seen: Assessment, services: frozenset[str], found: list[Window], wanted: Proration) -> list[Statement]:
    if not found:
        return []
    start, end = found[0].start, found[-1].end
    return testimony.within(testimony.about(seen.complaints, services), start, end, wanted.complaint_within_days)


def _check_downgrade(matter: Matter, wanted: Proration, found: list[Window]) -> None:
    tiers = {tier for window in found for tier in window.first.tiers | window.last.tiers}
    if "downgraded_before_incident" not in wanted.exclude or not tiers or not found:
        return
    moves = [note for tier in sorted(tiers) if (note := testimony.left_tier(matter, tier)) is not None]
    for note in moves:
        left_at = testimony.written_at(note)
        if left_at is not None and left_at < found[-1].end:
            when = "before" if left_at <= found[0].start else "during"
            raise Stop((f"they left the affected plan {when} the incident, on {minute(left_at)}",), (note,))


def _priced(matter: Matter, counted: list[Trouble]) -> Evidence:
    """What was paid for the cycle: the charge, where its invoice has one line, else the affected plan's one line."""
    lines = [line for line in paid_lines(matter) if (whole(line, "amount") or 0) > 0]
    if len(lines) == 1:
        return matter.charge
    tiers = {tier for item in counted for tier in item.tiers}
    named = [line for line in lines if any(_names(line, item.service, tiers) for item in counted)]
    if len(named) != 1:
        raise Stop(("the invoice has several lines, and none alone is the affected plan's",), tuple(lines))
    if not lines_add_up(matter.exhibits, matter.charge):
        raise Stop(
            ("the lines of the invoice do not come to what was paid: what the affected plan cost is not known",),
            (matter.charge, *lines),
        )
    return named[0]


def _names(line: Evidence, service: str, tiers: set[str]) -> bool:
    bought = text(line, "price__nickname", "description")
    return language.is_about(bought, service) or any(language.names_word(bought, tier) for tier in tiers)


def _check_amount(matter: Matter, derivation: Derivation, policy: Policy) -> None:
    if derivation.value_minor <= 0:
        raise Stop(("what the policy gives back rounds to nothing",), (policy.evidence,))
    left = left_minor(matter.charge)
    if left is None or derivation.value_minor > left:
        told = "is not known" if left is None else f"is {matter.money(left)} only"
        raise Stop((f"what can be given back of the charge {told}",), (policy.evidence, matter.charge))
    if matter.dispute_currency == matter.currency and derivation.value_minor >= matter.disputed_minor:
        raise AllOwed(
            (f"what is owed ({derivation.words}) is all that is disputed",),
            (policy.evidence, matter.dispute),
        )


def _covers(item: Trouble, use: Use) -> bool:
    return item.start <= use.at and (item.end is None or use.at <= item.end)


def evidence_of(found: list[Trouble]) -> tuple[Evidence, ...]:
    """The rows of these records."""
    return tuple(item.evidence for item in found)
