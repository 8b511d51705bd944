"""Canonical bytes: equal values have equal bytes, and no float ever gets in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.case.canonical import Record, canonical, sha256, short_hash

leaves = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcä", max_size=3), inner, max_size=4)
)


class Thing(Record):
    """A stored shape."""

    name: str
    sizes: tuple[int, ...] = ()


def test_keys_are_sorted_and_nothing_is_spaced_or_escaped() -> None:
    assert canonical({"b": [1, None, True], "a": "zł"}) == '{"a":"zł","b":[1,null,true]}'


def test_a_record_is_written_like_its_content() -> None:
    assert canonical(Thing(name="x", sizes=(1, 2))) == canonical({"sizes": [1, 2], "name": "x"})


@given(values)
def test_what_is_written_reads_back_as_the_same(value: object) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=5))
def test_the_order_in_which_keys_were_added_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@pytest.mark.parametrize("value", [0.5, [1, 2.0], {"a": {"b": (1.5,)}}, {"a": float("nan")}])
def test_a_float_anywhere_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="store integers or decimal text"):
        canonical(value)


def test_the_hash_is_the_one_everybody_can_recompute() -> None:
    assert sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_text_with_a_lone_surrogate_still_has_a_hash() -> None:
    assert sha256("\ud800") != sha256("?")


def test_parts_cannot_be_shifted_into_each_other() -> None:
    assert short_hash("ab", "c") != short_hash("a", "bc")
    assert short_hash("ab", "") != short_hash("ab")


def test_a_short_hash_is_as_long_as_asked() -> None:
    assert (len(short_hash("a")), len(short_hash("a", length=12))) == (20, 12)


def test_a_record_is_immutable() -> None:
    thing = Thing(name="x")
    with pytest.raises(ValidationError, match="frozen"):
        thing.name = "y"  # type: ignore[misc]  # the mistake this test is about


def test_an_unknown_field_is_an_error() -> None:
    with pytest.raises(ValidationError, match="extra"):
        Thing.model_validate({"name": "x", "colour": "red"})
