"""What every composition is made of, wherever it stands, and which function is given what beyond the common ports.

Only `specialist` can read the connected systems, only `act` holds what can change them, only `synthesize` draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from shared.case.actions import ActionKind
from shared.case.document import Document
from shared.errors import InvalidInput, NotFound
from shared.ports import Effects
from shared.ports.exhibits import Rendered
from shared.steps.intake import Endpoint
from shared.team.contract import Playbook

WEBHOOK_PATH: Final = "/webhooks/stripe"
READING_SOURCES: Final = frozenset({"specialist"})
ACTING: Final = frozenset({"act"})
DRAWING: Final = frozenset({"synthesize"})


def webhook_endpoint(path: str, secrets: Mapping[str, str]) -> Endpoint:
    """The one webhook endpoint. A function served alone has it at its root. Raises NotFound for any other path."""
    if path.rstrip("/") not in ("", WEBHOOK_PATH):
        raise NotFound(f"there is no webhook endpoint at {path}")
    return Endpoint(path=WEBHOOK_PATH, secrets=secrets)


def effects_through(
    write_key: str | None, *, stripe_url: str | None, outbox: Path, now: Callable[[], datetime]
) -> Effects:
    """Stripe through its SDK, everything else into the outbox. Raises InvalidInput without a write key."""
    # Only act comes here: the SDK is loaded by nobody else.
    from infra.effects import OutboxEffects, RoutedEffects, StripeEffects

    if write_key is None:
        raise InvalidInput("act needs Stripe's write key: set MANTHAN_STRIPE_WRITE_KEY")
    stripe = StripeEffects(write_key, base_url=stripe_url)
    letters = OutboxEffects(outbox, now=now)
    return RoutedEffects({kind: stripe if kind.value.startswith("stripe_") else letters for kind in ActionKind})


def render(document: Document) -> Rendered:
    """Draws an exhibit; its library is loaded when the first one is drawn."""
    from infra.effects.exhibits import render as draw

    return draw(document)


def shipped_playbooks() -> dict[str, Playbook]:
    """The playbooks that come with the product, by name."""
    from shared.playbooks.disputes.playbook import DisputesPlaybook

    return {"disputes": DisputesPlaybook()}


def earliest(*instants: datetime | None) -> datetime | None:
    """The earliest of these instants; None when nothing waits."""
    return min((instant for instant in instants if instant is not None), default=None)
