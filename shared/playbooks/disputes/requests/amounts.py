"""The arithmetic of what requests are answered with, as data that anybody can recompute from the cited rows.

All amounts are minor units of the named currency.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shared.case.brief import Derivation, Input
from shared.case.derivation import evaluate
from shared.case.evidence import Evidence
from shared.case.money import exponent, format_minor
from shared.playbooks.disputes.derive import DAY_S, field
from shared.team.exhibits import whole


def month_of_revenue(account: Evidence, currency: str, *, whole_units: bool) -> Derivation:
    """One month of the yearly revenue (`arr`, in major units of `currency`) that the CRM holds.

    `whole_units`: rounded to whole major units, half up; else to the smallest payable amount.
    """
    major = 10 ** exponent(currency)
    month = f"arr * {major} / 12"
    claimed = Derivation(
        expression=f"nearest({month}, {major})" if whole_units else month,
        inputs={"arr": field(account, "arr", f"yearly revenue in {currency}")},
        currency=currency,
        value_minor=0,
    )
    value = evaluate(claimed)
    yearly = format_minor(int(Fraction(str(account.row.fields["arr"])) * major), currency)
    words = f"a twelfth of {yearly} = {format_minor(value, currency)} {currency.upper()}"
    return claimed.model_copy(update={"value_minor": value, "words": words})


def percentage(priced: Evidence, currency: str, percent: int, note: str) -> Derivation:
    """A part of what a row's `amount` is, in per cent; `note` names the rule that fixes how many."""
    claimed = Derivation(
        expression="fee * credit_pct / 100",
        inputs={
            "fee": field(priced, "amount", f"minor units of {currency}"),
            "credit_pct": Input(value=percent, unit="per cent", note=note),
        },
        currency=currency,
        value_minor=0,
    )
    value, fee = evaluate(claimed), whole(priced, "amount") or 0
    words = f"{percent} % of {format_minor(fee, currency)} = {format_minor(value, currency)} {currency.upper()}"
    return claimed.model_copy(update={"value_minor": value, "words": words})


def tax_of(invoice: Evidence, currency: str) -> Derivation:
    """The tax of an invoice: its total less what it is over."""
    total, subtotal = (whole(invoice, name) or 0 for name in ("total", "subtotal"))
    value = total - subtotal
    words = (
        f"{format_minor(total, currency)} less {format_minor(subtotal, currency)} before tax = "
        f"{format_minor(value, currency)} {currency.upper()}"
    )
    return Derivation(
        expression="total - subtotal",
        inputs={
            "total": field(invoice, "total", f"minor units of {currency}"),
            "subtotal": field(invoice, "subtotal", f"minor units of {currency}, before tax"),
        },
        currency=currency,
        value_minor=value,
        words=words,
    )


def rest_of_seats(
    line: Evidence, currency: str, changes: Sequence[tuple[Evidence, int]], basis_days: int | None, note: str
) -> Derivation:
    """The price of seats that were given up, for the time from then to the end of the cycle.

    `line`: the invoice line with the price of one seat and the cycle; `changes`: a usage event with its `seats`, and
    1 for seats that went, -1 for seats that came; `basis_days`: None for the real days of the cycle, else `note` names
    the rule. Raises InvalidInput when it cannot be computed.
    """
    inputs = {
        "price": field(line, "price__unit_amount", f"minor units of {currency} for a seat and a cycle"),
        "until": field(line, "period__end", "end of the billing cycle"),
    }
    terms = []
    for place, (event, sign) in enumerate(changes, start=1):
        inputs[f"n{place}"] = field(event, "seats", "seats that went" if sign > 0 else "seats that came")
        inputs[f"at{place}"] = field(event, "timestamp", "when they did")
        terms.append(f"{'+' if sign > 0 else '-'} n{place} * seconds(at{place}, until)")
    if basis_days is None:
        inputs["since"] = field(line, "period__start", "start of the billing cycle")
        basis = "seconds(since, until)"
    else:
        inputs["basis_days"] = Input(value=basis_days, unit="days", note=note)
        basis = f"(basis_days * {DAY_S})"
    whole_sum = " ".join(terms).removeprefix("+ ")
    claimed = Derivation(expression=f"price * ({whole_sum}) / {basis}", inputs=inputs, currency=currency, value_minor=0)
    return claimed.model_copy(update={"value_minor": evaluate(claimed)})
