"""The log of a case as sentences: one line per event, for people who watch and for the timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from infra.cli.text import count, inline, moment, money, words
from shared.case.events import (
    ActionApproved,
    ActionEdited,
    ActionIntended,
    ActionMoved,
    BriefDrafted,
    CaseOpened,
    Entry,
    EpisodeRecorded,
    Event,
    Moved,
    OutsideChanged,
    PolicyChecked,
    PostMortemWritten,
    QuestionAnswered,
    QuestionAsked,
    Reminded,
    Rescheduled,
    RoundJoined,
    RoundPlanned,
)
from shared.ports.store import CaseStore


def entries(store: CaseStore, org: str, case_id: str, first_seq: int = 0) -> Iterator[Entry]:
    """The entries of a case's log from this seq on, in order; it must be the first of a commit."""
    while (commit := store.commit_at(org, case_id, first_seq)) is not None:
        for text in commit.entries:
            yield Entry.model_validate_json(text)
        first_seq += len(commit.entries)


def sentence(event: Event) -> str:
    """What happened, on one line."""
    return inline(_SENTENCES[type(event)](event))


def _opened(event: CaseOpened) -> str:
    return f"case opened: {event.trigger.summary}"


def _moved(event: Moved) -> str:
    return f"now {words(event.to.value)}: {event.reason}"


def _planned(event: RoundPlanned) -> str:
    names = ", ".join(words(assignment.specialist) for assignment in event.assignments)
    return f"round {event.round}: {names} start"


def _joined(event: RoundJoined) -> str:
    told = ", ".join(f"{words(p.specialist)} {words(p.ended.value)} {count(p.count, 'row')}" for p in event.reports)
    return f"round {event.round} complete: {told}"


def _drafted(event: BriefDrafted) -> str:
    decision = event.brief.decision
    amount = "" if decision.amount_minor is None else f" {money(decision.amount_minor, decision.currency)}"
    parts = (count(len(event.brief.findings), "finding"), count(len(event.actions), "action"))
    return f"brief drafted: {decision.kind.value}{amount}, {' and '.join(parts)}"


def _asked(event: QuestionAsked) -> str:
    return f"a person is asked: {event.question.text}"


def _answered(event: QuestionAnswered) -> str:
    return f"{event.answer.by} answered: {event.answer.option}"


def _checked(event: PolicyChecked) -> str:
    verdicts = [verdict.tier.value for verdict in event.verdicts.values()]
    told = ", ".join(f"{verdicts.count(tier)} {words(tier)}" for tier in dict.fromkeys(verdicts))
    return f"policy checked: {told or 'no actions'}"


def _approved(event: ActionApproved) -> str:
    return f"{event.email} approved {event.action_id}"


def _edited(event: ActionEdited) -> str:
    return f"{event.by} edited {event.action_id}; its approvals fell"


def _intended(event: ActionIntended) -> str:
    again = "" if event.attempt <= 1 else f" (attempt {event.attempt})"
    return f"{event.action_id} is about to be carried out{again}"


def _action_moved(event: ActionMoved) -> str:
    said = event.error or event.reason
    ref = f" [{event.external_ref}]" if event.external_ref else ""
    return f"{event.action_id} {words(event.to.value)}{': ' + said if said else ''}{ref}"


def _outside(event: OutsideChanged) -> str:
    outcome = "" if event.outcome is None else f": {event.outcome.name} {event.outcome.detail}"
    return f"from outside: {event.event_type}{outcome}"


def _reminded(event: Reminded) -> str:
    return f"reminder: {event.what}"


def _rescheduled(event: Rescheduled) -> str:
    return f"the deadline was moved: people have until {moment(event.decide_by)}"


def _looked_back(event: PostMortemWritten) -> str:
    return f"post-mortem: {event.post_mortem.in_words}. {event.post_mortem.lesson}"


def _remembered(event: EpisodeRecorded) -> str:
    return f"committed to memory: {event.decision} {money(event.amount_minor, event.currency)}, {event.outcome}"


_SENTENCES: Final[dict[type, Callable[[Any], str]]] = {
    CaseOpened: _opened,
    Moved: _moved,
    RoundPlanned: _planned,
    RoundJoined: _joined,
    BriefDrafted: _drafted,
    QuestionAsked: _asked,
    QuestionAnswered: _answered,
    PolicyChecked: _checked,
    ActionApproved: _approved,
    ActionEdited: _edited,
    ActionIntended: _intended,
    ActionMoved: _action_moved,
    OutsideChanged: _outside,
    Reminded: _reminded,
    Rescheduled: _rescheduled,
    PostMortemWritten: _looked_back,
    EpisodeRecorded: _remembered,
}
