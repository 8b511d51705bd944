"""What is drawn for noise is clear of the facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from infra.worlds.noise.dice import Dice
from infra.worlds.noise.scene import Scene, read_scene

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


def scene() -> Scene:
    return read_scene({}, beside=(), staff=("ana@shop.example",), currency="usd", now=NOW)


def test_an_id_of_the_facts_is_never_drawn() -> None:
    taken = replace(scene(), tokens=frozenset("1234"), numbers=frozenset("5678"))
    assert Dice("seed", taken).digits(1) == "9"


def test_no_id_is_drawn_twice() -> None:
    dice = Dice("seed", scene())
    assert len({dice.digits(1) for _ in range(9)}) == 9


def test_a_moment_keeps_away_from_a_charge_of_the_facts() -> None:
    drawn = Dice("seed", scene()).moment(30)
    charged = replace(scene(), charged_at=(drawn,))
    assert abs(Dice("seed", charged).moment(30) - drawn) >= timedelta(minutes=45)


def test_a_moment_before_the_story_is_before_anything_in_the_facts() -> None:
    begun = replace(scene(), begins=NOW - timedelta(days=100))
    assert all(Dice(str(n), begun).before_the_story() < begun.begins - timedelta(days=2) for n in range(50))


def test_a_price_of_the_facts_is_not_among_the_prices() -> None:
    taken = replace(scene(), numbers=frozenset({"9900", "490"}))
    prices = Dice("seed", taken).prices
    assert 9900 not in prices
    assert 49000 not in prices
