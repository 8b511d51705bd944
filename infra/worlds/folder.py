"""A world's folder: what may be read from it, and how a fault in it is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shared.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Folder:
    """The root of a world. Everything is read through it, so that nothing outside the folder ever is."""

    root: Path

    @classmethod
    def open(cls, path: Path) -> Folder:
        """The folder at `path`, its own links resolved. Raises InvalidInput when it is not a folder."""
        if not path.is_dir():
            raise InvalidInput(f"{path} is not a folder; a world is a folder with a world.yaml in it")
        return cls(path.resolve())

    def fault(self, path: Path, message: str, line: int | None = None) -> InvalidInput:
        """The error to raise about a file: `<world>/<file>:<line>: <message>`, whatever place the world is in."""
        name = path.relative_to(self.root.parent).as_posix()
        return InvalidInput(f"{name}{f':{line}' if line else ''}: {message}")

    def entries(self, *parts: str) -> list[Path]:
        """The files and folders under a sub-folder in name order; hidden ones left out, an absent folder is empty.

        Raises InvalidInput for a link that leads out of the world.
        """
        place = self.root.joinpath(*parts)
        if not self._inside(place).is_dir():
            return []
        visible = (path for path in place.iterdir() if not path.name.startswith("."))
        return [self._inside(path) for path in sorted(visible)]

    def files(self, suffix: str, *parts: str) -> list[Path]:
        """The files under a sub-folder, all of which must end in `suffix`. Raises InvalidInput for anything else."""
        found = self.entries(*parts)
        for path in found:
            if not path.is_file() or path.suffix != suffix:
                raise self.fault(path, f"only *{suffix} files are expected in {'/'.join(parts)}/")
        return found

    def read(self, path: Path) -> str:
        """A file's text (UTF-8, a byte order mark is dropped). Raises InvalidInput when it is missing or not text."""
        if not self._inside(path).is_file():
            raise self.fault(path, "is missing")
        data = path.read_bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.fault(path, "is not UTF-8 text", line) from None

    def _inside(self, path: Path) -> Path:
        if path.is_symlink() and not path.resolve().is_relative_to(self.root):
            raise self.fault(path, "is a link that leads out of the world; copy the file into the world instead")
        return path
