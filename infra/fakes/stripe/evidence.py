"""The evidence of a dispute: its fields, their limits, and reading them from a request.

Source: the `dispute_evidence` schema of Stripe's API spec (field names and maxLength) and docs.stripe.com/disputes/api
(150,000 characters in all).
"""

from __future__ import annotations

from . import params
from .errors import Invalid, unknown_parameter
from .forms import Form, FormValue
from .wire import JsonObject

LONG = 20_000
SHORT = 5_000
TOTAL = 150_000

_LONG_TEXT = (
    "access_activity_log",
    "cancellation_policy_disclosure",
    "cancellation_rebuttal",
    "duplicate_charge_explanation",
    "product_description",
    "refund_policy_disclosure",
    "refund_refusal_explanation",
    "uncategorized_text",
)
_SHORT_TEXT = (
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
)
_FILES = (
    "cancellation_policy",
    "customer_communication",
    "customer_signature",
    "duplicate_charge_documentation",
    "receipt",
    "refund_policy",
    "service_documentation",
    "shipping_documentation",
    "uncategorized_file",
)
LIMITS = {**dict.fromkeys(_LONG_TEXT, LONG), **dict.fromkeys(_SHORT_TEXT, SHORT), **dict.fromkeys(_FILES, SHORT)}


def empty() -> JsonObject:
    """Evidence with every field present and nothing in it."""
    return {**dict.fromkeys(sorted(LIMITS)), "enhanced_evidence": {}}


def read(form: Form) -> JsonObject:
    """The fields a request sets; None empties a field. Raises Invalid for unknown fields and text beyond a limit."""
    changes: JsonObject = {}
    given = params.mapping(form, "evidence")
    for name in given:
        if name == "enhanced_evidence":
            changes[name] = _typed(params.mapping(given, name))
            continue
        if name not in LIMITS:
            raise unknown_parameter(f"evidence[{name}]")
        value = params.text(given, name)
        if value is not None and len(value) > LIMITS[name]:
            message = f"Invalid string: {name} has {len(value)} characters; must be at most {LIMITS[name]} characters"
            raise Invalid(message, param=f"evidence[{name}]")
        changes[name] = value
    return changes


def check_total(evidence: JsonObject) -> None:
    """Raises Invalid when all text together is longer than the bank accepts."""
    total = sum(len(evidence.get(name) or "") for name in (*_LONG_TEXT, *_SHORT_TEXT))
    if total > TOTAL:
        message = f"The combined character count of the evidence is {total}; must be at most {TOTAL} characters"
        raise Invalid(message, param="evidence")


def files(evidence: JsonObject) -> list[str]:
    """The ids of the files in the evidence, each once."""
    return list(dict.fromkeys(id for name in _FILES if isinstance(id := evidence.get(name), str) and id))


def filled(evidence: JsonObject) -> set[str]:
    """The names of the fields that hold something."""
    return {name for name, value in evidence.items() if value}


def fee_acknowledged(evidence: JsonObject) -> bool:
    """Whether the extra fee of contesting a compliance dispute was accepted."""
    programmes = (evidence.get("enhanced_evidence") or {}).values()
    return any(isinstance(item, dict) and item.get("fee_acknowledged") is True for item in programmes)


def _typed(value: FormValue) -> object:
    """A nested value as JSON: the words true and false are booleans, numbered entries a list."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value, value)
    if value and all(name.isdigit() for name in value):
        return [_typed(value[name]) for name in sorted(value, key=int)]
    return {name: _typed(item) for name, item in value.items()}
