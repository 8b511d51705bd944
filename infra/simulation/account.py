"""A simulated Stripe account, and the other services that act can change: slow, flaky, and with a will of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from infra.simulation.baton import Baton
from infra.simulation.gate import Gate
from infra.simulation.journal import Call, Effect, Journal, Look
from infra.simulation.weather import Weather
from shared.case.actions import Action, ActionKind, Json, draws_on_charge
from shared.case.canonical import canonical, sha256
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

_DAY_S: Final = 86_400.0
_KEYS_LIVE_S: Final = _DAY_S
"""Stripe may forget an idempotency key after 24 hours."""
_OPEN: Final = "needs_response"


class ClientBroken(Exception):
    """A fault in the client library, in the middle of a call: injected, and unexpected to whoever calls."""


@dataclass(slots=True)
class Charge:
    """A charge in minor units of US dollars."""

    id: str
    captured: int
    refunded: int = 0


@dataclass(slots=True)
class Dispute:
    """A dispute as the account shows it."""

    id: str
    charge: str
    amount: int
    due_by: datetime | None
    status: str = _OPEN
    told: int = 0
    """The second of its last event: each event of one dispute has a later one."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the service remembers under an idempotency key."""

    at: float
    content: str
    answer: Done | EffectRefused


@dataclass(slots=True)
class Account:
    """The outside world of one run; implements Effects."""

    baton: Baton
    weather: Weather
    journal: Journal
    gate: Gate
    start: datetime
    send: Callable[[str, bytes], None]
    """Hands a webhook over to the courier: event id and body."""
    charges: dict[str, Charge] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    pending: dict[str, Effect] = field(default_factory=dict)
    """Refunds that are not final, by reference."""
    keys: dict[str, _Known] = field(default_factory=dict)
    events: int = 0
    quiet: bool = False
    """Nothing happens by itself any more."""

    # What act asks

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """Present values of what an action was decided on."""
        number = self.gate.enter("effects.observe")
        if self.weather.strikes("look_up_unavailable"):
            raise EffectUnavailable("rate limited", after=1.0)
        world: dict[str, Json] = {}
        subject = self.disputes.get(str(action.payload.get("dispute", "")))
        if subject is not None:
            world["dispute.status"] = subject.status
        charge = self._charge_of(action)
        if charge is not None:
            world["refundable_minor"] = charge.captured - charge.refunded
        self._look("observe", action.id, world)
        self.gate.leave("effects.observe", number)
        return world

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """The effect of this action, found by our own metadata."""
        number = self.gate.enter("effects.look_up")
        if self.weather.strikes("look_up_unavailable"):
            raise EffectUnavailable("the connection was refused", after=1.0)
        found = self._effect_of(context.case_id, action.id)
        self._look("look_up", action.id, found.ref if found else None)
        self.gate.leave("effects.look_up", number)
        if found is not None and found.undone:
            raise EffectRefused("the refund failed: the bank sent it back")
        return None if found is None else Done(found.ref, "found", pending=found.ref in self.pending)

    def perform(self, action: Action, context: EffectContext) -> Done:
        """One call. What goes wrong on the way is drawn here; what it does is `_land`."""
        journal = self.journal
        call = Call(
            tick=journal.tick(),
            at=self.baton.now,
            process=self.gate.process,
            case_id=context.case_id,
            action_id=action.id,
            attempt=context.attempt,
            key=context.idempotency_key,
            kind=action.kind.value,
            target=action.target,
            amount_minor=action.amount_minor,
            currency=action.currency,
            payload=action.payload,
            timeout_s=context.timeout_s,
        )
        number = self.gate.enter("effects.perform")
        journal.calls.append(call)
        done = self._answer(action, call)
        call.answer = "done"
        self.gate.leave("effects.perform", number)
        return done

    def _answer(self, action: Action, call: Call) -> Done:
        for fault, status in (("stripe_409", "409"), ("stripe_429", "429")):
            if self.weather.strikes(fault):
                call.answer = "unavailable"
                raise EffectUnavailable(f"the service answered {status}", after=2.0)
        if self.weather.strikes("client_broken"):
            call.answer = "unknown"
            raise ClientBroken
        if self.weather.strikes("stripe_timeout_before") or self.weather.strikes("stripe_500_before"):
            self._time_out(call)
        if self.weather.strikes("stripe_lands_late"):
            self.baton.after(self.weather.between(0.5, 45.0), lambda: self._land_unseen(action, call))
            self._time_out(call)
        if self.weather.strikes("stripe_timeout_after") or self.weather.strikes("stripe_500_after"):
            self._land_unseen(action, call)
            self._time_out(call)
        try:
            return self._land(action, call)
        except EffectRefused:
            call.answer = "refused"
            raise

    def _time_out(self, call: Call) -> None:
        self.baton.sleep(call.timeout_s * 0.9)
        call.answer = "unknown"
        raise EffectUnknown("no answer in time")

    # What a call does

    def _land_unseen(self, action: Action, call: Call) -> None:
        """The call arrives, and nobody waits for its answer any more."""
        try:
            self._land(action, call)
        except EffectRefused as refusal:
            self.journal.tell(self.baton.now, f"{call.action_id} is refused unseen: {refusal}")

    def _land(self, action: Action, call: Call) -> Done:
        content = sha256(canonical({"target": action.target, "payload": action.payload}))
        known = self.keys.get(call.key)
        if known is not None and self.baton.now - known.at < _KEYS_LIVE_S:
            if known.content != content:
                raise EffectRefused("keys for idempotent requests can only be used with the same parameters")
            if isinstance(known.answer, EffectRefused):
                raise known.answer
            return known.answer
        answer: Done | EffectRefused
        try:
            answer = self._change(action, call)
        except EffectRefused as refusal:
            answer = refusal
        self.keys[call.key] = _Known(self.baton.now, content, answer)
        if isinstance(answer, EffectRefused):
            raise answer
        return answer

    def _change(self, action: Action, call: Call) -> Done:
        dispute = self.disputes.get(str(action.payload.get("dispute", "")))
        charge = self._charge_of(action)
        refund = charge is not None and draws_on_charge(action)
        if refund and charge is not None:
            self._take(charge, call)
        elif action.kind in _ON_OPEN_DISPUTES and (dispute is None or dispute.status != _OPEN):
            raise EffectRefused(f"the dispute is {dispute.status if dispute else 'unknown'}")
        effect = Effect(
            tick=self.journal.tick(),
            at=self.baton.now,
            case_id=call.case_id,
            action_id=call.action_id,
            kind=call.kind,
            ref=f"ref_{len(self.journal.effects) + 1}",
            amount_minor=action.amount_minor or 0,
            charge=charge.id if refund and charge else None,
        )
        self.journal.effects.append(effect)
        self.journal.tell(self.baton.now, f"{call.action_id} has its effect {effect.ref}")
        if refund:
            self._watch_refund(effect, dispute)
        if dispute is not None:
            self._follow(action.kind, dispute)
        return Done(effect.ref, "done", pending=effect.ref in self.pending)

    def _take(self, charge: Charge, call: Call) -> None:
        left = charge.captured - charge.refunded
        if (call.amount_minor or 0) > left:
            call.beyond_refundable = True
            raise EffectRefused(f"refund amount is greater than the {left} left on the charge")
        charge.refunded += call.amount_minor or 0

    def _watch_refund(self, effect: Effect, dispute: Dispute | None) -> None:
        subject = dispute or next(item for item in self.disputes.values() if item.charge == effect.charge)
        pending = self.weather.strikes("refund_pending")
        if pending:
            self.pending[effect.ref] = effect
        if self.weather.strikes("refund_fails_later"):
            wait = self.weather.between(60.0, 12 * _DAY_S)
            self.baton.after(wait, lambda: self._refund_ends(effect, subject, "failed"))
        elif pending:
            wait = self.weather.between(60.0, 10 * _DAY_S)
            self.baton.after(wait, lambda: self._refund_ends(effect, subject, "succeeded"))

    def _refund_ends(self, effect: Effect, dispute: Dispute, how: str) -> None:
        self.pending.pop(effect.ref, None)
        if how == "failed":
            effect.undone = True
            self.charges[effect.charge or ""].refunded -= effect.amount_minor
        self.tell(dispute, f"test.refund_{how}", action=effect.action_id)

    def _follow(self, kind: ActionKind, dispute: Dispute) -> None:
        if kind is ActionKind.STRIPE_CLOSE_DISPUTE:
            self.close(dispute, "lost")
        elif kind is ActionKind.STRIPE_SUBMIT_EVIDENCE:
            dispute.status = "under_review"
            verdict = "won" if self.weather.seconds(1.0) < 1.2 else "lost"
            self.baton.after(self.weather.between(3600.0, 74 * _DAY_S), lambda: self.close(dispute, verdict))

    # What happens by itself

    def open(self, dispute: Dispute) -> None:
        """A cardholder disputes a charge."""
        self.disputes[dispute.id] = dispute
        self.tell(dispute, "test.created")
        if self.weather.strikes("dispute_closed_early"):
            self.baton.after(self.weather.between(1.0, 20 * _DAY_S), lambda: self.close(dispute, "won"))
        if self.weather.strikes("dispute_escalated"):
            self.baton.after(self.weather.between(1.0, 10 * _DAY_S), lambda: self._escalate(dispute))
        if self.weather.strikes("refund_by_others"):
            self.baton.after(self.weather.between(1.0, 10 * _DAY_S), lambda: self._foreign_refund(dispute))
        if dispute.due_by is not None:
            if self.weather.strikes("deadline_moved"):
                self.baton.after(self.weather.between(600.0, 2 * _DAY_S), lambda: self._move_deadline(dispute))
            overdue = (dispute.due_by - self.start).total_seconds() + 3600.0
            self.baton.at(overdue, lambda: self._default(dispute))

    def close(self, dispute: Dispute, verdict: str) -> None:
        """The issuer has decided; it may change its mind once."""
        if dispute.status in ("won", "lost"):
            return
        dispute.status = verdict
        self.tell(dispute, "test.closed")
        if self.weather.strikes("issuer_changed_its_mind"):
            self.baton.after(self.weather.between(10.0, 20 * _DAY_S), lambda: self._overturn(dispute))

    def _overturn(self, dispute: Dispute) -> None:
        dispute.status = "lost" if dispute.status == "won" else "won"
        self.tell(dispute, "test.closed")

    def _default(self, dispute: Dispute) -> None:
        if dispute.status == _OPEN:
            self.close(dispute, "lost")

    def _escalate(self, dispute: Dispute) -> None:
        if dispute.status == _OPEN:
            self.tell(dispute, "test.escalated")

    def _move_deadline(self, dispute: Dispute) -> None:
        if dispute.due_by is not None and dispute.status == _OPEN:
            dispute.due_by += timedelta(days=self.weather.between(0.5, 5.0))
            self.tell(dispute, "test.updated")

    def _foreign_refund(self, dispute: Dispute) -> None:
        charge = self.charges[dispute.charge]
        amount = (charge.captured - charge.refunded) // 2
        charge.refunded += amount
        self.journal.foreign_refunds.append((self.baton.now, charge.id))
        self.tell(dispute, "test.updated")

    def tell(self, dispute: Dispute, kind: str, **extra: str) -> None:
        """Send an event about a dispute."""
        if self.quiet:
            return
        self.events += 1
        created = max(int((self.start + timedelta(seconds=self.baton.now)).timestamp()), dispute.told + 1)
        dispute.told = created
        item: dict[str, object] = {"id": dispute.id, "object": "dispute", "status": dispute.status, **extra}
        if dispute.due_by is not None:
            item["due_by"] = dispute.due_by.astimezone(UTC).isoformat()
        event = {
            "id": f"evt_{self.events}",
            "object": "event",
            "type": kind,
            "created": created,
            "livemode": False,
            "data": {"object": item},
        }
        self.journal.tell(self.baton.now, f"Stripe: {kind} of {dispute.id}, which is {dispute.status}")
        self.send(str(event["id"]), json.dumps(event).encode())

    # Helpers

    def _charge_of(self, action: Action) -> Charge | None:
        return self.charges.get(str(action.payload.get("charge", "")))

    def _effect_of(self, case_id: str, action_id: str) -> Effect | None:
        own = (e for e in self.journal.effects if e.case_id == case_id and e.action_id == action_id)
        return next(own, None)

    def _look(self, what: str, action_id: str, told: object) -> None:
        self.journal.looks.append(Look(self.journal.tick(), self.baton.now, self.gate.process, what, action_id, told))


_ON_OPEN_DISPUTES: Final = frozenset(
    {ActionKind.STRIPE_STAGE_EVIDENCE, ActionKind.STRIPE_SUBMIT_EVIDENCE, ActionKind.STRIPE_CLOSE_DISPUTE}
)
