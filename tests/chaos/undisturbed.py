"""The world played once without disturbance: what it is like, and what its systems answer."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from infra.worlds import find_world, load_world
from tests.chaos.facts import Facts, facts_of
from tests.chaos.life import live
from tests.chaos.staging import stage_with
from tests.chaos.tape import recording
from tests.chaos.taps import Count, tapped

WORLD = "aperture"


def record_undisturbed_run(data: Path) -> Facts:
    """Play the world once without disturbance; leaves the tape of its sources and the list of its port calls."""
    world, count = load_world(find_world(WORLD)), Count()
    tape = recording(world, data)
    with stage_with(partial(tapped, tap=count), world, data / "undisturbed", sources=lambda org: tape) as stage:
        live(stage)
        facts = facts_of(stage)
    tape.save(data / "tape")
    (data / "calls.json").write_text(json.dumps(count.names))
    return facts
