"""The rule base as data: codes, numbers, and where and when each was read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from shared.case.canonical import Record


class Source(Record):
    """Where a fact was read, when (year and month), how sure it is: A documented, B measured, C reported, D memory."""

    id: str
    title: str
    url: str
    as_of: str
    sureness: str

    def __str__(self) -> str:
        return f"{self.title} ({self.url}, read {self.as_of}, {self.sureness})"


def document(name: str) -> Mapping[str, Any]:
    """One of the data files of this package, parsed."""
    return tomllib.loads(files(__name__).joinpath(name).read_text(encoding="utf-8"))


@cache
def sources() -> Mapping[str, Source]:
    """Every source by its id."""
    return {name: Source(id=name, **fields) for name, fields in document("sources.toml").items()}
