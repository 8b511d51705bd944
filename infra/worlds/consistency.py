"""Holding the two pictures of Stripe together: the rows that specialists read and the objects that `act` meets."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from infra.fakes.stripe.defaults import DEFAULTS, complete
from infra.worlds.documents import Json
from infra.worlds.tables import Row, Tables

TABLE_OF = {
    "dispute": "stripe.disputes",
    "charge": "stripe.charges",
    "payment_intent": "stripe.payment_intents",
    "refund": "stripe.refunds",
    "invoice": "stripe.invoices",
    "invoice_payment": "stripe.invoice_payments",
    "line_item": "stripe.invoice_lines",
    "customer": "stripe.customers",
    "subscription": "stripe.subscriptions",
    "balance_transaction": "stripe.balance_transactions",
    "radar.early_fraud_warning": "stripe.early_fraud_warnings",
}

LINES = "stripe.invoice_lines"
"""Where the lines of invoices are; they are no objects of their own."""

_Path = tuple[str | int, ...]
_FIRST_ITEM: _Path = ("items", "data", 0)

# Where the tables show a value under another name than the object does.
_ELSEWHERE: dict[str, dict[str, _Path]] = {
    "invoice": {"subscription": ("parent", "subscription_details", "subscription")},
    "subscription": {
        "current_period_start": (*_FIRST_ITEM, "current_period_start"),
        "current_period_end": (*_FIRST_ITEM, "current_period_end"),
        "quantity": (*_FIRST_ITEM, "quantity"),
        "price__id": (*_FIRST_ITEM, "price", "id"),
        "price__nickname": (*_FIRST_ITEM, "price", "nickname"),
        "price__unit_amount": (*_FIRST_ITEM, "price", "unit_amount"),
        "price__interval": (*_FIRST_ITEM, "price", "recurring", "interval"),
    },
}

_LINE_COLUMNS = ("invoice", "amount", "currency", "quantity", "period__start", "period__end")


def completed(given: Json) -> Json:
    """An object as the simulated Stripe holds it: with the defaults of its kind."""
    whole: dict[str, Any] = {**DEFAULTS.get(str(given["object"]), {}), **copy.deepcopy(given)}
    complete(whole)
    return whole


def disagreements(tables: Tables, objects: Sequence[Json]) -> Iterator[str]:
    """Each way in which a Stripe object and its row differ: a row that is missing, or a column with another value."""
    for found in objects:
        kind, key = str(found["object"]), str(found["id"])
        table = TABLE_OF.get(kind)
        if table is None:
            continue
        row = next((row for row in tables.get(table, []) if row.get("id") == key), None)
        if row is None:
            yield f"{table} has no row for the {kind} {key} in stripe/"
        else:
            yield from _differences(table, row, completed(found))
    yield from _line_differences(tables.get(LINES, []), objects)


def _differences(table: str, row: Row, found: Json) -> Iterator[str]:
    for column, value in row.items():
        theirs = shown(found, column)
        if not _same(value, theirs):
            yield f"{table}: {row['id']}: {column} is {value!r} in sources/ and {theirs!r} in stripe/"


def _line_differences(rows: Sequence[Row], objects: Sequence[Json]) -> Iterator[str]:
    by_id = {row.get("id"): row for row in rows}
    for invoice in objects:
        lines = value_at(invoice, ("lines", "data")) if invoice["object"] == "invoice" else None
        for line in lines if isinstance(lines, list) else []:
            if line["id"] in by_id:
                shown = {column: by_id[line["id"]].get(column) for column in _LINE_COLUMNS}
                yield from _differences(LINES, {"id": line["id"]} | shown, {"object": ""} | line)
            else:
                yield f"{LINES} has no row for the line {line['id']} of {invoice['id']}"


def shown(found: Json, column: str) -> object:
    """What an object says of a column of its table: where newer versions of Stripe hold it, else under its own name."""
    elsewhere = _ELSEWHERE.get(str(found["object"]), {}).get(column)
    value = value_at(found, elsewhere) if elsewhere else None
    return value_at(found, tuple(column.split("__"))) if value is None else value


def value_at(found: object, path: _Path) -> object:
    """The value at a path of keys and indexes; None where there is none."""
    for step in path:
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
        else:
            return None
    return found


def _same(ours: object, theirs: object) -> bool:
    if isinstance(ours, str) and theirs is not None and not isinstance(theirs, str):
        return json.dumps(theirs) == ours  # a CSV cell is text whatever it holds
    return ours == theirs
