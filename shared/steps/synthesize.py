"""Synthesize: from indexed evidence to a cited brief with drafted actions, or a question to a person."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from shared.case.actions import Action, ActionDraft, Dependency, DependencyKind, action_id, content_hash
from shared.case.brief import Brief
from shared.case.canonical import canonical, sha256
from shared.case.case import Case, QuestionKind
from shared.case.due import Step, due_steps
from shared.case.events import BriefDrafted, Event, Moved, QuestionAsked
from shared.case.lifecycle import State
from shared.case.texts import Sealer
from shared.errors import InvalidInput, NotFound
from shared.steps.commit import Change, commit
from shared.steps.context import Ports, RequestContext
from shared.steps.reports import read_evidence
from shared.steps.sending import drive
from shared.steps.settle import Unfolding, question, to_people
from shared.team.contract import Draft, Material


class NotVouchedFor(InvalidInput):
    """A brief that cites what does not exist, or actions that refer to nothing: a person must look."""

    code = "not_vouched_for"


def synthesize(ports: Ports, context: RequestContext, case_id: str) -> None:
    """Draft the brief if it is due; else only drive on what is. Raises NotFound, Retryable."""
    record = ports.store.read(context.org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    case = record.case
    draft = _sealed(ports, case, _draft(ports, case)) if _is_due(case, ports.clock.now()) else None
    based_on = (case.round.number if case.round else 0, len(case.questions))

    def decide(current: Case | None, now: datetime) -> Change:
        if current is None or draft is None or not _is_due(current, now):
            return Change()
        if (current.round.number if current.round else 0, len(current.questions)) != based_on:
            return Change()
        return Change(_conclude(current, draft, now))

    drive(ports, context, commit(ports, context, case_id, decide, seen=record))


def _is_due(case: Case, now: datetime) -> bool:
    return any(due.step is Step.SYNTHESIZE for due in due_steps(case, now))


def _draft(ports: Ports, case: Case) -> Draft | NotVouchedFor:
    evidence = read_evidence(ports.store, case)
    gaps = [gap for round_ in case.rounds for pointer in round_.reports for gap in pointer.gaps]
    material = Material(
        case=case,
        org=ports.directory.org(case.org),
        round=case.round.number if case.round else 0,
        evidence=evidence,
        gaps=gaps,
        now=ports.clock.now(),
        render=ports.render,
    )
    draft = ports.playbook(case.playbook).synthesize(material)
    try:
        _check_citations(draft.brief, len(evidence))
        build_actions(case, draft.actions, draft.brief)
    except NotVouchedFor as error:
        return error
    return draft


def _sealed(ports: Ports, case: Case, draft: Draft | NotVouchedFor) -> Draft | NotVouchedFor:
    """The draft with its texts by reference; they are stored before the case refers to them."""
    if isinstance(draft, NotVouchedFor):
        return draft
    sealer = Sealer()
    brief = sealer.brief(draft.brief) if draft.brief is not None else None
    sealed = replace(draft, brief=brief, actions=tuple(map(sealer.draft, draft.actions)))
    if sealer.texts:
        ports.store.put_texts(case.org, case.id, sealer.texts)
    return sealed


def _check_citations(brief: Brief | None, count: int) -> None:
    for finding in brief.findings if brief else ():
        for citation in finding.citations:
            if not 0 <= citation < count:
                raise NotVouchedFor(f"a finding cites evidence {citation}, but there are only {count} rows")


def _conclude(case: Case, draft: Draft | NotVouchedFor, now: datetime) -> list[Event]:
    unfolding = Unfolding(case, now)
    if isinstance(draft, NotVouchedFor):
        to_people(unfolding, f"the draft could not be vouched for: {draft}")
    elif draft.question is not None:
        asked = question(case, QuestionKind.ASK_HUMAN, draft.question.text, draft.question.options, now)
        if case.state is not State.AWAITING_ANSWER:
            unfolding.add(Moved(to=State.AWAITING_ANSWER, reason="a person knows what the sources do not say"))
        unfolding.add(QuestionAsked(question=asked))
    elif draft.brief is not None:
        brief_hash = sha256(canonical(draft.brief))
        actions = build_actions(case, draft.actions, draft.brief)
        drafted = BriefDrafted(brief=draft.brief, brief_hash=brief_hash, actions=actions, facts=dict(draft.facts))
        unfolding.add(drafted)
        unfolding.add(Moved(to=State.DRAFTED, reason=f"recommends {draft.brief.decision.kind.value}"))
    return unfolding.events


def build_actions(case: Case, drafts: tuple[ActionDraft, ...], brief: Brief | None) -> tuple[Action, ...]:
    """Drafts with identities, their references to each other resolved, and the hash that approvals bind to.

    Raises NotVouchedFor for a reference to nothing, a purpose used twice, or a circle.
    """
    builder = _Builder(case, drafts, brief)
    return tuple(builder.build(draft, ()) for draft in drafts)


class _Builder:
    """Builds each action after those it depends on, since its hash covers theirs."""

    def __init__(self, case: Case, drafts: tuple[ActionDraft, ...], brief: Brief | None) -> None:
        self._by_purpose = {draft.purpose: draft for draft in drafts}
        if len(self._by_purpose) != len(drafts):
            raise NotVouchedFor("two drafted actions have the same purpose")
        self._ids = {draft.purpose: action_id(case.id, draft, case.actions) for draft in drafts}
        # Whoever asked for the case is never the only one who approves what comes of it.
        self._requested_by = case.text_fact("request.requested_by")
        self._decision_hash = sha256(canonical(brief.decision)) if brief else ""
        self._built: dict[str, Action] = {}

    def build(self, draft: ActionDraft, path: tuple[str, ...]) -> Action:
        if draft.purpose in path:
            raise NotVouchedFor(f"the drafted actions depend on each other in a circle: {' > '.join(path)}")
        if draft.purpose not in self._built:
            self._built[draft.purpose] = self._build(draft, (*path, draft.purpose))
        return self._built[draft.purpose]

    def _build(self, draft: ActionDraft, path: tuple[str, ...]) -> Action:
        dependencies, hashes = [], []
        for dependency in draft.depends_on:
            if dependency.kind is DependencyKind.OUTCOME:
                dependencies.append(dependency)
                continue
            other = self._by_purpose.get(dependency.ref)
            if other is None:
                raise NotVouchedFor(f"{draft.purpose} depends on {dependency.ref}, which was not drafted")
            dependencies.append(Dependency(kind=dependency.kind, ref=self._ids[dependency.ref]))
            if dependency.kind is DependencyKind.ACTION:
                hashes.append(self.build(other, path).hash)
        resolved = draft.model_copy(update={"depends_on": tuple(dependencies)})
        digest = content_hash(resolved, decision_hash=self._decision_hash, dependency_hashes=tuple(hashes))
        return Action(
            **resolved.model_dump(), id=self._ids[draft.purpose], hash=digest, requested_by=self._requested_by
        )
