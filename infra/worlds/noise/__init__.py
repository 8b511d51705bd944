"""Unrelated life around a world's facts: other customers, their mails, tickets, incidents and disputes.

Made from a seed, the same every time: no clock, no hashing of objects, one random stream per source, so that a change
in one source leaves the others as they were. Names, domains, services and times to stay clear of, and the name twins to
make, are read from the facts; nothing here knows a particular world.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime

from infra.worlds.noise import billing, crm, operations, policies, support, talk, usage
from infra.worlds.noise.cast import assemble
from infra.worlds.noise.dice import Dice
from infra.worlds.noise.scene import read_scene
from infra.worlds.tables import Row, Tables

_MAKERS = {
    "billing": billing.make,
    "crm": crm.make,
    "operations": operations.make,
    "policies": policies.make,
    "support": support.make,
    "talk": talk.make,
    "usage": usage.make,
}


def generate(
    facts: Mapping[str, Sequence[Row]],
    *,
    beside: Sequence[object],
    staff: Sequence[str],
    currency: str,
    now: datetime,
    seed: int,
    scale: int,
) -> Tables:
    """Rows by table, none of which touches the customers in `facts` or in `beside` (events, requests, Stripe objects).

    `staff`: the members' e-mail addresses, of which the merchant's own domain is derived. Nothing in the rows has
    happened after `now`. Scale 1 is some hundreds of rows per source.
    """
    scene = read_scene(facts, beside=beside, staff=staff, currency=currency, now=now)
    cast = assemble(Dice(f"{seed}:cast", scene), scene, scale)
    tables: Tables = {}
    for name, make in _MAKERS.items():
        tables.update(make(Dice(f"{seed}:{name}", scene), scene, cast, scale))
    return tables


def mixed(facts: Mapping[str, Sequence[Row]], made: Mapping[str, Sequence[Row]], *, seed: int) -> Tables:
    """Facts and noise in one table each, shuffled, so that a row's place does not tell which it is."""
    tables: Tables = {}
    for name in sorted({*facts, *made}):
        rows = [*facts.get(name, ()), *made.get(name, ())]
        random.Random(f"{seed}:order:{name}").shuffle(rows)
        tables[name] = rows
    return tables
