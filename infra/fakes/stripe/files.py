"""`/v1/files`: uploads for the evidence of disputes, and what their files may come to.

Source: docs.stripe.com/file-upload (purposes, types and sizes) and docs.stripe.com/disputes/best-practices (4.5 MB and
under 50 pages in all, 19 for Mastercard). Only the purpose dispute_evidence is taken.
"""

from __future__ import annotations

from . import params
from .errors import Invalid, Refused, missing, required
from .forms import Form
from .session import Session
from .wire import JsonObject

PURPOSE = "dispute_evidence"
MOST_BYTES = 5 * 1024 * 1024
"""Of one upload."""
MOST_BYTES_OF_DISPUTE = 4_718_592
MOST_PAGES, MOST_PAGES_MASTERCARD = 49, 19
_TYPES = frozenset({"pdf", "jpg", "png"})
_MEASURE = "double.file_measure"
"""What Stripe knows of a file and does not tell, kept as an object that no request can read."""


def create(session: Session, form: Form) -> JsonObject:
    """Takes an upload. Raises Invalid for another purpose, another type of file, an empty one or one too large."""
    params.only(form, "file", "purpose")
    purpose, given = params.text(form, "purpose"), params.mapping(form, "file")
    if purpose is None or not given:
        raise required("purpose" if purpose is None else "file")
    if purpose != PURPOSE:
        raise Invalid(f"Invalid purpose: this double only takes {PURPOSE}", param="purpose")
    told = {name: str(value) for name, value in given.items()}
    size = int(told["size"])
    if told["type"] not in _TYPES:
        raise Invalid("The file type is not supported for this purpose; upload a PDF, JPEG or PNG.", param="file")
    if not 0 < size <= MOST_BYTES:
        raise Invalid(f"The file must have between 1 and {MOST_BYTES} bytes.", param="file")
    id = session.new_id("file")
    made: JsonObject = {
        "id": id,
        "object": "file",
        "created": session.now,
        "expires_at": None,
        "filename": told["filename"],
        "links": {"object": "list", "data": [], "has_more": False, "url": f"/v1/file_links?file={id}"},
        "purpose": purpose,
        "size": size,
        "title": None,
        "type": told["type"],
        "url": f"https://files.stripe.com/v1/files/{id}/contents",
    }
    session.put(made)
    session.put({"id": id, "object": _MEASURE, "created": session.now, "pages": int(told["pages"])})
    return made


def check_given(session: Session, ids: list[str]) -> None:
    """Raises Refused, as a 400, for a file that does not exist or is for something else."""
    for id in ids:
        found = session.get("file", id)
        if found is None:
            raise missing("file upload", id, param="evidence", status=400)
        if found["purpose"] != PURPOSE:
            raise Refused(f"The file {id} was not uploaded as {PURPOSE}.", param="evidence")


def check_total(session: Session, dispute: JsonObject, ids: list[str]) -> None:
    """Raises Invalid when the files of a dispute's evidence are more than the bank takes."""
    size = sum((session.get("file", id) or {}).get("size", 0) for id in ids)
    if size > MOST_BYTES_OF_DISPUTE:
        raise Invalid(
            f"The combined size of the evidence's files is {size} bytes; must be at most {MOST_BYTES_OF_DISPUTE}",
            param="evidence",
        )
    card = ((dispute.get("payment_method_details") or {}).get("card") or {}).get("brand")
    most = MOST_PAGES_MASTERCARD if card == "mastercard" else MOST_PAGES
    pages = sum((session.get(_MEASURE, id) or {}).get("pages", 1) for id in ids)
    if pages > most:
        raise Invalid(
            f"The evidence's files have {pages} pages in all; must be at most {most}",
            code="dispute_evidence_page_limit_exceeded",
            param="evidence",
        )
