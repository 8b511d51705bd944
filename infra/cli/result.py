"""The JSON of a case: what other programs read. Amounts are integers in minor units, instants ISO 8601 in UTC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from infra.cli.story import sentence
from shared.case.actions import Action
from shared.case.brief import Brief, Decision, Derivation
from shared.case.case import Case, Question
from shared.case.events import Entry
from shared.case.evidence import Evidence, Gap
from shared.ports.store import InboxEntry

Json = Mapping[str, Any]


def case_json(case: Case, *, chain_ok: bool) -> dict[str, Any]:
    """A case as it stands. `chain_ok`: whether its log, state and evidence verified just now."""
    brief = case.brief
    return {
        "case_id": case.id,
        "state": case.state.value,
        "decision": None if brief is None else _decision(brief.decision),
        "evidence_count": case.evidence_count,
        "findings": [] if brief is None else _findings(brief),
        "gaps": [_gap(gap) for gap in gaps_of(case)],
        "actions": [action_json(action) for action in case.actions],
        "post_mortem": None if case.post_mortem is None else case.post_mortem.model_dump(mode="json"),
        "events": case.events,
        "chain_ok": chain_ok,
    }


def gaps_of(case: Case) -> list[Gap]:
    """What is not known: as the brief says it, or as the reports do before there is one."""
    if case.brief is not None:
        return list(case.brief.gaps)
    return [gap for round_ in case.rounds for pointer in round_.reports for gap in pointer.gaps]


def run_json(cases: list[dict[str, Any]], ignored: Iterable[InboxEntry], elapsed_ms: int) -> dict[str, Any]:
    """What a run came to: the case itself when there is exactly one, else all of them and what was ignored."""
    whole = [{**case, "elapsed_ms": elapsed_ms} for case in cases]
    if len(whole) == 1:
        return whole[0]
    return {"cases": whole, "ignored": [ignored_json(entry) for entry in ignored], "elapsed_ms": elapsed_ms}


def ignored_json(entry: InboxEntry) -> dict[str, Any]:
    """An event that opened and joined no case, and why."""
    return {"event_id": entry.id, "type": entry.type, "reason": entry.reason}


def action_json(action: Action) -> dict[str, Any]:
    """One action with its verdict and approvals."""
    return {
        "id": action.id,
        "kind": action.kind.value,
        "effect": action.effect.value,
        "verdict": None if action.verdict is None else action.verdict.tier.value,
        "approvals": [{"email": given.email, "at": instant(given.at)} for given in action.approvals],
        "state": action.state.value,
        "amount_minor": action.amount_minor,
        "currency": action.currency,
        "external_ref": action.external_ref,
        "error": action.error,
    }


def evidence_json(item: Evidence) -> dict[str, Any]:
    """One evidence row with its index."""
    return {"index": item.index, "specialist": item.specialist, **item.row.model_dump(mode="json")}


def question_json(question: Question) -> dict[str, Any]:
    """A question to a person, with its ways out and the answer, if there is one."""
    return question.model_dump(mode="json")


def timeline_json(entry: Entry) -> dict[str, Any]:
    """One line of the log: what happened, when, and who caused it."""
    return {
        "seq": entry.seq,
        "at": instant(entry.at),
        "actor": entry.actor,
        "type": entry.event.type,
        "text": sentence(entry.event),
    }


def instant(at: datetime) -> str:
    """An instant in UTC, to the microsecond where it has any."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _decision(decision: Decision) -> Json:
    return {
        "kind": decision.kind.value,
        "amount_minor": decision.amount_minor,
        "currency": decision.currency,
        "derivation": None if decision.derivation is None else _derivation(decision.derivation),
    }


def _derivation(derivation: Derivation) -> Json:
    inputs = {
        name: {"value": given.value, "evidence": given.evidence, "field": given.field, "unit": given.unit}
        for name, given in derivation.inputs.items()
    }
    return {
        "expression": derivation.expression,
        "inputs": inputs,
        "value_minor": derivation.value_minor,
        "words": derivation.words,
    }


def _findings(brief: Brief) -> list[Json]:
    return [
        {"text": finding.text, "citations": list(finding.citations), "confidence": finding.confidence_pct / 100}
        for finding in brief.findings
    ]


def _gap(gap: Gap) -> Json:
    return {"specialist": gap.specialist, "what": gap.what, "why": gap.why}
