"""Data folders: what may be emptied, and what may not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.cli.folder import DataFolder, FolderInUse, locked, occupied, of_dev, recent, remove, run_by_dev
from infra.dev.address import Address
from shared.errors import InvalidInput, NotFound


def test_starting_afresh_deletes_what_a_stage_left_and_nothing_else(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data", "aperture", "acme")
    with occupied(folder, fresh=True):
        (folder.path / "outbox").mkdir()
        for name in ("manthan.db", "manthan.db-wal", "stripe.db", "sources.duckdb", "outbox/mail.eml", "notes.txt"):
            (folder.path / name).write_text("x")
    with occupied(folder, fresh=True):
        assert sorted(entry.name for entry in folder.path.iterdir()) == ["in-use.lock", "notes.txt", "world.json"]


def test_keeping_keeps_everything(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data", "aperture", "acme")
    with occupied(folder, fresh=True):
        (folder.path / "manthan.db").write_text("x")
    with occupied(folder, fresh=False):
        assert (folder.path / "manthan.db").exists()


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(InvalidInput, match="other files"), occupied(DataFolder(tmp_path, "a", "b"), fresh=True):
        pytest.fail("a folder with other files was taken")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_one_world_does_not_go_on_in_the_folder_of_another(tmp_path: Path) -> None:
    with occupied(DataFolder(tmp_path / "data", "aperture", "acme"), fresh=True):
        pass
    other = DataFolder(tmp_path / "data", "other", "acme")
    with pytest.raises(InvalidInput, match="--fresh"), occupied(other, fresh=False):
        pytest.fail("the folder of another world was taken")
    with occupied(other, fresh=True):
        assert DataFolder.at(other.path).world == "other"


def test_a_link_out_of_the_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("x")
    folder = DataFolder(tmp_path / "data", "aperture", "acme")
    with occupied(folder, fresh=True):
        (folder.path / "outbox").symlink_to(outside, target_is_directory=True)
    with occupied(folder, fresh=True):
        assert not (folder.path / "outbox").exists()
    assert (outside / "precious.txt").exists()


def test_a_folder_without_a_mark_is_no_data_folder(tmp_path: Path, elsewhere: Path) -> None:
    with pytest.raises(NotFound, match="manthan demo"):
        DataFolder.at(tmp_path)
    assert recent() == []


@contextmanager
def running_dev(port: int) -> Iterator[DataFolder]:
    folder = DataFolder(of_dev(port), "aperture", "acme")
    with occupied(folder, fresh=True):
        data = str(folder.path.absolute())
        Address("aperture", {}, webhook="", stripe="", data=data, secret_file=f"{data}/webhook-secret").post_up()
        yield folder


def test_the_one_dev_that_runs_here_is_found_without_its_name(elsewhere: Path) -> None:
    with running_dev(8700) as folder:
        assert run_by_dev(None, wanted=True) == folder
        assert run_by_dev(folder.path, wanted=False) == folder
        assert folder in recent()
        assert run_by_dev(None, wanted=False) is None


def test_with_several_one_has_to_choose(elsewhere: Path) -> None:
    with running_dev(8700) as one, running_dev(8800) as another:
        with pytest.raises(InvalidInput, match=r"--data .*8[78]00 or .*8[78]00"):
            run_by_dev(None, wanted=True)
        assert [run_by_dev(each.path, wanted=True) for each in (one, another)] == [one, another]


def test_a_dev_that_has_ended_is_not_found_and_whoever_takes_its_folder_over_is_no_dev(elsewhere: Path) -> None:
    with running_dev(8700) as folder:
        pass
    assert folder.dev is None
    with pytest.raises(NotFound, match="no `manthan dev` runs"):
        run_by_dev(None, wanted=True)
    with occupied(folder, fresh=False):
        assert folder.dev is None


def test_removing_a_folder_leaves_nothing_but_what_is_not_ours(elsewhere: Path) -> None:
    with running_dev(8700) as folder:
        (folder.path / "webhook-secret").write_text("x")
        remove(folder.path)
        assert folder.path.exists()  # it is in use
    (folder.path / "notes.txt").write_text("x")
    remove(folder.path)
    assert [entry.name for entry in folder.path.iterdir()] == ["notes.txt"]
    (folder.path / "notes.txt").unlink()
    remove(folder.path)
    assert folder.path.exists()  # without a mark it is nobody's


def test_a_folder_of_ours_alone_is_removed_as_a_whole(elsewhere: Path) -> None:
    with running_dev(8700) as folder:
        pass
    remove(folder.path)
    assert not folder.path.exists()


def test_a_folder_in_use_cannot_be_taken_a_second_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(FolderInUse, match="another manthan command"), locked(tmp_path):
        pytest.fail("it was taken twice")
