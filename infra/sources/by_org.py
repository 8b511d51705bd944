"""The connected systems of several orgs: a folder with one database file for each."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from pathlib import Path

from infra.sources.duckdb_files import DuckDbSources
from infra.sources.editions import GrowingSources
from shared.errors import InvalidInput, NotFound
from shared.ports.sources import Sources


def database_of(folder: Path, org: str) -> Path:
    """Where an org's database is. Raises InvalidInput for an id that would lead out of the folder."""
    if Path(org).name != org:
        raise InvalidInput("an org's id names its database file: it may not be a path")
    return folder / f"{org}.duckdb"


class SourcesByOrg:
    """Opens an org's database when it is asked for first, and again when its file has been replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._opened: dict[str, GrowingSources] = {}

    def __call__(self, org: str) -> Sources:
        """The systems of this org. Raises NotFound when none are connected."""
        with self._lock:
            if org not in self._opened:
                self._opened[org] = _open(database_of(self._folder, org), org)
            return self._opened[org]

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for sources in self._opened.values():
                sources.close()
            self._opened.clear()


def _open(path: Path, org: str) -> GrowingSources:
    if not path.is_file():
        raise NotFound(f"no systems of org {org} are connected")

    def edition() -> Hashable:
        found = path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size

    return GrowingSources(edition, lambda: DuckDbSources(path))
