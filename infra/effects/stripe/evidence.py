"""The evidence of a dispute as approved and as it stands at Stripe."""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Json

PREFILLED = frozenset(
    {"billing_address", "customer_email_address", "customer_name", "customer_purchase_ip", "enhanced_evidence"}
)
"""What Stripe itself fills in, from the payment, on a new dispute (seen in recorded disputes; `enhanced_evidence`:
docs.stripe.com/disputes/api/visa-ce3). Left alone, and no sign that somebody staged something."""


def changed_fields(approved: Mapping[str, Json], staged: Mapping[str, Json]) -> list[str]:
    """The fields in which what is staged is not what was approved, fields that were only staged included."""
    return [
        name
        for name in sorted({*approved, *staged})
        if (name in approved or name not in PREFILLED) and not _same(approved.get(name), staged.get(name))
    ]


def leftover_fields(approved: Mapping[str, Json], staged: Mapping[str, Json]) -> list[str]:
    """The fields that are staged, were not filled by Stripe and are no part of what was approved."""
    return [name for name, value in sorted(staged.items()) if value and name not in PREFILLED and name not in approved]


def _same(approved: Json, staged: Json) -> bool:
    """Equal but for line ends and outer white space; in a mapping, what was approved must be there."""
    if isinstance(approved, dict):
        inner = staged if isinstance(staged, dict) else {}
        return all(_same(value, inner.get(name)) for name, value in approved.items())
    if isinstance(approved, list):
        entries = staged if isinstance(staged, list) else []
        return len(approved) == len(entries) and all(_same(*pair) for pair in zip(approved, entries, strict=True))
    return _plain(approved) == _plain(staged)


def _plain(value: Json) -> Json:
    if isinstance(value, str):
        return "\n".join(value.splitlines()).strip()
    return value or ""
