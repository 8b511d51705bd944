"""Reports and their chunks: the bulk of a case, written before the commit that points to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from infra.google.documents import GONE, Document, Documents
from infra.google.faults import Absent, FirestoreUnavailable, Stale
from infra.google.layout import (
    REPORT_HEADS,
    REPORTS,
    TTL_FIELD,
    Path,
    case_path,
    chunk_path,
    report_path,
    round_path,
)
from infra.google.texts import restored, stored
from shared.case.evidence import EvidenceRow, Report
from shared.errors import InvalidInput, NotFound

T = TypeVar("T")

_ROWS: Final = TypeAdapter(tuple[EvidenceRow, ...])
_REPORT: Final = TypeAdapter(Report)


def put_chunk(
    documents: Documents, org: str, case_id: str, sha256: str, rows: Sequence[EvidenceRow], expires_at: datetime
) -> None:
    """Store a chunk once. Again: its life is prolonged if it still is an orphan, and nothing else changes."""
    path = chunk_path(org, case_id, sha256)
    batch = documents.batch()
    batch.create(path, {"rows": _text(_ROWS, tuple(rows), "a chunk"), TTL_FIELD: expires_at})
    try:
        documents.commit(batch)
    except Stale:
        _prolong(documents, path, expires_at)


def _prolong(documents: Documents, path: Path, expires_at: datetime) -> None:
    present = documents.get(path)
    expiry = present.instant(TTL_FIELD) if present else None
    if present is not None and (expiry is None or expiry >= expires_at):
        return  # a report has claimed it, or it lives long enough
    try:
        if present is None:
            raise Absent("the chunk has just expired")
        batch = documents.batch()
        batch.change(path, {TTL_FIELD: expires_at}, expected=present.version)
        documents.commit(batch)
    except (Stale, Absent) as error:
        # It was claimed, prolonged or deleted in this very moment: storing it again shows which.
        raise FirestoreUnavailable("a chunk is being stored by others at the same moment", after=1.0) from error


def read_chunk(documents: Documents, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
    """The rows of a chunk; None when there is none of this name."""
    found = documents.get(chunk_path(org, case_id, sha256))
    return None if found is None else _ROWS.validate_json(restored(found.fields["rows"]))


def create_report(documents: Documents, org: str, case_id: str, report: Report) -> int | None:
    """Create the report if absent and keep its chunks for good. Raises NotFound when one of them is not stored.

    The count of the round goes up in the same batch: only a report that is new is counted, however often it is sent.
    """
    what = f"the report of {report.specialist}"
    batch = documents.batch()
    batch.create(
        report_path(org, case_id, report.round, report.specialist),
        {
            "round": report.round,
            "head": _text(_REPORT, report.model_copy(update={"rows": ()}), what),
            "rows": _text(_ROWS, report.rows, what),
        },
    )
    batch.add(round_path(org, case_id, report.round), "reports", 1)
    for chunk in report.chunks:
        batch.change(chunk_path(org, case_id, chunk.sha256), {TTL_FIELD: GONE})
    try:
        written = documents.commit(batch)
    except Stale:
        return None
    except Absent as error:
        raise NotFound(f"the report of {report.specialist} names a chunk that is not stored") from error
    return written[1].number


def reports_of(documents: Documents, org: str, case_id: str, round_number: int) -> Sequence[Report]:
    """The reports of a round, in the order of the specialists' names."""
    found = documents.find(REPORTS, case_path(org, case_id), equal=(round_number,))
    reports = (
        _head(document).model_copy(update={"rows": _ROWS.validate_json(restored(document.fields["rows"]))})
        for document in found
    )
    return tuple(sorted(reports, key=lambda report: report.specialist))


def heads_of(documents: Documents, org: str, case_id: str, round_number: int) -> Sequence[Report]:
    """The reports of a round without their rows, which are not even fetched."""
    found = documents.find(REPORT_HEADS, case_path(org, case_id), equal=(round_number,))
    return tuple(sorted(map(_head, found), key=lambda report: report.specialist))


def _head(document: Document) -> Report:
    return _REPORT.validate_json(restored(document.fields["head"]))


def _text(adapter: TypeAdapter[T], value: T, what: str) -> str | bytes:
    try:
        return stored(adapter.dump_json(value).decode(), what)
    except PydanticSerializationError as error:
        raise InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored") from error
