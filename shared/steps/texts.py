"""A case with its texts: for people who read it, and for the one call that sends them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shared.case.actions import Action
from shared.case.canonical import sha256
from shared.case.case import Case
from shared.case.texts import Reader, referred
from shared.errors import Terminal
from shared.ports.store import CaseStore


class TextGone(Terminal):
    """A text that an action would send, or a person wants to change, was erased or is not the one recorded."""

    code = "text_gone"


def with_texts(store: CaseStore, case: Case) -> Case:
    """The case as people read it. A text that was erased says so; one that was changed counts as erased."""
    reader = Reader(_read(store, case, referred(case.brief, case.actions)))
    brief = reader.brief(case.brief) if case.brief is not None else None
    return case.model_copy(update={"brief": brief, "actions": tuple(map(reader.action, case.actions))})


def action_with_texts(store: CaseStore, case: Case, action: Action) -> Action:
    """The action exactly as it was approved. Raises TextGone unless every text of it is there and unchanged."""

    def missing(length: int) -> str:
        raise TextGone(
            f"a text of {action.id} with {length} characters was erased, or is not the one that was recorded"
        )

    return Reader(_read(store, case, referred(None, [action])), missing).action(action)


def _read(store: CaseStore, case: Case, hashes: Collection[str]) -> Mapping[str, str]:
    """Those that are there and are what their name says."""
    found = store.read_texts(case.org, case.id, hashes) if hashes else {}
    return {digest: text for digest, text in found.items() if sha256(text) == digest}
