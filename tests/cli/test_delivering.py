"""Choosing what `trigger` delivers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.cli.delivering import chosen_events, in_order
from infra.worlds import World, find_world, load_world
from shared.errors import InvalidInput, NotFound


@pytest.fixture(scope="module")
def world() -> World:
    return load_world(find_world("aperture"))


def test_all_are_the_worlds_events_in_their_order(world: World) -> None:
    assert chosen_events(world, "all") == list(world.events)


def test_a_type_picks_the_events_of_that_type(world: World) -> None:
    (event,) = chosen_events(world, "charge.dispute.created")
    assert event["type"] == "charge.dispute.created"


def test_a_file_is_an_event_of_ones_own(world: World, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"id": "evt_1", "type": "payout.paid"}))
    assert chosen_events(world, str(path)) == [{"id": "evt_1", "type": "payout.paid"}]


@pytest.mark.parametrize("text", ["{", "[]", "7"])
def test_a_file_without_an_event_is_refused(world: World, tmp_path: Path, text: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"event\.json"):
        chosen_events(world, str(path))


def test_anything_else_lists_the_types_of_the_world(world: World) -> None:
    with pytest.raises(NotFound, match=r"charge\.dispute\.created"):
        chosen_events(world, "charge.dispute.lost")


def test_a_shuffle_is_another_order_and_the_same_one_for_the_same_seed() -> None:
    events = [{"id": f"evt_{number}"} for number in range(20)]
    assert in_order(events, None) == events
    assert in_order(events, 7) == in_order(events, 7)
    assert in_order(events, 7) not in (events, in_order(events, 8))
    assert sorted(event["id"] for event in in_order(events, 7)) == sorted(event["id"] for event in events)
