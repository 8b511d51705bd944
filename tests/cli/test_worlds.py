"""`manthan worlds`."""

from __future__ import annotations

import shutil
from pathlib import Path

from infra.cli.output import Exit
from infra.worlds import find_world, shipped_worlds
from tests.cli.conftest import document, run


def test_every_shipped_world_is_listed_with_its_title() -> None:
    listed = document(run("worlds", "list", "--json"))["worlds"]
    assert [world["name"] for world in listed] == shipped_worlds()
    assert all(world["title"] for world in listed)


def test_a_world_that_leaks_is_refused_with_the_place(tmp_path: Path) -> None:
    root = Path(shutil.copytree(find_world("aperture"), tmp_path / "aperture"))
    messages = root / "sources" / "slack" / "messages.jsonl"
    messages.write_text(messages.read_text() + '{"id": "x", "expected_decision": "credit"}\n')
    ended = run("worlds", "check", str(root), "--json")
    told = document(ended)
    assert (ended.exit_code, told["ok"], told["failed"]) == (Exit.NO, 0, 1)
    assert "a key names the answer" in told["worlds"][0]["problems"][0]


def test_a_world_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    root = Path(shutil.copytree(find_world("aperture"), tmp_path / "aperture"))
    (root / "world.yaml").write_text("name: aperture\n")
    ended = run("worlds", "check", str(root))
    assert ended.exit_code == Exit.NO
    assert "aperture/world.yaml:1: title: is missing" in ended.stdout


def test_a_world_that_is_fine_is_fine() -> None:
    assert run("worlds", "check", "aperture").exit_code == Exit.FINE
