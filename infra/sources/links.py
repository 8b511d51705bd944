"""Deep links: from a row of a table to the record in the system it came from."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from shared.errors import InvalidInput

_STRIPE = "https://dashboard.stripe.com"

_PUBLIC_BASES = {
    "stripe": _STRIPE,
    "notion": "https://www.notion.so",
    "datadog": "https://app.datadoghq.com",
    "posthog": "https://us.posthog.com",
    "sentry": "https://sentry.io",
}
"""Systems whose links work without knowing the workspace; the others need a base from the settings."""

_PATHS = {
    "stripe.disputes": "disputes/{id}",
    "stripe.charges": "payments/{id}",
    "stripe.payment_intents": "payments/{id}",
    "stripe.invoices": "invoices/{id}",
    "stripe.customers": "customers/{id}",
    "stripe.subscriptions": "subscriptions/{id}",
    "stripe.events": "events/{id}",
    # The dashboard has no page of its own for the rest: its search opens the object that holds the id.
    "stripe.refunds": "search?query={id}",
    "stripe.balance_transactions": "search?query={id}",
    "stripe.early_fraud_warnings": "search?query={id}",
    "stripe.invoice_payments": "search?query={id}",
    "stripe.invoice_lines": "search?query={id}",
    "salesforce.accounts": "lightning/r/Account/{id}/view",
    "salesforce.opportunities": "lightning/r/Opportunity/{id}/view",
    "salesforce.contacts": "lightning/r/Contact/{id}/view",
    "hubspot.companies": "company/{id}",
    "hubspot.contacts": "contact/{id}",
    "hubspot.deals": "deal/{id}",
    "hubspot.notes": "search?query={id}",
    "intercom.contacts": "users/{id}",
    "intercom.conversations": "inbox/inbox/all/conversations/{id}",
    "intercom.conversation_parts": "inbox/search?query={id}",
    "zendesk.tickets": "agent/tickets/{id}",
    "zendesk.ticket_comments": "agent/search/1?q={id}",
    "slack.messages": "archives/{id}",
    "notion.pages": "{id}",
    "posthog.events": "events/{id}",
    "posthog.persons": "person/{id}",
    "sentry.issues": "issues/{id}/",
    "sentry.events": "issues/?query={id}",
    "datadog.incidents": "incidents/{id}",
    "datadog.monitors": "monitors/{id}",
    "datadog.monitor_events": "event/explorer?query={id}",
    "datadog.logs": "logs?query={id}",
    "datadog.slo_history": "slo/manage?query={id}",
    "pagerduty.incidents": "incidents/{id}",
}


class Links:
    """Where records live.

    `bases` gives the address of an org's workspace per schema, for example
    `{"zendesk": "https://acme.zendesk.com", "hubspot": "https://app.hubspot.com/contacts/1234"}`. `test_mode` points
    Stripe links at test data. Raises InvalidInput for a base that is not an https address.
    """

    def __init__(self, bases: Mapping[str, str] | None = None, *, test_mode: bool = False) -> None:
        given = dict(bases or {})
        for schema, base in given.items():
            if not _is_https(base):
                raise InvalidInput(f"the base address of {schema} must be an https address, like https://example.com")
        self._bases = _PUBLIC_BASES | {schema: base.rstrip("/") for schema, base in given.items()}
        if test_mode and "stripe" not in given:
            self._bases["stripe"] = f"{_STRIPE}/test"

    def to(self, table: str, record_id: str) -> str:
        """The address of a record; a `manthan://` one where its system is unknown. Never raises."""
        schema, _, name = table.partition(".")
        base, path = self._bases.get(schema), _PATHS.get(table)
        # An id of dots alone would climb out of the path: browsers resolve it, escaped or not.
        if base is None or path is None or not record_id.strip("."):
            return f"manthan://source/{_escape(schema)}/{_escape(name)}/{_escape(record_id)}"
        return f"{base}/{path.format(id=_escape(record_id))}"


def _escape(part: str) -> str:
    return quote(part, safe="", errors="replace")


def _is_https(base: str) -> bool:
    parts = urlsplit(base)
    return parts.scheme == "https" and bool(parts.netloc)
