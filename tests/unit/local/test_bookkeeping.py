"""What the embedded store does beyond the ports: expiry, recovery after a death, and how it finds what is due."""

from __future__ import annotations

import pytest

from infra.local import store as store_module
from infra.local.claims import SqliteClaims
from infra.local.database import Database
from infra.local.inbox import SqliteInbox
from infra.local.store import SqliteStore
from shared.case.canonical import canonical
from shared.case.evidence import Chunk
from shared.ports.store import InboxChange, InboxStatus
from tests.contract.factories import ORG, at, batch, claim, entry, opening, report, row
from tests.unit.local.conftest import child

CASE = "case_1"

TAKE_A_CLAIM = """
import sys, threading
from infra.local.claims import SqliteClaims
from infra.local.database import Database
from tests.contract.factories import ORG, at, claim
database = Database(sys.argv[1])
SqliteClaims(database).take(ORG, claim("them", key="theirs"), at(0))
print("taken", flush=True)
threading.Event().wait()
"""


def _hand_over(store: SqliteStore, specialist: str, chunk: str) -> bool:
    return store.create_report(ORG, CASE, report(specialist, rows=(), chunks=(Chunk(sha256=chunk, first=0, count=1),)))


def test_chunks_that_no_report_claims_go_when_they_expire(database: Database) -> None:
    store = SqliteStore(database)
    for name in ("orphan", "claimed"):
        store.put_chunk(ORG, CASE, name, (row(1),), at(60))
    assert _hand_over(store, "payments", "claimed")
    assert store.purge_expired(at(59)) == 0
    assert store.purge_expired(at(60)) == 1
    assert store.read_chunk(ORG, CASE, "orphan") is None
    assert store.read_chunk(ORG, CASE, "claimed") == (row(1),)


def test_storing_an_orphan_again_prolongs_its_life_but_a_claimed_chunk_never_expires_again(database: Database) -> None:
    store = SqliteStore(database)
    store.put_chunk(ORG, CASE, "retried", (row(1),), at(60))
    store.put_chunk(ORG, CASE, "retried", (row(1),), at(120))
    store.put_chunk(ORG, CASE, "retried", (row(1),), at(90))
    assert store.purge_expired(at(119)) == 0
    assert _hand_over(store, "payments", "retried")
    store.put_chunk(ORG, CASE, "retried", (row(1),), at(130))
    assert store.purge_expired(at(9999)) == 0


def test_the_chunks_of_a_report_that_lost_stay_orphans(database: Database) -> None:
    store = SqliteStore(database)
    for name in ("first", "late"):
        store.put_chunk(ORG, CASE, name, (row(1),), at(60))
    assert _hand_over(store, "payments", "first")
    assert not _hand_over(store, "payments", "late")
    assert store.purge_expired(at(60)) == 1
    assert store.read_chunk(ORG, CASE, "late") is None


def test_settled_events_go_when_they_expire_and_unsettled_ones_never(database: Database) -> None:
    inbox = SqliteInbox(database)
    for number in (1, 2, 3):
        inbox.put(entry(number, expires_at=at(60)))
    inbox.put(entry(4, status=InboxStatus.IGNORED))
    inbox.settle(ORG, InboxChange("evt_1", InboxStatus.IGNORED))
    inbox.settle(ORG, InboxChange("evt_2", InboxStatus.QUARANTINED))
    assert inbox.purge_expired(at(59)) == 0
    assert inbox.purge_expired(at(60)) == 2
    assert [item.id for item in inbox.list_entries(ORG)] == ["evt_3", "evt_4"]


def test_expired_claims_can_be_cleared_away(database: Database) -> None:
    claims = SqliteClaims(database)
    claims.take(ORG, claim("a", key="over", lasts_s=60), at(0))
    claims.take(ORG, claim("b", key="alive", lasts_s=61), at(0))
    assert claims.purge_expired(at(60)) == 1
    assert claims.live(ORG, "alive", at(60)) is not None


def test_only_the_claims_of_a_process_that_is_provably_dead_are_void(database: Database) -> None:
    claims = SqliteClaims(database)
    claims.take(ORG, claim("us", key="ours"), at(0))
    with child(TAKE_A_CLAIM, database.path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        assert claims.void_dead() == 0
        assert claims.live(ORG, "theirs", at(0)) is not None
        process.kill()
    assert claims.void_dead() == 1
    assert claims.live(ORG, "theirs", at(0)) is None
    assert claims.live(ORG, "ours", at(0)) == claim("us", key="ours")


def test_a_case_is_stored_as_its_canonical_text(database: Database) -> None:
    write = batch(None, opening())
    SqliteStore(database).write(write)
    assert database.read(lambda c: c.execute("SELECT body, state FROM cases").fetchone()) == (
        canonical(write.case),
        "received",
    )


@pytest.mark.parametrize(
    ("statement", "values", "index"),
    [
        (store_module._DUE, {"org": None, "now": 1, "limit": 1}, "cases_by_wake"),
        (
            store_module._LIST,
            {"org": "a", "before": 1, "before_id": "", "any_state": True, "states": "[]", "limit": 1},
            "cases_by_change",
        ),
        (store_module._EPISODES, ("a", "c", 1), "episodes_by_customer"),
    ],
)
def test_queries_follow_an_index_and_sort_nothing(
    database: Database, statement: str, values: dict[str, object] | tuple[object, ...], index: str
) -> None:
    plan = database.read(lambda c: c.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall())
    steps = [step[3] for step in plan]
    assert any(index in step for step in steps), steps
    assert not any("TEMP B-TREE" in step for step in steps), steps
