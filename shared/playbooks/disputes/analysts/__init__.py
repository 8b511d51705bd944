"""The five specialists of a dispute, as rules: what each of them asks."""

from __future__ import annotations

from shared.playbooks.disputes.analysts.customer import ask as ask_customer
from shared.playbooks.disputes.analysts.network import ask as ask_network
from shared.playbooks.disputes.analysts.payments import ask as ask_payments
from shared.playbooks.disputes.analysts.policies import ask as ask_policies
from shared.playbooks.disputes.analysts.reliability import ask as ask_reliability
from shared.team.twin import Twin

TEAM: tuple[Twin, ...] = (
    Twin("payments_analyst", ask_payments),
    Twin("customer_context", ask_customer),
    Twin("reliability_analyst", ask_reliability),
    Twin("policy_analyst", ask_policies),
    Twin("network_rules_analyst", ask_network),
)
"""In the order in which their evidence is numbered."""
