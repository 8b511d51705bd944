"""Files that are there whole or not at all, also after a power cut, and that are never overwritten."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from shared.case.canonical import sha256

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,119}")


def safe_name(key: str) -> str:
    """The key itself where it can be a file name anywhere, else its hash."""
    return key if _SAFE.fullmatch(key) else sha256(key)


def create_durably(path: Path, content: bytes) -> bool:
    """Writes a new file, readable by its owner only; False when there is one already, which stays as it is.

    Raises OSError. The file may exist after an error of the last step, the syncing of its folder.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        created = _link(temporary, path)
    finally:
        os.unlink(temporary)
    _sync(path.parent)
    return created


def _link(temporary: str, path: Path) -> bool:
    # A link, not a rename: a rename would replace what is there.
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    return True


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
