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
WARNINGS = "early fraud warnings about the charge"
AGAINST_US = frozenset({CHATS, CHAT_MESSAGES, TICKETS, TICKET_COMMENTS, ALERTS, INCIDENTS, PAGES})
"""What has to be read whole before anybody may say that nothing speaks for the customer; the names of such gaps."""

NO_REFUND = "refunds-of-the-charge"
NO_CREDIT = "credits-to-the-customer"
NO_EARLIER_DISPUTE = "other-disputes-of-the-customer"
NO_CANCELLATION = "cancellation-requests"
NO_SUPPORT = "support-contacts"
NO_USE = "use-in-the-cycle"
NO_ALERT = "monitor-alerts-in-the-cycle"
NO_INCIDENT = "incident-records-in-the-cycle"
NO_PAGE = "pages-in-the-cycle"
NO_ERROR = "errors-in-the-cycle"
NO_POLICY = "policies-for-this-claim"
