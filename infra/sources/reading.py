"""The engine's own reading of a query: its parse tree must hold one SELECT over tables of the catalogue only.

The guard reads the text with another parser than the engine does. This second look, at the engine's tree, closes
what lies between the two: no other schema, file, setting or table function gets through whatever the text looks like.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

Node = dict[str, object]

_FORBIDDEN = {
    "TABLE_FUNCTION": "table functions are not allowed",
    "SHOW_REF": "DESCRIBE, SHOW and SUMMARIZE are not allowed",
    "PIVOT": "PIVOT is not allowed",
    "RECURSIVE_CTE_NODE": "WITH RECURSIVE is not allowed",
}


def objection(tree: str, tables: Collection[str]) -> str | None:
    """Why the engine must not run the statement of this tree (as `json_serialize_sql` gives it); None if it may."""
    parsed = json.loads(tree)
    if parsed["error"]:
        return str(parsed.get("error_message") or "not a statement that the engine understands")
    if len(parsed["statements"]) != 1:
        return "exactly one SELECT is allowed"
    reasons = (_objection_to(node, tables, ctes) for node, ctes in _nodes(parsed["statements"]))
    return next((reason for reason in reasons if reason), None)


def _objection_to(node: Node, tables: Collection[str], ctes: Collection[str]) -> str | None:
    kind = node.get("type")
    if kind in _FORBIDDEN:
        return _FORBIDDEN[str(kind)]
    if kind != "BASE_TABLE":
        return None
    catalog, schema, name = (str(node[part]).lower() for part in ("catalog_name", "schema_name", "table_name"))
    if catalog:
        return "a table is named <system>.<table>"
    known = f"{schema}.{name}" in tables if schema else name in ctes
    return None if known else "a table outside the catalogue"


def _nodes(tree: object) -> Iterator[tuple[Node, frozenset[str]]]:
    """Every node with the names of the CTEs that it can see; no recursion, as a query may nest deeper than Python."""
    pending: list[tuple[object, frozenset[str]]] = [(tree, frozenset())]
    while pending:
        node, ctes = pending.pop()
        if isinstance(node, list):
            pending.extend((child, ctes) for child in node)
        elif isinstance(node, dict):
            for entry in node.get("cte_map", {}).get("map", []):
                pending.append((entry["value"], ctes))
                ctes |= {str(entry["key"]).lower()}
            yield node, ctes
            pending.extend((child, ctes) for key, child in node.items() if key != "cte_map")
