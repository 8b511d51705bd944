"""Comparing a case with what the evaluation expects of it: one named check after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from infra.cli.text import money
from infra.worlds.expectations import Expectation, Forbidden, Packet
from shared.case.actions import Action, Tier
from shared.case.brief import Brief
from shared.case.case import Case
from shared.case.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    passed: bool
    expected: str
    found: str

    def as_json(self) -> dict[str, Any]:
        """The check for other programs."""
        return {"name": self.name, "passed": self.passed, "expected": self.expected, "found": self.found}


@dataclass(frozen=True, slots=True)
class Found:
    """A case as its world left it. `illegal`: what it drafted against the law of its object (legality.py)."""

    case: Case
    evidence: Sequence[Evidence]
    chain_ok: bool
    illegal: Sequence[str] = ()
    packet: PacketFound | None = None


@dataclass(frozen=True, slots=True)
class PacketFound:
    """The evidence drafted for the bank: the fields that are filled, and those that decide and are not."""

    filled: frozenset[str]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One case, by the id of its business object. `not_checked`: expectations that this evaluation does not know."""

    subject: str
    checks: tuple[Check, ...]
    expected: Expectation | None = None
    got: Case | None = None
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[str, ...]:
        """The checks that failed, for people."""
        return tuple(
            f"{self.subject}: {check.name}: expected {check.expected}, found {check.found}"
            for check in self.checks
            if not check.passed
        )

    def got_json(self) -> dict[str, Any]:
        """What the case came to, in the words of expect.yaml."""
        if self.got is None:
            return {"subject": self.subject, "decision": None, "state": None}
        decision = self.got.brief.decision if self.got.brief else None
        actions = [action for action in self.got.actions if not action.superseded]
        return {
            "subject": self.subject,
            "decision": decision.kind.value if decision else None,
            "amount_minor": decision.amount_minor if decision else None,
            "currency": decision.currency if decision else None,
            "verdicts": {action.kind.value: _tier(action) for action in actions},
            "state": self.got.state.value,
        }

    def expected_json(self) -> dict[str, Any]:
        """What was expected, as expect.yaml says it; without a decision where no case was expected."""
        if self.expected is None:
            return {"subject": self.subject, "decision": None, "state": None}
        return self.expected.model_dump(mode="json", exclude_defaults=True)

    def checks_json(self) -> list[dict[str, Any]]:
        """Every check for other programs."""
        return [{"subject": self.subject, **check.as_json()} for check in self.checks]


def judge(expected: Sequence[Expectation], cases: Iterable[Found]) -> list[Judged]:
    """Every expected case, and every case that nobody expected."""
    found = {item.case.subject.id: item for item in cases}
    judged = []
    for wanted in expected:
        opened = found.pop(wanted.subject, None)
        checks = (Check("opened", False, "a case", "none"),) if opened is None else tuple(_checks(wanted, opened))
        judged.append(Judged(wanted.subject, checks, wanted, opened.case if opened else None, wanted.not_checked))
    for subject, item in found.items():
        told = f"{item.case.id}, {item.case.state.value}"
        judged.append(Judged(subject, (Check("opened", False, "no case", told),), got=item.case))
    return judged


def _checks(expected: Expectation, found: Found) -> Iterator[Check]:
    case, evidence, chain_ok = found.case, found.evidence, found.chain_ok
    yield _same("state", expected.state.value, case.state.value)
    yield Check("log verified", chain_ok, "verified", "verified" if chain_ok else "problems")
    yield Check("legal", not found.illegal, "nothing illegal", "; ".join(found.illegal) or "nothing illegal")
    if case.brief is None:
        yield Check("decision", False, _any_of(expected), "none")
        return
    decision = case.brief.decision
    yield Check("decision", decision.kind in expected.decisions, _any_of(expected), decision.kind.value)
    if expected.amount_minor is not None:
        wanted, got = money(expected.amount_minor, expected.currency), money(decision.amount_minor, decision.currency)
        yield _same("amount", wanted, got)
    yield from _actions_checks(expected, case.brief, [action for action in case.actions if not action.superseded])
    cited = _cited(case.brief, evidence)
    for record in expected.cites:
        yield Check(f"cites {record}", record in cited, "cited", "cited" if record in cited else "not cited")
    for group in expected.cites_any:
        met = [record for record in group if record in cited]
        yield Check(f"cites one of {len(group)}: {group[0]} ...", bool(met), "one of them", ", ".join(met) or "none")
    for forbidden in expected.forbids:
        if not forbidden.model_extra:  # in part unknown: listed as not checked
            yield _forbids(forbidden, case, case.brief, cited)
    if expected.packet is not None:
        yield from _packet_checks(expected.packet, found.packet)


def _packet_checks(expected: Packet, found: PacketFound | None) -> Iterator[Check]:
    if found is None:
        yield Check("packet", False, "evidence for the bank", "none")
        return
    for name in expected.fields:
        yield Check(
            f"packet holds {name}", name in found.filled, "filled", "filled" if name in found.filled else "empty"
        )
    for name in expected.without:
        yield Check(
            f"packet without {name}", name not in found.filled, "empty", "filled" if name in found.filled else "empty"
        )
    if expected.complete is not None:
        told = f"without {', '.join(found.missing)}" if found.missing else "complete"
        yield Check("packet complete", expected.complete == (not found.missing), str(expected.complete).lower(), told)


def _same(name: str, expected: str, found: str) -> Check:
    return Check(name, expected == found, expected, found)


def _any_of(expected: Expectation) -> str:
    return " or ".join(sorted(kind.value for kind in expected.decisions))


def _actions_checks(expected: Expectation, brief: Brief, actions: Sequence[Action]) -> Iterator[Check]:
    """Required kinds must be there; a verdict is asked of every action of its kind, and needs at least one."""
    kinds = {action.kind for action in actions}
    for kind in expected.requires.get(brief.decision.kind, ()):
        yield Check(f"requires {kind.value}", kind in kinds, "an action", "an action" if kind in kinds else "none")
    for kind, tier in expected.verdicts.items():
        got = {_tier(action) for action in actions if action.kind is kind}
        yield Check(f"verdict of {kind.value}", got == {tier.value}, tier.value, ", ".join(sorted(got)) or "no action")


def _tier(action: Action) -> str:
    tier: Tier | None = None if action.verdict is None else action.verdict.tier
    return "unchecked" if tier is None else tier.value


def _cited(brief: Brief, evidence: Sequence[Evidence]) -> frozenset[str]:
    """What the findings cite, as schema.table:record_id."""
    indexes = {index for finding in brief.findings for index in finding.citations}
    return frozenset(f"{item.row.table}:{item.row.record_id}" for item in evidence if item.index in indexes)


def _forbids(forbidden: Forbidden, case: Case, brief: Brief, cited: frozenset[str]) -> Check:
    offends = _says_it_all(forbidden, brief, cited, case) and _holds_it(forbidden, brief, case)
    given = forbidden.model_dump(mode="json", exclude_none=True)
    told = ", ".join(f"{name} {value}" for name, value in given.items())
    return Check(f"forbids {told}", not offends, "not there", "there" if offends else "not there")


def _says_it_all(forbidden: Forbidden, brief: Brief, cited: frozenset[str], case: Case) -> bool:
    if forbidden.decision is not None and forbidden.decision is not brief.decision.kind:
        return False
    if forbidden.cites is not None and forbidden.cites not in cited:
        return False
    return forbidden.says is None or forbidden.says.casefold() in _texts(brief, case).casefold()


def _holds_it(forbidden: Forbidden, brief: Brief, case: Case) -> bool:
    """Whether one action, or where no kind of action is given the decision, has what is forbidden of them."""
    kind, amount = forbidden.action, forbidden.amount_minor
    if kind is None and amount is None:
        return True
    if kind is None and brief.decision.amount_minor == amount:
        return True
    return any(kind in (None, action.kind) and amount in (None, action.amount_minor) for action in case.actions)


def _texts(brief: Brief, case: Case) -> str:
    """The rationale and every drafted message."""
    payloads = [str(value) for action in case.actions for value in action.payload.values() if isinstance(value, str)]
    return "\n".join([brief.decision.rationale, *payloads])
