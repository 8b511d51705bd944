"""Evidence as a test wants it: a recorded case, with rows changed, taken away or added."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared.case.actions import Json
from shared.case.brief import Brief
from shared.case.case import Case
from shared.case.evidence import Cell, Evidence, EvidenceKind, EvidenceRow, Gap
from shared.ports.directory import Org
from shared.team.contract import Draft
from tests.unit.disputes.run import synthesized


@dataclass(frozen=True)
class Dossier:
    """What the specialists handed over in one case. Every change gives a new one."""

    case: Case
    org: Org
    now: datetime
    evidence: tuple[Evidence, ...]
    gaps: tuple[Gap, ...] = field(default=())

    def draft(self) -> Draft:
        """What the synthesizer makes of it."""
        return synthesized(self.case, self.org, self.now, self.evidence, self.gaps)

    def draft_in_round(self, number: int) -> Draft:
        """What the synthesizer makes of it in a later round."""
        return synthesized(self.case, self.org, self.now, self.evidence, self.gaps, number)

    def brief(self) -> Brief:
        """The brief of the draft."""
        brief = self.draft().brief
        assert brief is not None
        return brief

    def without(self, *tables: str, record: str | None = None) -> Dossier:
        """Without the rows (or one record) of these tables."""
        kept = [
            item
            for item in self.evidence
            if item.row.table not in tables
            or item.row.kind is EvidenceKind.ABSENCE
            or (record is not None and item.row.record_id != record)
        ]
        return self._with(kept)

    def without_absences(self, *labels: str) -> Dossier:
        """Without these absences."""
        return self._with([item for item in self.evidence if item.row.record_id not in labels])

    def changed(self, table: str, record: str | None = None, /, **fields: Cell) -> Dossier:
        """With fields of a record, or of every record of a table, changed."""
        return self._with(
            [
                item.model_copy(update={"row": item.row.model_copy(update={"fields": {**item.row.fields, **fields}})})
                if item.row.table == table
                and item.row.kind is EvidenceKind.ROW
                and record in (None, item.row.record_id)
                else item
                for item in self.evidence
            ]
        )

    def added(self, table: str, record: str, fields: Mapping[str, Cell], *, untrusted: bool = False) -> Dossier:
        """With one more row."""
        row = EvidenceRow(
            source=table.partition(".")[0],
            table=table,
            record_id=record,
            fields={"id": record, **fields},
            query="SELECT",
            retrieved_at=self.now,
            link="manthan://test",
            untrusted=untrusted,
        )
        return self._with([*self.evidence, Evidence(index=0, specialist="test", row=row)])

    def absent(self, table: str, label: str) -> Dossier:
        """With one more absence."""
        found = self.added(table, label, {"count": 0})
        last = found.evidence[-1]
        row = last.row.model_copy(update={"kind": EvidenceKind.ABSENCE, "question": label})
        return self._with([*found.evidence[:-1], last.model_copy(update={"row": row})])

    def policy(self, record: str, rule: object, /, **fields: Cell) -> Dossier:
        """With one more current policy for this claim."""
        told: dict[str, Cell] = {
            "title": record,
            "status": "current",
            "effective_from": "2026-01-01",
            "applies_to": "product_unacceptable",
            "rule": json.dumps(rule) if rule is not None else None,
        }
        return self.added("policies.documents", record, {**told, **fields})

    def ruled(self, page: str, /, **parameters: object) -> Dossier:
        """With other parameters in the rule of a page; None takes one away."""
        row = next(item.row for item in self.evidence if item.row.record_id == page)
        rule = {**json.loads(str(row.fields["rule"])), **parameters}
        kept = {name: value for name, value in rule.items() if value is not None}
        return self.changed("policies.documents", page, rule=json.dumps(kept))

    def with_gaps(self, *gaps: Gap) -> Dossier:
        """With these gaps."""
        return replace(self, gaps=(*self.gaps, *gaps))

    def with_facts(self, facts: Mapping[str, Json], **more: object) -> Dossier:
        """With these facts, and these fields of the case."""
        known = self.case.model_copy(update={"facts": {**self.case.facts, **facts}, **more})
        return replace(self, case=known)

    def only(self, table: str) -> EvidenceRow:
        """The first row of a table."""
        return next(item.row for item in self.evidence if item.row.table == table and item.row.kind is EvidenceKind.ROW)

    def _with(self, evidence: Sequence[Evidence]) -> Dossier:
        numbered = [item.model_copy(update={"index": index}) for index, item in enumerate(evidence)]
        return replace(self, evidence=tuple(numbered))
