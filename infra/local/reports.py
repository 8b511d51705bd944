"""Reports, their chunks, and texts: the bulk of a case, written before the commit that points to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from infra.local.instants import to_micros
from shared.case.evidence import EvidenceRow, Report
from shared.errors import InvalidInput, NotFound

T = TypeVar("T")

_ROWS = TypeAdapter(tuple[EvidenceRow, ...])
_REPORT = TypeAdapter(Report)
_NOT_UNICODE = "text with a lone surrogate is not valid Unicode and cannot be stored"
_HEADS: Final = """
SELECT json_remove(body, '$.rows') FROM reports WHERE org = ? AND case_id = ? AND round = ? ORDER BY specialist"""
_COUNT: Final = "SELECT count(*) FROM reports WHERE org = ? AND case_id = ? AND round = ?"


def rows_text(rows: Sequence[EvidenceRow]) -> str:
    """The rows of a chunk as text. Raises InvalidInput for text that is not valid Unicode."""
    return _text(_ROWS, tuple(rows))


def report_text(report: Report) -> str:
    """A report as text. Raises InvalidInput for text that is not valid Unicode."""
    return _text(_REPORT, report)


def put_chunk(
    connection: sqlite3.Connection, org: str, case_id: str, sha256: str, body: str, expires_at: datetime
) -> None:
    """Store a chunk once. Again: its life is prolonged if it still is an orphan, and nothing else changes."""
    # In SQLite max() of a null is null: what a report has claimed never expires again.
    connection.execute(
        """INSERT INTO chunks (org, case_id, sha256, expires_at, body) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)""",
        (org, case_id, sha256, to_micros(expires_at), body),
    )


def read_chunk(connection: sqlite3.Connection, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
    """The rows of a chunk; None when there is none of this name."""
    found = connection.execute(
        "SELECT body FROM chunks WHERE org = ? AND case_id = ? AND sha256 = ?", (org, case_id, sha256)
    ).fetchone()
    return None if found is None else _ROWS.validate_json(found[0])


def put_texts(connection: sqlite3.Connection, org: str, case_id: str, texts: Mapping[str, str]) -> None:
    """Store texts under their hashes; one that is there stays."""
    rows = [(org, case_id, sha256, text) for sha256, text in texts.items()]
    connection.executemany(
        "INSERT INTO texts (org, case_id, sha256, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
    )


def read_texts(connection: sqlite3.Connection, org: str, case_id: str, hashes: Collection[str]) -> dict[str, str]:
    """Those of these texts that are stored, by hash."""
    return dict(
        connection.execute(
            "SELECT sha256, body FROM texts WHERE org = ? AND case_id = ?"
            " AND sha256 IN (SELECT value FROM json_each(?))",
            (org, case_id, json.dumps(sorted(hashes))),
        )
    )


def create_report(connection: sqlite3.Connection, org: str, case_id: str, report: Report, body: str) -> int | None:
    """Create the report if absent and keep its chunks for good: how many reports its round has now.

    None: another one stands. Raises NotFound when one of its chunks is not stored.
    """
    created = connection.execute(
        "INSERT INTO reports (org, case_id, round, specialist, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (org, case_id, report.round, report.specialist, body),
    )
    if created.rowcount != 1:
        return None
    for chunk in report.chunks:
        kept = connection.execute(
            "UPDATE chunks SET expires_at = NULL WHERE org = ? AND case_id = ? AND sha256 = ?",
            (org, case_id, chunk.sha256),
        )
        if kept.rowcount != 1:
            raise NotFound(f"the report of {report.specialist} names a chunk that is not stored: {chunk.sha256}")
    count: int = connection.execute(_COUNT, (org, case_id, report.round)).fetchone()[0]
    return count


def reports_of(connection: sqlite3.Connection, org: str, case_id: str, round_number: int) -> Sequence[Report]:
    """The reports of a round, in the order of the specialists' names."""
    found = connection.execute(
        "SELECT body FROM reports WHERE org = ? AND case_id = ? AND round = ? ORDER BY specialist",
        (org, case_id, round_number),
    ).fetchall()
    return tuple(_REPORT.validate_json(body) for (body,) in found)


def heads_of(connection: sqlite3.Connection, org: str, case_id: str, round_number: int) -> Sequence[Report]:
    """The reports of a round without their rows, which are not even parsed."""
    found = connection.execute(_HEADS, (org, case_id, round_number)).fetchall()
    return tuple(_REPORT.validate_json(body) for (body,) in found)


def purge_chunks(connection: sqlite3.Connection, now: datetime) -> int:
    """Delete chunks that no report has claimed in time; how many there were."""
    return connection.execute("DELETE FROM chunks WHERE expires_at <= ?", (to_micros(now),)).rowcount


def check_text(text: str) -> None:
    """Raises InvalidInput for text that is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(_NOT_UNICODE) from error


def _text(adapter: TypeAdapter[T], value: T) -> str:
    try:
        return adapter.dump_json(value).decode()
    except PydanticSerializationError as error:
        raise InvalidInput(_NOT_UNICODE) from error
