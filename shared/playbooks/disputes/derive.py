"""The arithmetic of a prorated credit, as data that anybody can recompute from the cited rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from shared.case.brief import Derivation, Input
from shared.case.derivation_words import derived
from shared.case.evidence import Evidence
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.proration import Proration
from shared.playbooks.disputes.trouble import Window

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
        "charge_amount": paid(priced, currency),
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
    return derived(f"charge_amount * {overlap} / {basis}", inputs, currency)


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
    return derived("amount", {"amount": paid(item, currency)}, currency)


def left_of(charge: Evidence, currency: str) -> Derivation:
    """What is left of a charge: captured minus refunded."""
    unit = f"minor units of {currency}"
    inputs = {
        "captured": field(charge, "amount_captured", unit),
        "refunded": field(charge, "amount_refunded", unit),
    }
    return derived("captured - refunded", inputs, currency)


def rest_of_cycle(charge: Evidence, currency: str, line: Evidence, since: Evidence) -> Derivation:
    """What part of the charge is for the time of the cycle after an instant: the `created` of a row.

    Raises InvalidInput when that instant is not inside the cycle.
    """
    inputs = {
        "charge_amount": paid(charge, currency),
        "opened": field(since, "created", "when the dispute was opened"),
        "period_start": field(line, "period__start", "start of the billing cycle"),
        "period_end": field(line, "period__end", "end of the billing cycle"),
    }
    return derived("charge_amount * seconds(opened, period_end) / seconds(period_start, period_end)", inputs, currency)


def paid(item: Evidence, currency: str) -> Input:
    """What was paid by a row's `amount`; of a charge what was captured, which can be less than was authorized."""
    name = "amount" if item.row.fields.get("amount_captured") is None else "amount_captured"
    return field(item, name, f"minor units of {currency}")


def field(item: Evidence, name: str, unit: str) -> Input:
    """One field of a cited row as an input."""
    return Input(value=item.row.fields[name], evidence=item.index, field=name, unit=unit)


def seconds_inside(found: Sequence[Window], cycle: Cycle) -> Fraction:
    """How many seconds of these windows lie inside the cycle."""
    return sum((_shared(window.start, window.end, cycle) for window in found), Fraction(0))


def basis_seconds(rule: Proration, cycle: Cycle) -> Fraction:
    """The length of the cycle that the share is taken of."""
    return Fraction(rule.basis_days * DAY_S) if rule.basis_days is not None else _exact(cycle.end - cycle.start)


def _shared(start: datetime, end: datetime, cycle: Cycle) -> Fraction:
    return max(Fraction(0), _exact(min(end, cycle.end) - max(start, cycle.start)))


def _exact(span: timedelta) -> Fraction:
    return Fraction(span // timedelta(microseconds=1), 10**6)


def whole_days(cycle: Cycle) -> Fraction:
    """The length of a cycle in days, exactly."""
    return _exact(cycle.end - cycle.start) / DAY_S
