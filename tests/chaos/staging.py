"""A stage whose functions see their ports through something of the test's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from infra.local.composition import LocalComposition
from infra.stage import Stage
from infra.worlds.model import World
from shared.ports import Sources
from shared.steps.context import Ports
from shared.team.contract import Playbook

Change = Callable[[Ports, str], Ports]
"""The real ports of a function, and its name, to what it is given."""


@contextmanager
def stage_with(
    change: Change,
    world: World,
    data: Path,
    *,
    sources: Callable[[str], Sources] | None = None,
    playbooks: Mapping[str, Playbook] | None = None,
) -> Iterator[Stage]:
    """A stage on which every function's ports are what `change` makes of the real ones."""

    class Changed(LocalComposition):
        def ports(self, function: str) -> Ports:
            return change(super().ports(function), function)

    with Stage(world, data, sources=sources, playbooks=playbooks, compose=Changed) as stage:
        yield stage
