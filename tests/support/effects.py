"""A service that does what a test says: it keeps what was done, and can fail before or after its effect."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from shared.case.actions import Action, Json
from shared.ports.effects import Done, EffectContext


class ScriptedEffects:
    """Carries effects out in memory. `before` and `after` run around the effect of an action and may raise."""

    def __init__(self) -> None:
        self.world: dict[str, Json] = {"dispute.status": "needs_response", "refundable_minor": 84000}
        self.done: dict[str, tuple[Action, EffectContext]] = {}
        self.calls: list[str] = []
        self.pending: set[str] = set()
        self.look_ups: list[str] = []
        self.before: Callable[[Action], None] = lambda action: None
        self.after: Callable[[Action], None] = lambda action: None
        self.finding: Callable[[Action], None] = lambda action: None
        self._lock = threading.Lock()

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        return dict(self.world)

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        self.look_ups.append(action.id)
        self.finding(action)
        if context.idempotency_key in self.done:
            return Done(external_ref=f"ref-{action.kind.value}", summary="found")
        return None

    def perform(self, action: Action, context: EffectContext) -> Done:
        self.before(action)
        with self._lock:
            self.calls.append(action.kind.value)
            assert context.idempotency_key not in self.done, "the same effect twice"
            self.done[context.idempotency_key] = (action, context)
        self.after(action)
        return Done(external_ref=f"ref-{action.kind.value}", summary="done", pending=action.kind.value in self.pending)
