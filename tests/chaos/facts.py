"""What must hold once a case has come to its end, whatever happened on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from infra.stage import Stage
from shared.case.case import Case
from shared.ports.store import InboxStatus
from shared.steps.audit import audit

Facts = dict[str, Any]

CREDIT_MINOR = 56_000
"""What Aperture's customer is owed, in cents."""


def facts_of(stage: Stage) -> Facts:
    """Everything that the verdict is about, as JSON."""
    org, store = stage.world.org.id, stage.composition.store
    cases = stage.cases()
    return {
        "cases": [_case(stage, case) for case in cases],
        "effects": stage.double.effects(),
        "outbox": sorted(path.name for path in stage.outbox.iterdir()),
        "inbox": {entry.id: entry.status.value for entry in stage.composition.inbox.list_entries(org)},
        "transport": [entry.reason for entry in stage.composition.inbox.list_entries("_transport")],
        "dead_letters": [f"{letter.lane}: {letter.body}" for letter in stage.composition.queue.dead_letters()],
        "episodes": [
            len(store.episodes(org, customer))
            for customer in {str(case.facts.get("customer.id")) for case in cases if case.facts.get("customer.id")}
        ],
    }


def _case(stage: Stage, case: Case) -> Facts:
    store = stage.composition.store
    refund = next((action for action in case.actions if action.kind == "stripe_refund"), None)
    ledger = store.read_ledger(case.org, None, str(refund.payload["charge"])) if refund is not None else None
    return {
        "id": case.id,
        "state": f"{case.state.value} ({case.state_reason})",
        "settled": case.state.value,
        "audit": list(audit(store, case.org, case.id).problems),
        "rounds": len(case.rounds),
        "ended": [report.ended.value for round_ in case.rounds for report in round_.reports],
        "actions": [
            {
                "kind": action.kind.value,
                "state": action.state.value,
                "key": action.idempotency_key,
                "attempt": action.attempt,
                "error": action.error,
            }
            for action in case.actions
        ],
        "paid": [(item.amount_minor, item.paid) for item in ledger.reservations] if ledger else [],
    }


def problems(facts: Facts) -> list[str]:
    """What is wrong; empty when one case was resolved once and every effect happened once."""
    found = [*_effect_problems(facts), *_inbox_problems(facts)]
    if len(facts["cases"]) != 1:
        return [*found, f"there are {len(facts['cases'])} cases"]
    (case,) = facts["cases"]
    if case["settled"] != "resolved":
        found.append(f"the case is {case['state']}")
    found += [f"audit: {problem}" for problem in case["audit"]]
    if case["rounds"] != 1 or case["ended"] != ["reported"] * 5:
        found.append(f"{case['rounds']} rounds, in which specialists ended as {case['ended']}")
    found += [f"{a['kind']} is {a['state']}: {a['error']}" for a in case["actions"] if a["state"] != "succeeded"]
    if [tuple(item) for item in case["paid"]] != [(CREDIT_MINOR, True)]:
        found.append(f"the ledger holds {case['paid']}")
    keys = {action["key"] for action in case["actions"]}
    found += [f"{e['kind']} under a key of no action" for e in facts["effects"] if e["idempotency_key"] not in keys]
    found += _outbox_problems(facts["outbox"], case["actions"])
    return found


def _effect_problems(facts: Facts) -> list[str]:
    found = []
    counts = Counter(effect["kind"] for effect in facts["effects"])
    if counts != {"staging": 1, "submission": 1, "refund": 1}:
        found.append(f"effects at Stripe: {dict(counts)}")
    amounts = [effect["amount"] for effect in facts["effects"] if effect["kind"] == "refund"]
    if amounts != [CREDIT_MINOR]:
        found.append(f"refunded: {amounts}")
    return found


def _inbox_problems(facts: Facts) -> list[str]:
    settled = {InboxStatus.ATTACHED.value, InboxStatus.IGNORED.value}
    found = [f"event {name} is {status}" for name, status in facts["inbox"].items() if status not in settled]
    found += [f"quarantined request: {reason}" for reason in facts["transport"]]
    found += [f"dead letter: {letter}" for letter in facts["dead_letters"]]
    if facts["episodes"] != [1]:
        found.append(f"episodes in memory: {facts['episodes']}")
    return found


def _outbox_problems(outbox: list[str], actions: list[Facts]) -> list[str]:
    expected = sorted(str(action["key"]) for action in actions if not action["kind"].startswith("stripe_"))
    files = sorted(name.rpartition(".")[0] for name in outbox if not name.startswith("."))
    return [] if files == expected else [f"the outbox holds {files}, not {expected}"]
