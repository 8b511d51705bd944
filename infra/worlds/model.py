"""A world as it was read: facts of the connected systems, what happens, and the Stripe account that `act` meets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from infra.worlds import noise
from infra.worlds.documents import Json
from infra.worlds.manifest import Manifest
from infra.worlds.requests import PersonRequest
from infra.worlds.tables import Row, Tables
from shared.ports.directory import Org


@dataclass(frozen=True, slots=True)
class ApprovalFile:
    """approval.yaml as it stands, unparsed: whoever parses it decides what a broken one means."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class World:
    """A merchant's connected systems at one moment. Expectations are no part of it."""

    root: Path
    manifest: Manifest
    facts: Tables
    """Rows by qualified table name, as authored under sources/, and the policies."""
    events: tuple[Json, ...]
    """Whole Stripe events in the order of delivery."""
    requests: tuple[PersonRequest, ...]
    stripe_objects: tuple[Json, ...]
    """The objects of the simulated Stripe account, in Stripe's own shapes."""
    approval: ApprovalFile | None

    @property
    def name(self) -> str:
        """The world's name."""
        return self.manifest.name

    @property
    def now(self) -> datetime:
        """The instant at which the clock starts, in UTC."""
        return self.manifest.now

    @property
    def org(self) -> Org:
        """The merchant, with the text of its approval policy if the world has one."""
        return self.manifest.org.org(self.approval.text if self.approval else None)

    def tables(self) -> dict[str, list[Row]]:
        """Rows by qualified table name: the facts, and the generated noise in a place of its own among them.

        The lists are new; the same world gives the same rows in the same order every time.
        """
        wanted = self.manifest.noise
        if wanted is None or wanted.scale == 0:
            return {name: list(rows) for name, rows in sorted(self.facts.items())}
        beside = (self.events, [request.model_dump(mode="json") for request in self.requests], self.stripe_objects)
        made = noise.generate(
            self.facts,
            beside=beside,
            staff=tuple(member.email for member in self.manifest.org.members),
            currency=self.manifest.org.currency,
            now=self.now,
            seed=wanted.seed,
            scale=wanted.scale,
        )
        return noise.mixed(self.facts, made, seed=wanted.seed)
