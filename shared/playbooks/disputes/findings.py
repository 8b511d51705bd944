"""The findings of a brief: one claim each, the rows it rests on, and how sure we are, in per cent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.playbooks.disputes import derive, labels, testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.ruling import Ruling
from shared.playbooks.disputes.trouble import Trouble
from shared.playbooks.disputes.usage import Use, people, per_day
from shared.team import language
from shared.team.exhibits import indexes, text, whole
from shared.team.moments import moment
from shared.team.words import count, day, feature, hours_and_days, listed, minute, quoted

_READ_OUT, _INFERRED, _WEAK = 98, 90, 75


def findings(matter: Matter, seen: Assessment, ruling: Ruling) -> tuple[Finding, ...]:
    """Every finding that the evidence supports, in the order in which a reader needs them."""
    return tuple(found for write in _WRITERS if (found := write(matter, seen, ruling)) is not None)


def _finding(text_: str, confidence: int, *cited: Evidence | None) -> Finding | None:
    numbers = indexes(cited)
    return Finding(text=text_, citations=numbers, confidence_pct=confidence) if numbers else None


def _payment(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    bought = f"{matter.customer_name} paid {matter.money(matter.paid_minor)} for {matter.plan}"
    if matter.cycle is not None:
        bought += f", {_cycle_in_words(matter)}"
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    opened = moment(matter.dispute.row.fields.get("created"))
    when = f" on {day(opened)}" if opened else ""
    paid = matter.exhibits.rows("stripe.invoice_payments", "stripe.invoices")
    claim = f"{bought}; the bank disputes {disputed}{when}"
    return _finding(claim, _READ_OUT, matter.charge, matter.line, matter.dispute, matter.customer, *paid)


def _network(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    due_by = whole(matter.dispute, "evidence_details__due_by")
    deadline = f"; it has to be answered by {minute(datetime.fromtimestamp(due_by, UTC))}" if due_by else ""
    rule = matter.rule
    claim = f"the claim is {rule.network} {rule.code}, {rule.meaning}{deadline}"
    return _finding(claim, _READ_OUT, matter.dispute, *matter.exhibits.rows("rules.network_codes"))


def _legal(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    laws = [law for law in matter.exhibits.rows("rules.remedies") if text(law, "decision") == "refund"]
    claim = f"in this state ({matter.stage.value}) a refund is not possible: {text(laws[0], 'rule')}" if laws else ""
    return _finding(claim, _READ_OUT, matter.dispute, *laws) if laws else None


def _incident(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if not seen.relevant:
        return None
    told = "; ".join(_trouble_in_words(item) for item in seen.relevant)
    by = _corroboration(matter, {item.service for item in seen.relevant})
    absent = [
        item
        for item in matter.exhibits.absences(labels.NO_INCIDENT, labels.NO_PAGE, labels.NO_ALERT)
        if item.row.table not in {trouble.table for trouble in seen.relevant}
    ]
    other = f" (nothing in {listed([item.row.table for item in absent])}: a record elsewhere is one)" if absent else ""
    rows = [item.evidence for item in seen.relevant]
    return _finding(f"{told}{other}", _READ_OUT if by else _INFERRED, *rows, *by, *absent)


def _trouble_aside(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    others = [*seen.aside, *seen.unclear]
    told = "; ".join(f"{_trouble_in_words(item)}: {item.why}" for item in others)
    return _finding(f"on record, but not counted: {told}", _INFERRED, *[item.evidence for item in others])


def _clean(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if seen.relevant or seen.unclear:
        return None
    absent = matter.exhibits.absences(labels.NO_ALERT, labels.NO_INCIDENT, labels.NO_PAGE, labels.NO_ERROR)
    systems = listed([item.row.table for item in absent])
    uptime = matter.exhibits.rows("datadog.slo_history")
    figures = [f"{text(row, 'service')} {text(row, 'uptime_pct')} %" for row in uptime if text(row, "uptime_pct")]
    tail = f"; uptime {listed(figures)}" if figures else ""
    claim = f"no trouble is on record for what they used in the cycle: nothing in {systems}{tail}"
    return _finding(claim, _INFERRED, *absent, *uptime) if absent else None


def _use(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if not seen.uses:
        return _finding(
            "nobody of this customer is seen using the product in the cycle",
            _INFERRED,
            *matter.exhibits.absences(labels.NO_USE),
        )
    services = {item.service for item in seen.relevant}
    used = [use for use in seen.uses if use.service in services] or seen.uses
    what = listed(sorted({feature(use.service) for use in used if use.service})) or "the product"
    days = per_day(used)
    spread = f"on {count(len(days), 'day')} from {_iso_day(used[0])} to {_iso_day(used[-1])}"
    told = f"{people(used)} of their people used {what} {spread}"
    if services:
        during = [use for use in used if any(_inside(item, use) for item in seen.relevant)]
        per = ", ".join(f"{number} on {date.isoformat()}" for date, number in days.items())
        told = f"{told}: {count(len(used), 'event')} ({per}), {len(during)} of them during the incident{_tiers(during)}"
    return _finding(told, _READ_OUT, *[use.evidence for use in used])


def _later_use(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    ends = [item.end for item in seen.relevant if item.end is not None]
    after = [use for use in seen.uses if ends and use.at > max(ends)]
    if not after:
        return None
    days = len(per_day(after))
    what = listed(sorted({feature(use.service) for use in after if use.service})) or "the product"
    return _finding(
        f"after the incident they went on using {what}, on {count(days, 'day')} up to {_iso_day(after[-1])}{_tiers(after)}",
        _INFERRED,
        *[use.evidence for use in after],
    )


def _complaint(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    heard = ruling.credit.complaints if ruling.credit else seen.complaints
    told = "; ".join(f"on {minute(item.at)} they wrote {quoted(item.text)}" for item in heard[:3])
    return _finding(f"they complained: {told}", _READ_OUT, *[item.evidence for item in heard])


def _no_contact(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    claim = "this customer contacted support neither in chat nor by ticket"
    return _finding(claim, _INFERRED, *matter.exhibits.absences(labels.NO_SUPPORT))


def _promise(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    told = "; ".join(f"on {minute(item.at)} our staff wrote {quoted(item.text)}" for item in seen.promises[:2])
    return _finding(f"a credit was promised in writing: {told}", _READ_OUT, *[item.evidence for item in seen.promises])


def _returned(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    returned = [*seen.refunds, *seen.credits]
    if returned:
        sums = listed([matter.money(abs(whole(item, "amount") or 0)) for item in seen.refunds])
        return _finding(f"money was returned already: {sums or 'a credit'}", _READ_OUT, matter.charge, *returned)
    absent = matter.exhibits.absences(labels.NO_REFUND, labels.NO_CREDIT)
    claim = "nothing was ever returned: no refund of the charge, no credit on an invoice, no balance in their favour"
    return _finding(claim, _READ_OUT, *absent, matter.charge, matter.customer) if absent else None


def _plan_change(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    tiers = sorted({tier for item in seen.troubles for tier in item.tiers})
    moves = [note for tier in tiers if (note := testimony.left_tier(matter, tier)) is not None]
    if not moves:
        return None
    left_at = testimony.written_at(moves[0])
    starts = [item.start for item in seen.relevant]
    relation = ""
    if left_at is not None and starts:
        relation = ", before the incident" if left_at <= min(starts) else ", after the incident had begun"
    when = f" on {minute(left_at)}" if left_at else ""
    subscriptions = matter.exhibits.rows("stripe.subscriptions")
    return _finding(f"they moved to another plan{when}{relation}", _READ_OUT, *moves, *subscriptions)


def _cancellation(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if seen.cancellations:
        told = "; ".join(f"on {minute(item.at)}: {quoted(item.text)}" for item in seen.cancellations[:2])
        return _finding(f"they asked to cancel {told}", _INFERRED, *[item.evidence for item in seen.cancellations])
    claim = "they asked in no channel to cancel the subscription"
    return _finding(claim, _INFERRED, *matter.exhibits.absences(labels.NO_CANCELLATION))


def _policy(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if ruling.credit is not None:
        credit = ruling.credit
        assert matter.cycle is not None
        inside = int(derive.seconds_inside(credit.windows, matter.cycle))
        claim = (
            f"{credit.policy.name} gives back the share of the cycle by the clock {credit.rule.clock}: "
            f"{hours_and_days(inside)} inside the cycle, pro rata {credit.derivation.words}"
        )
        rows = [end.evidence for window in credit.windows for end in (window.first, window.last)]
        return _finding(claim, _READ_OUT, credit.policy.evidence, matter.line, credit.priced, *rows)
    if seen.in_force:
        named = listed([policy.name for policy in seen.in_force])
        return _finding(
            f"current policy for this claim: {named}", _READ_OUT, *[item.evidence for item in seen.in_force]
        )
    claim = "no current merchant policy covers this kind of claim"
    return _finding(claim, _INFERRED, *matter.exhibits.absences(labels.NO_POLICY), *[p.evidence for p in seen.policies])


def _policies_aside(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    others = [policy for policy in seen.policies if policy not in seen.in_force]
    named = listed([policy.name for policy in others])
    return _finding(f"read, but not applied: {named}", _READ_OUT, *[policy.evidence for policy in others])


def _history(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    if not seen.earlier_disputes:
        claim = "this customer has disputed no other charge"
        return _finding(claim, _READ_OUT, *matter.exhibits.absences(labels.NO_EARLIER_DISPUTE))
    ended = listed([f"{text(item, 'reason')}, {text(item, 'status')}" for item in seen.earlier_disputes])
    return _finding(f"this customer disputed before: {ended}", _READ_OUT, *seen.earlier_disputes)


def _account(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    rows = matter.exhibits.rows("salesforce.accounts", "hubspot.companies")
    told = [f"tier {text(row, 'tier') or 'unknown'}, owner {text(row, 'owner_name') or 'unknown'}" for row in rows]
    return _finding(f"in the CRM they are {listed(told)}", _READ_OUT, *rows)


def _courtesy(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    claim = "a colleague suggested a payment as a courtesy; an opinion is no policy, so it changes nothing here"
    return _finding(claim, _INFERRED, *seen.courtesies)


def _reasons(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    return _finding("; ".join(ruling.reasons), _WEAK, *ruling.cites)


_WRITERS: Sequence[Callable[[Matter, Assessment, Ruling], Finding | None]] = (
    _payment,
    _network,
    _legal,
    _incident,
    _trouble_aside,
    _clean,
    _use,
    _complaint,
    _no_contact,
    _promise,
    _returned,
    _plan_change,
    _later_use,
    _cancellation,
    _policy,
    _policies_aside,
    _history,
    _account,
    _courtesy,
    _reasons,
)


def _corroboration(matter: Matter, services: set[str]) -> list[Evidence]:
    """What engineers wrote about the services, and the error lines of their logs."""
    talk = [
        item
        for item in matter.exhibits.rows("slack.messages")
        if any(language.is_about(text(item, "text"), service) for service in services)
        and language.is_complaint(text(item, "text"))
    ]
    return talk + [item for item in matter.exhibits.rows("datadog.logs") if text(item, "service") in services]


def _trouble_in_words(item: Trouble) -> str:
    name = text(item.evidence, "monitor_name", "title").split("\n")[0] or item.service
    until = (
        f"to {minute(item.end)}, {hours_and_days(int((item.end - item.start).total_seconds()))}"
        if item.end
        else "and goes on"
    )
    scope = f", {listed(sorted(item.tiers))} tier only" if item.tiers else ""
    return f'{_RECORDS[item.table]} "{name}" on {item.service} ({feature(item.service)}{scope}) from {minute(item.start)} {until}'


_RECORDS = {
    "datadog.monitor_events": "monitor",
    "datadog.incidents": "incident",
    "pagerduty.incidents": "page",
}


def _inside(item: Trouble, use: Use) -> bool:
    return use.service == item.service and item.start <= use.at and (item.end is None or use.at <= item.end)


def _tiers(used: Sequence[Use]) -> str:
    tiers = sorted({use.tier for use in used if use.tier})
    return f", on {listed(tiers)}" if tiers else ""


def _iso_day(use: Use) -> str:
    return use.at.date().isoformat()


def _cycle_in_words(matter: Matter) -> str:
    assert matter.cycle is not None
    days = count(derive.whole_days(matter.cycle), "day")
    return f"the cycle from {minute(matter.cycle.start)} to {minute(matter.cycle.end)} ({days})"
