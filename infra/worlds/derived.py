"""Rows of stripe.* that a world does not write out: they are what its Stripe objects say.

A row that is written out stands as it is; the loader then compares it with its object. Of an object without a row, the
columns that the catalogue knows are filled from it, as the simulated Stripe completes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infra.sources.catalog import catalogue
from infra.worlds.consistency import TABLE_OF, completed, shown, value_at
from infra.worlds.documents import Json
from infra.worlds.tables import Row, Tables


def with_stripe_rows(tables: Tables, objects: Sequence[Json]) -> Tables:
    """The tables with a row for every Stripe object and every line of an invoice that has none. Changes nothing."""
    found = {name: list(rows) for name, rows in tables.items()}
    for table, row in _rows(objects):
        rows = found.setdefault(table, [])
        if all(other.get("id") != row["id"] for other in rows):
            rows.append(row)
    return found


def _rows(objects: Sequence[Json]) -> Iterator[tuple[str, Row]]:
    for given in objects:
        table = TABLE_OF.get(str(given["object"]))
        if table is not None:
            whole = completed(given)
            yield table, _row(table, whole)
            yield from _parts(whole)


def _parts(whole: Json) -> Iterator[tuple[str, Row]]:
    """The lines and payments that an invoice holds in itself."""
    for name, kind in (("lines", "line_item"), ("payments", "invoice_payment")):
        held = value_at(whole, (name, "data")) if whole["object"] == "invoice" else None
        for part in held if isinstance(held, list) else []:
            yield TABLE_OF[kind], _row(TABLE_OF[kind], {"invoice": whole["id"]} | part | {"object": kind})


def _row(table: str, found: Json) -> Row:
    names = (column.name for column in catalogue()[table].columns)
    values = ((name, shown(found, name)) for name in names)
    return {name: value for name, value in values if value is not None}
