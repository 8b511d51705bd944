"""The names of the absences that the specialists may record; the synthesizer asks for them by these names."""

from __future__ import annotations

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
