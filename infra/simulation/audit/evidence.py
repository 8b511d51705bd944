"""Evidence and what rests on it: gapless indexes, reports that stand, citations that exist, amounts that follow."""

from __future__ import annotations

import ast
from collections import defaultdict
from fractions import Fraction
from typing import Any

from infra.simulation.audit.findings import Found
from infra.simulation.audit.tale import CaseTale, Line, lines
from infra.simulation.journal import Played
from shared.case.canonical import canonical, sha256
from shared.case.evidence import EvidenceRow, Report

_MONEY = frozenset({"stripe_refund", "stripe_balance_credit", "stripe_credit_note"})


def judge_evidence(played: Played, found: Found) -> None:
    """Every case."""
    for org, case_id in played.state.cases:
        _Evidence(played, org, case_id, found).judge()


class _Evidence:
    """The evidence of one case."""

    def __init__(self, played: Played, org: str, case_id: str, found: Found) -> None:
        self._played, self._org, self._case_id, self._found = played, org, case_id, found
        self._rows: list[EvidenceRow] = []
        self._paid: dict[int, int] = defaultdict(int)

    def judge(self) -> None:
        """In the order of the log."""
        tale = CaseTale(self._case_id)
        for line in lines(self._played, self._case_id):
            if line.type == "round_joined":
                self._judge_join(line)
            elif line.type == "brief_drafted":
                self._judge_citations(line)
            elif line.type == "action_intended" and line.event["attempt"] == 1:
                self._judge_derivation(tale, line)
            tale.take(line)

    def _say(self, holds: bool, rule: str, detail: str) -> None:
        self._found.unless(holds, rule, self._case_id, detail)

    def _judge_join(self, line: Line) -> None:
        reports = self._played.state.reports[self._org, self._case_id, line.event["round"]]
        for pointer in line.event["reports"]:
            gapless = pointer["base"] == len(self._rows)
            self._say(gapless, "indexes_have_no_gap", f"{pointer['specialist']} starts at {pointer['base']}")
            report = reports.get(pointer["specialist"])
            rows = self._rows_of(report) if report is not None else []
            digest = sha256("\n".join(canonical(row) for row in rows))
            as_recorded = report is not None and (digest, len(rows)) == (pointer["sha256"], pointer["count"])
            self._say(as_recorded, "evidence_is_never_rewritten", f"{pointer['specialist']} is not what was joined")
            self._rows.extend(rows)

    def _rows_of(self, report: Report) -> list[EvidenceRow]:
        rows = list(report.rows)
        for chunk in report.chunks:
            rows.extend(self._played.state.chunks.get((self._org, self._case_id, chunk.sha256), ()))
        return rows

    def _judge_citations(self, line: Line) -> None:
        for finding in line.event["brief"]["findings"]:
            beyond = [index for index in finding["citations"] if not 0 <= index < len(self._rows)]
            self._say(not beyond, "citations_exist", f"{beyond} of {len(self._rows)} rows is cited")

    def _judge_derivation(self, tale: CaseTale, line: Line) -> None:
        action = tale.actions[line.event["action_id"]]
        if action.content["kind"] not in _MONEY:
            return
        derivation = (tale.brief or {}).get("decision", {}).get("derivation")
        self._paid[tale.brief_seq] += action.content["amount_minor"]
        derived = self._derived(derivation) if derivation else Fraction(0)
        # Half a minor unit: the one rounding is at the end.
        within = self._paid[tale.brief_seq] <= derived + Fraction(1, 2)
        detail = f"{action.id}: {self._paid[tale.brief_seq]} where {derived} is derived"
        self._say(within, "never_more_than_derived", detail)

    def _derived(self, derivation: dict[str, Any]) -> Fraction:
        values: dict[str, Fraction] = {}
        for name, given in derivation["inputs"].items():
            index, value = given["evidence"], given["value"]
            cited = self._rows[index].fields.get(given["field"]) if index is not None else value
            self._say(cited == value, "never_more_than_derived", f"{name} is {value}, but row {index} says {cited}")
            values[name] = Fraction(str(value))
        return _value(ast.parse(derivation["expression"], mode="eval").body, values)


def _value(node: ast.expr, values: dict[str, Fraction]) -> Fraction:
    """Plain arithmetic, which is all that simulated derivations hold."""
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, values), _value(node.right, values)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        return left * right if isinstance(node.op, ast.Mult) else left / right
    return values[node.id] if isinstance(node, ast.Name) else Fraction(ast.literal_eval(node))
