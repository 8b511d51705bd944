"""Visa Compelling Evidence 3.0: two earlier payments that tie the disputed one to the same person.

Two payments with the same card, undisputed and never reported as fraud, 120 to 364 days before, with a description
each; and on all three the same purchase IP or device, together with the other of the two, the e-mail address or the
account. Two of the lesser identifiers alone do not qualify (docs.stripe.com/disputes/api/visa-ce3, read 2026-05).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations

from shared.case.actions import Json
from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels, standing
from shared.playbooks.disputes.figures import figure
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text, whole
from shared.team.json_text import parsed
from shared.team.moments import moment
from shared.team.words import listed

CODE = "visa-10.4"
LEAST_DAYS, MOST_DAYS = figure("ce3.least_age"), figure("ce3.most_age")
LEAST_DEVICE = figure("ce3.device")
"""Characters that a device id must have."""
LEAST_SHARED = figure("ce3.identifiers")
"""Identifiers that must be the same on all three payments."""

_MAIN = ("customer_purchase_ip", "customer_device_id")
_IN_WORDS = {
    "customer_purchase_ip": "IP address",
    "customer_device_id": "device",
    "customer_email_address": "e-mail address",
    "customer_account_id": "account",
}
_LESSER = ("customer_email_address", "customer_account_id")


@dataclass(frozen=True, slots=True)
class Transaction:
    """A payment with what identifies who made it, by the names of Stripe's evidence fields; unknown ones are empty."""

    charge: Evidence
    checkout: Evidence | None
    identifiers: Mapping[str, str]

    @property
    def description(self) -> str:
        """What was bought."""
        return text(self.charge, "description")


@dataclass(frozen=True, slots=True)
class Compelling:
    """The disputed payment, two earlier ones, and the identifiers that all three share."""

    disputed: Transaction
    earlier: tuple[Transaction, Transaction]
    shared: tuple[str, ...]

    @property
    def cites(self) -> tuple[Evidence, ...]:
        """The rows that show it."""
        three = (self.disputed, *self.earlier)
        return tuple(row for item in three for row in (item.charge, item.checkout) if row is not None)


def compelling(matter: Matter, unread: Collection[str]) -> Compelling | None:
    """The evidence, where it qualifies. `unread`: the names of the gaps; what was not read whole proves nothing."""
    disputed = transaction(matter, matter.charge)
    if matter.rule.id != CODE or {labels.WARNINGS, labels.DISPUTES} & set(unread) or not disputed.description:
        return None
    earlier = [transaction(matter, row) for row in matter.exhibits.rows("stripe.charges") if _counts(matter, row)]
    earlier.sort(key=lambda item: (-(whole(item.charge, "created") or 0), item.charge.row.record_id))
    for first, second in combinations(earlier, 2):
        shared = _shared([disputed, first, second])
        if len(shared) >= LEAST_SHARED and set(shared) & set(_MAIN):
            return Compelling(disputed, (first, second), shared)
    return None


def shared_in_words(found: Compelling) -> str:
    """IP address, device and account."""
    return listed([_IN_WORDS[name] for name in found.shared])


def enhanced(found: Compelling) -> dict[str, Json]:
    """The evidence in Stripe's own fields for it."""
    disputed: dict[str, Json] = {**_block(found.disputed), "merchandise_or_services": "services"}
    earlier: list[Json] = [{"charge": item.charge.row.record_id, **_block(item)} for item in found.earlier]
    return {"visa_compelling_evidence_3": {"disputed_transaction": disputed, "prior_undisputed_transactions": earlier}}


def _block(item: Transaction) -> dict[str, Json]:
    known: dict[str, Json] = {name: value for name, value in item.identifiers.items() if value}
    return {**known, "product_description": item.description}


def _counts(matter: Matter, row: Evidence) -> bool:
    """Whether an earlier payment can stand beside the disputed one."""
    card = "payment_method_details__card__fingerprint"
    paid_at = moment(row.row.fields.get("created"))
    if paid_at is None or not text(row, card) or text(row, card) != text(matter.charge, card):
        return False
    age = matter.paid_at - paid_at
    clean = (
        text(row, "status") == "succeeded"
        and row.row.fields.get("disputed") is False
        and not standing.disputes_on(matter.exhibits, row)
        and not standing.warnings_on(matter.exhibits, row)
        and (whole(row, "amount") or 0) > 0
    )
    return clean and timedelta(days=LEAST_DAYS) <= age <= timedelta(days=MOST_DAYS) and bool(text(row, "description"))


def _shared(three: list[Transaction]) -> tuple[str, ...]:
    return tuple(
        name
        for name in (*_MAIN, *_LESSER)
        if three[0].identifiers[name] and len({item.identifiers[name] for item in three}) == 1
    )


def transaction(matter: Matter, charge: Evidence) -> Transaction:
    """A payment with what identifies the payer: from its checkout, else from the metadata of the charge."""
    intent = text(charge, "payment_intent")
    checkout = next((row for row in matter.exhibits.rows("posthog.events") if intent and _intent(row) == intent), None)
    metadata = _mapping(text(charge, "metadata"))
    ip = (text(checkout, "ip") if checkout else "") or metadata.get("customer_ip", "")
    device = (text(checkout, "device_id") if checkout else "") or metadata.get("device_id", "")
    identifiers = {
        "customer_purchase_ip": ip,
        "customer_device_id": device if len(device) >= LEAST_DEVICE else "",
        "customer_email_address": text(charge, "receipt_email").lower()
        or text(charge, "billing_details__email").lower(),
        "customer_account_id": text(charge, "customer"),
    }
    return Transaction(charge, checkout, identifiers)


def _intent(event: Evidence) -> str:
    if text(event, "event") != "checkout_completed":
        return ""
    return _mapping(text(event, "properties")).get("payment_intent", "")


def _mapping(written: str) -> dict[str, str]:
    found = parsed(written)
    return {str(key): str(value) for key, value in found.items() if value} if isinstance(found, dict) else {}
