"""A case as text: the brief with its citations, the actions with their verdicts, and how it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from infra.cli.contents import show_contents
from infra.cli.output import Screen
from infra.cli.result import gaps_of
from infra.cli.story import sentence
from infra.cli.text import count, inline, moment, money, words, wrapped
from shared.case.actions import ENDED, Action, Tier
from shared.case.brief import Brief, Derivation, Input
from shared.case.case import Case, PostMortem, Question
from shared.case.events import Entry
from shared.case.evidence import Evidence, EvidenceKind
from shared.steps.audit import Audit

_LONGEST_FIELD = 160
_MOST_ROWS = 8
"""More cited rows of one table than this are drawn together."""


def show_case(screen: Screen, case: Case, evidence: Sequence[Evidence]) -> None:
    """The brief, the question if one is open, and the actions."""
    screen.show()
    screen.show(f"{case.id}  {words(case.state.value)}", bold=True)
    screen.show(wrapped(f"{case.trigger.summary} ({case.subject.kind} {case.subject.id})", 2))
    if case.state_reason:
        screen.show(wrapped(case.state_reason, 2))
    if case.brief is not None:
        _show_brief(screen, case.brief)
    _show_gaps(screen, case)
    if case.brief is not None:
        _heading(screen, "Question for the approver")
        screen.show(wrapped(case.brief.approver_question, 2))
    question = case.open_question
    if question is not None:
        _show_question(screen, question)
    if case.actions:
        _heading(screen, "Actions")
        for action in case.actions:
            _show_action(screen, case, action)
    if case.post_mortem is not None:
        _show_post_mortem(screen, case.post_mortem)
    _show_cited(screen, case, evidence)


def _heading(screen: Screen, text: str) -> None:
    screen.show()
    screen.show(text, bold=True)


def _show_brief(screen: Screen, brief: Brief) -> None:
    screen.show()
    screen.show(wrapped(brief.tldr, 2))
    _heading(screen, "Findings")
    for number, finding in enumerate(brief.findings, 1):
        chips = "".join(f"[{chip}]" for chip in runs(finding.citations))
        screen.show(wrapped(f"{number}. {finding.text} {chips} {finding.confidence_pct} %", 2, 5))
    decision = brief.decision
    _heading(screen, "Decision")
    amount = "" if decision.amount_minor is None else f" {money(decision.amount_minor, decision.currency)}"
    screen.show(wrapped(f"{decision.kind.value}{amount}, {decision.confidence_pct} % sure", 2))
    screen.show(wrapped(decision.rationale, 2))
    if decision.derivation is not None:
        _show_derivation(screen, decision.derivation)
    if brief.notes:
        _heading(screen, "Considered")
    for note in brief.notes:
        screen.show(wrapped(f"- {note}", 2, 4))


def _show_derivation(screen: Screen, derivation: Derivation) -> None:
    if derivation.words:
        screen.show(wrapped(f"Derivation: {derivation.words}", 2, 4))
    result = money(derivation.value_minor, derivation.currency)
    screen.show(wrapped(f"{derivation.expression} = {result}", 4, 6))
    for name, given in derivation.inputs.items():
        screen.show(wrapped(f"{name} = {given.value} {given.unit} {_origin(given)}", 6, 8))


def _origin(given: Input) -> str:
    if given.evidence is None:
        return f"({given.note})" if given.note else ""
    return f"[{given.evidence}].{given.field}"


def _show_gaps(screen: Screen, case: Case) -> None:
    gaps = gaps_of(case)
    if gaps:
        _heading(screen, "What we do not know")
    for gap in gaps:
        screen.show(wrapped(f"- {words(gap.specialist)}: {gap.what} ({gap.why})", 2, 4))


def _show_question(screen: Screen, question: Question) -> None:
    _heading(screen, "A person is asked")
    screen.show(wrapped(question.text, 2))
    if question.due_by is not None:
        screen.show(f"  by {moment(question.due_by)} UTC")
    for option in question.options:
        effect = f": {option.effect}" if option.effect else ""
        screen.show(wrapped(f"{option.id}  {option.label}{effect}", 4, 6))


def _show_action(screen: Screen, case: Case, action: Action) -> None:
    screen.show(wrapped(f"{action.id}  {words(action.state.value)}", 2))
    amount = "" if action.amount_minor is None else f", {money(action.amount_minor, action.currency)}"
    screen.show(wrapped(f"{action.description} ({words(action.effect.value)}{amount})", 4))
    screen.show(wrapped(_verdict(action), 4, 6))
    show_contents(screen, case, action)
    if action.approvals:
        given = ", ".join(f"{approval.email} at {moment(approval.at)}" for approval in action.approvals)
        screen.show(wrapped(f"approved by {given}", 4, 6))
    why = action.reason if action.state in ENDED else None
    for label, value in (("why", why), ("reference", action.external_ref), ("error", action.error)):
        if value:
            screen.show(wrapped(f"{label}: {value}", 4, 6))


def _show_post_mortem(screen: Screen, found: PostMortem) -> None:
    _heading(screen, "Post-mortem")
    amount = "" if found.advised_minor is None else f" {money(found.advised_minor, found.advised_currency)}"
    followed = "carried out" if found.carried_out else "not carried out"
    advice = "none" if found.advice is None else f"{found.advice.value}{amount}, {followed}"
    screen.show(wrapped(f"advice: {advice}", 2, 4))
    screen.show(wrapped(f"outcome: {found.in_words}", 2, 4))
    if found.currency is not None:
        booked = f"fees {money(found.fees_minor, found.currency)}, in all {money(found.net_minor, found.currency)}"
        screen.show(wrapped(f"booked by Stripe: {booked}", 2, 4))
    if found.paid_minor is not None:
        screen.show(wrapped(f"paid by us: {money(found.paid_minor, found.paid_currency)}", 2, 4))
    screen.show(wrapped(f"lesson: {found.lesson}", 2, 4))


def _verdict(action: Action) -> str:
    if action.verdict is None:
        return "not checked by the policy yet"
    who = {Tier.AUTO: "needs nobody", Tier.FORBIDDEN: "forbidden"}
    told = who.get(action.verdict.tier, f"needs {words(action.verdict.tier.value)}")
    return f"{told}, by {'; '.join(action.verdict.rules) or 'no rule'}"


def _show_cited(screen: Screen, case: Case, evidence: Sequence[Evidence]) -> None:
    if case.brief is None:
        return
    derivation = case.brief.decision.derivation
    inputs = derivation.inputs.values() if derivation is not None else ()
    cited = {index for finding in case.brief.findings for index in finding.citations}
    cited |= {given.evidence for given in inputs if given.evidence is not None}
    shown = [item for item in evidence if item.index in cited]
    if shown:
        _heading(screen, f"Cited ({len(shown)} of {count(case.evidence_count, 'evidence row')})")
    for table, of_table in groupby(shown, key=lambda item: item.row.table):
        rows = list(of_table)
        if len(rows) > _MOST_ROWS:
            chips = "".join(f"[{chip}]" for chip in runs([item.index for item in rows]))
            screen.show(wrapped(f"{chips} {table}: {len(rows)} rows, each with --evidence", 2, 6))
            continue
        for item in rows:
            screen.show(f"  {_row_title(item)}")


def runs(indexes: Sequence[int]) -> list[str]:
    """Indexes with their runs drawn together: 1, 3, 4, 5 is "1", "3-5"."""
    drawn: list[list[int]] = []
    for index in sorted(set(indexes)):
        if drawn and index == drawn[-1][1] + 1:
            drawn[-1][1] = index
        else:
            drawn.append([index, index])
    return [str(first) if first == last else f"{first}-{last}" for first, last in drawn]


def _row_title(item: Evidence) -> str:
    row = item.row
    said = f"nothing found: {row.question}" if row.kind is EvidenceKind.ABSENCE else row.record_id
    quoted = ", written by an outsider" if row.untrusted else ""
    return inline(f"[{item.index}] {row.table}:{said}{quoted}  {row.link}")


def show_evidence(screen: Screen, evidence: Iterable[Evidence]) -> None:
    """Every row, with what it says, the query that found it, and a link to the record."""
    _heading(screen, "Evidence")
    for item in evidence:
        screen.show(f"  {_row_title(item)}")
        for name, value in item.row.fields.items():
            told = inline(str(value))
            cut = f"{told[:_LONGEST_FIELD]} ..." if len(told) > _LONGEST_FIELD else told
            screen.show(f"      {inline(name)}: {cut}")
        screen.show(wrapped(f"found by {item.specialist}: {item.row.query}", 6, 8))


def show_timeline(screen: Screen, log: Iterable[Entry]) -> None:
    """The log, one line per event."""
    _heading(screen, "Timeline (UTC)")
    for entry in log:
        screen.show(f"  {timeline_line(entry)}")


def timeline_line(entry: Entry) -> str:
    """When it happened, and what."""
    return f"{moment(entry.at)}  {sentence(entry.event)}"


def show_standing(screen: Screen, case: Case) -> None:
    """One line: where a case stands, and why."""
    screen.show(wrapped(f"{case.id} is {words(case.state.value)}: {case.state_reason}", 0, 2))


def show_end(screen: Screen, case: Case, audit: Audit) -> None:
    """How a case stands after a run: what was done, what the outside said, and whether the log verifies."""
    _heading(screen, f"{case.id}  {words(case.state.value)}: {case.state_reason}")
    for action in case.actions:
        amount = "" if action.amount_minor is None else f" {money(action.amount_minor, action.currency)}"
        ref = f"  {inline(action.external_ref)}" if action.external_ref else ""
        screen.show(f"  {words(action.state.value):<18} {words(action.kind.value)}{amount}{ref}")
    for outcome in case.outcomes.values():
        screen.show(wrapped(f"{'outcome':<18} {outcome.name} at {moment(outcome.at)} UTC {outcome.detail}", 2, 4))
    screen.show(f"  {'log':<18} {_verified(audit)}")


def _verified(audit: Audit) -> str:
    if audit.ok:
        return f"verified: {count(audit.events, 'event')}, {count(audit.evidence, 'evidence row')}"
    return f"NOT verified: {'; '.join(inline(problem) for problem in audit.problems)}"
