"""Which actions draw on the ledger of a charge."""

from __future__ import annotations

import pytest

from shared.case.actions import Action, ActionDraft, ActionKind, Json
from shared.steps.ledger import charge_of


def paying(kind: ActionKind, payload: dict[str, Json]) -> Action:
    draft = ActionDraft(kind=kind, purpose="p", target="t", amount_minor=900, currency="usd", description="d")
    return Action(**draft.model_dump(exclude={"payload"}), payload=payload, id="a", hash="h")


@pytest.mark.parametrize(
    ("kind", "how", "draws"),
    [
        (ActionKind.STRIPE_REFUND, None, True),
        (ActionKind.STRIPE_CREDIT_NOTE, "refund", True),
        (ActionKind.STRIPE_CREDIT_NOTE, "customer_balance", False),
        (ActionKind.STRIPE_CREDIT_NOTE, "out_of_band", False),
        (ActionKind.STRIPE_BALANCE_CREDIT, None, False),
    ],
)
def test_money_that_goes_back_out_of_a_charge_is_reserved_on_it_whatever_carries_it(
    kind: ActionKind, how: str | None, draws: bool
) -> None:
    for charge in ("ch_1", {"id": "ch_1", "object": "charge"}):
        named = charge_of(paying(kind, {"charge": charge, "how": how}))  # type: ignore[dict-item]
        assert named == ("ch_1" if draws else None)
