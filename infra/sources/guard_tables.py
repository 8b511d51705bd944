"""The guard's rules for what a query reads from: tables of the catalogue and its own CTEs, joined on conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from sqlglot import exp

from infra.sources.catalog import nearest
from shared.ports.sources import QueryRefused

DISCOVER = "tables and columns are found with list_catalog and describe_table"

_JOIN_KINDS = frozenset({"", "INNER", "OUTER", "SEMI", "ANTI"})
_SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog", "main", "system", "temp"})


def check_join(join: exp.Join) -> None:
    """Refuse a join that is not on a condition between columns."""
    words = f"{join.method} {join.kind}".strip()
    if join.method or join.kind not in _JOIN_KINDS or _given(join) - {"this", "on", "using", "side", "kind"}:
        raise QueryRefused(f"{words or 'this kind of'} join is not allowed: write JOIN ... ON or USING")
    condition = join.args.get("on")
    if condition is None and not join.args.get("using"):
        raise QueryRefused("a join needs its condition: write JOIN ... ON or USING instead of a comma")
    if condition is not None and condition.find(exp.Column) is None:
        raise QueryRefused("a join's condition must compare columns: ON with a constant pairs every row with every row")


def table_name(table: exp.Table, allowed: Collection[str]) -> str | None:
    """The qualified name of a table of the catalogue; None for a CTE. Raises QueryRefused for anything else."""
    if not isinstance(table.this, exp.Identifier):
        raise QueryRefused("table functions are not allowed: select from a table of the catalogue")
    if table.catalog or _given(table) - {"this", "db", "alias", "joins"}:
        raise QueryRefused(f"a table is named <system>.<table>, without anything else; {DISCOVER}")
    name = f"{table.db}.{table.name}".lower()
    if table.db and name in allowed:
        return name
    if not table.db and table.name.lower() in _visible_ctes(table):
        return None
    raise QueryRefused(_table_objection(table, name, allowed))


def _table_objection(table: exp.Table, name: str, allowed: Collection[str]) -> str:
    if table.db.lower() in _SYSTEM_SCHEMAS:
        return f"{table.db} is not part of the catalogue: {DISCOVER}"
    near = nearest(name.removeprefix("."), allowed)
    if not table.db:
        example = near[0] if near else "stripe.disputes"
        return f"tables need their schema: write {example} instead of {table.name[:40]}"
    return f"there is no table {name[:80]}; {'nearest: ' + ', '.join(near) if near else DISCOVER}"


def _visible_ctes(table: exp.Table) -> set[str]:
    """The CTE names that this place can see: of every enclosing query, but within a WITH only those before it.

    A name that is merely defined somewhere is not enough: outside its scope it would mean a table of the engine.
    """
    names: set[str] = set()
    inner: exp.Expr = table
    outer = table.parent
    while outer is not None:
        if isinstance(outer, exp.With):
            names.update(_names(outer.expressions[: _position(outer, inner)]))
        elif (clause := outer.args.get("with_")) is not None and clause is not inner:
            names.update(_names(clause.expressions))
        inner, outer = outer, outer.parent
    return names


def _names(ctes: Iterable[exp.Expr]) -> Iterator[str]:
    return (cte.alias.lower() for cte in ctes)


def _position(clause: exp.With, cte: exp.Expr) -> int:
    return next(position for position, other in enumerate(clause.expressions) if other is cte)


def _given(node: exp.Expr) -> set[str]:
    return {name for name, value in node.args.items() if value}
