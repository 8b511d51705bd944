"""Data folders: where a world's database, simulated Stripe and outbox are kept, and who may use them just now."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.errors import Busy, InvalidInput, NotFound

ROOT: Final = Path(".manthan")
DATABASE: Final = "manthan.db"
LOG: Final = "manthan.log"
_MARK: Final = "world.json"
_LOCK: Final = "in-use.lock"
_OURS: Final = ("manthan.db*", "stripe.db*", "sources*.duckdb*", "requests", "outbox", LOG, _MARK)
"""Everything a stage leaves in its folder; nothing else in it is ever deleted."""


class FolderInUse(Busy):
    """Another command runs this folder; two at once would deliver everything twice."""

    code = "folder_in_use"


@dataclass(frozen=True, slots=True)
class DataFolder:
    """One data folder. `world` is the name of a shipped world or the path of another; `org` owns its cases."""

    path: Path
    world: str
    org: str

    @classmethod
    def at(cls, path: Path) -> DataFolder:
        """The folder at this path, as it says of itself. Raises NotFound when no command has made it."""
        try:
            mark = json.loads((path / _MARK).read_text(encoding="utf-8"))
            return cls(path, str(mark["world"]), str(mark["org"]))
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(
                f"there is no data in {path}: run `manthan demo` first, or name a folder with --data"
            ) from None
        except (ValueError, KeyError, TypeError):
            raise InvalidInput(f"{path / _MARK} is not readable: start afresh with `manthan demo --fresh`") from None

    @property
    def in_use(self) -> bool:
        """Whether a command runs this folder at this moment."""
        try:
            with locked(self.path):
                return False
        except FolderInUse:
            return True


def of_world(world_name: str) -> Path:
    """Where a world's data is by default."""
    return ROOT / "demo" / world_name


def recent() -> list[DataFolder]:
    """The default data folders, the most recently used first."""
    marks = sorted((ROOT / "demo").glob(f"*/{_MARK}"), key=lambda mark: mark.stat().st_mtime, reverse=True)
    return [DataFolder.at(mark.parent) for mark in marks]


def chosen(data: Path | None) -> list[DataFolder]:
    """The folder that was named, or all of the default ones. Raises NotFound when there is none."""
    folders = [DataFolder.at(data)] if data is not None else recent()
    if not folders:
        raise NotFound(
            f"there is no data under {ROOT / 'demo'}: run `manthan demo` first, or name a folder with --data"
        )
    return folders


@contextmanager
def occupied(folder: DataFolder, *, fresh: bool) -> Iterator[None]:
    """Have the folder to oneself, emptied first when `fresh`.

    Raises FolderInUse when another command has it, and InvalidInput for a folder that is not ours to empty or belongs
    to another world.
    """
    _check(folder, fresh=fresh)
    folder.path.mkdir(parents=True, exist_ok=True)
    with locked(folder.path):
        if fresh:
            _empty(folder.path)
        mark = {"world": folder.world, "org": folder.org}
        (folder.path / _MARK).write_text(json.dumps(mark) + "\n", encoding="utf-8")
        yield


def _check(folder: DataFolder, *, fresh: bool) -> None:
    path = folder.path
    if not path.exists() or not any(path.iterdir()):
        return
    if not (path / _MARK).exists():
        if {entry.name for entry in path.iterdir()} <= {_LOCK}:
            return
        raise InvalidInput(f"{path} holds other files; name an empty or a new folder")
    found = DataFolder.at(path)
    if not fresh and (found.world, found.org) != (folder.world, folder.org):
        raise InvalidInput(f"{path} holds the world {found.world}; use --fresh to start over with {folder.world}")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Have a folder to oneself. Raises FolderInUse when another command has it."""
    with (path / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(f"another manthan command runs {path}; wait until it has ended, or use --data") from None
        yield


def _empty(path: Path) -> None:
    for pattern in _OURS:
        for entry in path.glob(pattern):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
