"""The texts that a case refers to by hash: in bundles, one document for what was stored in one go.

A case has a draft or two and a few edits, and whoever reads one text of it reads them all: so one query reads every
bundle, and storing a draft is one write however many texts it has. Erasing a text writes its bundle without it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from infra.google.documents import Documents
from infra.google.layout import TEXTS, case_path, text_path
from infra.google.texts import restored, stored
from shared.case.canonical import canonical, short_hash
from shared.errors import InvalidInput

_MOST: Final = 256 * 1024
"""Bytes of texts in one document; a longer text has one of its own."""


def put_texts(documents: Documents, org: str, case_id: str, texts: Mapping[str, str]) -> None:
    """Store texts under their hashes, in one batch; the same again writes the same. Raises InvalidInput."""
    batch = documents.batch()
    for bundle in _bundles(texts):
        path = text_path(org, case_id, short_hash(*sorted(bundle), length=32))
        batch.put(path, {"texts": stored(canonical(bundle), f"the texts of case {case_id}")})
    if batch.operations:
        documents.commit(batch)


def read_texts(documents: Documents, org: str, case_id: str, hashes: Collection[str]) -> dict[str, str]:
    """Those of these texts that are stored, by hash."""
    if not hashes:
        return {}
    found: dict[str, str] = {}
    for document in documents.find(TEXTS, case_path(org, case_id)):
        found.update(json.loads(restored(document.fields["texts"])))
    return {digest: found[digest] for digest in hashes if digest in found}


def _bundles(texts: Mapping[str, str]) -> Iterator[dict[str, str]]:
    bundle: dict[str, str] = {}
    size = 0
    for digest, text in sorted(texts.items()):
        try:
            length = len(text.encode())
        except UnicodeEncodeError as error:
            raise InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored") from error
        if bundle and size + length > _MOST:
            yield bundle
            bundle, size = {}, 0
        bundle[digest] = text
        size += length
    if bundle:
        yield bundle
