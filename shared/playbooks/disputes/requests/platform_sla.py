"""A month in which the platform was available for too little of it: the part of the fee that the policy gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from shared.case.brief import Derivation
from shared.case.evidence import Evidence
from shared.playbooks.disputes import derive, labels, trouble, usage
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.findings.claim import INFERRED, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.platform_sla_credit import (
    CLOCKS,
    SLO_HISTORY,
    PlatformSlaCredit,
    platform_sla_credit,
)
from shared.playbooks.disputes.requests import amounts
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import payable, untouched
from shared.playbooks.disputes.requests.model import Owed, Ruling, declined, person
from shared.playbooks.disputes.setting import Stretch
from shared.playbooks.disputes.trouble import Bearing, Trouble
from shared.team.contract import Material
from shared.team.exhibits import decimal, text
from shared.team.moments import moment
from shared.team.words import count, day, feature, listed, minute, percent

_UNREAD = {"monitor_alerts": labels.ALERTS, "incident_records": labels.INCIDENTS, SLO_HISTORY: labels.UPTIME}


@dataclass(frozen=True, slots=True)
class _Availability:
    """What part of the month was available, in per cent, when it was back, and the rows that say so."""

    pct: Fraction
    back_at: datetime
    rows: tuple[Evidence, ...]
    what: str
    """The services, as customers know them."""
    told: str


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """The credit of the tier that the month falls into. Raises Said, Unevaluable."""
    rule = platform_sla_credit(policy)
    if _UNREAD[rule.uptime_from] in claim.unread:
        raise person(f"the {_UNREAD[rule.uptime_from]} could not be read whole", policy.evidence)
    months = [month for start in _troubled(claim, rule) if (month := _month(claim, start)) is not None]
    below = [(month, found) for month in months if rule.tier_of((found := _availability(month, rule)).pct) is not None]
    if not below:
        return "no month in which what they used was available for less than it promises"
    if len(below) > 1:
        raise person(
            "several months fell below the promise: which is meant?", *[row for _, f in below for row in f.rows]
        )
    return _credited(material, claim, policy, rule, *below[0])


def _credited(
    material: Material, claim: Claim, policy: Policy, rule: PlatformSlaCredit, month: Stretch, found: _Availability
) -> Ruling:
    tier = rule.tier_of(found.pct)
    assert tier is not None
    payment = payable(material, month.charge)
    until = (month.cycle.end if rule.from_month_end else found.back_at) + timedelta(days=rule.claim_within_days)
    if claim.received_at > until:
        reason = f"{policy.name} takes claims until {day(until)}, and they asked on {claim.when}"
        told = f"a claim for the trouble of that month had to reach us by {day(until)}"
        return declined(reason, told, policy.evidence, *found.rows, policy=policy, payment=payment)
    untouched(claim, payment)
    owed = Owed(_part(payment, tier.credit_pct, found, policy), rule.instrument, _because(month, found))
    reason = (
        f"{found.told}: {percent(found.pct)} of {month.cycle.start:%B %Y} was available, below "
        f"{percent(tier.below_pct)}; {policy.name} gives {tier.credit_pct} % of the fee"
    )
    finding = claimed(reason, INFERRED, *found.rows)
    return Ruling(
        owed.kind,
        (reason,),
        (policy.evidence, *found.rows),
        policy=policy,
        payment=payment,
        owed=owed,
        found=(finding,) if finding else (),
    )


def _part(payment: Payment, credit_pct: int, found: _Availability, policy: Policy) -> Derivation:
    note = f"{policy.id}: the tier of {percent(found.pct)}"
    return amounts.percentage(payment.charge, payment.currency, credit_pct, note)


def _because(month: Stretch, found: _Availability) -> str:
    return (
        f"{found.what} did not work as it should in {month.cycle.start:%B}: {percent(found.pct)} of the month was "
        "available, and that is less than we promise. We are sorry."
    )


def _troubled(claim: Claim, rule: PlatformSlaCredit) -> list[datetime]:
    """The months that any record is about, by an instant in them, the earliest first."""
    found = [at for at in _instants(claim, rule) if at <= claim.received_at]
    local = [(at.astimezone(_zone(claim)), at) for at in sorted(found, reverse=True)]
    return sorted({(here.year, here.month): at for here, at in local}.values())


def _instants(claim: Claim, rule: PlatformSlaCredit) -> Iterator[datetime]:
    """The start and the end of every record of trouble; of a figure for a stretch of time, its middle."""
    history = rule.uptime_from == SLO_HISTORY
    table = "datadog.slo_history" if history else CLOCKS[rule.uptime_from]
    fields = ("window_start", "window_end") if history else trouble.TABLES[table]
    for row in claim.exhibits.rows(table):
        start, end = (moment(row.row.fields.get(name)) for name in fields)
        if history and start is not None and end is not None:
            yield start + (end - start) / 2
        elif not history:
            yield from (at for at in (start, end) if at is not None)


def _month(claim: Claim, instant: datetime) -> Stretch | None:
    """The calendar month around an instant, with the charge that paid for it; None where none did."""
    local = instant.astimezone(_zone(claim))
    start = local.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    charge = claim.paid_for(instant)
    paid_at = moment(charge.row.fields.get("created")) if charge else None
    if charge is None or paid_at is None:
        return None
    exhibits, line = claim.exhibits, claim.line_of(charge)
    return Stretch(exhibits, claim.customer_name, claim.domains, charge, paid_at, line, Cycle(start, end))


def _availability(month: Stretch, rule: PlatformSlaCredit) -> _Availability:
    return _by_history(month) if rule.uptime_from == SLO_HISTORY else _by_records(month, CLOCKS[rule.uptime_from])


def _by_records(month: Stretch, table: str) -> _Availability:
    """What is left of the month without the trouble that concerned them. Raises Said for what is not clear."""
    used = [use for use in usage.uses(month) if use.at < month.cycle.end]
    found = [item for item in trouble.troubles(month, used) if item.table == table]
    unclear = [item for item in found if item.bearing is Bearing.UNCLEAR]
    counted = [item for item in found if item.bearing is Bearing.CONCERNS]
    if unclear:
        raise person(f"whether it concerned them is not clear: {unclear[0].why}", *[item.evidence for item in unclear])
    if any(item.end is None for item in counted):
        raise person("the trouble has no end yet: how long it lasts is not known", *[item.evidence for item in counted])
    windows = trouble.windows(counted, month.cycle)
    whole = derive.whole_days(month.cycle) * derive.DAY_S
    down = derive.seconds_inside(windows, month.cycle)
    back_at = max((window.end for window in windows), default=month.cycle.end)
    rows, pct = tuple(item.evidence for item in counted), 100 * (whole - down) / whole
    return _Availability(pct, back_at, rows, _services(counted), _told(counted))


def _told(counted: list[Trouble]) -> str:
    ended = [item.end for item in counted if item.end is not None]
    if not ended:
        return "nothing was in trouble"
    span = f"from {minute(min(item.start for item in counted))} to {minute(max(ended))}"
    return f"{_services(counted)} was in trouble {span} ({count(len(counted), 'record')})"


def _services(counted: list[Trouble]) -> str:
    return listed(sorted({feature(item.service) for item in counted}))


def _by_history(month: Stretch) -> _Availability:
    """The worst recorded availability, in exactly this month, of a service that they used; all of it where none is."""
    used = {use.service for use in usage.uses(month) if use.at < month.cycle.end}
    rows = [
        row
        for row in month.exhibits.rows("datadog.slo_history")
        if text(row, "service").lower() in used
        and moment(row.row.fields.get("window_start")) == month.cycle.start
        and moment(row.row.fields.get("window_end")) == month.cycle.end
    ]
    figures = [(figure, row) for row in rows if (figure := decimal(row.row.fields.get("uptime_pct"))) is not None]
    if not figures:
        return _Availability(Fraction(100), month.cycle.end, (), "", "no availability is on record")
    pct, row = min(figures, key=lambda pair: (pair[0], pair[1].index))
    what = feature(text(row, "service"))
    return _Availability(pct, month.cycle.end, (row,), what, f"{what} was available for {percent(pct)}")


def _zone(claim: Claim) -> ZoneInfo:
    return ZoneInfo(claim.org.timezone)
