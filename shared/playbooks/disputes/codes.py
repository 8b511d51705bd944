"""The codes of the card networks and other providers: what a dispute claims, what decides it, where we stand.

The codes are data (rulebase/codes.toml). A code that is not known there is judged by Stripe's reason, and a reason that
is not known as a general claim: a person reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from shared.playbooks.disputes.rulebase import Source, document, sources


class Family(StrEnum):
    """What a dispute claims, across networks. Stripe's `reason` is coarser: decide on the network code."""

    FRAUD = "fraud"
    UNRECOGNIZED = "unrecognized"
    SUBSCRIPTION_CANCELED = "subscription_canceled"
    NOT_RECEIVED = "product_not_received"
    NOT_AS_DESCRIBED = "product_unacceptable"
    CREDIT_NOT_PROCESSED = "credit_not_processed"
    DUPLICATE = "duplicate"
    PROCESSING_ERROR = "processing_error"
    AUTHORIZATION = "authorization"
    COMPLIANCE = "compliance"
    INQUIRY = "inquiry"
    BANK_DEBIT = "bank_debit"
    GENERAL = "general"


OF_FRAUD = frozenset({Family.FRAUD, Family.UNRECOGNIZED})
"""Whoever does not know a payment is answered as whoever says that they did not make it: with who did."""

ANY = "any"
"""The network of Stripe's own reasons."""


@dataclass(frozen=True, slots=True)
class NetworkCode:
    """One code of one network, or, of the network `any`, one of Stripe's reasons."""

    network: str
    code: str
    family: Family
    meaning: str
    evidence_fields: tuple[str, ...]
    stance: str
    origin: Source
    exhibit_field: str = "uncategorized_file"
    """Which file of Stripe's evidence a printed exhibit is."""
    refined_by: frozenset[str] = frozenset()
    """Stripe's reasons that say more than this code, which covers many claims."""

    @property
    def id(self) -> str:
        """Its name in the rule base, e.g. visa-13.3."""
        return f"{self.network}-{self.code}"

    @property
    def source(self) -> str:
        """Where it was read, and when."""
        return str(self.origin)


def _read() -> Iterator[NetworkCode]:
    data = document("codes.toml")
    for table in data["networks"]:
        for entry in table["codes"]:
            yield _code(table["network"], table["source"], entry, data["families"])


def _code(network: str, source: str, entry: Mapping[str, Any], families: Mapping[str, Any]) -> NetworkCode:
    family = families[entry["family"]]
    return NetworkCode(
        network=network,
        code=entry["code"],
        family=Family(entry["family"]),
        meaning=entry["meaning"],
        evidence_fields=tuple(entry.get("evidence", family["evidence"])),
        stance=entry.get("stance", family["stance"]),
        origin=sources()[source],
        exhibit_field=family.get("exhibit", "uncategorized_file"),
        refined_by=frozenset(entry.get("refined_by", ())),
    )


CODES: Mapping[tuple[str, str], NetworkCode] = {(code.network, code.code): code for code in _read()}
"""Every code by network and code; a code that ends in * stands for every ending."""

_NAMES: Mapping[str, str] = document("codes.toml")["names"]
_GENERAL = CODES[ANY, "general"]


def lookup(network: str | None, code: str | None, reason: str | None) -> NetworkCode:
    """The rule for a dispute: by its network code, else by Stripe's reason, else the general one.

    A code that covers many claims is refined by Stripe's reason; a compliance case is one whatever its code.
    """
    by_code = of_code(network_name(network), code)
    by_reason = CODES.get((ANY, (reason or "").strip().lower()), _GENERAL)
    if by_reason.family is Family.COMPLIANCE or by_code is None:
        return by_reason
    if by_reason.code in by_code.refined_by:
        return replace(
            by_code,
            family=by_reason.family,
            meaning=by_reason.meaning,
            evidence_fields=by_reason.evidence_fields,
            exhibit_field=by_reason.exhibit_field,
            stance=by_reason.stance,
        )
    return by_code


def of_code(network: str, code: str | None) -> NetworkCode | None:
    """A code of a network, by its own entry or by one for every such ending; None for one that is not known."""
    wanted = re.sub(r"[\s-]+", "_", (code or "").strip().upper())
    if not wanted or network == ANY:
        return None
    if (network, wanted) in CODES:
        return CODES[network, wanted]
    of_network = (rule for rule in CODES.values() if rule.network == network and rule.code.endswith("*"))
    return next((replace(rule, code=wanted) for rule in of_network if wanted.startswith(rule.code[:-1])), None)


def network_name(network: str | None) -> str:
    """A network as the rule base calls it; empty where none is known."""
    name = (network or "").strip().lower()
    return _NAMES.get(name, name)


NETWORKS: frozenset[str] = frozenset(code.network for code in CODES.values())


def named(code: str, network: str | None = None) -> list[NetworkCode]:
    """Every rule that a code, or one of Stripe's reasons, means: of one network, or of any that knows it."""
    networks = sorted(NETWORKS) if network is None else [network_name(network)]
    found = [rule for name in networks if (rule := of_code(name, code)) is not None]
    reason = CODES.get((ANY, code.strip().lower())) if ANY in networks else None
    return [*found, *([reason] if reason else [])]


def near(code: str) -> list[str]:
    """Codes that look like one that is not known, as NETWORK CODE."""
    written = {rule.code.upper(): rule for rule in CODES.values()}
    return [f"{written[match].network} {written[match].code}" for match in get_close_matches(code.upper(), written, 5)]
