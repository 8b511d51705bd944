"""What time it is in a world, also while nothing or another process runs it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

from infra.cli.archive import anything_in, opened
from infra.cli.folder import STRIPE, DataFolder
from infra.cli.loopback import exchange
from infra.dev.address import Address
from infra.fakes.stripe import clock
from infra.worlds import find_world, load_world


def present(folder: DataFolder) -> datetime:
    """The present instant of the folder's world: its Stripe's, but never before what has happened to its cases.

    A running dev moves Stripe's clock several times a second. Where nothing has run yet, the world's beginning. Raises
    OSError when a dev has just ended.
    """
    dev = folder.dev
    known = [*(_of_resting_stripe(folder) if dev is None else _of_running_stripe(dev)), *_of_cases(folder)]
    return max(known) if known else load_world(find_world(folder.world)).now


def _of_running_stripe(dev: Address) -> list[datetime]:
    _, answer = exchange(f"{dev.stripe}/_double/clock")
    return [datetime.fromtimestamp(json.loads(answer)["now"], UTC)]


def _of_resting_stripe(folder: DataFolder) -> list[datetime]:
    path = folder.path / STRIPE
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0)) as database:
            database.row_factory = sqlite3.Row
            return [datetime.fromtimestamp(clock.read(database), UTC)]
    except sqlite3.OperationalError:
        return []  # a running command has it to itself; what it has done to its cases says enough


def _of_cases(folder: DataFolder) -> list[datetime]:
    if not anything_in(folder):
        return []
    with opened(folder) as archive:
        return [case.updated_at for case in archive.cases()[:1]]  # the latest change comes first
