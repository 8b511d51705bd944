"""Was what a case drafted legal when it was drafted? Asked of the law of its playbook, along the case's own log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shared.case.case import Case
from shared.case.events import BriefDrafted, Entry
from shared.case.evolve import evolve
from shared.ports.store import LoggedCommit
from shared.team.contract import Playbook


def illegal_drafts(commits: Iterable[LoggedCommit], playbook: Playbook) -> tuple[str, ...]:
    """Each decision and action that was not legal at the instant of its draft, with the reason.

    The log is taken to be intact: verify it first.
    """
    case: Case | None = None
    refusals: list[str] = []
    for text in (text for commit in commits for text in commit.entries):
        entry = Entry.model_validate_json(text)
        case = evolve(case, entry.event, entry.at)
        if isinstance(entry.event, BriefDrafted):
            refusals += _refusals(case, playbook)
    return tuple(dict.fromkeys(refusals))


def _refusals(case: Case, playbook: Playbook) -> Iterator[str]:
    if case.brief is None:
        return
    decision = case.brief.decision
    for what, action in [(decision.kind.value, None), *((action.kind.value, action) for action in case.actions)]:
        if action is not None and action.superseded:
            continue
        why = playbook.illegal(case, decision, action)
        if why is not None:
            yield f"{what}: {why}"
