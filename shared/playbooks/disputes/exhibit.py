"""The printable exhibit that goes with the evidence: the payment, what happened in order, quotes, and the records.

It is drawn before anything is staged, so that its size, pages and digest are known, and approved, with the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.case.actions import ActionDraft, ActionKind, Json
from shared.case.canonical import canonical
from shared.case.document import Document, Line, Quote, Section
from shared.case.evidence import Evidence
from shared.case.texts import DOCUMENT, FILES
from shared.errors import InvalidInput
from shared.playbooks.disputes import fraud_packet, packet
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.chronology import Entry, chronology, heard, of_payments
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.codes import OF_FRAUD
from shared.playbooks.disputes.limits import check_files
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.usage import Use, people, per_day
from shared.ports.exhibits import Render, Rendered
from shared.team.words import count, feature, listed, minute

_CARRY_FILES = frozenset({ActionKind.STRIPE_STAGE_EVIDENCE, ActionKind.STRIPE_SUBMIT_EVIDENCE})


@dataclass(frozen=True, slots=True)
class Attached:
    """The drafted actions with their exhibit, and what people should know of it."""

    actions: list[ActionDraft]
    note: str = ""


def attached(
    matter: Matter, seen: Assessment, ruling: Ruling, actions: Sequence[ActionDraft], render: Render | None
) -> Attached:
    """The actions with an exhibit beside the evidence they carry; without one where it does not fit, and says so."""
    if render is None or not any(action.kind in _CARRY_FILES for action in actions):
        return Attached(list(actions))
    document = exhibit(matter, seen, ruling)
    name = matter.rule.exhibit_field
    try:
        drawn = render(document)
        files: dict[str, Json] = {name: _described(document, drawn)}
        check_files(files, matter.rule.network)
    except InvalidInput as why:
        return Attached(list(actions), f"No printed exhibit goes with the evidence: {why}. The text stands by itself.")
    return Attached([_with_files(action, files) for action in actions], _told(name, drawn))


def exhibit(matter: Matter, seen: Assessment, ruling: Ruling) -> Document:
    """The exhibit as data."""
    sources = _Sources()
    fraud = matter.rule.family in OF_FRAUD and ruling.argument is None
    entries = of_payments(matter, ruling.compelling) if fraud else chronology(matter, seen, ruling)
    told = fraud_packet.closing(matter, ruling.compelling) if fraud else packet.closing(matter, ruling)
    sections = [
        Section(heading="The payment", lines=_payment(matter, sources)),
        Section(heading="What happened (times in UTC)", lines=tuple(_line(entry, sources) for entry in entries)),
        Section(heading="In the customer's own words", quotes=_quotes(ruling, sources)),
        Section(heading="Use of the service, by day (UTC)", lines=_use(seen.uses, sources)),
        Section(heading="In short", paragraphs=tuple(told.split("\n\n"))),
    ]
    return Document(
        title="Evidence about a disputed payment",
        subtitle=f"{matter.customer_name}, {matter.money(matter.paid_minor)}, paid on {minute(matter.paid_at)}",
        dated=matter.paid_at,
        sections=tuple(section for section in sections if section.lines or section.quotes or section.paragraphs),
        sources=tuple(sources.told),
    )


@dataclass(slots=True)
class _Sources:
    """Numbers for the records that are cited, from 1, each once, in the order in which they are first cited."""

    told: list[str] = field(default_factory=list)

    def of(self, *items: Evidence) -> tuple[int, ...]:
        """The numbers of these records."""
        return tuple(self.named(_record(item)) for item in items)

    def named(self, told: str) -> int:
        """The number of a record that is told in words."""
        if told not in self.told:
            self.told.append(told)
        return self.told.index(told) + 1


def _record(item: Evidence) -> str:
    table = item.row.table.rpartition(".")[2].replace("_", " ")
    return f"{item.row.source.capitalize()}, {table}: {item.row.record_id}"


def _payment(matter: Matter, sources: _Sources) -> tuple[Line, ...]:
    charge, dispute = sources.of(matter.charge), sources.of(matter.dispute)
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    rows = [
        ("Paid by", matter.customer_name, charge),
        ("E-mail address", packet.address(matter), sources.of(matter.customer) if matter.customer else charge),
        ("Paid on", minute(matter.paid_at), charge),
        ("Amount", matter.money(matter.paid_minor), charge),
        ("For", matter.plan, sources.of(matter.line) if matter.line else charge),
        ("Billing period", packet.service_date(matter), sources.of(matter.line) if matter.line else ()),
        ("Disputed", f"{disputed}, {matter.rule.network} {matter.rule.code}: {matter.rule.meaning}", dispute),
    ]
    return tuple(Line(label=label, text=text, sources=shown) for label, text, shown in rows if text)


def _line(entry: Entry, sources: _Sources) -> Line:
    return Line(label=entry.label, text=entry.said, sources=sources.of(*entry.cites))


def _quotes(ruling: Ruling, sources: _Sources) -> tuple[Quote, ...]:
    return tuple(
        Quote(label=f"{minute(item.at)}, {item.author}", text=item.text.strip(), sources=sources.of(item.evidence))
        for item in heard(ruling)
    )


def _use(used: list[Use], sources: _Sources) -> tuple[Line, ...]:
    lines = []
    for day, events in per_day(used).items():
        of_day = [use for use in used if use.at.date() == day]
        services = listed(sorted({feature(use.service) for use in of_day if use.service}))
        told = f"{count(events, 'event')} by {count(people(of_day), 'person')}{f': {services}' if services else ''}"
        lines.append(Line(label=day.isoformat(), text=told, sources=(_usage_of(of_day, len(used), sources),)))
    return tuple(lines)


def _usage_of(of_day: list[Use], total: int, sources: _Sources) -> int:
    row = of_day[0].evidence.row
    table = row.table.rpartition(".")[2].replace("_", " ")
    return sources.named(f"{row.source.capitalize()}, {table}: {count(total, 'record')} of this customer's use")


def _described(document: Document, drawn: Rendered) -> dict[str, Json]:
    """What an action says of its file; `document` is what it is drawn from again when it is uploaded."""
    return {
        DOCUMENT: canonical(document),
        "sha256": drawn.sha256,
        "bytes": len(drawn.content),
        "pages": drawn.pages,
    }


def _with_files(action: ActionDraft, files: dict[str, Json]) -> ActionDraft:
    if action.kind not in _CARRY_FILES:
        return action
    return action.model_copy(update={"payload": {**action.payload, FILES: files}})


def _told(name: str, drawn: Rendered) -> str:
    told = f"A printed exhibit goes with the evidence ({name}): {count(drawn.pages, 'page')}"
    if drawn.replaced:
        told += f"; {count(len(drawn.replaced), 'character')} that its font lacks are shown by their numbers"
    return f"{told}."
