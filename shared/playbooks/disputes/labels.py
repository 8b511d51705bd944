"""The names under which specialists record gaps and absences; the synthesizer asks for them by these names."""

from __future__ import annotations

CHATS = "chat conversations"
CHAT_MESSAGES = "chat messages"
TICKETS = "support tickets"
TICKET_COMMENTS = "ticket comments"
ALERTS = "monitor alerts"
INCIDENTS = "incident records"
PAGES = "pages to the engineer on call"
DISPUTES = "earlier disputes of the customer"
PAID_BEFORE = "earlier payments of the customer"
AGREEMENTS = "what was signed with the customer"
PRICES = "the prices that were signed"
PORTAL = "the customer's accounts payable portal"
DOMAIN = "when the customer's domain was registered"
USE_BY_EVENT = "use of the product, by event"
OWN_LOGS = "what our own systems logged about the payment"
WARNINGS = "early fraud warnings about the charge"
UPTIME = "the uptime of the services"
USE = "use of the product"
SEATS = "seats that came and went"
CHARGES = "the charges of the customer"
DEALS = "deals with the customer"
EMAILS = "e-mails with the customer"
NOTES = "the CRM notes"
CANCELLATIONS = "cancellation requests"
COLLEAGUES = "what colleagues wrote about the customer"
PRODUCT_STEPS = "what they agreed to and were told in the product"
REQUESTS = "other requests of the customer"
ACTIONS = "what they did in the product"
CRM = "the CRM account"
SUBSCRIPTIONS = "the subscriptions"
VAT_CHECKS = "checks of the VAT number"
AGAINST_US = frozenset({CHATS, CHAT_MESSAGES, TICKETS, TICKET_COMMENTS, ALERTS, INCIDENTS, PAGES})
"""What has to be read whole before anybody may say that nothing speaks for the customer; the names of such gaps."""

ERRORS_AROUND = "errors around the payment"
ALERTS_AROUND = "monitor alerts around the payment"
OTHER_CUSTOMERS = "other customers at Stripe of the same company"
TWINS = "the other charges of the same company"
LEDGER = "the ledger of the billing system before Stripe"
SIGN_INS = "who signed in during the billed period"

NO_REFUND = "refunds-of-the-charge"
NO_CREDIT = "credits-to-the-customer"
NO_EARLIER_DISPUTE = "other-disputes-of-the-customer"
NO_SUPPORT = "support-contacts"
NO_USE = "use-in-the-cycle"
NO_ALERT = "monitor-alerts-in-the-cycle"
NO_INCIDENT = "incident-records-in-the-cycle"
NO_PAGE = "pages-in-the-cycle"
NO_ERROR = "errors-in-the-cycle"
NO_POLICY = "policies-for-this-claim"
NO_TWIN_REFUND = "refunds-of-other-charges"
NO_CRM = "crm-accounts-of-the-customer"

CANCELLATION_CHANNELS: dict[str, str] = {
    "cancellation-requests-in-chat": "chat",
    "cancellation-requests-in-tickets": "tickets",
    "cancellation-requests-by-mail": "e-mails",
    "cancellation-requests-in-crm-notes": "notes in the CRM",
    "cancellation-requests-in-team-messages": "messages of our team",
    "cancellation-requests-by-form": "requests sent to us",
    "cancellation-requests-in-the-product": "the product",
    "cancellation-requests-at-stripe": "the subscription at Stripe",
}
"""Every channel in which a cancellation can sit: the label of its absence, and what people call it."""
NO_TWIN = "other-charges-of-the-company"
NO_LEDGER = "charges-in-the-ledger-before-stripe"
NO_SIGN_IN = "sign-ins-in-the-billed-period"
NO_ADDENDUM = "signed-contracts-for-what-was-billed"
