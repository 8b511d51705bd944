"""A case as its log tells it: the stored entries in order, and a fold of actions and approvals of the auditor's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from infra.simulation.journal import Played

TERMINAL: Final = frozenset({"resolved", "rejected", "expired", "withdrawn", "failed"})
IN_FLIGHT: Final = frozenset({"intended", "unknown"})
ENDED: Final = frozenset({"succeeded", "failed", "skipped", "voided"})
_TIERS: Final = {"auto": 0, "one_approver": 1, "two_approvers": 2, "forbidden": 3}
_CONTENT: Final = (
    *("kind", "purpose", "target", "account", "amount_minor", "currency", "at_risk_minor", "at_risk_currency"),
    *("payload", "description", "depends_on", "needed", "snapshot"),
)


@dataclass(slots=True)
class ActionTale:
    """An action, as far as the log has told it."""

    id: str
    content: dict[str, Any]
    hash: str
    requested_by: str | None
    state: str = "drafted"
    tier: str | None = None
    at_risk: int | None = None
    approvals: list[tuple[str, str]] = field(default_factory=list)
    """(e-mail, hash) of each that counts."""
    editors: list[str] = field(default_factory=list)
    attempt: int = 0
    key: str | None = None
    intended_tick: int = 0
    lease_until: datetime | None = None
    lease_owner: str | None = None
    external_ref: str | None = None
    pending: bool = False
    superseded: bool = False
    brief: int = 0
    """The seq of the draft it came with."""

    @property
    def needed(self) -> bool:
        """Whether the case cannot end without it."""
        return bool(self.content["needed"]) and not self.superseded


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a log."""

    tick: int
    seq: int
    at: datetime
    actor: str
    type: str
    event: dict[str, Any]


@dataclass(slots=True)
class CaseTale:
    """A case, as far as its log has told it."""

    id: str
    state: str = "received"
    decide_by: datetime | None = None
    brief: dict[str, Any] | None = None
    brief_seq: int = 0
    evidence: int = 0
    actions: dict[str, ActionTale] = field(default_factory=dict)
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)
    joins: int = 0
    answers: int = 0
    briefs: int = 0

    def take(self, line: Line) -> None:
        """Fold one entry."""
        fold = _FOLDS.get(line.type)
        if fold is not None:
            fold(self, line)


def lines(played: Played, case_id: str) -> Iterator[Line]:
    """The entries of a case in order, each with the tick at which it was stored."""
    ticks = {(wrote.case_id, wrote.first_seq): wrote.tick for wrote in played.journal.writes}
    key = next(key for key in played.state.cases if key[1] == case_id)
    for first_seq, commit in sorted(played.state.commits[key].items()):
        for text in commit.entries:
            entry = json.loads(text)
            yield Line(
                tick=ticks[case_id, first_seq],
                seq=entry["seq"],
                at=datetime.fromisoformat(entry["at"]),
                actor=entry["actor"],
                type=entry["event"]["type"],
                event=entry["event"],
            )


def _moved(tale: CaseTale, line: Line) -> None:
    tale.state = line.event["to"]
    if tale.state == "awaiting_approval":
        tale.decide_by = _instant(line.event["decide_by"])


def _rescheduled(tale: CaseTale, line: Line) -> None:
    if tale.state == "awaiting_approval":
        tale.decide_by = _instant(line.event["decide_by"])


def _round_planned(tale: CaseTale, line: Line) -> None:
    for action in tale.actions.values():
        action.superseded = action.superseded or action.state in ("failed", "skipped", "voided")


def _round_joined(tale: CaseTale, line: Line) -> None:
    tale.joins += 1
    tale.evidence += sum(pointer["count"] for pointer in line.event["reports"])


def _brief_drafted(tale: CaseTale, line: Line) -> None:
    tale.brief, tale.brief_seq = line.event["brief"], line.seq
    tale.briefs += 1
    kept = {key: action for key, action in tale.actions.items() if action.state in ENDED | IN_FLIGHT}
    for action in kept.values():
        action.superseded = action.superseded or action.state in ("failed", "skipped", "voided")
    for drafted in line.event["actions"]:
        if drafted["id"] not in kept:
            kept[drafted["id"]] = ActionTale(
                id=drafted["id"],
                content={name: drafted[name] for name in _CONTENT},
                hash=drafted["hash"],
                requested_by=drafted["requested_by"],
                brief=line.seq,
            )
    tale.actions = kept


def _question_answered(tale: CaseTale, line: Line) -> None:
    tale.answers += 1


def _policy_checked(tale: CaseTale, line: Line) -> None:
    for action_id, verdict in line.event["verdicts"].items():
        action = tale.actions[action_id]
        stricter = action.tier is not None and _TIERS[verdict["tier"]] > _TIERS[action.tier]
        action.tier, action.at_risk = verdict["tier"], verdict["at_risk_minor"]
        if stricter and action.state in ("approved", "deferred"):
            action.state = "awaiting_approval"


def _action_approved(tale: CaseTale, line: Line) -> None:
    tale.actions[line.event["action_id"]].approvals.append((line.event["email"], line.event["hash"]))


def _action_edited(tale: CaseTale, line: Line) -> None:
    action = tale.actions[line.event["action_id"]]
    action.content = {
        **action.content,
        "payload": line.event["payload"],
        "amount_minor": line.event["amount_minor"],
    }
    action.hash, action.approvals, action.state = line.event["hash"], [], "drafted"
    action.editors.append(line.event["by"])


def _action_intended(tale: CaseTale, line: Line) -> None:
    action = tale.actions[line.event["action_id"]]
    action.state, action.attempt, action.key = "intended", line.event["attempt"], line.event["idempotency_key"]
    action.lease_until, action.lease_owner = _instant(line.event["lease_until"]), line.event["lease_owner"]
    action.intended_tick = line.tick


def _action_moved(tale: CaseTale, line: Line) -> None:
    action = tale.actions[line.event["action_id"]]
    action.state, action.pending = line.event["to"], line.event["pending"]
    action.external_ref = line.event["external_ref"] or action.external_ref
    action.lease_until = action.lease_owner = None
    if line.event["approvals_fall"]:
        action.approvals = []


def _outside_changed(tale: CaseTale, line: Line) -> None:
    outcome = line.event["outcome"]
    if outcome is not None:
        tale.outcomes[outcome["name"]] = outcome


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None


_FOLDS: Final[dict[str, Callable[[CaseTale, Line], None]]] = {
    "moved": _moved,
    "rescheduled": _rescheduled,
    "round_planned": _round_planned,
    "round_joined": _round_joined,
    "brief_drafted": _brief_drafted,
    "question_answered": _question_answered,
    "policy_checked": _policy_checked,
    "action_approved": _action_approved,
    "action_edited": _action_edited,
    "action_intended": _action_intended,
    "action_moved": _action_moved,
    "outside_changed": _outside_changed,
}
