"""`manthan cases open`: a case from what a person asks for, without an event from Stripe."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen
from shared.errors import InvalidInput

if TYPE_CHECKING:
    from infra.cli.folder import DataFolder
    from infra.cli.requesting import Wish
    from shared.steps.intake import Received


@click.command("open")
@click.option("--world", help="A shipped world's name, or a folder. Default: the world of the data folder.")
@options.as_email
@click.option("--text", help="What is asked for, in the words of whoever asks.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The file that holds these words (UTF-8).",
)
@click.option("--from", "sender", metavar="ADDRESS", help="Who asks; default: you.")
@click.option("--channel", default="email", show_default=True, help="How it reached us.")
@click.option("--customer", metavar="ID", help="The customer it is about, if known.")
@click.option("--charge", metavar="ID", help="The charge it is about, if known.")
@click.option("--invoice", metavar="ID", help="The invoice it is about, if known.")
@click.option("--amount", metavar="DECIMAL", help='What is asked for, e.g. "89.00"; with --currency.')
@click.option("--currency", metavar="CODE", help='The currency of the amount, e.g. "usd".')
@click.option("--id", "request_id", metavar="ID", help="Default: made of channel, sender, words and charge.")
@options.data
@options.as_json
def open_case(
    world: str | None,
    email: str,
    text: str | None,
    file: Path | None,
    sender: str | None,
    channel: str,
    amount: str | None,
    currency: str | None,
    request_id: str | None,
    data: Path | None,
    as_json: bool,
    **about: str | None,
) -> Exit:
    """Open a case from a person's request, e.g. for a refund, and run it until people are asked.

    The words are evidence that specialists quote, never instructions. Whoever opens a case is never the only one who
    approves it. The same request again changes nothing; give another one about the same thing an --id.

    \b
    Examples:
      manthan cases open --world DIR --as EMAIL --from ADDRESS --customer cus_... --amount 89.00 --currency usd \\
        --text "My card shows one purchase twice. Please send one back."
      manthan cases open --data DIR --as EMAIL --file request.txt --charge ch_... --json

    Ends with 1 if the request comes to no case.
    """
    if (amount is None) != (currency is None):
        raise click.UsageError("--amount and --currency are given together or not at all")
    screen = Screen(as_json)
    from infra.cli.amounts import parse_minor
    from infra.cli.requesting import take_up

    amount_minor = None if amount is None or currency is None else parse_minor(amount, currency)
    known = {"amount_minor": amount_minor, "currency": currency and currency.strip().lower(), "channel": channel}
    wish = _wish(_words(text, file), sender or email, request_id, {**known, **about})
    folder = _folder(world, data)
    return _told(screen, folder, take_up(screen, folder, email, wish))


def _words(text: str | None, file: Path | None) -> str:
    """The words of the request, from wherever they are."""
    if (text is None) == (file is None):
        raise click.UsageError("say what is asked for: --text TEXT or --file FILE")
    if file is None:
        return text or ""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8 text") from None


def _wish(text: str, sender: str, request_id: str | None, known: Mapping[str, Any]) -> Wish:
    """The request as soon as it is known when it is received. It raises InvalidInput, without the customer's words."""
    from pydantic import ValidationError

    from shared.steps.request import PersonRequest
    from shared.steps.request import request_id as id_of

    def wish(received_at: datetime) -> PersonRequest:
        told = id_of(known["channel"], sender, text, known["charge"])
        fields = {
            "id": told if request_id is None else request_id,
            "sender": sender,
            "text": text,
            "received_at": received_at,
        }
        try:
            return PersonRequest.model_validate({**fields, **known})
        except ValidationError as error:
            where = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
            raise InvalidInput(f"the request cannot be taken up: {where}") from None

    return wish


def _folder(world: str | None, data: Path | None) -> DataFolder:
    """The data folder of the named world, the named folder, or the one that was used last."""
    from infra.cli import folder as folders
    from infra.worlds import find_world, load_world

    if world is None:
        return folders.chosen(data)[0]
    return folders.of(world, load_world(find_world(world)), data)


def _told(screen: Screen, folder: DataFolder, received: Received) -> Exit:
    """Say what became of the request, and show its case."""
    from infra.cli.archive import opened
    from infra.cli.showing import show_whole
    from infra.cli.text import inline

    if received.known:
        screen.say(f"request {received.event_id} is known already; nothing has changed")
    with opened(folder) as archive:
        entry = archive.inbox.get(folder.org, received.event_id)
        status, reason = (entry.status.value, entry.reason) if entry is not None else ("lost", "")
        told = {"request": {"id": received.event_id, "known": received.known, "status": status, "reason": reason}}
        if entry is not None and entry.case_id is not None and archive.has(entry.case_id):
            show_whole(screen, archive, entry.case_id, besides=told)
            return Exit.FINE
    screen.emit(told)
    screen.show(inline(f"request {received.event_id} is {status}: {reason}"))
    return Exit.NO
