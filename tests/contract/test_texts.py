"""Texts are stored under their hashes, beside the log that refers to them."""

from __future__ import annotations

import pytest

from shared.case.canonical import sha256
from shared.errors import InvalidInput
from shared.ports.store import CaseStore
from tests.contract.factories import ORG
from tests.contract.test_cases import AWKWARD

CASE = "case_1"


def test_texts_are_read_back_by_their_hashes(store: CaseStore) -> None:
    texts = {sha256(text): text for text in ("short", AWKWARD, "long " * 30_000)}
    store.put_texts(ORG, CASE, texts)
    assert dict(store.read_texts(ORG, CASE, texts)) == texts


def test_only_what_was_asked_for_and_is_there_is_read(store: CaseStore) -> None:
    store.put_texts(ORG, CASE, {"a": "first", "b": "second"})
    assert dict(store.read_texts(ORG, CASE, ["a", "nowhere"])) == {"a": "first"}
    assert dict(store.read_texts(ORG, CASE, [])) == {}


def test_storing_a_text_again_changes_nothing(store: CaseStore) -> None:
    store.put_texts(ORG, CASE, {"a": "first"})
    store.put_texts(ORG, CASE, {"a": "first", "b": "second"})
    assert dict(store.read_texts(ORG, CASE, ["a", "b"])) == {"a": "first", "b": "second"}


def test_texts_belong_to_one_case_of_one_org(store: CaseStore) -> None:
    store.put_texts(ORG, CASE, {"a": "ours"})
    assert dict(store.read_texts(ORG, "case_2", ["a"])) == {}
    assert dict(store.read_texts("somebody", CASE, ["a"])) == {}


def test_text_that_is_not_unicode_is_refused_and_nothing_is_stored(store: CaseStore) -> None:
    with pytest.raises(InvalidInput):
        store.put_texts(ORG, CASE, {"a": "fine", "b": "\ud800"})
    assert dict(store.read_texts(ORG, CASE, ["a", "b"])) == {}
