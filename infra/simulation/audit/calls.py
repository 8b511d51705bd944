"""What was done to the outside world, held against what the logs had said by then: call by call, in order."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, Final

from infra.simulation.audit.approvals import in_force, may_approve, objection
from infra.simulation.audit.findings import Found
from infra.simulation.audit.tale import ENDED, IN_FLIGHT, TERMINAL, ActionTale, CaseTale, Line, lines
from infra.simulation.journal import Call, Look, Played
from shared.case.canonical import sha256
from shared.case.texts import REFERENCE

_SKEW: Final = timedelta(seconds=4.5)
"""By so much two machines' clocks may differ here, twice."""


def judge_calls(played: Played, found: Found) -> None:
    """Walk through every case with the calls that were made for it."""
    calls: dict[str, list[Call]] = defaultdict(list)
    for call in played.journal.calls:
        calls[call.case_id].append(call)
    for _, case_id in played.state.cases:
        _Walk(played, case_id, found).walk(calls.pop(case_id, []))
    for case_id, stray in calls.items():
        found.add("no_call_without_intent", case_id, f"{stray[0].kind} was called for a case that does not exist")
    _judge_effects(played, found)


def _judge_effects(played: Played, found: Found) -> None:
    seen: dict[tuple[str, str], str] = {}
    for effect in played.journal.effects:
        key = (effect.case_id, effect.action_id)
        found.unless(key not in seen, "one_effect_per_action", effect.case_id, f"{effect.action_id} happened twice")
        seen[key] = effect.ref
    for charge in {effect.charge for effect in played.journal.effects if effect.charge is not None}:
        paid = sum(item.amount_minor for item in played.journal.effects if item.charge == charge and not item.undone)
        captured = played.captured[charge]
        found.unless(paid <= captured, "never_more_than_refundable", "", f"{paid} of {captured} paid back on {charge}")


class _Walk:
    """One case, entry by entry and call by call."""

    def __init__(self, played: Played, case_id: str, found: Found) -> None:
        self._played, self._found = played, found
        self._tale = CaseTale(case_id)
        self._calls: dict[str, list[Call]] = defaultdict(list)
        self._taken_over: set[str] = set()
        """Actions of unknown outcome that a person has answered for."""
        self._looks: dict[int, list[Look]] = defaultdict(list)
        for look in played.journal.looks:
            self._looks[look.process].append(look)

    def walk(self, calls: list[Call]) -> None:
        """In the order in which things happened."""
        moments: list[tuple[int, int, Line | Call]] = [
            (line.tick, line.seq, line) for line in lines(self._played, self._tale.id)
        ]
        moments += [(call.tick, 0, call) for call in calls]
        for _, _, moment in sorted(moments, key=lambda item: item[:2]):
            if isinstance(moment, Call):
                self._judge_call(moment)
                self._calls[moment.action_id].append(moment)
            else:
                self._judge_line(moment)
                self._tale.take(moment)
        self._judge_end()

    def _say(self, holds: bool, rule: str, detail: str) -> None:
        self._found.unless(holds, rule, self._tale.id, detail)

    # Entries

    def _judge_line(self, line: Line) -> None:
        if line.type == "action_approved":
            self._judge_approval(line)
        elif line.type == "action_intended":
            self._judge_intent(line)
        elif line.type == "action_moved":
            self._judge_move(line)
        elif line.type == "brief_drafted":
            # One synthesis per round and per answer: two of them at once leave one draft.
            reasons = self._tale.joins + self._tale.answers
            self._say(
                self._tale.briefs < reasons, "one_draft_per_reason", f"draft {self._tale.briefs + 1} at {line.seq}"
            )
        elif line.type == "episode_recorded":
            left = [a.id for a in self._tale.actions.values() if a.needed and a.state not in ("succeeded", "skipped")]
            self._say(not left, "memory_only_of_success", f"remembered although {left} did not succeed")

    def _judge_approval(self, line: Line) -> None:
        action, email = self._tale.actions[line.event["action_id"]], line.event["email"]
        at = self._seconds(line.at)
        known = any(may_approve(org, email, action.at_risk) for org in in_force(self._played, at))
        self._say(known, "approvals_by_members", f"{email} could not approve {action.id}")
        self._say(
            line.event["hash"] == action.hash, "approvals_bind_to_content", f"{email} approved another {action.id}"
        )
        self._say(self._tale.state not in TERMINAL, "approvals_in_time", f"{action.id}: the case had ended")
        late = self._tale.state == "awaiting_approval" and self._tale.decide_by is not None
        in_time = not late or self._tale.decide_by is None or line.at < self._tale.decide_by
        self._say(in_time, "approvals_in_time", f"{email} approved {action.id} too late")

    def _judge_intent(self, line: Line) -> None:
        action = self._tale.actions[line.event["action_id"]]
        self._say(self._tale.state not in TERMINAL, "no_effect_while_terminal", f"{action.id} while {self._tale.state}")
        startable = ("approved", "deferred", *IN_FLIGHT)
        self._say(action.state in startable, "intent_follows_approval", f"{action.id} was {action.state}")
        self._say(line.event["attempt"] == action.attempt + 1, "attempts_are_counted", f"{action.id}: {line.event}")
        same = action.key in (None, line.event["idempotency_key"])
        self._say(same, "one_key_per_action", f"{action.id} has a new key in attempt {line.event['attempt']}")
        if action.state == "intended":
            self._judge_takeover(action, line)
        if action.state not in IN_FLIGHT:
            versions = in_force(self._played, self._seconds(line.at))
            reasons = [objection(self._tale, action, org) for org in versions]
            self._say(None in reasons, "approved_by_whom_policy_demands", f"{action.id}: {reasons[-1]}")

    def _judge_takeover(self, action: ActionTale, line: Line) -> None:
        over = action.lease_until is None or line.at + _SKEW >= action.lease_until
        dead = action.lease_owner is not None and action.lease_owner in self._played.provably_dead
        self._say(over or dead, "one_attempt_at_a_time", f"{action.id}: {line.event['lease_owner']} did not wait")

    def _judge_move(self, line: Line) -> None:
        action, to = self._tale.actions[line.event["action_id"]], line.event["to"]
        if to == "failed" and "@" in line.actor:
            self._taken_over.add(action.id)
        undone = action.state == "succeeded" and to in ("failed", "succeeded")
        self._say(action.state not in ENDED or undone, "nothing_revives", f"{action.id}: {action.state} became {to}")
        if to == "succeeded" and action.state != "succeeded":
            ref = line.event["external_ref"]
            effects = [
                effect
                for effect in self._played.journal.effects
                if (effect.case_id, effect.action_id) == (self._tale.id, action.id) and effect.tick < line.tick
            ]
            real = any(effect.ref == ref for effect in effects)
            self._say(real, "success_is_what_the_other_side_said", f"{action.id}: {ref} is none of {effects}")

    # Calls

    def _judge_call(self, call: Call) -> None:
        action = self._tale.actions.get(call.action_id)
        held = action is not None and (action.state, action.attempt, action.key) == (
            "intended",
            call.attempt,
            call.key,
        )
        state = f"{action.state} in attempt {action.attempt}" if action is not None else "nothing"
        self._say(
            held, "no_call_without_intent", f"{call.action_id} was called in attempt {call.attempt}; it was {state}"
        )
        if action is None or not held:
            return
        self._say(self._tale.state not in TERMINAL, "no_effect_while_terminal", f"{call.action_id} was called")
        ends = self._played.started_at + timedelta(seconds=call.at + call.timeout_s)
        in_lease = action.lease_until is not None and ends <= action.lease_until + _SKEW
        self._say(in_lease, "nothing_outlives_its_lease", f"{call.action_id}: until {ends}, lease {action.lease_until}")
        self._judge_content(action, call)
        self._judge_looks(action, call)
        self._judge_money(action, call)

    def _judge_content(self, action: ActionTale, call: Call) -> None:
        content = action.content
        for name, value in (("kind", call.kind), ("target", call.target), ("currency", call.currency)):
            self._say(content[name] == value, "executed_as_approved", f"{action.id}: {name} was {value}")
        same = content["amount_minor"] == call.amount_minor
        self._say(
            same, "executed_as_approved", f"{action.id}: {call.amount_minor} instead of {content['amount_minor']}"
        )
        self._say(
            _same(content["payload"], dict(call.payload)), "executed_as_approved", f"{action.id}: another payload"
        )

    def _judge_looks(self, action: ActionTale, call: Call) -> None:
        own = self._looks[call.process]
        earlier = self._calls[call.action_id]
        if earlier:
            last = earlier[-1].tick
            looked = any(k.what == "look_up" and k.action_id == action.id and k.tick > last for k in own)
            self._say(looked, "looked_up_before_again", f"{action.id}: attempt {call.attempt} did not look first")
        switches = [k for k in own if k.what == "switch" and action.intended_tick < k.tick < call.tick]
        off = bool(switches) and switches[-1].told is False
        self._say(off, "kill_switch_before_call", f"{action.id} was called without a look at the switch, or against it")
        seen = [k for k in own if k.what == "observe" and k.action_id == action.id and k.tick < action.intended_tick]
        self._say(bool(seen), "world_checked_before_intent", f"{action.id} was intended without a look at the world")
        if seen:
            self._judge_world(action, seen[-1])

    def _judge_world(self, action: ActionTale, look: Look) -> None:
        assert isinstance(look.told, dict)
        awaited = {item["ref"] for item in action.content["depends_on"] if item["kind"] == "outcome"}
        for name, approved in action.content["snapshot"].items():
            present = look.told.get(name)
            came = name == "dispute.status" and f"dispute.{present}" in awaited & set(self._tale.outcomes)
            detail = f"{action.id}: {name} was {approved} and is {present}"
            self._say(present == approved or came, "world_checked_before_intent", detail)

    def _judge_money(self, action: ActionTale, call: Call) -> None:
        if call.beyond_refundable:
            charge = str(call.payload["charge"])
            others = any(c == charge and at > call.at - 300.0 for at, c in self._played.journal.foreign_refunds)
            self._say(others, "never_more_than_refundable", f"{action.id} asked for more than was left on {charge}")

    def _judge_end(self) -> None:
        effects = [item for item in self._played.journal.effects if item.case_id == self._tale.id]
        for effect in effects:
            action = self._tale.actions.get(effect.action_id)
            state = action.state if action is not None else "gone"
            # What a person took over, or could not be found out yet, is theirs; a late failure is known as such.
            known = state == "succeeded" or (effect.undone and state == "failed")
            asked = state in IN_FLIGHT and self._tale.state == "manual_review"
            told = known or asked or effect.action_id in self._taken_over
            self._say(told, "every_effect_is_known", f"{effect.action_id} has happened and is {state}")

    def _seconds(self, at: datetime) -> float:
        return (at - self._played.started_at).total_seconds()


def _same(approved: Any, sent: Any) -> bool:
    """Whether what was sent is what was approved, where texts stand by their hash."""
    if isinstance(approved, str) and (match := REFERENCE.fullmatch(approved)) is not None:
        return isinstance(sent, str) and sha256(sent) == match["sha256"] and len(sent) == int(match["length"])
    if isinstance(approved, dict):
        same_names = isinstance(sent, dict) and approved.keys() == sent.keys()
        return same_names and all(_same(value, sent[name]) for name, value in approved.items())
    return bool(approved == sent)
