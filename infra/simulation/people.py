"""People: they look, think, and then decide about what they saw, which may not be what is there any more.

Several may do so at once; some come twice or too late, some are not allowed to, some rewrite what the team drafted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from infra.simulation.baton import Activity, Baton
from infra.simulation.journal import Journal
from infra.simulation.weather import Weather
from shared.case.actions import Action, ActionState, Json
from shared.case.case import Case
from shared.case.lifecycle import WAITING_FOR_PEOPLE, State
from shared.errors import ManthanError
from shared.ports.directory import Member, Role
from shared.steps import people as step
from shared.steps.context import Ports, RequestContext

MEMBERS: Final = (
    Member(email="alice@acme.test", name="Alice", role=Role.ADMIN),
    Member(email="bob@acme.test", name="Bob", role=Role.APPROVER),
    Member(email="carol@acme.test", name="Carol", role=Role.APPROVER, limit_minor=10_000),
    Member(email="dan@acme.test", name="Dan", role=Role.APPROVER),
    Member(email="oscar@acme.test", name="Oscar", role=Role.OPERATOR),
    Member(email="vera@acme.test", name="Vera", role=Role.VIEWER),
)
_APPROVERS: Final = tuple(member.email for member in MEMBERS[:4])
_NOT_ALLOWED: Final = ("oscar@acme.test", "vera@acme.test", "mallory@elsewhere.test", "carol@acme.test")
_DILIGENT: Final = ((30.0, 0), (60.0, 1), (900.0, 0), (960.0, 1))
"""When diligent people look, and who: again and again, because a command can be lost with its process."""


@dataclass
class People:
    """The members of the one org."""

    baton: Baton
    weather: Weather
    journal: Journal
    chance: random.Random
    ports: Callable[[], Ports]
    org: str
    diligent: bool = False
    """Two people who approve everything, and nobody else: for runs in which nothing but one fault is wanted."""
    away: bool = False
    """Nobody is at work any more."""
    _asked: dict[str, tuple[State, int, str | None]] = field(default_factory=dict)
    """What each case wanted of people when it was last noticed."""

    def notice(self, case: Case) -> None:
        """A case has changed: if it waits for people, some will come."""
        asked = (case.state, len(case.questions), case.brief_hash)
        if self.away or self._asked.get(case.id) == asked:
            return
        self._asked[case.id] = asked
        if case.state not in WAITING_FOR_PEOPLE:
            return
        if self.diligent:
            for wait, number in _DILIGENT:
                self._visit(wait, _APPROVERS[number], case.id)
            return
        for _ in range(self.chance.choice((1, 2, 2, 3))):
            wait = self.weather.between(5.0, 2 * 86_400.0)
            if self.weather.strikes("person_late") and case.decide_by is not None:
                wait = max(0.0, (case.decide_by - case.updated_at + timedelta(seconds=30)).total_seconds())
            email = self.chance.choice(_APPROVERS)
            if self.weather.strikes("person_not_allowed"):
                email = self.chance.choice(_NOT_ALLOWED)
            self._visit(wait, email, case.id)
            if self.weather.strikes("person_twice"):
                self._visit(wait, self.chance.choice((email, *_APPROVERS)), case.id)

    def _visit(self, wait: float, email: str, case_id: str) -> None:
        def begin() -> None:
            if not self.away:
                name = email.partition("@")[0]
                self.journal.steps += 1
                self.baton.at(self.baton.now, Activity(name, lambda: self._work(email, case_id)))

        self.baton.after(wait, begin)

    def _work(self, email: str, case_id: str) -> None:
        ports = self.ports()
        context = RequestContext(org=self.org, actor=email, role="member", trace=f"visit {email}")
        try:
            record = ports.store.read(self.org, case_id)
            if record is not None:
                self.baton.sleep(1.0 if self.diligent else self.weather.between(0.01, 300.0))
                self._decide(ports, context, record.case)
        except ManthanError as error:
            self.journal.refused_orders[error.code] += 1
        except Exception as error:  # noqa: BLE001 - the auditor judges it
            self.journal.faults_of_ours.append((f"person {email}", f"{type(error).__name__}: {error}"))

    def _decide(self, ports: Ports, context: RequestContext, seen: Case) -> None:
        name = context.actor.partition("@")[0]
        question = seen.open_question
        if seen.state is State.AWAITING_APPROVAL and self.weather.strikes("person_rejects"):
            self.journal.tell(self.baton.now, f"{name} rejects")
            step.reject(ports, context, seen.id, "we see it differently")
        elif seen.state is State.AWAITING_APPROVAL and self.weather.strikes("person_edits"):
            self._edit(ports, context, seen)
        elif seen.state in (State.AWAITING_ANSWER, State.MANUAL_REVIEW) and question is not None:
            options = [option.id for option in question.options]
            chosen = options[-1] if self.diligent else self.chance.choice(options)
            if self.weather.strikes("person_odd_answer"):
                chosen = "maybe"
            self.journal.tell(self.baton.now, f"{name} answers {chosen}")
            step.answer(ports, context, seen.id, chosen, question_id=question.id)
        else:
            self._approve(ports, context, seen)

    def _approve(self, ports: Ports, context: RequestContext, seen: Case) -> None:
        waiting = [action for action in seen.actions if action.state is ActionState.AWAITING_APPROVAL]
        chosen = waiting
        if waiting and not self.diligent and self.chance.random() < 0.4:
            chosen = self.chance.sample(waiting, self.chance.randint(1, len(waiting)))
        hashes = {action.id: action.hash for action in chosen} if self.chance.random() < 0.7 else None
        name = context.actor.partition("@")[0]
        self.journal.tell(
            self.baton.now, f"{name} approves {', '.join(action.id for action in chosen) or 'everything'}"
        )
        step.approve(ports, context, seen.id, [action.id for action in chosen], hashes=hashes)

    def _edit(self, ports: Ports, context: RequestContext, seen: Case) -> None:
        editable = [action for action in seen.actions if _text_of(action) is not None]
        if not editable:
            return
        action = self.chance.choice(editable)
        changes = _text_of(action)
        assert changes is not None
        self.journal.tell(self.baton.now, f"{context.actor.partition('@')[0]} edits {action.id}")
        step.edit(ports, context, seen.id, action.id, changes)


def _text_of(action: Action) -> dict[str, Json] | None:
    """Another text for it, if it has one."""
    if "body_text" in action.payload:
        return {"body_text": "It is done, and we are sorry."}
    if "evidence" in action.payload:
        return {"evidence": {"uncategorized_text": "it was served, see the log"}}
    return None
