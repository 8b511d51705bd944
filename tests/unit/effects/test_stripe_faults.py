"""Every kind of action against a Stripe that fails: what is known after the call, and what `act` finds out later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.ports.effects import EffectUnavailable, EffectUnknown

from .actions import context
from .kinds import STRIPE

FAULTS: dict[str, tuple[type[Exception], bool]] = {
    "timeout_before": (EffectUnknown, False),
    "timeout_after": (EffectUnknown, True),
    "409": (EffectUnavailable, False),
    "lock_timeout": (EffectUnavailable, False),
    "429": (EffectUnavailable, False),
    "500": (EffectUnknown, False),
    "500_after": (EffectUnknown, True),
}
"""Fault of the change -> how the call ends, and whether it happened all the same."""

READ_FIRST = ("stripe_stage_evidence", "stripe_submit_evidence", "stripe_credit_note", "stripe_cancel_subscription")


@pytest.fixture(autouse=True)
def _without_leftovers(double: StripeDouble) -> Iterator[None]:
    yield
    double.clear_faults()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", STRIPE)
def test_after_a_fault_it_is_looked_up_and_happens_once(
    kind: str, fault: str, double: StripeDouble, effects: StripeEffects
) -> None:
    setting, (ending, happened) = STRIPE[kind](effects, double), FAULTS[fault]
    method = "DELETE" if kind == "stripe_cancel_subscription" else "POST"
    double.fault(fault, method=method, hold_s=0.0)
    with pytest.raises(ending):
        effects.perform(setting.action, context(setting.action))
    assert double.faults() == []
    assert setting.happened() == happened
    found = effects.look_up(setting.action, context(setting.action))
    assert (found is not None) is happened
    done = found or effects.perform(setting.action, context(setting.action, attempt=2))
    again = effects.look_up(setting.action, context(setting.action))
    assert again is not None
    assert again.external_ref == done.external_ref
    assert setting.happened() == 1


@pytest.mark.parametrize("kind", STRIPE)
def test_while_stripe_cannot_be_read_nothing_is_known_and_nothing_done(
    kind: str, double: StripeDouble, effects: StripeEffects
) -> None:
    setting = STRIPE[kind](effects, double)
    double.fault("500", method="GET", times=2)
    with pytest.raises(EffectUnavailable):
        effects.observe(setting.action, "acme")
    with pytest.raises(EffectUnavailable):
        effects.look_up(setting.action, context(setting.action))
    assert double.faults() == []
    assert setting.happened() == 0


@pytest.mark.parametrize("kind", READ_FIRST)
def test_what_must_be_read_before_a_change_keeps_it_from_being_made(
    kind: str, double: StripeDouble, effects: StripeEffects
) -> None:
    setting = STRIPE[kind](effects, double)
    double.fault("timeout_before", method="GET", hold_s=0.0)
    with pytest.raises(EffectUnavailable):
        effects.perform(setting.action, context(setting.action))
    assert setting.happened() == 0
    assert effects.perform(setting.action, context(setting.action, attempt=2)).external_ref
    assert setting.happened() == 1
