"""A small database, built once, and the sources over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.sources.duckdb_files import DuckDbSources, build_database
from infra.sources.worker_process import WorkerProcess, WorkerSettings

EVENTS = 1500


def tables() -> dict[str, list[dict[str, object]]]:
    disputes: list[dict[str, object]] = [
        {
            "id": f"dp_{number}",
            "amount": 840000 + number,
            "currency": "usd",
            "charge": f"ch_{number}",
            "status": "needs_response" if number % 2 else "won",
            "created": 1778240700 + number,
            "is_charge_refundable": False,
            "metadata": {"order": {"lines": [1, 2.5, None]}},
            "evidence_details": {"due_by": 1779451199, "has_evidence": False, "submission_count": 0},
            "payment_method_details": {"type": "card", "card": {"brand": "visa", "network_reason_code": "13.3"}},
        }
        for number in range(1, 601)
    ]
    events: list[dict[str, object]] = [
        {
            "id": f"evt_{number}",
            "event": "opened",
            "timestamp": f"2026-04-{12 + number % 4:02d}T{number % 24:02d}:00:00+02:00",
            "properties": {"service": "reports", "list": [1, 2, 3], "count": number},
        }
        for number in range(EVENTS)
    ]
    return {
        "stripe.disputes": disputes,
        "stripe.charges": [{"id": "ch_1", "amount": 840001, "customer": "cus_1", "captured": True}],
        "posthog.events": events,
        "salesforce.accounts": [
            {"id": 7, "name": "Acme", "arr": 100800.5, "annual_revenue": "2500000", "strategic": True},
            {"id": 8, "name": "Björn's \"Café\" \\ 'x'", "arr": 0, "owner_started_at": "2026-04-12"},
        ],
        "custom.things": [{"id": "t1", "n": 3, "at": "2026-01-01T00:00:00Z", "deep": {"a": [1]}, "share": 0.1}],
    }


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sources") / "world.duckdb"
    build_database(path, tables())
    return path


@pytest.fixture(scope="session")
def sources(database: Path) -> Iterator[DuckDbSources]:
    with DuckDbSources(database) as opened:
        yield opened


@pytest.fixture
def worker(database: Path) -> Iterator[WorkerProcess]:
    """A child of its own, spoken to in its own protocol: what reaches it has passed no guard."""
    process = WorkerProcess(WorkerSettings(database))
    yield process
    process.close()


@pytest.fixture(scope="session")
def hardy(database: Path) -> Iterator[WorkerProcess]:
    """One child for everything that a child must survive."""
    process = WorkerProcess(WorkerSettings(database))
    yield process
    process.close()
