"""Finding a world and reading it as a whole."""

from __future__ import annotations

from pathlib import Path

from infra.worlds.consistency import disagreements
from infra.worlds.derived import with_stripe_rows
from infra.worlds.documents import Json
from infra.worlds.folder import Folder
from infra.worlds.manifest import Manifest, read_manifest
from infra.worlds.model import ApprovalFile, World
from infra.worlds.policies import TABLE as POLICIES
from infra.worlds.policies import read_policies
from infra.worlds.requests import read_requests
from infra.worlds.stripe_files import read_events, read_stripe_objects
from infra.worlds.tables import read_tables
from shared.errors import NotFound

SHIPPED = Path(__file__).parent
_FOLDERS = ("sources", "policies", "events", "requests", "stripe")
_FILES = ("world.yaml", "approval.yaml", "expect.yaml", "README.md")


def shipped_worlds() -> list[str]:
    """The names of the worlds that ship with the product, in order."""
    return sorted(path.parent.name for path in SHIPPED.glob("*/world.yaml"))


def find_world(name_or_path: str | Path) -> Path:
    """The folder of a shipped world by its name, or of any world by its path.

    Raises NotFound, naming the shipped worlds, when it is neither.
    """
    if str(name_or_path) in shipped_worlds():
        return SHIPPED / str(name_or_path)
    path = Path(name_or_path).expanduser()
    if (path / "world.yaml").is_file():
        return path
    why = "holds no world.yaml" if path.is_dir() else "is neither a shipped world nor a folder"
    raise NotFound(f"{name_or_path} {why}; shipped worlds: {', '.join(shipped_worlds())}")


def load_world(path: Path) -> World:
    """Read a world. `expect.yaml` is not opened.

    Raises InvalidInput, with file and line where there is one, for anything that is not as a world should be: also when
    the rows in sources/stripe/ and the objects in stripe/ tell different stories.
    """
    folder = Folder.open(path)
    _check_entries(folder)
    manifest = read_manifest(folder)
    objects = read_stripe_objects(folder)
    facts = with_stripe_rows(read_tables(folder), objects)
    differing = next(disagreements(facts, objects), None)
    if differing:
        raise folder.fault(folder.root / "stripe", differing)
    _check_refunds(folder, manifest, objects)
    policies = read_policies(folder)
    return World(
        root=folder.root,
        manifest=manifest,
        facts=facts | ({POLICIES: policies} if policies else {}),
        events=tuple(read_events(folder)),
        requests=tuple(read_requests(folder)),
        stripe_objects=tuple(objects),
        approval=_read_approval(folder),
    )


def _check_entries(folder: Folder) -> None:
    for path in folder.entries():
        known = _FOLDERS if path.is_dir() else _FILES
        if path.name not in known:
            expected = ", ".join([*_FILES, *(f"{name}/" for name in _FOLDERS)])
            raise folder.fault(path, f"is no part of a world; a world holds: {expected}")


def _check_refunds(folder: Folder, manifest: Manifest, objects: list[Json]) -> None:
    charges = {found["id"] for found in objects if found["object"] == "charge"}
    for charge in manifest.stripe.refunds:
        if charge not in charges:
            raise folder.fault(folder.root / "world.yaml", f"stripe.refunds: {charge} is not a charge in stripe/")


def _read_approval(folder: Folder) -> ApprovalFile | None:
    path = folder.root / "approval.yaml"
    return ApprovalFile(path, folder.read(path)) if path in folder.entries() else None
