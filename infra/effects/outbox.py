"""The outbox: messages as files in a folder, for whoever sends them, where no service is connected.

It is the default of the embedded product: nothing leaves the machine, and what would have been sent can be read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from infra.effects.files import create_durably, safe_name
from infra.effects.letters import REQUIRED, encoded
from shared.case.actions import Action, ActionKind, Json
from shared.errors import InvalidInput
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

_MAIL, _DOCUMENT = ".eml", ".json"
_SHOWN_AS: dict[ActionKind, tuple[str, str, str]] = {
    ActionKind.CRM_NOTE: ("company_id", "", "body"),
    ActionKind.SLACK_BRIEF: ("channel", "", "text"),
    ActionKind.TICKET: ("", "title", "body"),
    ActionKind.DECISION_LOG: ("", "title", "body"),
}
"""Kind -> the names of what is shown as recipient, subject and text."""

_UNSHOWN = {
    **dict.fromkeys(
        [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}"
    ),
    ord("\n"): "\n",
    ord("\t"): "\t",
    ord("\r"): None,
}
"""Control characters and those that turn the direction of text around; what is in the file stays as approved."""


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One message for people to read; its texts are cleaned for display."""

    kind: ActionKind
    to: str
    subject: str
    text: str
    path: Path
    org: str
    case_id: str


class OutboxEffects:
    """Writes customer e-mails, CRM notes, Slack briefs, tickets and the decision log into `folder`, made if absent.

    One file per action, named by its idempotency key and never overwritten: doing it twice leaves one. `sender` is the
    From address of e-mails, `now` the clock for their date.
    """

    def __init__(
        self,
        folder: Path,
        *,
        sender: str = "manthan@localhost",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder = folder
        self._sender = sender
        self._now = now
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """Nothing: a message is decided on no state of the outbox."""
        return {}

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """Whether the action's file is there."""
        path = self._path(action, context)
        return _done(path) if path.exists() else None

    def perform(self, action: Action, context: EffectContext) -> Done:
        """Writes the action's file, unless it is there.

        Raises EffectRefused when the payload lacks what it needs, EffectUnavailable or EffectUnknown when the folder
        cannot be written.
        """
        if action.kind not in REQUIRED:
            raise EffectRefused(f"{action.kind.value} is not for the outbox; nothing was written")
        path = self._path(action, context)
        content = encoded(action, context, sender=self._sender, at=self._now())
        try:
            create_durably(path, content)
        except OSError as error:
            raise _unwritten(path, error) from error
        return _done(path)

    def read(self, org: str | None = None) -> list[OutboxItem]:
        """What is there, oldest first; of one org, or of all. Raises InvalidInput for a file it cannot read."""
        paths = [path for path in self._folder.iterdir() if path.suffix in (_MAIL, _DOCUMENT)]
        items = [_item(path) for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name))]
        return [item for item in items if org is None or item.org == org]

    def _path(self, action: Action, context: EffectContext) -> Path:
        suffix = _MAIL if action.kind is ActionKind.CUSTOMER_EMAIL else _DOCUMENT
        return self._folder / f"{safe_name(context.idempotency_key)}{suffix}"


def _unwritten(path: Path, error: OSError) -> EffectUnknown | EffectUnavailable:
    if os.path.exists(path):
        return EffectUnknown(f"{path.name} was written to the outbox, but may not be on disk yet: {error.strerror}")
    return EffectUnavailable(f"the outbox could not be written: {error.strerror}", after=60.0)


def _done(path: Path) -> Done:
    return Done(f"outbox:{path.name}", f"written to the outbox as {path.name}; nothing was sent")


def _item(path: Path) -> OutboxItem:
    try:
        return _mail(path) if path.suffix == _MAIL else _note(path)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path.name} in the outbox is not a message of ours") from error


def _mail(path: Path) -> OutboxItem:
    message = message_from_bytes(path.read_bytes(), policy=default)
    return OutboxItem(
        kind=ActionKind(str(message["X-Manthan-Kind"])),
        to=_shown(message["To"]),
        subject=_shown(message["Subject"]),
        text=_shown(message.get_content()).removesuffix("\n"),
        path=path,
        org=str(message["X-Manthan-Org"]),
        case_id=str(message["X-Manthan-Case"]),
    )


def _note(path: Path) -> OutboxItem:
    content = json.loads(path.read_bytes())
    origin = content["manthan"]
    kind = ActionKind(origin["kind"])
    to, subject, text = (_shown(content.get(name, "")) for name in _SHOWN_AS[kind])
    return OutboxItem(kind, to, subject, text, path, origin["org"], origin["case"])


def _shown(text: object) -> str:
    return str(text).translate(_UNSHOWN)
