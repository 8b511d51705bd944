"""Data folders: where a world's database, simulated Stripe and outbox are kept, and who may use them just now."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infra.dev import address
from infra.dev.address import Address
from shared.case.canonical import short_hash
from shared.errors import Busy, InvalidInput, NotFound

if TYPE_CHECKING:
    from infra.worlds.model import World

ROOT: Final = Path(".manthan")
DATABASE: Final = "manthan.db"
STRIPE: Final = "stripe.db"
LOG: Final = "manthan.log"
_MARK: Final = "world.json"
_LOCK: Final = "in-use.lock"
_OURS: Final = (
    *("manthan.db*", "stripe.db*", "sources*.duckdb*", "requests", "outbox", "scene.set", LOG, _MARK),
    *(address.FILE, address.SECRET_FILE, "cloud"),
)
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

    @property
    def dev(self) -> Address | None:
        """The addresses of the `manthan dev` that runs this folder at this moment; None when none does."""
        posted = Address.read(self.path)
        return posted if posted is not None and self.in_use else None


def of_world(world_name: str, shelf: str = "demo") -> Path:
    """Where a world's data is by default."""
    return ROOT / shelf / world_name


def of(named: str, world: World, data: Path | None, *, shelf: str = "demo") -> DataFolder:
    """A world's data folder, made or not. `named`: how the world was asked for, a shipped name or a path.

    `shelf`: where the default folders of its kind are.
    """
    shipped = world.name == named
    # A copy keeps the name of what it was copied from: its folder must not be that one's.
    own = world.name if shipped else f"{world.name}-{short_hash(str(world.root.resolve()), length=8)}"
    return DataFolder(
        path=data or of_world(own, shelf), world=named if shipped else str(world.root.resolve()), org=world.org.id
    )


def of_dev(port: int) -> Path:
    """Where a `manthan dev` on this port keeps its data while it runs."""
    return ROOT / "dev" / str(port)


def recent() -> list[DataFolder]:
    """The default data folders, those of running devs included, the most recently used first."""
    marks = [*(ROOT / "demo").glob(f"*/{_MARK}"), *(ROOT / "dev").glob(f"*/{_MARK}")]
    marks.sort(key=lambda mark: mark.stat().st_mtime, reverse=True)
    return [DataFolder.at(mark.parent) for mark in marks]


def run_by_dev(data: Path | None, *, wanted: bool) -> DataFolder | None:
    """The folder of the `manthan dev` to speak to: the named one if a dev runs it; without a name the only one here.

    `wanted`: it must be a dev. Else None where none runs the named folder. Raises NotFound without one, InvalidInput
    with several.
    """
    if not wanted and data is None:
        return None
    candidates = recent() if data is None else [DataFolder.at(data)] if Address.read(data) is not None else []
    running = [folder for folder in candidates if folder.dev is not None]
    if len(running) > 1:
        raise InvalidInput(f"several run here: choose with --data {' or '.join(str(each.path) for each in running)}")
    if not running and wanted:
        raise NotFound(f"no `manthan dev` runs {data or 'here'}: start one, or name the folder of another with --data")
    return running[0] if running else None


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
        (folder.path / address.FILE).unlink(missing_ok=True)  # of a dev that was killed
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


def remove(path: Path) -> None:
    """Delete a folder that a stage has left; one that another command has, or that holds anything else, stays."""
    if not (path / _MARK).exists():
        return
    with suppress(FolderInUse), locked(path):
        _empty(path)
        (path / _LOCK).unlink()
    with suppress(OSError):  # it holds other files, too
        path.rmdir()


def _empty(path: Path) -> None:
    for pattern in _OURS:
        for entry in path.glob(pattern):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
