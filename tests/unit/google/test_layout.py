"""The layout: every query is covered by a declared index, nothing else is indexed, and a path is a fence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from infra.google import layout
from infra.google.layout import (
    COLLECTIONS,
    COMPOSITE_INDEXES,
    EXPIRING,
    FIELD_INDEXES,
    QUERIES,
    CompositeIndex,
    Order,
    Query,
    case_path,
    description,
    inbox_path,
    org_path,
    required,
)
from shared.errors import InvalidInput

ADAPTERS = sorted(Path(layout.__file__).parent.glob("*.py"))
GATEWAY = "documents.py"


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query.collection} by {query.equal or query.order}")
def test_every_query_is_covered_by_a_declared_index(query: Query) -> None:
    index = required(query)
    assert index is None or index in FIELD_INDEXES or index in COMPOSITE_INDEXES


def test_every_declared_index_is_needed_by_some_query() -> None:
    needed = {required(query) for query in QUERIES}
    assert {*FIELD_INDEXES, *COMPOSITE_INDEXES} <= needed


def test_a_query_with_an_equality_and_an_order_needs_both_in_one_index() -> None:
    query = Query("cases", equal=("state",), order=(Order("updated_at", "DESCENDING"),))
    assert required(query) == CompositeIndex("cases", (Order("state"), Order("updated_at", "DESCENDING")))


def test_a_range_is_always_over_the_first_field_of_the_order() -> None:
    assert all(query.up_to in (None, query.order[0].field if query.order else None) for query in QUERIES)


def test_only_sweeping_looks_across_orgs() -> None:
    across = {query.collection for query in QUERIES if query.scope == "COLLECTION_GROUP"}
    assert across == {"cases", "inbox"}
    assert all(query.order[0].field in ("wake_at", "open_until") for query in QUERIES if query.scope != "COLLECTION")


def test_every_query_of_the_code_is_a_declared_one() -> None:
    declared = {name for name, value in vars(layout).items() if isinstance(value, Query)}
    assert len(declared) == len(QUERIES)
    used = {name for path in ADAPTERS for name in declared if re.search(rf"\bfind\(\s*{name}\b", path.read_text())}
    both = {"CASES", "CASES_BY_STATE"}  # chosen between in one expression
    assert used | both == declared


def test_nothing_but_the_gateway_speaks_to_the_client() -> None:
    speaks = re.compile(r"\.(where|stream|collection_group|document|transaction|on_snapshot)\(|@transactional")
    assert [path.name for path in ADAPTERS if path.name != GATEWAY and speaks.search(path.read_text())] == []


def test_what_is_queried_or_expires_is_a_known_collection() -> None:
    assert {query.collection for query in QUERIES} | set(EXPIRING) <= set(COLLECTIONS)


def test_terraform_can_read_the_description() -> None:
    read = json.loads(json.dumps(description()))
    assert {"collection": "inbox", "field": "delete_at"} in read["ttl"]
    assert len(read["composite_indexes"]) == len(COMPOSITE_INDEXES)


@pytest.mark.parametrize(
    "crossing",
    ["globex/cases/case_1", "../globex", "..", ".", "", "__name__", "a b", "a\n", "x" * 300, "naïve"],
)
def test_an_id_never_leads_out_of_its_place(crossing: str) -> None:
    with pytest.raises(InvalidInput):
        org_path(crossing)
    with pytest.raises(InvalidInput):
        case_path("acme", crossing)


def test_ids_of_others_are_hashed_whatever_is_in_them() -> None:
    path = inbox_path("acme", "evt_1/../../../globex")
    assert path[:3] == ("orgs", "acme", "inbox")
    assert re.fullmatch("[0-9a-f]{32}", path[3])
