"""What `act` may change, one module per service.

An adapter never tries anything twice, never invents a reference, and says in one of three ways what did not work:
refused (for good, in the other side's words), unknown (look it up), unavailable (certainly nothing was done).
"""

from infra.effects.outbox import OutboxEffects, OutboxItem
from infra.effects.router import RoutedEffects
from infra.effects.stripe.effects import StripeEffects

__all__ = ["OutboxEffects", "OutboxItem", "RoutedEffects", "StripeEffects"]
