"""The evidence packet keeps the limits of Stripe and the networks, or is refused with the reason."""

from __future__ import annotations

import pytest

from shared.case.texts import Sealer
from shared.errors import InvalidInput
from shared.playbooks.disputes.limits import FILE_FIELDS, TEXT_LIMITS, broken, check_files, check_texts

TOTAL = 150_000


@pytest.mark.parametrize(("field", "limit"), [("uncategorized_text", 20_000), ("customer_name", 5_000)])
def test_a_field_may_be_as_long_as_its_limit_and_no_longer(field: str, limit: int) -> None:
    check_texts({field: "x" * limit})
    with pytest.raises(InvalidInput, match=f"{field} has {limit + 1:,} characters, Stripe takes {limit:,}"):
        check_texts({field: "x" * (limit + 1)})


def test_a_text_that_is_kept_by_reference_counts_with_its_length() -> None:
    check_texts({"customer_name": Sealer().text("x" * 5_000)})
    with pytest.raises(InvalidInput, match="customer_name has 5,001 characters"):
        check_texts({"customer_name": Sealer().text("x" * 5_001)})


def test_all_fields_together_have_a_limit_too() -> None:
    longest = sorted(TEXT_LIMITS, key=lambda name: -TEXT_LIMITS[name])
    full = {name: "x" * TEXT_LIMITS[name] for name in longest[:7]}
    check_texts({**full, longest[7]: "x" * (TOTAL - 140_000)})
    with pytest.raises(InvalidInput, match="150,001 characters in all"):
        check_texts({**full, longest[7]: "x" * (TOTAL - 140_000 + 1)})


@pytest.mark.parametrize("evidence", [{"customer_communication": "file_1"}, {"colour": "red"}, {"customer_name": 5}])
def test_files_and_unknown_fields_are_no_text(evidence: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match="is not a text field"):
        check_texts({**evidence})


def test_the_block_for_visas_programme_is_no_text() -> None:
    check_texts({"enhanced_evidence": {"visa_compelling_evidence_3": {}}, "customer_name": "Acme"})


@pytest.mark.parametrize(("network", "most"), [("visa", 49), ("mastercard", 19), ("", 49)])
def test_files_may_have_as_many_pages_as_the_network_takes(network: str, most: int) -> None:
    check_files({"service_documentation": {"bytes": 1, "pages": most}}, network)
    with pytest.raises(InvalidInput, match=f"{most + 1} pages in all, .* takes {most}"):
        check_files(
            {"service_documentation": {"bytes": 1, "pages": most}, "receipt": {"bytes": 1, "pages": 1}}, network
        )


def test_files_may_have_four_and_a_half_megabytes_in_all() -> None:
    half = {"bytes": 2_359_296, "pages": 1}
    check_files({"service_documentation": half, "receipt": half}, "visa")
    with pytest.raises(InvalidInput, match="4,718,593 bytes in all"):
        check_files({"service_documentation": half, "receipt": {"bytes": 2_359_297, "pages": 1}}, "visa")


def test_a_file_needs_a_field_that_takes_files_and_says_how_large_it_is() -> None:
    with pytest.raises(InvalidInput, match="uncategorized_text is not a file"):
        check_files({"uncategorized_text": {"bytes": 1, "pages": 1}}, "visa")
    for described in ({"bytes": 1}, "file_1"):
        with pytest.raises(InvalidInput, match="does not say its"):
            check_files({"receipt": described}, "visa")
    assert not FILE_FIELDS & set(TEXT_LIMITS)


def test_a_payload_that_breaks_a_limit_says_why_and_one_without_evidence_too() -> None:
    assert broken({"evidence": {"customer_name": "Acme"}}, "visa") is None
    assert broken({"evidence": {"customer_name": "x" * 5_001}}, "visa") == (
        "the evidence does not fit: customer_name has 5,001 characters, Stripe takes 5,000"
    )
    assert broken({}, "visa") == broken({"evidence": {}, "files": "none"}, "visa") == "there is no evidence to stage"
