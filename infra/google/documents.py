"""The one way to Firestore: reads, declared queries and conditional batches, each with a deadline, counted.

Sending again is ours, not the client's: it re-sends commits whose answer was lost, so that a create can fail because of
its own success, and a caller that does not know would take that for somebody else's. Here a batch may be sent again
too, and every caller of `commit` says how it recognises its own success. There are no transactions: under contention
they wait for each other's locks until none gets through; a precondition fails at once and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, TypeVar, cast

from google.api_core.retry import Retry
from google.cloud.firestore_v1 import (
    Client,
    DocumentReference,
    DocumentSnapshot,
    FieldFilter,
    Increment,
)
from google.cloud.firestore_v1 import Query as ClientQuery
from google.cloud.firestore_v1.base_query import BaseQuery
from google.cloud.firestore_v1.transforms import DELETE_FIELD
from google.protobuf.timestamp_pb2 import Timestamp

from infra.google.faults import FirestoreUnavailable, Stale, translating
from infra.google.layout import QUERIES, Path, Query
from infra.google.meter import Meter, Operation
from shared.errors import InvalidInput
from shared.ports import Clock, Entropy
from shared.ports.store import Version

CALL_TIMEOUT_S: Final = 10.0
"""Of one attempt at one call."""
ATTEMPTS: Final = 3
_FIRST_PAUSE_S: Final = 0.2
_ONE_ATTEMPT: Final = Retry(predicate=lambda error: False)

GONE: Final = DELETE_FIELD
"""As a value in a change: the field is removed."""

T = TypeVar("T")
_Snapshot: TypeAlias = DocumentSnapshot[Any]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
END_OF_TIME: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""Later than any instant that is stored: an upper bound for whatever has a value at all."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as read."""

    path: Path
    fields: Mapping[str, Any]
    version: Version
    """Of this very state: any later write gives another one."""

    def instant(self, name: str) -> datetime | None:
        """A field that is an instant, exact to the microsecond, in UTC; None when absent or null."""
        value: datetime | None = self.fields.get(name)
        # The client's own subclass of datetime goes no further than here.
        return None if value is None else _EPOCH + (value - _EPOCH)


class Batch:
    """Writes that hold together or not at all."""

    def __init__(self, client: Client) -> None:
        self.pending = client.batch()
        self.operations: list[tuple[str, Operation]] = []
        self.expected: dict[Path, Version] = {}
        self._client = client

    def create(self, path: Path, fields: Mapping[str, Any]) -> None:
        """A document that must not exist yet."""
        self.pending.create(self._reference(path, "writes"), dict(fields))

    def put(self, path: Path, fields: Mapping[str, Any], *, merge: bool = False) -> None:
        """A document as a whole, whatever was there; with `merge` only these fields of it."""
        self.pending.set(self._reference(path, "writes"), dict(fields), merge=merge)

    def change(self, path: Path, fields: Mapping[str, Any], *, expected: Version | None = None) -> None:
        """These fields of a document that must exist and, with `expected`, must not have changed since."""
        self.pending.update(self._reference(path, "writes"), dict(fields), option=self._condition(path, expected))

    def add(self, path: Path, field: str, number: int) -> None:
        """Add to a number, wherever it stands. Only beside a create: sent twice, it must not count twice."""
        self.put(path, {field: Increment(number)}, merge=True)

    def delete(self, path: Path, *, expected: Version | None = None) -> None:
        """Delete a document; with `expected` only if it has not changed since."""
        self.pending.delete(self._reference(path, "deletes"), option=self._condition(path, expected))

    def _reference(self, path: Path, operation: Operation) -> DocumentReference:
        self.operations.append((path[-2], operation))
        return self._client.document(*path)

    def _condition(self, path: Path, expected: Version | None) -> Any:
        if expected is None:
            return None
        self.expected[path] = expected
        moment = Timestamp()
        moment.FromJsonString(str(expected))
        return self._client.write_option(last_update_time=moment)


@dataclass(frozen=True, slots=True)
class Written:
    """What a batch's answer says of one of its writes: the new version, and the number that `add` came to."""

    version: Version | None
    """None: it deleted the document."""
    number: int | None


class Documents:
    """Firestore, as the adapters use it."""

    def __init__(self, client: Client, clock: Clock, entropy: Entropy, meter: Meter) -> None:
        self._client = client
        self._clock = clock
        self._entropy = entropy
        self.meter = meter

    def get(self, path: Path) -> Document | None:
        """A document by its path; strongly consistent."""
        return self.get_all(path)[0]

    def get_all(self, *paths: Path) -> list[Document | None]:
        """Several documents in one call, in the order of their paths, as of one instant."""

        def fetch() -> dict[str, _Snapshot]:
            references = [self._client.document(*path) for path in paths]
            found = self._client.get_all(references, retry=_ONE_ATTEMPT, timeout=CALL_TIMEOUT_S)
            return {snapshot.reference.path: snapshot for snapshot in found}

        collection = paths[0][-2]
        snapshots = self._attempt(f"reading {collection}", collection, fetch)
        self.meter.count(collection, "reads", len(paths))
        return [_document(snapshots.get("/".join(path))) for path in paths]

    def find(
        self,
        query: Query,
        parent: Path = (),
        *,
        equal: Sequence[Any] = (),
        any_of: Sequence[Any] = (),
        up_to: Any = None,
        after: Sequence[Any] = (),
        limit: int | None = None,
    ) -> list[Document]:
        """The documents that answer a declared query, all of them or the first `limit`.

        `equal` are the values of its equalities in their order. `after` goes on behind a document: its values in the
        query's order, then its path.
        """
        if query not in QUERIES:
            raise LookupError(f"the query over {query.collection} is not declared: no index is known to cover it")
        built = self._build(query, parent, equal, any_of, up_to, after)
        if limit is not None:
            built = built.limit(limit)

        def fetch() -> list[_Snapshot]:
            found = built.stream(retry=_ONE_ATTEMPT, timeout=CALL_TIMEOUT_S)
            return list(cast("Iterable[_Snapshot]", found))

        snapshots = self._attempt(f"asking for {query.collection}", query.collection, fetch)
        self.meter.count(query.collection, "reads", max(1, len(snapshots)))
        return [found for found in map(_document, snapshots) if found is not None]

    def batch(self) -> Batch:
        """A new, empty batch."""
        return Batch(self._client)

    def commit(self, batch: Batch) -> list[Written]:
        """Apply the batch. Raises Stale or Absent, and then it changed nothing.

        It may have been sent again after an answer was lost: a Stale can be the echo of its own success.
        """
        collection = batch.operations[0][0]

        def send() -> list[Any]:
            return batch.pending.commit(retry=_ONE_ATTEMPT, timeout=CALL_TIMEOUT_S)

        try:
            results = self._attempt(f"writing {collection}", collection, send)
        except InvalidInput as error:
            # A version that is later than the stored one is refused as invalid, e.g. after a restore.
            if self._is_stale(batch):
                raise Stale(f"writing {collection}") from error
            raise
        for written, operation in batch.operations:
            self.meter.count(written, operation)
        return [_written(result) for result in results]

    def _is_stale(self, batch: Batch) -> bool:
        if not batch.expected:
            return False
        present = self.get_all(*batch.expected)
        return any(
            document is None or document.version != expected
            for document, expected in zip(present, batch.expected.values(), strict=True)
        )

    def _build(
        self,
        query: Query,
        parent: Path,
        equal: Sequence[Any],
        any_of: Sequence[Any],
        up_to: Any,
        after: Sequence[Any],
    ) -> BaseQuery:
        built: BaseQuery
        if query.scope == "COLLECTION_GROUP":
            built = self._client.collection_group(query.collection)
        else:
            built = ClientQuery(self._client.collection(*parent, query.collection))
        for name, value in zip(query.equal, equal, strict=True):
            built = built.where(filter=FieldFilter(name, "==", value))
        if query.any_of is not None:
            built = built.where(filter=FieldFilter(query.any_of, "in", list(any_of)))
        if query.up_to is not None:
            built = built.where(filter=FieldFilter(query.up_to, "<=", up_to))
        for order in query.order:
            built = built.order_by(order.field, direction=order.direction)
        if after:
            last = query.order[-1].direction if query.order else "ASCENDING"
            values = [*after[:-1], self._client.document(*after[-1])]
            built = built.order_by("__name__", direction=last).start_after(values)
        return built if query.only is None else built.select(list(query.only) or ["__name__"])

    def _attempt(self, what: str, collection: str, call: Callable[[], T]) -> T:
        """Make a call, and again after a fault that may pass: a bounded number of times, with a pause that grows."""
        for attempt in range(1, ATTEMPTS + 1):
            self.meter.count(collection, "calls")
            try:
                with translating(what):
                    return call()
            except FirestoreUnavailable:
                if attempt == ATTEMPTS:
                    raise
                self._clock.pause(_FIRST_PAUSE_S * attempt * (0.5 + self._entropy.jitter()))
        raise AssertionError("the last attempt returns or raises")


def _document(snapshot: _Snapshot | None) -> Document | None:
    if snapshot is None or not snapshot.exists:
        return None
    version = _version(snapshot.update_time)
    assert version is not None
    return Document(tuple(snapshot.reference.path.split("/")), snapshot.to_dict() or {}, version)


def _version(moment: Any) -> Version | None:
    """The update time as text. The client gives it in one type for a document and in another for a group's."""
    if moment is None:
        return None
    exact = moment if isinstance(moment, Timestamp) else moment.timestamp_pb()
    return str(exact.ToJsonString())


def _written(result: Any) -> Written:
    numbers = [value.integer_value for value in result.transform_results]
    return Written(_version(result.update_time), numbers[0] if numbers else None)
