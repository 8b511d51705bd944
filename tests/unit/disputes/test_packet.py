"""The evidence packet keeps Stripe's limits, or is refused with the reason."""

from __future__ import annotations

import pytest

from shared.errors import InvalidInput
from shared.playbooks.disputes.packet import LIMITS, TOTAL_LIMIT, check


@pytest.mark.parametrize(("field", "limit"), [("uncategorized_text", 20_000), ("customer_name", 5_000)])
def test_a_field_may_be_as_long_as_its_limit_and_no_longer(field: str, limit: int) -> None:
    check({field: "x" * limit})
    with pytest.raises(InvalidInput, match=f"{field} has {limit + 1:,} characters, Stripe takes {limit:,}"):
        check({field: "x" * (limit + 1)})


def test_all_fields_together_have_a_limit_too() -> None:
    longest = sorted(LIMITS, key=lambda name: -LIMITS[name])
    full = {name: "x" * LIMITS[name] for name in longest[:7]}
    check({**full, longest[7]: "x" * (TOTAL_LIMIT - 140_000)})
    with pytest.raises(InvalidInput, match="150,001 characters in all"):
        check({**full, longest[7]: "x" * (TOTAL_LIMIT - 140_000 + 1)})


def test_files_and_unknown_fields_are_no_text() -> None:
    with pytest.raises(InvalidInput, match="customer_communication is not a text field"):
        check({"customer_communication": "file_1"})
