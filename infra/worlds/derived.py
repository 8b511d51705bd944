"""Rows of stripe.* that a world does not write out: they are what its Stripe objects say.

A row that is written out stands as it is; the loader then compares it with its object. Of an object without a row, the
columns that the catalogue knows are filled from it, as the simulated Stripe completes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infra.sources.catalog import catalogue
from infra.worlds.consistency import LINES, TABLE_OF, completed, place_of, value_at
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
            lines = value_at(whole, ("lines", "data")) if whole["object"] == "invoice" else None
            for line in lines if isinstance(lines, list) else []:
                yield LINES, _row(LINES, {"object": "line_item", "invoice": whole["id"]} | line)


def _row(table: str, found: Json) -> Row:
    names = (column.name for column in catalogue()[table].columns)
    values = ((name, value_at(found, place_of(str(found["object"]), name))) for name in names)
    return {name: value for name, value in values if value is not None}
