"""The same workflow as plain dictionaries: what somebody would write who needs these cases and nothing else.

Every function takes the case as it stands, changes it, and returns the events that say so. The documents are those that
the pipeline stores, field by field; the tests verify the log with the product's own verification.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

from infra.bench.workload import (
    APPROVER_QUESTION,
    DONE,
    EVENT_TYPE,
    FINDING,
    LOG_BODY,
    LOG_TITLE,
    NAMES,
    PLAYBOOK,
    RATIONALE,
    ROWS_EACH,
    TLDR,
    row,
)

Document = dict[str, Any]

ORG: Final = "bench"
_DEADLINE: Final = timedelta(seconds=180)
_LEASE: Final = timedelta(seconds=75)
_RULE: Final = "decision_log puts no money at risk: no approver"


def dumps(value: object) -> str:
    """JSON with sorted keys, as it is hashed and stored."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(text: str) -> str:
    """Hex SHA-256 of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def now_text(after: timedelta = timedelta()) -> str:
    """The present instant, or one some time from now, as the documents hold it."""
    return (datetime.now(UTC) + after).isoformat().replace("+00:00", "Z")


def case_id(dispute: str) -> str:
    """The id of the case about a dispute: the same whenever the event is delivered again."""
    return "case_" + sha256(f"{ORG}:test:dispute:{dispute}")[:20]


@cache
def rows(specialist: str) -> tuple[Document, ...]:
    """What a specialist returns, made beforehand."""
    return tuple(row(specialist, ordinal).model_dump(mode="json") for ordinal in range(ROWS_EACH))


def chained(case: Document, events: list[Document], head: str, commit_id: str) -> tuple[list[str], list[str]]:
    """The events as chained entries behind `head`, and their hashes; brings the case's counters up to date."""
    now = case["updated_at"]
    entries, hashes = [], []
    for event in events:
        entry = {
            "v": 1,
            "seq": case["events"],
            "at": now,
            "actor": "system",
            "trace": commit_id,
            "commit": commit_id,
            "event": event,
            "prev_hash": head,
        }
        text = dumps(entry)
        head = sha256(text)
        entries.append(text)
        hashes.append(head)
        case["events"] += 1
    return entries, hashes


def genesis(case: str) -> str:
    """What the first entry chains to."""
    return sha256(f"manthan case log, schema 1: {len(ORG)}:{ORG}{case}")


def triage(event: Document) -> tuple[Document, list[Document]]:
    """Open the case and plan the round."""
    dispute = event["data"]["object"]
    summary = f"a dispute of {dispute['charge']}"
    created = datetime.fromtimestamp(event["created"], UTC).isoformat().replace("+00:00", "Z")
    opening: Document = {
        "org": ORG,
        "subject": {"kind": "dispute", "id": dispute["id"], "account": None, "livemode": False},
        "playbook": PLAYBOOK,
        "trigger": {"event_id": event["id"], "type": EVENT_TYPE, "summary": summary, "created_at": created},
        "facts": {
            "charge.id": dispute["charge"],
            "dispute.amount": dispute["amount"],
            "dispute.currency": dispute["currency"],
            "dispute.status": dispute["status"],
        },
        "trace": uuid.uuid4().hex,
    }
    identity, deadline = case_id(dispute["id"]), now_text(_DEADLINE)
    assignments = [{"specialist": name, "deadline_at": deadline, "ended": None} for name in NAMES]
    opened = {"type": "case_opened", "case_id": identity, **opening}
    planned = {"type": "round_planned", "round": 1, "assignments": assignments}
    case = _new_case(identity, opening, assignments)
    return case, [opened, _moved("investigating", summary), planned]


def _new_case(identity: str, opening: Document, assignments: list[Document]) -> Document:
    now = now_text()
    planned = {"number": 1, "assignments": assignments, "planned_at": now, "base": 0, "joined": False, "reports": []}
    return {
        **opening,
        "id": identity,
        "opened_at": now,
        "updated_at": now,
        "rounds": [planned],
        "state": "investigating",
        "state_reason": opening["trigger"]["summary"],
        "state_since": now,
        "brief": None,
        "brief_hash": None,
        "checked": False,
        "policy_version": None,
        "actions": [],
        "questions": [],
        "outcomes": {},
        "waiting": None,
        "decide_by": None,
        "reminded": [],
        "events": 0,
    }


def report(specialist: str) -> Document:
    """What a specialist hands over."""
    found = rows(specialist)
    return {
        "round": 1,
        "specialist": specialist,
        "ended": "reported",
        "summary": "",
        "count": len(found),
        "sha256": sha256("\n".join(map(dumps, found))),
        "rows": found,
        "chunks": [],
        "gaps": [],
        "created_at": now_text(),
        "attempt": 0,
    }


def join(case: Document, reports: list[Document]) -> list[Document]:
    """End the round: from now on the case knows where its rows are."""
    pointers, base = [], 0
    for found in reports:
        pointers.append(
            {
                "specialist": found["specialist"],
                "ended": found["ended"],
                "base": base,
                "count": found["count"],
                "sha256": found["sha256"],
                "gaps": found["gaps"],
            }
        )
        base += found["count"]
    current = case["rounds"][0]
    for assignment in current["assignments"]:
        assignment["ended"] = "reported"
    current["joined"], current["reports"] = True, pointers
    return [{"type": "round_joined", "round": 1, "reports": pointers}]


def reference(text: str, texts: dict[str, str]) -> str:
    """What stands for a text in the log; the text goes into `texts`, by its hash."""
    digest = sha256(text)
    texts[digest] = text
    return f"text:{digest}:{len(text)}"


def synthesize(case: Document, texts: dict[str, str]) -> list[Document]:
    """The cited brief and the one action; `texts` takes what is stored beside the log."""
    findings = [
        {
            "text": reference(FINDING.format(pointer["specialist"]), texts),
            "citations": [pointer["base"], pointer["base"] + 1],
            "confidence_pct": 95,
        }
        for pointer in case["rounds"][0]["reports"]
    ]
    decision = {
        "kind": "record",
        "amount_minor": None,
        "currency": None,
        "derivation": None,
        "rationale": RATIONALE,
        "confidence_pct": 95,
    }
    brief = {
        "round": 1,
        "tldr": TLDR,
        "findings": findings,
        "decision": decision,
        "gaps": [],
        "approver_question": APPROVER_QUESTION,
        "notes": [],
    }
    brief_hash, action, facts = sha256(dumps(brief)), _action(case, decision, texts), {"customer.id": "cus_bench"}
    case["brief"], case["brief_hash"], case["actions"] = brief, brief_hash, [action]
    case["facts"].update(facts)
    _move(case, "drafted", "recommends record")
    drafted = {
        "type": "brief_drafted",
        "brief": brief,
        "brief_hash": brief_hash,
        "actions": [{**action}],
        "facts": facts,
    }
    return [drafted, _moved("drafted", case["state_reason"])]


def _action(case: Document, decision: Document, texts: dict[str, str]) -> Document:
    target = case["subject"]["id"]
    draft: Document = {
        "kind": "decision_log",
        "purpose": "record",
        "target": target,
        "account": None,
        "amount_minor": None,
        "currency": None,
        "at_risk_minor": None,
        "at_risk_currency": None,
        "payload": {"title": reference(LOG_TITLE, texts), "body": reference(LOG_BODY, texts)},
        "description": "Write the decision down",
        "depends_on": [],
        "needed": True,
        "snapshot": {},
    }
    return {
        **draft,
        "id": f"decision_log-{sha256(case['id'] + target)[:10]}",
        "hash": sha256(dumps({"action": draft, "decision": sha256(dumps(decision)), "depends_on": []})),
        "state": "drafted",
        "verdict": None,
        "approvals": [],
        "editors": [],
        "requested_by": None,
        "attempt": 0,
        "intended_at": None,
        "unknowns": 0,
        "pending": False,
        "lease_until": None,
        "lease_owner": None,
        "idempotency_key": None,
        "external_ref": None,
        "error": None,
        "reason": None,
        "superseded": False,
    }


def policy_check(case: Document) -> list[Document]:
    """The action puts nothing at risk: it is approved."""
    action, reason = case["actions"][0], f"approved by policy: {_RULE}"
    verdict = {"tier": "auto", "rules": [_RULE], "at_risk_minor": 0}
    action["verdict"], action["state"], action["reason"] = verdict, "approved", reason
    case["checked"], case["policy_version"] = True, "7b5b1b00e523"
    _move(case, "acting", "approved actions are due")
    checked: Document = {
        "type": "policy_checked",
        "policy_version": "7b5b1b00e523",
        "verdicts": {action["id"]: verdict},
    }
    checked["complete"] = True
    approved = _action_moved(action, "approved", reason)
    return [checked, approved, _moved("acting", case["state_reason"])]


def intend(case: Document, owner: str) -> list[Document]:
    """Say what is about to be done, before it is done."""
    action, now = case["actions"][0], now_text()
    intent = {
        "attempt": action["attempt"] + 1,
        "idempotency_key": f"manthan-{sha256(ORG + case['id'] + action['id'])[:40]}",
        "lease_until": now_text(_LEASE),
        "lease_owner": owner,
    }
    case["updated_at"] = now
    action.update(intent, state="intended", intended_at=now)
    return [{"type": "action_intended", "action_id": action["id"], **intent}]


def conclude(case: Document) -> list[Document]:
    """Say what the other side said, and end the case."""
    action = case["actions"][0]
    external_ref = f"log_{action['target']}"
    action.update(state="succeeded", reason=DONE, external_ref=external_ref, lease_until=None, lease_owner=None)
    _move(case, "resolved", "every action is done")
    episode = {
        "type": "episode_recorded",
        "customer": case["facts"]["customer.id"],
        "decision": "record",
        "amount_minor": None,
        "currency": None,
        "outcome": "recorded",
    }
    moved = {**_action_moved(action, "succeeded", DONE), "external_ref": external_ref}
    return [moved, _moved("resolved", case["state_reason"]), episode]


def _move(case: Document, state: str, reason: str) -> None:
    case["state"], case["state_reason"], case["updated_at"] = state, reason, now_text()
    case["state_since"] = case["updated_at"]


def _moved(state: str, reason: str) -> Document:
    return {"type": "moved", "to": state, "reason": reason, "waiting": None, "decide_by": None}


def _action_moved(action: Document, state: str, reason: str) -> Document:
    return {
        "type": "action_moved",
        "action_id": action["id"],
        "to": state,
        "reason": reason,
        "external_ref": None,
        "error": None,
        "approvals_fall": False,
        "pending": False,
    }
