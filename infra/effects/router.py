"""One `Effects` made of several: each kind of action goes to the service that can carry it out."""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Action, ActionKind, Json
from shared.ports.effects import Done, EffectContext, EffectRefused, Effects


class RoutedEffects:
    """Sends every action to the adapter of its kind.

    A kind that nobody serves is refused when it is to be performed, which is where `act` records a refusal; it has no
    world to observe and can have had no effect.
    """

    def __init__(self, by_kind: Mapping[ActionKind, Effects]) -> None:
        self._by_kind = dict(by_kind)

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """What the adapter of this kind sees; nothing when there is none."""
        adapter = self._by_kind.get(action.kind)
        return adapter.observe(action, org) if adapter else {}

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """What the adapter of this kind finds; nothing when there is none."""
        adapter = self._by_kind.get(action.kind)
        return adapter.look_up(action, context) if adapter else None

    def perform(self, action: Action, context: EffectContext) -> Done:
        """Carries the action out through its adapter. Raises EffectRefused when no service is connected for it."""
        adapter = self._by_kind.get(action.kind)
        if adapter is None:
            raise EffectRefused(f"no service is connected that could carry out {action.kind.value}")
        return adapter.perform(action, context)
