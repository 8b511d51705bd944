"""`manthan cases exhibit`: the file that goes to the bank with the evidence, for people to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli import options
from infra.cli.output import Exit, Screen
from shared.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.case.actions import Json
    from shared.case.case import Case


@click.command()
@click.argument("case")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The PDF to write.")
@options.data
@options.as_json
def exhibit(case: str, out: Path, data: Path | None, as_json: bool) -> Exit:
    """Write the printed exhibit that goes with the evidence of CASE: the very bytes that approvals bind to.

    \b
    Example:
      manthan cases exhibit CASE --out exhibit.pdf

    Ends with 1 if what is drawn now is not what was drafted.
    """
    screen = Screen(as_json)
    from infra.cli.archive import holding, opened
    from infra.effects.exhibits import render
    from shared.case.document import Document
    from shared.case.texts import DOCUMENT

    with opened(holding(case, data)) as archive:
        name, file = _file_of(archive.case(case))
    document = file.get(DOCUMENT)
    try:
        drawn = render(Document.model_validate_json(str(document)))
    except ValueError:
        raise InvalidInput(f"the text of the exhibit of {case} was erased: it can no longer be drawn") from None
    as_drafted = drawn.sha256 == file.get("sha256")
    out.write_bytes(drawn.content)
    screen.emit(
        {
            "case_id": case,
            "field": name,
            "file": str(out),
            "sha256": drawn.sha256,
            "bytes": len(drawn.content),
            "pages": drawn.pages,
            "replaced": list(drawn.replaced),
            "as_drafted": as_drafted,
        }
    )
    screen.show(f"{out}: {drawn.pages} pages, {len(drawn.content):,} bytes, sha256 {drawn.sha256}")
    if not as_drafted:
        screen.show(
            "It is not what was drafted: another release has drawn that one. Investigate again to draw it anew."
        )
    return Exit.FINE if as_drafted else Exit.NO


def _file_of(case: Case) -> tuple[str, Mapping[str, Json]]:
    """The exhibit of the latest draft, with the field it goes into. Raises NotFound."""
    from shared.case.texts import FILES

    for action in reversed(case.actions):
        files = action.payload.get(FILES)
        for name, file in files.items() if isinstance(files, dict) else ():
            if isinstance(file, dict):
                return name, file
    raise NotFound(f"no exhibit goes with the evidence of {case.id}: nothing is contested, or it did not fit")
