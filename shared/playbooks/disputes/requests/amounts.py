"""The arithmetic of what requests are answered with, as data that anybody can recompute from the cited rows.

All amounts are minor units of the named currency.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import Derivation, Input
from shared.case.derivation_words import derived
from shared.case.evidence import Evidence
from shared.case.money import exponent
from shared.playbooks.disputes.derive import DAY_S, field, paid


def month_of_revenue(account: Evidence, currency: str, *, whole_units: bool) -> Derivation:
    """One month of the yearly revenue (`arr`, in major units of `currency`) that the CRM holds.

    `whole_units`: rounded to whole major units, half up; else to the smallest payable amount.
    """
    major = 10 ** exponent(currency)
    month = f"arr * {major} / 12"
    inputs = {"arr": field(account, "arr", f"major units of {currency}")}
    return derived(f"nearest({month}, {major})" if whole_units else month, inputs, currency)


def percentage(priced: Evidence, currency: str, percent: int, note: str) -> Derivation:
    """A part of what a row's `amount` is, in per cent; `note` names the rule that fixes how many."""
    inputs = {
        "fee": paid(priced, currency),
        "credit_pct": Input(value=percent, unit="per cent", note=note),
    }
    return derived("fee * credit_pct / 100", inputs, currency)


def tax_of(invoice: Evidence, currency: str) -> Derivation:
    """The tax of an invoice: its total less what it is over."""
    unit = f"minor units of {currency}"
    inputs = {"total": field(invoice, "total", unit), "subtotal": field(invoice, "subtotal", unit)}
    return derived("total - subtotal", inputs, currency)


def rest_of_seats(
    line: Evidence, currency: str, changes: Sequence[tuple[Evidence, int]], basis_days: int | None, note: str
) -> Derivation:
    """The price of seats that were given up, for the time from then to the end of the cycle.

    `line`: the invoice line with the price of one seat and the cycle; `changes`: a usage event with its `seats`, and
    1 for seats that went, -1 for seats that came; `basis_days`: None for the real days of the cycle, else `note` names
    the rule. Raises InvalidInput when it cannot be computed.
    """
    inputs = {
        "price": field(line, "price__unit_amount", f"minor units of {currency}"),
        "until": field(line, "period__end", "end of the billing cycle"),
    }
    if basis_days is None:
        inputs["since"] = field(line, "period__start", "start of the billing cycle")
        basis = "seconds(since, until)"
    else:
        inputs["basis"] = Input(value=basis_days, unit="days", note=note)
        basis = f"(basis * {DAY_S})"
    expression = ""
    for place, (event, sign) in enumerate(changes, start=1):
        inputs[f"n{place}"] = field(event, "seats", "seats")
        inputs[f"at{place}"] = field(event, "timestamp", "when they did")
        expression += f" {'+' if sign > 0 else '-'} price * n{place} * seconds(at{place}, until) / {basis}"
    return derived(expression.removeprefix(" + "), inputs, currency)
