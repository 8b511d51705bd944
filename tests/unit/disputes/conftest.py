"""One investigation of the shipped world, over the real engine; every test changes a copy of what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from shared.ports.sources import Sources
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import Tables, World, aperture, investigate, opened, shipped, sources


@pytest.fixture(scope="session")
def world() -> World:
    """The tables, the org, the clock and the first event of the shipped world."""
    return aperture()


@pytest.fixture(scope="session")
def engine(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sources]:
    """The embedded engine over the world's tables."""
    with sources(tmp_path_factory.mktemp("world") / "world.duckdb", world.tables) as found:
        yield found


@pytest.fixture(scope="session")
def recorded(world: World, engine: Sources) -> Dossier:
    """What the five specialists find in the shipped world."""
    case = opened(world)
    evidence, gaps = investigate(case, world, engine)
    return Dossier(case, world.org, world.now, tuple(evidence), tuple(gaps))


@pytest.fixture(scope="session")
def investigated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Dossier]:
    """What the specialists find in a shipped world about one of its events or requests; each is read once."""
    found: dict[tuple[str, int], Dossier] = {}

    def look(name: str, place: int = 0) -> Dossier:
        if (name, place) not in found:
            world = shipped(name, place)
            case = opened(world)
            with sources(tmp_path_factory.mktemp(name) / "world.duckdb", world.tables) as engine:
                evidence, gaps = investigate(case, world, engine)
            found[name, place] = Dossier(case, world.org, world.now, tuple(evidence), tuple(gaps))
        return found[name, place]

    return look


@pytest.fixture
def dossier(recorded: Dossier) -> Dossier:
    """The same, for a test to change."""
    return recorded


@pytest.fixture
def tables(world: World) -> Tables:
    """The world's tables; a test that changes rows copies them first."""
    return world.tables
