"""Worlds on the local cloud, for tests: what they come to, and charges about which many cases can be opened at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from infra.cli.approving import Approvers
from infra.cli.performance import perform
from infra.cli.story import entries
from infra.cli.trial import _Nobody
from infra.stage import Stage
from infra.worlds import find_world, load_world
from infra.worlds.model import World
from shared.case.case import Case
from shared.ports.store import InboxStatus
from shared.steps.audit import audit
from shared.steps.dead_letters import dead_letters

SCRIPTED = Path(__file__).parent / "scripted" / "main.py"


@dataclass(frozen=True)
class Came:
    """What a world came to: decisions and states by business object, kinds of events, and effects at Stripe."""

    decisions: Mapping[str, tuple[Any, ...]]
    events: Mapping[str, Counter[str]]
    effects: Counter[tuple[str, int | None]]


def played(stage: Stage) -> Came:
    """From the events to the end, people approving in order as long as a case asks them to."""
    stage.deliver_events()
    perform(stage, Approvers(), _Nobody())
    return came_to(stage)


def came_to(stage: Stage) -> Came:
    effects = [(str(effect["kind"]), effect.get("amount")) for effect in stage.double.effects()]
    return Came(
        decisions={case.subject.id: _decided(case) for case in stage.cases()},
        events={case.subject.id: Counter(kinds(stage, case)) for case in stage.cases()},
        effects=Counter(effects),
    )


def _decided(case: Case) -> tuple[Any, ...]:
    decision = case.brief.decision if case.brief else None
    actions = tuple(sorted((action.kind.value, action.state.value) for action in case.actions))
    if decision is None:
        return (case.state.value, actions)
    return (case.state.value, decision.kind.value, decision.amount_minor, decision.currency, actions)


def kinds(stage: Stage, case: Case) -> list[str]:
    """The kinds of a case's events, in order."""
    return [entry.event.type for entry in entries(stage.ports.store, case.org, case.id, 0)]


def charges(count: int, prefix: str = "ch_many") -> World:
    """A world in which something happens to so many charges at the same instant."""
    world = load_world(find_world("larkspur"))
    like = dict(next(item for item in world.stripe_objects if item["object"] == "charge"))
    alone = dict.fromkeys(("payment_intent", "balance_transaction", "customer"))
    found = [
        {**like, **alone, "amount": 1900, "amount_captured": 1900, "id": f"{prefix}_{number:03d}"}
        for number in range(count)
    ]
    created = int(world.now.timestamp()) + 1
    events = tuple(
        {
            "id": f"evt_{charge['id']}",
            "object": "event",
            "type": "test.created",
            "created": created,
            "livemode": False,
            "data": {"object": charge},
        }
        for charge in found
    )
    return replace(world, events=events, stripe_objects=tuple(found), requests=())


def all_is_well(stage: Stage, count: int) -> None:
    """Every case resolved, no effect twice, no dead letter, every log verified."""
    cases = stage.cases()
    assert Counter(case.state.value for case in cases) == {"resolved": count}
    refunds = Counter(str(effect["charge"]) for effect in stage.double.effects() if effect["kind"] == "refund")
    assert refunds == {case.subject.id: 1 for case in cases}
    assert dead_letters(stage.ports.inbox) == ()
    assert stage.ports.inbox.list_entries(stage.world.org.id, InboxStatus.QUARANTINED) == ()
    assert [problem for case in cases for problem in audit(stage.ports.store, case.org, case.id).problems] == []
