"""The merchant's policies: which page is for which claim, which of them is in force, and whether they agree."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from shared.case.case import Case
from shared.case.evidence import Cell, Evidence
from shared.playbooks.disputes.codes import OF_FRAUD, Family, lookup
from shared.team.exhibits import Exhibits, text
from shared.team.json_text import parsed

EVERYTHING = frozenset({"any", "all", "dispute", "disputes", "chargeback", "chargebacks"})
"""Topics that stand for every dispute."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy page with the evidence that holds it."""

    evidence: Evidence
    id: str
    title: str
    status: str
    effective_from: date | None
    rule: str

    @property
    def name(self) -> str:
        """How findings call it."""
        return f'"{self.title}" ({self.id}, {self.status})'

    @property
    def content(self) -> Mapping[str, object] | None:
        """Its rule; None for a page of prose, and for a rule that says one thing twice."""
        rule = parsed(self.rule)
        return rule if isinstance(rule, Mapping) else None

    @property
    def kind(self) -> str:
        """The kind of its rule; empty for a page of prose."""
        return str(self.content.get("kind") or "") if self.content is not None else ""


_WHATEVER = frozenset({"any", "all"})
_OF_SUBJECT: dict[str, frozenset[str]] = {
    "early_fraud_warning": frozenset({"early_fraud_warning", "early_fraud_warnings", "fraud_warning"}),
    "invoice": frozenset(
        {"invoice", "failed_invoice", "failed_payment", "failed_payments", "payment_failed", "dunning"}
    ),
    "request": frozenset({"request", "refund", "refund_request", "annual_refund_request", "duplicate"}),
}
"""The topics by which a policy can mean something that is not a dispute."""


def topics_for(case: Case) -> frozenset[str]:
    """The topics by which a policy can mean this case, from what the case knows."""
    topics = _OF_SUBJECT.get(case.subject.kind)
    if topics is not None:
        return topics | _WHATEVER
    names = ("dispute.brand", "dispute.network_reason_code", "dispute.reason")
    return topics_of(*(case.text_fact(name) for name in names))


_WORDS_OF_SUBJECT: dict[str, str] = {
    "early_fraud_warning": "early fraud warning card fraudulent refund",
    "invoice": "failed payment invoice overdue dunning retry suspension collection",
    "request": "refund request credit compensation",
}
_WORDS_OF_DISPUTE = "dispute chargeback"


def words_for(case: Case) -> str:
    """Words by which a page that declares no topics can be about this case: those of its kind and of its claim."""
    words = _WORDS_OF_SUBJECT.get(case.subject.kind)
    if words is not None:
        return words
    network, code, reason = (case.text_fact(f"dispute.{name}") for name in ("brand", "network_reason_code", "reason"))
    rule = lookup(network, code, reason)
    return f"{_WORDS_OF_DISPUTE} {rule.family.value} {rule.meaning} {reason or ''}".replace("_", " ")


def topics_of(network: str | None, code: str | None, reason: str | None) -> frozenset[str]:
    """The topics by which a policy can mean a dispute: its family, Stripe's reason, and every dispute."""
    family = lookup(network, code, reason).family
    as_fraud = {Family.FRAUD.value} if family in OF_FRAUD else set()
    return EVERYTHING | {family.value} | as_fraud | ({reason.lower()} if reason else set())


def declares_topics(applies_to: Cell) -> bool:
    """Whether a page says what it is for; `applies_to` is a list of topics in text or JSON."""
    return bool(_topics(applies_to))


def is_for(applies_to: Cell, topics: frozenset[str]) -> bool:
    """Whether a page declares one of these topics."""
    return not topics.isdisjoint(_topics(applies_to))


def _topics(applies_to: Cell) -> list[str]:
    return re.findall(r"[a-z0-9_.]+", str(applies_to or "").lower())


def read(evidence: Evidence) -> Policy:
    """A policy from the row that holds it."""
    fields = evidence.row.fields
    return Policy(
        evidence=evidence,
        id=evidence.row.record_id,
        title=text(evidence, "title") or evidence.row.record_id,
        status=text(evidence, "status") or "unknown",
        effective_from=_day(fields.get("effective_from")),
        rule=text(evidence, "rule"),
    )


def in_force(policies: Sequence[Policy], now: datetime) -> list[Policy]:
    """The current ones that have taken effect. Superseded and draft pages are named, never applied."""
    return [
        policy
        for policy in policies
        if policy.status == "current" and (policy.effective_from is None or policy.effective_from <= now.date())
    ]


def for_topics(exhibits: Exhibits, topics: frozenset[str]) -> list[Policy]:
    """The pages among the evidence that are for one of these topics, current or not.

    One that declares no topics is evidence only where its words are about the matter: then it is for it.
    """
    rows = [(row, row.row.fields.get("applies_to")) for row in exhibits.rows("policies.documents")]
    return [read(row) for row, declared in rows if is_for(declared, topics) or not declares_topics(declared)]


def disagree(policies: Sequence[Policy], followed: frozenset[str] = frozenset()) -> bool:
    """Whether these pages say different things, as far as rules can tell: prose beside a rule may disagree with it.

    Rules of two different kinds, both among the `followed` ones, answer different questions and do not.
    """
    said: dict[str, set[str]] = {}
    for policy in policies:
        content = json.dumps(policy.content, sort_keys=True) if policy.content is not None else policy.id
        said.setdefault(policy.kind if policy.kind in followed else "", set()).add(content)
    return any(len(different) > 1 for different in said.values()) or ("" in said and len(said) > 1)


def _day(cell: Cell) -> date | None:
    try:
        return date.fromisoformat(str(cell)[:10])
    except ValueError:
        return None
