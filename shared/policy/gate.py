"""The derivation gate: no derivation, no money. What is paid must be what was derived, and be there to be paid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shared.case.actions import Action, ActionDraft, ActionKind, ActionState, DependencyKind, Effect, draws_on_charge
from shared.case.brief import Decision, DecisionKind, Derivation
from shared.case.derivation import verify
from shared.case.derivation_words import in_words
from shared.case.evidence import Evidence
from shared.case.money import Money, currency_code, payable_step
from shared.errors import InvalidInput, Refused
from shared.policy.at_risk import STAKE_OF, Stake

AnyAction = Action | ActionDraft
Lookup = Callable[[int], Evidence | None]

_PAYING = frozenset({DecisionKind.REFUND, DecisionKind.CREDIT})
_CONTESTED = frozenset({DecisionKind.FIGHT, DecisionKind.ACCEPT})
_PAID_NOTHING = frozenset({ActionState.FAILED, ActionState.SKIPPED, ActionState.VOIDED})
_NOT_SENT = frozenset({ActionState.DRAFTED, ActionState.AWAITING_APPROVAL, ActionState.APPROVED, ActionState.DEFERRED})


def check_amounts(
    decision: Decision,
    actions: Sequence[AnyAction],
    *,
    lookup: Lookup,
    refundable_now: int | None,
    refundable_after_outcome: int | None,
    disputed: Money | None = None,
) -> None:
    """Refuse a decision whose amounts do not hold together; returning means that they do.

    A decision to refund or credit, or any action that pays, needs an amount that the derivation gives when recomputed
    from the cited rows (`lookup`: by index), and the paying actions must add up to exactly that. Refunds on the charge,
    also by a credit note that is given back as one, must name the charge and fit into what is refundable on it, in
    minor units of its currency: `refundable_now`, or, for those that wait for an outcome, `refundable_after_outcome`
    (a won dispute makes captured - refunded refundable again). None: nobody knows, so no refund passes. What is
    credited to the customer's balance does not draw on the charge. Where `disputed` is known, a decision to fight or
    accept is about that amount, and no action may claim that less is at risk. A decision to fight pays only what its
    `after_win` derives, and only once the dispute is won. Raises Refused.
    """
    paying = [action for action in actions if action.effect is Effect.MONEY_OUT and _state(action) not in _PAID_NOTHING]
    if decision.kind in _PAYING or paying or decision.derivation is not None:
        _check_derived(decision, decision.derivation, lookup)
    if decision.after_win is not None:
        _check_after_win(decision, decision.after_win, paying, lookup)
    elif decision.kind in _PAYING or paying:
        _check_sum(_money(decision.amount_minor, decision.currency, "the decision"), paying)
    _check_refundable(paying, refundable_now, refundable_after_outcome)
    if disputed is not None:
        _check_disputed(decision, actions, disputed)


def _check_derived(decision: Decision, derivation: Derivation | None, lookup: Lookup) -> None:
    if derivation is None:
        raise Refused("no derivation, no money: the decision's amount is not derived from cited fields")
    amount = _money(decision.amount_minor, decision.currency, "the decision")
    derived = _recomputed(derivation, lookup)
    if derived != amount:
        raise Refused(f"the decision is about {amount}, but its derivation gives {derived}")
    if amount.minor < 1:
        raise Refused(f"the decision is about {amount}, which is no amount")


def _recomputed(derivation: Derivation, lookup: Lookup) -> Money:
    """What a derivation gives. Raises Refused when it does not hold, or says something else than it computes."""
    try:
        verify(derivation, lookup)
        told = in_words(derivation)
    except InvalidInput as error:
        raise Refused(f"the derivation does not hold: {error}") from error
    if derivation.words not in ("", told):
        raise Refused(f"the derivation says {derivation.words!r}, but its expression says {told!r}")
    return _money(derivation.value_minor, derivation.currency, "the derivation")


def _check_after_win(decision: Decision, after_win: Derivation, paying: Sequence[AnyAction], lookup: Lookup) -> None:
    """A fight pays after a win or not at all; what is contested is derived by itself."""
    if decision.kind is not DecisionKind.FIGHT:
        raise Refused(f"a decision to {decision.kind.value} pays nothing once a dispute is won")
    early = next((action for action in paying if not _after_win(action)), None)
    if early is not None:
        raise Refused(f"{early.kind.value} would pay before the dispute is won")
    _check_sum(_recomputed(after_win, lookup), paying)


def _check_sum(amount: Money, paying: Sequence[AnyAction]) -> None:
    parts = [_money(action.amount_minor, action.currency, action.kind.value) for action in paying]
    for part in parts:
        if part.currency != amount.currency:
            raise Refused(f"an action pays {part}, but the decision is in {amount.currency.upper()}")
        if part.minor % payable_step(part.currency):
            raise Refused(f"{part} cannot be paid: Stripe takes multiples of {payable_step(part.currency)} only")
    total = Money(minor=sum(part.minor for part in parts), currency=amount.currency)
    if total != amount:
        raise Refused(f"the actions pay {total}, but the decision is about {amount}")


def _check_refundable(paying: Sequence[AnyAction], now: int | None, after_outcome: int | None) -> None:
    refunds = [action for action in paying if draws_on_charge(action) and _state(action) in _NOT_SENT]
    # A refund without a charge is refused by whoever makes it; a note would find one by itself, past our ledger.
    if any(action.kind is not ActionKind.STRIPE_REFUND and not action.payload.get("charge") for action in refunds):
        raise Refused("a credit note gives money of a charge back and does not name the charge")
    at_once = sum(action.amount_minor or 0 for action in refunds if not _deferred(action))
    later = sum(action.amount_minor or 0 for action in refunds if _deferred(action))
    if at_once:
        _check_fits(at_once, now, "now")
    if later:
        _check_fits(at_once + later, after_outcome, "once the outcome has come")


def _check_fits(wanted: int, refundable: int | None, when: str) -> None:
    if refundable is None:
        raise Refused(f"what is refundable on the charge {when} is unknown")
    if wanted > refundable:
        raise Refused(f"refunds of {wanted} minor units exceed what is refundable on the charge {when}: {refundable}")


def _check_disputed(decision: Decision, actions: Sequence[AnyAction], disputed: Money) -> None:
    contested = _money(disputed.minor, disputed.currency, "the dispute")
    if decision.kind in _CONTESTED and decision.amount_minor is not None:
        amount = _money(decision.amount_minor, decision.currency, "the decision")
        if amount != contested:
            raise Refused(f"the decision is about {amount}, but {contested} is disputed")
    for action in actions:
        if STAKE_OF[action.kind] is not Stake.DISPUTED or action.at_risk_minor is None:
            continue
        at_risk = _money(action.at_risk_minor, action.at_risk_currency, action.kind.value)
        if at_risk.currency != contested.currency or at_risk.minor < contested.minor:
            raise Refused(f"{action.kind.value} claims {at_risk} at risk, but {contested} is disputed")


def _money(minor: int | None, currency: str | None, whose: str) -> Money:
    if minor is None or currency is None:
        raise Refused(f"{whose} has no amount or no currency")
    try:
        return Money(minor=minor, currency=currency_code(currency))
    except InvalidInput as error:
        raise Refused(f"{whose}: {error}") from error


def _state(action: AnyAction) -> ActionState:
    return action.state if isinstance(action, Action) else ActionState.DRAFTED


def _after_win(action: AnyAction) -> bool:
    return any(wait.kind is DependencyKind.OUTCOME and wait.ref == "dispute.won" for wait in action.depends_on)


def _deferred(action: AnyAction) -> bool:
    return any(dependency.kind is DependencyKind.OUTCOME for dependency in action.depends_on)
