"""`multipart/form-data` as the SDK sends an upload: parameters, and one file that is measured and then forgotten.

A file becomes a nested parameter with its name, type, size in bytes, pages and hash, so that a key used again for
another file is noticed like any other parameter. What a file holds is not kept.
"""

from __future__ import annotations

import hashlib
import re
from email.parser import BytesParser
from email.policy import HTTP

from .errors import Invalid
from .forms import Form

_KINDS = ((b"%PDF-", "pdf"), (b"\xff\xd8\xff", "jpg"), (b"\x89PNG\r\n\x1a\n", "png"))
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")
"""A page of a PDF; those inside compressed object streams are not seen, and such a file counts as one page."""


def is_multipart(content_type: str) -> bool:
    """Whether a request body is of this kind."""
    return content_type.partition(";")[0].strip().lower() == "multipart/form-data"


def decode(content_type: str, body: bytes) -> Form:
    """The parameters of an upload. Raises Invalid for a body that is not what its header says."""
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    if not message.is_multipart():
        raise Invalid("Invalid request: the body is not multipart/form-data.")
    form: Form = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise Invalid("Invalid request: a part of the body has no name.")
        filename = part.get_filename()
        form[name] = content.decode("utf-8", "replace") if filename is None else _measured(filename, content)
    return form


def _measured(filename: str, content: bytes) -> Form:
    kind = next((kind for magic, kind in _KINDS if content.startswith(magic)), "")
    pages = len(_PAGE.findall(content)) if kind == "pdf" else 1
    return {
        "filename": filename,
        "pages": str(max(1, pages)),
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": str(len(content)),
        "type": kind,
    }
