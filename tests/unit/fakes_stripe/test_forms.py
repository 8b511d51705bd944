from __future__ import annotations

import pytest

from infra.fakes.stripe import currency, params
from infra.fakes.stripe.errors import Invalid
from infra.fakes.stripe.forms import decode, fingerprint


def test_nested_names_become_nested_mappings() -> None:
    form = decode("evidence%5Buncategorized_text%5D=a+b&metadata[x]=1&metadata[y]=&submit=false")
    assert form == {"evidence": {"uncategorized_text": "a b"}, "metadata": {"x": "1", "y": ""}, "submit": "false"}


def test_lists_come_with_and_without_indexes() -> None:
    assert params.array(decode("expand[]=a&expand[]=b"), "expand") == ["a", "b"]
    assert params.array(decode("expand[10]=c&expand[2]=b&expand[0]=a"), "expand") == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["a[b=1", "[b]=1", "a=1&a[b]=2", "a[b]=2&a=1", "a[b][c]=1&a[b]=2"])
def test_a_name_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        decode(text)


@pytest.mark.parametrize("text", ["expand=a", "expand[x]=a", "expand[0][1]=a"])
def test_a_list_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        params.array(decode(text), "expand")


def test_the_fingerprint_sees_parameters_and_not_their_order() -> None:
    assert fingerprint(decode("a=1&b[c]=2")) == fingerprint(decode("b[c]=2&a=1"))
    assert fingerprint(decode("a=1&b[c]=2")) != fingerprint(decode("a=1&b[c]=3"))


def test_metadata_keeps_to_its_limits() -> None:
    with pytest.raises(Invalid):
        params.metadata({"metadata": {"x" * 41: "1"}})
    with pytest.raises(Invalid):
        params.metadata({"metadata": {"a": "x" * 501}})
    with pytest.raises(Invalid):
        params.merged_metadata({str(number): "x" for number in range(50)}, {"one more": "x"})


def test_metadata_is_emptied_by_an_empty_text() -> None:
    assert params.merged_metadata({"a": "1"}, params.metadata(decode("metadata="))) == {}
    assert params.merged_metadata({"a": "1"}, params.metadata(decode("amount=1"))) == {"a": "1"}


@pytest.mark.parametrize(
    ("amount", "code", "text"),
    [
        (123456, "usd", "$1,234.56"),
        (5800, "jpy", "¥5,800"),
        (12_500, "kwd", "12.500 KWD"),
        (500, "ugx", "5.00 UGX"),
        (700, "mga", "700 MGA"),
    ],
)
def test_amounts_are_shown_with_stripes_exponents(amount: int, code: str, text: str) -> None:
    assert currency.shown(amount, code) == text


def test_conversion_rounds_half_up_in_whole_units() -> None:
    assert [currency.converted(amount, 3, 2) for amount in (1, 2, 3)] == [2, 3, 5]
