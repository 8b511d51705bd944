"""Writing the printed exhibit of a case for people to read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.cli.output import Exit
from infra.effects.exhibits import render
from shared.case.actions import ActionKind, Json
from shared.case.canonical import canonical
from shared.case.document import Document, Section
from shared.team.contract import Draft, Material
from tests.cli.conftest import Shelf, document, run, shelve
from tests.support.playbook import ScriptedPlaybook, partial_credit

PRINTED = Document(
    title="Evidence about a disputed payment",
    subtitle="Acme",
    dated=datetime(2026, 5, 8, tzinfo=UTC),
    sections=(Section(heading="What happened", paragraphs=("They used it every day.",)),),
)


def with_exhibit(material: Material) -> Draft:
    draft, drawn = partial_credit(material), render(PRINTED)
    described = {"sha256": drawn.sha256, "bytes": len(drawn.content), "pages": drawn.pages}
    files: dict[str, Json] = {"service_documentation": {"document": canonical(PRINTED), **described}}
    return replace(
        draft,
        actions=tuple(
            action.model_copy(update={"payload": {**action.payload, "files": files}})
            if action.kind is ActionKind.STRIPE_STAGE_EVIDENCE
            else action
            for action in draft.actions
        ),
    )


@pytest.fixture
def printed(tmp_path: Path) -> Shelf:
    return shelve(tmp_path / "shelf", ScriptedPlaybook(conclude=with_exhibit))


def test_the_file_is_the_one_that_approvals_bind_to(printed: Shelf, tmp_path: Path) -> None:
    out = tmp_path / "exhibit.pdf"
    ended = run("cases", "exhibit", printed.case_id, "--out", str(out), *printed.data, "--json")
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    drawn = render(PRINTED)
    assert out.read_bytes() == drawn.content
    assert (told["sha256"], told["pages"], told["as_drafted"]) == (drawn.sha256, 1, True)
    assert told["field"] == "service_documentation"


def test_a_case_shows_what_goes_along_and_not_what_it_is_drawn_from(printed: Shelf) -> None:
    shown = run("cases", "show", printed.case_id, *printed.data).stdout
    assert "file service documentation: bytes" in shown
    assert "They used it every day." not in shown


def test_a_case_without_an_exhibit_says_so(shelf: Shelf, tmp_path: Path) -> None:
    ended = run("cases", "exhibit", shelf.case_id, "--out", str(tmp_path / "none.pdf"), *shelf.data)
    assert ended.exit_code != Exit.FINE
    assert "no exhibit goes with the evidence" in ended.stderr
    assert not (tmp_path / "none.pdf").exists()


def test_an_exhibit_whose_text_was_erased_cannot_be_drawn(printed: Shelf, tmp_path: Path) -> None:
    with closing(sqlite3.connect(printed.path / "manthan.db")) as connection, connection:
        connection.execute("DELETE FROM texts WHERE body LIKE '%They used it every day.%'")
    ended = run("cases", "exhibit", printed.case_id, "--out", str(tmp_path / "none.pdf"), *printed.data)
    assert ended.exit_code != Exit.FINE
    assert "was erased" in ended.stderr
