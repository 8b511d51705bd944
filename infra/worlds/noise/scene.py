"""What noise must know of the facts: whom to stay clear of, and what to resemble."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from infra.worlds.tables import Row

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_TOKEN = re.compile(r'"([^"\s\\]{3,80})"')
_NUMBER = re.compile(r"\d{3,}")
_TIER = re.compile(r'\btier\\*"?:\s*\\*"?([a-z][a-z0-9_-]*)', re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)")

_CUSTOMER_NAMES = (
    ("stripe.customers", "name"),
    ("salesforce.accounts", "name"),
    ("hubspot.companies", "name"),
    ("intercom.contacts", "company_name"),
    ("posthog.persons", "company"),
    ("posthog.events", "company"),
    ("auth.sign_ins", "company"),
    ("legacy_billing.charges", "company"),
)
_SERVICES = ("datadog.", "pagerduty.")
_TELLING = ("posthog.events", "intercom.conv", "zendesk.", "slack.", "datadog.", "pagerduty.", "sentry.")
_STRIPE_TIMES = ("created", "period__start", "period_start")


@dataclass(frozen=True, slots=True)
class Scene:
    """The facts, as far as noise needs them."""

    now: datetime
    currency: str
    merchant_domain: str
    tokens: frozenset[str]
    """Every text without spaces in the facts: no made-up id or name may be one of them."""
    numbers: frozenset[str]
    """Every run of three digits or more: no made-up amount or number may be one of them."""
    domains: frozenset[str]
    words: frozenset[str]
    """The words of the customers' names in lower case: only name twins may carry them."""
    customers: tuple[str, ...]
    services: tuple[str, ...]
    tiers: frozenset[str]
    incidents_carry_tiers: bool
    """The merchant tags operations records with a tier: one of another tier concerns other customers."""
    begins: datetime
    """The earliest instant that the facts speak about; before it lie other stories."""
    charged_at: tuple[datetime, ...]
    policy_titles: tuple[str, ...]
    """Of the current policies."""


def read_scene(
    facts: Mapping[str, Sequence[Row]], *, beside: Sequence[object], staff: Sequence[str], currency: str, now: datetime
) -> Scene:
    """Read the facts once. `beside`: events, requests and Stripe objects; `staff`: the members' addresses."""
    texts = {table: json.dumps(rows, default=str) for table, rows in facts.items()}
    around = json.dumps(beside, default=str)
    whole = "\n".join([*texts.values(), around])
    customers = tuple(_customers(facts, around))
    operations = "\n".join(text for table, text in texts.items() if table.startswith(_SERVICES))
    return Scene(
        now=now,
        currency=currency,
        merchant_domain=Counter(address.rpartition("@")[2].lower() for address in staff).most_common(1)[0][0],
        tokens=frozenset(_TOKEN.findall(whole)) | {match[0] for match in _EMAIL.finditer(whole)} | frozenset(staff),
        numbers=frozenset(_NUMBER.findall(whole)),
        domains=frozenset(domain.lower() for domain in _EMAIL.findall(whole)) | _domains(facts),
        words=frozenset(word for name in customers for word in re.findall(r"[a-z0-9]+", name.lower())),
        customers=customers,
        services=tuple(_services(facts)),
        tiers=frozenset(tier.lower() for tier in _TIER.findall(whole)),
        incidents_carry_tiers=bool(_TIER.search(operations)),
        begins=min(_moments(facts, texts), default=now - timedelta(days=45)),
        charged_at=tuple(sorted(_epochs(facts.get("stripe.charges", ()), ("created",)))),
        policy_titles=tuple(
            str(row["title"]) for row in facts.get("policies.documents", ()) if row["status"] == "current"
        ),
    )


def _customers(facts: Mapping[str, Sequence[Row]], around: str) -> list[str]:
    """The customers' names, those whom the events and Stripe objects concern first."""
    concerned: dict[str, bool] = {}
    for table, column in _CUSTOMER_NAMES:
        for row in facts.get(table, ()):
            name, key = row.get(column), row.get("id")
            if isinstance(name, str) and name.strip():
                concerned.setdefault(name.strip(), isinstance(key, str) and f'"{key}"' in around)
    return sorted(concerned, key=lambda name: not concerned[name])


def _services(facts: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    named = [row.get("service") for table, rows in facts.items() if table.startswith(_SERVICES) for row in rows]
    used = [_property(row, "service") for row in facts.get("posthog.events", ())]
    yield from dict.fromkeys(service for service in [*named, *used] if isinstance(service, str) and service)


def _property(row: Row, name: str) -> object:
    properties = row.get("properties")
    if isinstance(properties, str):
        try:
            properties = json.loads(properties)
        except ValueError:
            return None
    return properties.get(name) if isinstance(properties, dict) else None


def _domains(facts: Mapping[str, Sequence[Row]]) -> frozenset[str]:
    sites = [row.get("website") for row in facts.get("salesforce.accounts", ())]
    named = [row.get("domain") for row in facts.get("hubspot.companies", ())]
    return frozenset(re.sub(r"^https?://(www\.)?|/.*$", "", str(site)).lower() for site in [*sites, *named] if site)


def _moments(facts: Mapping[str, Sequence[Row]], texts: Mapping[str, str]) -> Iterator[datetime]:
    for table, text in texts.items():
        if table.startswith(_TELLING) and table != "datadog.monitors":
            yield from (datetime.fromisoformat(found) for found in _TIME.findall(text))
    for table in ("stripe.charges", "stripe.invoice_lines", "stripe.disputes"):
        yield from _epochs(facts.get(table, ()), _STRIPE_TIMES)


def _epochs(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[datetime]:
    for row in rows:
        for column in columns:
            value = row.get(column)
            if isinstance(value, str | int) and str(value).isdigit():
                yield datetime.fromtimestamp(int(value), UTC)
