"""Where everything is kept in Firestore: documents, queries, indexes, and what expires by itself.

The one description of it: the adapters take their paths and queries from here, Terraform its indexes and TTL policies
(`python -m infra.google.layout` prints them as JSON), and a test proves that every query is covered by an index. The
emulator would not notice: it answers any query.

    orgs/{org}                                        an org, as the directory knows it
    orgs/{org}/cases/{case}                           the case, its head and its bookkeeping
    orgs/{org}/cases/{case}/commits/{first seq}       one document per commit
    orgs/{org}/cases/{case}/rounds/{round}            how many reports a round has
    orgs/{org}/cases/{case}/reports/{round}-{hash}    one per specialist and round
    orgs/{org}/cases/{case}/chunks/{sha256}           rows that do not fit into a report
    orgs/{org}/cases/{case}/texts/{hash}              texts that the log refers to by their hashes
    orgs/{org}/cases/{case}/trace/{instant}-{hash}    what is going on, a few lines per document
    orgs/{org}/inbox/{hash}                           an event as it arrived
    orgs/{org}/charges/{hash}                         the ledger of a charge
    orgs/{org}/episodes/{hash}                        what is remembered of a case
    orgs/{org}/claims/{hash}                          who works on what
    endpoints/{hash}                                  which org an event belongs to
    control/effects                                   the kill switch of every org

Everything of an org lies below its own document, so that a path is a fence. Ids that would arrive in order are hashed:
neighbours in the key space are written by the same server.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Final, Literal

from shared.case.canonical import short_hash
from shared.errors import InvalidInput

Path = tuple[str, ...]
"""The segments of a document's or a collection's path, below the database."""

Direction = Literal["ASCENDING", "DESCENDING"]
Scope = Literal["COLLECTION", "COLLECTION_GROUP"]

_SEGMENT: Final = re.compile(r"(?!\.{1,2}$)(?!__.*__$)[A-Za-z0-9._@+-]{1,200}")


def segment(text: str) -> str:
    """An id that is used in a path as it is. Raises InvalidInput for one that could lead out of its place."""
    if not _SEGMENT.fullmatch(text):
        raise InvalidInput(f"{text[:80]!r} cannot be an id: use letters, digits and . _ @ + - (at most 200)")
    return text


def org_path(org: str) -> Path:
    """The document of an org."""
    return ("orgs", segment(org))


def case_path(org: str, case_id: str) -> Path:
    """The document of a case. Case ids are hashes already."""
    return (*org_path(org), "cases", segment(case_id))


def commit_path(org: str, case_id: str, first_seq: int) -> Path:
    """The document of a commit; names in the order of the log."""
    return (*case_path(org, case_id), "commits", f"{first_seq:010d}")


def round_path(org: str, case_id: str, round_number: int) -> Path:
    """The document that counts the reports of a round."""
    return (*case_path(org, case_id), "rounds", f"{round_number}")


def report_path(org: str, case_id: str, round_number: int, specialist: str) -> Path:
    """The document of a report."""
    return (*case_path(org, case_id), "reports", f"{round_number}-{_spread(specialist)}")


def chunk_path(org: str, case_id: str, sha256: str) -> Path:
    """The document of a chunk."""
    return (*case_path(org, case_id), "chunks", segment(sha256))


def text_path(org: str, case_id: str, bundle: str) -> Path:
    """The document of texts that were stored in one go."""
    return (*case_path(org, case_id), "texts", segment(bundle))


def inbox_path(org: str, event_id: str) -> Path:
    """The document of an event."""
    return (*org_path(org), "inbox", _spread(event_id))


def charge_path(org: str, account: str | None, charge: str) -> Path:
    """The document of a charge's ledger."""
    return (*org_path(org), "charges", _spread(account or "", charge))


def episode_path(org: str, case_id: str) -> Path:
    """The document of what is remembered of a case."""
    return (*org_path(org), "episodes", _spread(case_id))


def claim_path(org: str, key: str) -> Path:
    """The document of a claim."""
    return (*org_path(org), "claims", _spread(key))


def endpoint_path(endpoint: str, secret_name: str, account: str | None) -> Path:
    """The document that says to which org events belong."""
    return ("endpoints", _spread(endpoint, secret_name, account or ""))


EFFECTS_PATH: Final[Path] = ("control", "effects")


def _spread(*parts: str) -> str:
    return short_hash(*parts, length=32)


@dataclass(frozen=True, slots=True)
class Order:
    """One field of an index, or of a query's order."""

    field: str
    direction: Direction = "ASCENDING"


@dataclass(frozen=True, slots=True)
class Query:
    """One query as the code makes it: equalities, at most one range, which is over the first field of its order.

    Documents come in the order of their names where `order` says nothing else.
    """

    collection: str
    scope: Scope = "COLLECTION"
    equal: tuple[str, ...] = ()
    any_of: str | None = None
    """A field compared with a list of up to 30 values."""
    up_to: str | None = None
    """A field with an upper bound."""
    order: tuple[Order, ...] = ()
    only: tuple[str, ...] | None = None
    """The fields that are fetched; None: all of them, empty: names alone."""


CASES_DUE: Final = Query("cases", "COLLECTION_GROUP", up_to="wake_at", order=(Order("wake_at"),), only=())
CASES_DUE_OF_ORG: Final = Query("cases", up_to="wake_at", order=(Order("wake_at"),), only=())
NEXT_WAKE: Final = Query("cases", "COLLECTION_GROUP", up_to="wake_at", order=(Order("wake_at"),), only=("wake_at",))
CASES: Final = Query("cases", order=(Order("updated_at", "DESCENDING"),), only=("updated_at", "body"))
CASES_BY_STATE: Final = Query(
    "cases", any_of="state", order=(Order("updated_at", "DESCENDING"),), only=("updated_at", "body")
)
COMMITS: Final = Query("commits")
REPORTS: Final = Query("reports", equal=("round",))
REPORT_HEADS: Final = Query("reports", equal=("round",), only=("head",))
TEXTS: Final = Query("texts")
TRACE: Final = Query("trace")
EPISODES: Final = Query("episodes", equal=("customer",), order=(Order("decided_at", "DESCENDING"),))
INBOX_WAITING: Final = Query("inbox", equal=("waits_for",))
INBOX_OPEN: Final = Query("inbox", "COLLECTION_GROUP", order=(Order("open_until"),))
INBOX_UNSETTLED: Final = Query("inbox", "COLLECTION_GROUP", up_to="open_until", order=(Order("open_until"),))
INBOX: Final = Query("inbox", order=(Order("received_at"),))
INBOX_BY_STATUS: Final = Query("inbox", equal=("status",), order=(Order("received_at"),))

QUERIES: Final = (
    CASES_DUE,
    CASES_DUE_OF_ORG,
    NEXT_WAKE,
    CASES,
    CASES_BY_STATE,
    COMMITS,
    REPORTS,
    REPORT_HEADS,
    TEXTS,
    TRACE,
    EPISODES,
    INBOX_WAITING,
    INBOX_OPEN,
    INBOX_UNSETTLED,
    INBOX,
    INBOX_BY_STATUS,
)
"""Every query there is; the gateway makes no other."""


@dataclass(frozen=True, slots=True)
class FieldIndex:
    """An index over one field. Every field that is not named here is exempt: large texts are never indexed."""

    collection: str
    field: str
    direction: Direction
    scope: Scope = "COLLECTION"


@dataclass(frozen=True, slots=True)
class CompositeIndex:
    """An index over several fields."""

    collection: str
    fields: tuple[Order, ...]
    scope: Scope = "COLLECTION"


FIELD_INDEXES: Final = (
    FieldIndex("cases", "wake_at", "ASCENDING"),
    FieldIndex("cases", "wake_at", "ASCENDING", "COLLECTION_GROUP"),
    FieldIndex("cases", "updated_at", "DESCENDING"),
    FieldIndex("reports", "round", "ASCENDING"),
    FieldIndex("inbox", "waits_for", "ASCENDING"),
    FieldIndex("inbox", "open_until", "ASCENDING", "COLLECTION_GROUP"),
    FieldIndex("inbox", "received_at", "ASCENDING"),
)
COMPOSITE_INDEXES: Final = (
    CompositeIndex("cases", (Order("state"), Order("updated_at", "DESCENDING"))),
    CompositeIndex("episodes", (Order("customer"), Order("decided_at", "DESCENDING"))),
    CompositeIndex("inbox", (Order("status"), Order("received_at"))),
)

COLLECTIONS: Final = (
    "orgs",
    "cases",
    "commits",
    "rounds",
    "reports",
    "chunks",
    "texts",
    "trace",
    "inbox",
    "charges",
    "episodes",
    "claims",
    "endpoints",
    "control",
)
"""Every collection; the automatic indexes of all fields are switched off in each of them."""

TTL_FIELD: Final = "delete_at"
"""The instant from which Firestore may delete a document. It does so lazily: code compares instants itself."""
EXPIRING: Final = ("chunks", "claims", "inbox", "trace")


def required(query: Query) -> FieldIndex | CompositeIndex | None:
    """The index that Firestore asks for to answer a query; None where the order of the names is enough."""
    equal = [Order(name) for name in query.equal] + ([Order(query.any_of)] if query.any_of else [])
    ordered = list(query.order)
    if query.up_to is not None and query.up_to not in [order.field for order in ordered]:
        ordered.insert(0, Order(query.up_to))
    fields = (*equal, *ordered)
    if not fields:
        return None
    if len(fields) == 1:
        return FieldIndex(query.collection, fields[0].field, fields[0].direction, query.scope)
    return CompositeIndex(query.collection, fields, query.scope)


def description() -> dict[str, object]:
    """Indexes, exemptions and expiry, as Terraform reads them."""
    return {
        "collections": list(COLLECTIONS),
        "field_indexes": [asdict(index) for index in FIELD_INDEXES],
        "composite_indexes": [asdict(index) for index in COMPOSITE_INDEXES],
        "ttl": [{"collection": collection, "field": TTL_FIELD} for collection in EXPIRING],
    }


if __name__ == "__main__":
    print(json.dumps(description(), indent=2))
