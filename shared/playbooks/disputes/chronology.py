"""What happened, in order, as the bank is told it: the payment, the trouble, what was said, and the use.

One account serves both the text of the evidence and the printed exhibit. Every entry begins with its date.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes import testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.compelling import Compelling
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.testimony import Statement
from shared.playbooks.disputes.usage import Use, per_day
from shared.team.exhibits import decimal, text
from shared.team.moments import moment
from shared.team.words import count, feature, hours_and_days, listed, minute, percent, quoted_whole

_MOST_QUOTES = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One line with its instant, for the order, and the rows that show it."""

    at: datetime
    line: str
    cites: tuple[Evidence, ...] = ()

    @property
    def label(self) -> str:
        """The date, or the span of time, that the line begins with."""
        return self.line.partition(": ")[0]

    @property
    def said(self) -> str:
        """What follows it."""
        label, colon, rest = self.line.partition(": ")
        return f"{rest[:1].upper()}{rest[1:]}" if colon else label


def chronology(matter: Matter, seen: Assessment, ruling: Ruling) -> list[Entry]:
    """The account of a claim about the service, in order."""
    paid = f"{minute(matter.paid_at)}: payment of {matter.money(matter.paid_minor)}."
    entries = [Entry(matter.paid_at, paid, (matter.charge,))]
    if ruling.credit is not None:
        entries += _trouble(ruling.credit)
        entries += [_said(item) for item in heard(ruling)[:_MOST_QUOTES]]
        confirmed = "we confirmed this in writing and promised a credit."
        entries += [Entry(item.at, f"{minute(item.at)}: {confirmed}", (item.evidence,)) for item in seen.promises[:1]]
    if ruling.argument is not None:
        entries += [Entry(at, line) for at, line in ruling.argument.entries]
    return _ordered([*entries, *_uptime(ruling.clean), *_use(seen.uses)])


def of_payments(matter: Matter, found: Compelling | None) -> list[Entry]:
    """The account of a claim of fraud, in order: the payments that the same person made."""
    if found is None:
        entries = [Entry(matter.paid_at, f"{minute(matter.paid_at)}: {matter.plan}", (matter.charge,))]
    else:
        entries = [
            Entry(at, f"{minute(at)}: {item.description}", tuple(filter(None, (item.charge, item.checkout))))
            for item in (*found.earlier, found.disputed)
            if (at := moment(item.charge.row.fields.get("created")))
        ]
    return _ordered(entries)


def heard(ruling: Ruling) -> list[Statement]:
    """What the customer said about the trouble, each text once."""
    return testimony.different(ruling.credit.complaints) if ruling.credit is not None else []


def _ordered(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.at, entry.line))


def _said(item: Statement) -> Entry:
    words = quoted_whole(item.text)
    told = f"the customer wrote: {words}" if words else "the customer wrote to us at length about it."
    return Entry(item.at, f"{minute(item.at)}: {told}", (item.evidence,))


def _uptime(clean: Clean | None) -> list[Entry]:
    entries = []
    for row in clean.uptimes if clean else ():
        start, end = (moment(row.row.fields.get(name)) for name in ("window_start", "window_end"))
        if start is not None and end is not None and (up := decimal(row.row.fields.get("uptime_pct"))) is not None:
            span, name = f"{start.date().isoformat()} to {end.date().isoformat()}", feature(text(row, "service"))
            entries.append(Entry(start, f"{span}: our uptime monitor measured {percent(up)} for {name}.", (row,)))
    return entries


def _trouble(credit: Credit) -> list[Entry]:
    services = listed(sorted({feature(item.service) for item in credit.troubles}))
    return [
        Entry(
            window.start,
            f"{minute(window.start)} to {minute(window.end)}: our monitoring recorded trouble with {services} for "
            f"{hours_and_days(int((window.end - window.start).total_seconds()))}.",
            tuple({item.index: item for item in (window.first.evidence, window.last.evidence)}.values()),
        )
        for window in credit.windows
    ]


def _use(used: list[Use]) -> list[Entry]:
    if not used:
        return []
    days = count(len(per_day(used)), "day")
    span = f"{used[0].at.date().isoformat()} to {used[-1].at.date().isoformat()}"
    told = f"{span}: the customer's people used the service on {days} (see the activity log)."
    return [Entry(used[0].at, told)]
