"""The arithmetic of a prorated credit, as data that anybody can recompute from the cited rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from shared.case.brief import Derivation, Input
from shared.case.derivation import evaluate
from shared.case.evidence import Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.proration import Proration
from shared.playbooks.disputes.trouble import Window
from shared.team.exhibits import text, whole
from shared.team.words import count, number

DAY_S = 86400


def share_of_cycle(
    priced: Evidence,
    currency: str,
    line: Evidence,
    cycle: Cycle,
    found: Sequence[Window],
    rule: Proration,
    policy: Policy,
) -> Derivation:
    """What part of the price the trouble was, in minor units of `currency`.

    `priced` is the row whose `amount` was paid for the cycle, `line` the invoice line that holds the cycle. Raises
    InvalidInput when it cannot be computed.
    """
    names = _names(len(found))
    inputs = {
        "charge_amount": field(priced, "amount", f"minor units of {currency}"),
        names.since: field(line, "period__start", "start of the billing cycle"),
        names.until: field(line, "period__end", "end of the billing cycle"),
    }
    for (start, end), window in zip(names.windows, found, strict=True):
        inputs[start] = field(window.first.evidence, window.first.fields[0], "start of the trouble")
        inputs[end] = field(window.last.evidence, window.last.fields[1], "end of the trouble")
    shares = [f"overlap_seconds({start}, {end}, {names.since}, {names.until})" for start, end in names.windows]
    overlap = shares[0] if len(shares) == 1 else f"({' + '.join(shares)})"
    basis = f"seconds({names.since}, {names.until})"
    if rule.basis_days is not None:
        basis = f"(basis_days * {DAY_S})"
        inputs["basis_days"] = Input(value=rule.basis_days, unit="days", note=f"{policy.id}: basis_days")
    claimed = Derivation(
        expression=f"charge_amount * {overlap} / {basis}", inputs=inputs, currency=currency, value_minor=0
    )
    value = evaluate(claimed)
    return claimed.model_copy(
        update={"value_minor": value, "words": _in_words(priced, currency, cycle, found, rule, value)}
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What the inputs are called: in words for one window, short for many, since an expression has a bounded length."""

    since: str
    until: str
    windows: tuple[tuple[str, str], ...]


def _names(windows: int) -> _Names:
    if windows == 1:
        return _Names("period_start", "period_end", (("started_at", "ended_at"),))
    return _Names("since", "until", tuple((f"start{place}", f"end{place}") for place in range(1, windows + 1)))


def whole_amount(item: Evidence, currency: str) -> Derivation:
    """The whole amount of a row, e.g. all that is disputed."""
    value = whole(item, "amount") or 0
    return Derivation(
        expression="amount",
        inputs={"amount": field(item, "amount", f"minor units of {currency}")},
        currency=currency,
        value_minor=value,
        words=f"the whole {format_minor(value, currency)} {currency.upper()}",
    )


def left_of(charge: Evidence, currency: str) -> Derivation:
    """What is left of a charge: captured minus refunded."""
    captured, refunded = whole(charge, "amount_captured") or 0, whole(charge, "amount_refunded") or 0
    value = captured - refunded
    less = f" less {format_minor(refunded, currency)} refunded before" if refunded else ""
    return Derivation(
        expression="captured - refunded",
        inputs={
            "captured": field(charge, "amount_captured", f"minor units of {currency}"),
            "refunded": field(charge, "amount_refunded", f"minor units of {currency}"),
        },
        currency=currency,
        value_minor=value,
        words=f"the whole charge of {format_minor(captured, currency)}{less} = {format_minor(value, currency)} "
        f"{currency.upper()}",
    )


def rest_of_cycle(charge: Evidence, currency: str, line: Evidence, since: Evidence) -> Derivation:
    """What part of the charge is for the time of the cycle after an instant: the `created` of a row.

    Raises InvalidInput when that instant is not inside the cycle.
    """
    claimed = Derivation(
        expression="charge_amount * seconds(opened, period_end) / seconds(period_start, period_end)",
        inputs={
            "charge_amount": field(charge, "amount", f"minor units of {currency}"),
            "opened": field(since, "created", "when the dispute was opened"),
            "period_start": field(line, "period__start", "start of the billing cycle"),
            "period_end": field(line, "period__end", "end of the billing cycle"),
        },
        currency=currency,
        value_minor=0,
    )
    value = evaluate(claimed)
    start, end, opened = (
        whole(row, name) or 0 for row, name in ((line, "period__start"), (line, "period__end"), (since, "created"))
    )
    words = (
        f"{count(Fraction(end - opened, DAY_S), 'day')} unused of {count(Fraction(end - start, DAY_S), 'day')} of "
        f"{format_minor(whole(charge, 'amount') or 0, currency)} = {format_minor(value, currency)} {currency.upper()}"
    )
    return claimed.model_copy(update={"value_minor": value, "words": words})


def field(item: Evidence, name: str, unit: str) -> Input:
    """One field of a cited row as an input."""
    return Input(value=item.row.fields[name], evidence=item.index, field=name, unit=unit)


def seconds_inside(found: Sequence[Window], cycle: Cycle) -> Fraction:
    """How many seconds of these windows lie inside the cycle."""
    return sum((_shared(window.start, window.end, cycle) for window in found), Fraction(0))


def basis_seconds(rule: Proration, cycle: Cycle) -> Fraction:
    """The length of the cycle that the share is taken of."""
    return Fraction(rule.basis_days * DAY_S) if rule.basis_days is not None else _exact(cycle.end - cycle.start)


def _in_words(
    priced: Evidence, currency: str, cycle: Cycle, found: Sequence[Window], rule: Proration, value: int
) -> str:
    days = seconds_inside(found, cycle) / DAY_S
    basis = count(basis_seconds(rule, cycle) / DAY_S, "day")
    paid = format_minor(whole(priced, "amount") or 0, currency)
    return f"{number(days)} of {basis} of {paid} = {format_minor(value, currency)} {text(priced, 'currency').upper()}"


def _shared(start: datetime, end: datetime, cycle: Cycle) -> Fraction:
    return max(Fraction(0), _exact(min(end, cycle.end) - max(start, cycle.start)))


def _exact(span: timedelta) -> Fraction:
    return Fraction(span // timedelta(microseconds=1), 10**6)


def whole_days(cycle: Cycle) -> Fraction:
    """The length of a cycle in days, exactly."""
    return _exact(cycle.end - cycle.start) / DAY_S
