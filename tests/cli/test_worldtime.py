"""What time it is in a world that nothing runs, or that something else runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from infra.cli.archive import opened
from infra.cli.folder import DataFolder
from infra.cli.worldtime import present
from infra.fakes.stripe.process import StripeDouble
from infra.worlds import find_world, load_world
from tests.cli.conftest import Shelf
from tests.support.rig import START

LATER = START + timedelta(days=40)


def folder_of(shelf: Shelf) -> DataFolder:
    return DataFolder.at(shelf.path)


def test_where_nothing_has_run_it_is_the_worlds_beginning(tmp_path: Path) -> None:
    world = load_world(find_world("aperture"))
    assert present(DataFolder(tmp_path, "aperture", world.org.id)) == world.now


def test_it_is_never_before_what_has_happened_to_a_case(shelf: Shelf) -> None:
    with opened(folder_of(shelf)) as archive:
        assert present(folder_of(shelf)) == archive.case(shelf.case_id).updated_at
    with StripeDouble.start(db=shelf.path / "stripe.db", now=datetime(2020, 1, 1, tzinfo=UTC)):
        pass
    assert present(folder_of(shelf)) > START - timedelta(days=1)


def test_it_is_what_stripe_says_that_has_been_left(shelf: Shelf) -> None:
    with StripeDouble.start(db=shelf.path / "stripe.db", now=LATER):
        pass
    assert present(folder_of(shelf)) == LATER


def test_a_stripe_that_another_command_runs_is_not_disturbed(shelf: Shelf) -> None:
    with StripeDouble.start(db=shelf.path / "stripe.db", now=LATER) as double:
        assert present(folder_of(shelf)) < LATER
        assert double.clock()["now"] == LATER.timestamp()
