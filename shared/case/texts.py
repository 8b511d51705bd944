"""Texts by reference: the log and the case hold a text's hash and length, the text itself is stored beside them.

What customers wrote is quoted in findings and in what actions say. Events live for ever, so these texts are not in
them: `Sealer` puts `text:<sha256>:<characters>` in their place and hands over what is to be stored before the event.
Erasing a stored text leaves its hash, and with it a log that verifies. Approvals bind to the reference, and so to every
character of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from shared.case.actions import Action, ActionDraft, ActionKind, Json
from shared.case.brief import Brief
from shared.case.canonical import sha256

REFERENCE = re.compile(r"text:(?P<sha256>[0-9a-f]{64}):(?P<length>[0-9]{1,9})")

TEXTS: Mapping[ActionKind, frozenset[str]] = {
    ActionKind.STRIPE_STAGE_EVIDENCE: frozenset({"evidence"}),
    ActionKind.STRIPE_SUBMIT_EVIDENCE: frozenset({"evidence"}),
    ActionKind.CUSTOMER_EMAIL: frozenset({"subject", "body_text"}),
    ActionKind.CRM_NOTE: frozenset({"body"}),
    ActionKind.SLACK_BRIEF: frozenset({"text"}),
    ActionKind.TICKET: frozenset({"title", "body"}),
    ActionKind.DECISION_LOG: frozenset({"title", "body"}),
}
"""The fields of a payload that say something to somebody: kept by reference, and a person may change them."""

FILES, DOCUMENT = "files", "document"
"""The files of an evidence packet by field, and what each is drawn from: a text too; the rest describes the file."""

Change = Callable[[str], str]


@dataclass(slots=True)
class Sealer:
    """Puts references in the place of texts. `texts` holds, by hash, what has to be stored before they are recorded."""

    texts: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """The reference to a text; an empty one stays as it is."""
        if not text:
            return text
        digest = sha256(text)
        self.texts[digest] = text
        return f"text:{digest}:{len(text)}"

    def payload(self, kind: ActionKind, payload: Mapping[str, Json]) -> dict[str, Json]:
        """A payload, or some fields of one, with its texts by reference."""
        return in_payload(kind, payload, self.text)

    def draft(self, draft: ActionDraft) -> ActionDraft:
        """A drafted action with its texts by reference."""
        return draft.model_copy(update={"payload": self.payload(draft.kind, draft.payload)})

    def brief(self, brief: Brief) -> Brief:
        """A brief whose findings, which quote customers, are by reference."""
        return in_findings(brief, self.text)


@dataclass(frozen=True, slots=True)
class Reader:
    """Puts texts back in the place of their references. `missing` gives what stands for a text that is gone."""

    texts: Mapping[str, str]
    missing: Callable[[int], str] = lambda length: f"[a text of {length} characters that was erased]"

    def text(self, value: str) -> str:
        """The text that a reference refers to; anything else stays as it is."""
        match = REFERENCE.fullmatch(value)
        if match is None:
            return value
        found = self.texts.get(match["sha256"])
        return self.missing(int(match["length"])) if found is None else found

    def payload(self, kind: ActionKind, payload: Mapping[str, Json]) -> dict[str, Json]:
        """A payload with its texts in place."""
        return in_payload(kind, payload, self.text)

    def action(self, action: Action) -> Action:
        """An action with its texts in place."""
        return action.model_copy(update={"payload": self.payload(action.kind, action.payload)})

    def brief(self, brief: Brief) -> Brief:
        """A brief with the texts of its findings in place."""
        return in_findings(brief, self.text)


def length(value: str) -> int:
    """How many characters a text has, given itself or by reference."""
    match = REFERENCE.fullmatch(value)
    return int(match["length"]) if match else len(value)


def in_payload(kind: ActionKind, payload: Mapping[str, Json], change: Change) -> dict[str, Json]:
    """The payload with every text of it changed; identifiers and numbers stay as they are."""
    texts = TEXTS.get(kind, frozenset())
    changed = {name: _within(value, change) if name in texts else value for name, value in payload.items()}
    files = payload.get(FILES)
    return {**changed, FILES: _documents(files, change)} if isinstance(files, dict) else changed


def _documents(files: Mapping[str, Json], change: Change) -> dict[str, Json]:
    """The files with what each is drawn from changed."""
    return {
        name: {**file, DOCUMENT: _within(file[DOCUMENT], change)}
        if isinstance(file, dict) and DOCUMENT in file
        else file
        for name, file in files.items()
    }


def in_findings(brief: Brief, change: Change) -> Brief:
    """The brief with the text of every finding changed."""
    changed = tuple(item.model_copy(update={"text": change(item.text)}) for item in brief.findings)
    return brief.model_copy(update={"findings": changed})


def referred(brief: Brief | None, actions: Iterable[Action]) -> frozenset[str]:
    """The hashes of the texts that a brief and actions refer to."""
    found: set[str] = set()

    def note(value: str) -> str:
        match = REFERENCE.fullmatch(value)
        if match is not None:
            found.add(match["sha256"])
        return value

    if brief is not None:
        in_findings(brief, note)
    for action in actions:
        in_payload(action.kind, action.payload, note)
    return frozenset(found)


def _within(value: Json, change: Change) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _within(item, change) for name, item in value.items()}
    return [_within(item, change) for item in value] if isinstance(value, list) else value
