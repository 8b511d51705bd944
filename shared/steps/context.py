"""Who asks, and what the core may use to answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared.errors import ManthanError, Refused
from shared.ports import (
    Callers,
    CaseStore,
    Claims,
    Clock,
    Directory,
    Effects,
    Entropy,
    Inbox,
    Messages,
    Sources,
    Switch,
    Tasks,
    Telemetry,
    Trace,
    Workers,
)
from shared.ports.exhibits import Render
from shared.ports.telemetry import Unseen
from shared.team.contract import Playbook


@dataclass(frozen=True, slots=True)
class RequestContext:
    """On whose behalf a step runs. `actor`: system, or a person's verified e-mail; `trace` ties logs together."""

    org: str
    actor: str
    role: str
    trace: str


def system_context(org: str, trace: str) -> RequestContext:
    """The pipeline itself."""
    return RequestContext(org=org, actor="system", role="system", trace=trace)


class NotGiven(ManthanError):
    """A step asked for a port that its function was not given: a fault of the composition, never of the caller."""

    code = "not_given"


@dataclass(frozen=True, slots=True)
class Ports:
    """The outside, as far as a function was given it. Only the specialist has sources; only act has effects."""

    store: CaseStore
    inbox: Inbox
    claims: Claims
    messages: Messages
    tasks: Tasks
    directory: Directory
    switch: Switch
    clock: Clock
    entropy: Entropy
    trace: Trace
    workers: Workers
    playbooks: Mapping[str, Playbook]
    sources: Callable[[str], Sources] | None = None
    """The connected systems of an org."""
    effects: Effects | None = None
    render: Render | None = None
    """Draws the exhibits that go with evidence; only the synthesizer needs it."""
    callers: Callers | None = None
    """Who may call the function. Without it nobody may."""
    telemetry: Telemetry = field(default_factory=Unseen)
    """Who sees what happens."""

    def playbook(self, name: str) -> Playbook:
        """The playbook of a case. Raises NotGiven when this deployment does not have it."""
        try:
            return self.playbooks[name]
        except KeyError:
            raise NotGiven(f"the playbook {name!r} is not installed here") from None

    def sources_of(self, org: str) -> Sources:
        """The org's connected systems."""
        if self.sources is None:
            raise NotGiven("this function may not read the connected systems")
        return self.sources(org)

    def require_caller(self, authorization: str, peer: str) -> None:
        """Raises Refused unless the caller is a transport of ours; see shared.ports.callers."""
        if self.callers is None:
            raise NotGiven("this function was not told whom it may serve")
        self.callers.require(authorization, peer)

    def write_access(self) -> Effects:
        """The services that may be changed."""
        if self.effects is None:
            raise NotGiven("this function may not change the outside world: only act may")
        return self.effects


def require_person(context: RequestContext) -> str:
    """The e-mail of the person who asks. Raises Refused when it is not a person."""
    if context.role == "system" or "@" not in context.actor:
        raise Refused("only people can do this; say who you are")
    return context.actor
