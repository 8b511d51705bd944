"""Data folders: what may be emptied, and what may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.cli.folder import DataFolder, occupied, recent
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
