"""The connected systems of a stage that goes on while people open requests: loaded again when there is a new one."""

from __future__ import annotations

from pathlib import Path

from infra.sources.duckdb_files import DuckDbSources
from infra.sources.editions import GrowingSources
from infra.stage import requests
from infra.stage.stage import open_sources
from infra.worlds.model import World


def growing(world: World, data: Path) -> GrowingSources:
    """The world's systems, with every request that is kept in the data folder at the time of a question."""

    def load() -> DuckDbSources:
        return open_sources(world, data, requests.requests_of(world, data))

    # A kept request never changes, so its file's name says everything.
    return GrowingSources(lambda: tuple(sorted((data / "requests").glob("*.json"))), load)
