"""Does the world still look as it did when the action was approved?"""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Action, DependencyKind, Json
from shared.case.case import Outcome


def drift(action: Action, world: Mapping[str, Json], outcomes: Mapping[str, Outcome]) -> str | None:
    """What has changed of the fields the action was decided on; None when nothing that matters has.

    Only the fields of the action's snapshot count, and a status that the action was told to wait for is no drift.
    """
    for field, approved_value in action.snapshot.items():
        if field not in world:
            return f"{field} could not be read again"
        present = world[field]
        if present != approved_value and not _awaited(action, field, present, outcomes):
            return f"{field} was {approved_value} when this was approved and is {present} now"
    return None


def _awaited(action: Action, field: str, present: Json, outcomes: Mapping[str, Outcome]) -> bool:
    subject, _, name = field.partition(".")
    awaited = {d.ref for d in action.depends_on if d.kind is DependencyKind.OUTCOME}
    return name == "status" and f"{subject}.{present}" in awaited & set(outcomes)
