"""What Stripe takes as the evidence of a dispute, in text and in files: the figures evidence.* of the rule base.

A packet that does not fit is refused with the reason before anything is staged; nothing is ever cut to fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.case.actions import Json
from shared.case.texts import FILES, length
from shared.errors import InvalidInput
from shared.playbooks.disputes.figures import figure

EVIDENCE, ENHANCED = "evidence", "enhanced_evidence"

TEXT_LIMITS: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "access_activity_log",
            "cancellation_policy_disclosure",
            "cancellation_rebuttal",
            "duplicate_charge_explanation",
            "product_description",
            "refund_policy_disclosure",
            "refund_refusal_explanation",
            "uncategorized_text",
        ),
        figure("evidence.long"),
    ),
    **dict.fromkeys(
        (
            "billing_address",
            "customer_email_address",
            "customer_name",
            "customer_purchase_ip",
            "duplicate_charge_id",
            "service_date",
            "shipping_address",
            "shipping_carrier",
            "shipping_date",
            "shipping_tracking_number",
        ),
        figure("evidence.short"),
    ),
}
"""Characters that each text field may have."""

FILE_FIELDS = frozenset(
    {
        "cancellation_policy",
        "customer_communication",
        "customer_signature",
        "duplicate_charge_documentation",
        "receipt",
        "refund_policy",
        "service_documentation",
        "shipping_documentation",
        "uncategorized_file",
    }
)
"""Fields that take one file each."""


def check_texts(evidence: Mapping[str, Json]) -> None:
    """Raise InvalidInput for a field that Stripe does not know, or text beyond its limits; texts may be references."""
    total = 0
    for name, value in evidence.items():
        if name == ENHANCED and isinstance(value, dict):
            continue
        if name not in TEXT_LIMITS or not isinstance(value, str):
            raise InvalidInput(f"{name} is not a text field of a dispute's evidence")
        if length(value) > TEXT_LIMITS[name]:
            raise InvalidInput(f"{name} has {length(value):,} characters, Stripe takes {TEXT_LIMITS[name]:,}")
        total += length(value)
    if total > figure("evidence.text"):
        raise InvalidInput(f"the evidence has {total:,} characters in all, Stripe takes {figure('evidence.text'):,}")


def check_files(files: Mapping[str, Json], network: str) -> None:
    """Raise InvalidInput for a field that takes no file, or for more bytes or pages than Stripe and the network take.

    Each file is described by `bytes` and `pages`. One per field: a mapping has no second one.
    """
    for name in files:
        if name not in FILE_FIELDS:
            raise InvalidInput(f"{name} is not a file of a dispute's evidence")
    size, pages = _total(files.values(), "bytes"), _total(files.values(), "pages")
    if size > figure("evidence.files"):
        raise InvalidInput(f"the files have {size:,} bytes in all, Stripe takes {figure('evidence.files'):,}")
    most = figure("evidence.pages.mastercard" if network == "mastercard" else "evidence.pages")
    if pages > most:
        raise InvalidInput(f"the files have {pages} pages in all, {network or 'the network'} takes {most}")


def broken(payload: Mapping[str, Json], network: str) -> str | None:
    """Why the evidence of a payload cannot be staged; None: it fits."""
    evidence, files = payload.get(EVIDENCE), payload.get(FILES, {})
    if not isinstance(evidence, dict) or not isinstance(files, dict):
        return "there is no evidence to stage"
    try:
        check_texts(evidence)
        check_files(files, network)
    except InvalidInput as why:
        return f"the evidence does not fit: {why}"
    return None


def _total(files: Iterable[Json], name: str) -> int:
    found = [item.get(name) if isinstance(item, dict) else None for item in files]
    if not all(isinstance(value, int) for value in found):
        raise InvalidInput(f"a file does not say its {name}")
    return sum(value for value in found if isinstance(value, int))
