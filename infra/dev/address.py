"""Where a running dev can be found: one file in its data folder, for whoever works on the same folder meanwhile."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Self

FILE: Final = "dev.json"
SECRET_FILE: Final = "webhook-secret"


@dataclass(frozen=True, slots=True)
class Address:
    """Addresses are on the loopback interface; paths are absolute."""

    world: str
    functions: dict[str, str]
    """The root of each function, by name."""
    webhook: str
    """Where Stripe sends its events."""
    stripe: str
    data: str
    secret_file: str
    """Holds the secret that signs events for the webhook; readable by its owner alone."""
    cloud: dict[str, str] = field(default_factory=dict)
    """On a local cloud, the variables with which other commands work on it; there are no secrets among them."""

    def as_json(self) -> dict[str, Any]:
        """The addresses for other programs; `cloud` only where there is one."""
        return {name: value for name, value in asdict(self).items() if name != "cloud" or value}

    def post_up(self) -> None:
        """Write them where `read` finds them, complete or not at all."""
        path = Path(self.data) / FILE
        unfinished = path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(self.as_json()), encoding="utf-8")
        unfinished.replace(path)

    def take_down(self) -> None:
        """Remove what was posted, the secret first: nothing answers any more."""
        Path(self.secret_file).unlink(missing_ok=True)
        (Path(self.data) / FILE).unlink(missing_ok=True)

    @classmethod
    def read(cls, data: Path) -> Self | None:
        """What the folder says, of a dev that may have been killed since; None when none has posted anything."""
        try:
            return cls(**json.loads((data / FILE).read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    @property
    def secret(self) -> str:
        """The signing secret."""
        return Path(self.secret_file).read_text(encoding="utf-8").strip()


def keep_secret(data: Path, secret: str) -> Path:
    """Write the signing secret to its file, readable by its owner alone from the first byte on; returns the path."""
    path = (data / SECRET_FILE).absolute()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(secret + "\n")
    return path
