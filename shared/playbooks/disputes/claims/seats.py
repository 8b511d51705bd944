"""A claim that too many seats were billed: who signed for them, who signed in, and whether anybody complained."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import labels, purposes
from shared.playbooks.disputes.admission import check_everything_was_read
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import (
    ACCEPT_PCT,
    FIGHT_PCT,
    Argument,
    Errand,
    Ruling,
    Shown,
    confidence,
    followed,
)
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import seat_reconciliation
from shared.playbooks.disputes.policy_rules.seat_reconciliation import SeatReconciliation
from shared.playbooks.disputes.testimony import Statement
from shared.team import language
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import count, day, listed, minute, percent

_C_LEVEL = re.compile(r"chief( [a-z]+){1,3} officer|c[a-z]o", re.IGNORECASE)
_BESIDE = re.compile(r"(co-?)?founder|president|owner|chair(man|woman|person)?|managing director", re.IGNORECASE)
"""What somebody of the C-level can be as well."""
_NEAR = re.compile(r"\bchief\b|\bc[a-z]{1,2}o\b", re.IGNORECASE)
_WON = frozenset({"closedwon", "closed won"})


@dataclass(frozen=True, slots=True)
class Seats:
    """What was billed, who signed in, who signed, and who complained about bills."""

    billed: int
    line: Evidence
    signed_in: tuple[Evidence, ...]
    addenda: tuple[Evidence, ...]
    complaints: tuple[Statement, ...]

    @property
    def used_pct(self) -> Fraction:
        """Which part of the billed seats signed in, in per cent."""
        return Fraction(100 * len(self.signed_in), self.billed)

    @property
    def rows(self) -> tuple[Evidence, ...]:
        """Everything that shows it."""
        return (self.line, *self.addenda, *self.signed_in, *(item.evidence for item in self.complaints))


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    """What the merchant's policy on seats decides; None without one, or where no seats were billed. Raises Stop."""
    policy = next((page for page in seen.in_force if page.kind == seat_reconciliation.KIND), None)
    billed = whole(matter.line, "quantity")
    if policy is None or matter.line is None or billed is None or billed == 1:
        return None
    if billed < 1:
        raise Stop((f"the invoice bills a price for {billed} seats",), (matter.line, policy.evidence))
    wanted = followed(policy, seat_reconciliation.seat_reconciliation, (matter.line,))
    check_everything_was_read(matter, gaps, operations=False)
    _check_records_were_read(matter, gaps, policy)
    found = _seats(matter, seen, wanted, matter.line, billed)
    _check_complaints_are_clear(matter, seen, wanted, policy)
    failing = _failing(found, wanted)
    if failing and not wanted.accepts:
        raise Stop((f"{policy.name} leaves it to a person: {listed(failing)}",), (policy.evidence, *found.rows))
    if failing:
        return _given_up(matter, seen, gaps, policy, found, failing)
    if found.used_pct < wanted.authenticated_min_pct:
        raise Stop(
            (
                f"{percent(found.used_pct)} of the billed seats signed in: {policy.name} contests from "
                f"{percent(wanted.authenticated_min_pct)} on and gives up below {percent(wanted.used_below_pct)}",
            ),
            (policy.evidence, *found.rows),
        )
    return _contested(matter, seen, gaps, policy, wanted, found)


def _check_records_were_read(matter: Matter, gaps: Sequence[Gap], policy: Policy) -> None:
    cut = {gap.what for gap in gaps} & {labels.SIGN_INS, labels.DEALS}
    if not (matter.exhibits.rows("auth.sign_ins") or matter.exhibits.absences(labels.NO_SIGN_IN)):
        cut.add(labels.SIGN_INS)
    contracts = matter.exhibits.rows("salesforce.opportunities", "hubspot.deals")
    if not (contracts or matter.exhibits.absences(labels.NO_ADDENDUM)):
        cut.add("what they signed for")
    if cut:
        raise Stop((f"{policy.name} needs what was not read whole: {listed(sorted(cut))}",), (policy.evidence,))


def _seats(matter: Matter, seen: Assessment, rule: SeatReconciliation, line: Evidence, billed: int) -> Seats:
    since = matter.now - timedelta(days=rule.complaint_free_days)
    said = [item for item in seen.said if item.theirs and item.at >= since and language.is_billing_complaint(item.text)]
    signed = [
        row for row in matter.exhibits.rows("salesforce.opportunities", "hubspot.deals") if _is_signed(matter, row)
    ]
    addenda = [row for row in signed if is_c_level(text(row, "signed_title"))]
    unclear = [row for row in signed if _NEAR.search(text(row, "signed_title"))]
    if unclear and not addenda:
        raise Stop(("whether the one who signed for the seats is of the C-level is not clear",), tuple(unclear))
    return Seats(billed, line, tuple(matter.exhibits.rows("auth.sign_ins")), tuple(addenda), tuple(said))


def _check_complaints_are_clear(matter: Matter, seen: Assessment, rule: SeatReconciliation, policy: Policy) -> None:
    since = matter.now - timedelta(days=rule.complaint_free_days)
    heard = [item for item in seen.said if item.theirs and item.at >= since]
    doubtful = [item.evidence for item in heard if language.may_be_billing_complaint(item.text)]
    if doubtful or seen.undated:
        raise Stop(
            ("they wrote something that may be a complaint about the bill, and a person has to read it",),
            (policy.evidence, *doubtful, *seen.undated),
        )


def _is_signed(matter: Matter, row: Evidence) -> bool:
    """Won, with an envelope, and signed before the charge."""
    at = moment(row.row.fields.get("signed_at"))
    won = row.row.fields.get("is_won") is True or text(row, "dealstage").lower() in _WON
    return won and text(row, "envelope_id") != "" and at is not None and at <= matter.paid_at


def is_c_level(title: str) -> bool:
    """Whether a title names a place at the C-level and nothing else that makes it less: CFO, Co-founder & CEO."""
    parts = [part.strip() for part in re.split(r"[,/&+()]| and ", title) if part.strip()]
    named = [part for part in parts if _C_LEVEL.fullmatch(part)]
    return bool(named) and all(part in named or _BESIDE.fullmatch(part) for part in parts)


def _failing(found: Seats, rule: SeatReconciliation) -> list[str]:
    return [
        *([] if found.addenda else ["nobody of the C-level signed for the seats"]),
        *(
            [f"only {percent(found.used_pct)} of the billed seats signed in"]
            if found.used_pct < rule.used_below_pct
            else []
        ),
        *(["they complained about the bill"] if found.complaints else []),
    ]


def _in_words(found: Seats) -> str:
    return f"{len(found.signed_in)} of {found.billed} billed seats signed in ({percent(found.used_pct)})"


def _given_up(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy, found: Seats, failing: Sequence[str]
) -> Ruling:
    reasons = (f"{listed(list(failing))}: {policy.name} gives the money back", _in_words(found))
    shown = Shown(f"{_in_words(found)}; {listed(list(failing))}", (policy.evidence, *_cited(matter, found)))
    return Ruling(
        DecisionKind.ACCEPT,
        reasons,
        confidence(ACCEPT_PCT, seen, gaps),
        policy=policy,
        shown=(shown,),
        errands=(_call(matter, found, "Agree with them on the number of seats before the next invoice."),),
    )


def _contested(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy, rule: SeatReconciliation, found: Seats
) -> Ruling:
    signed = found.addenda[-1]
    who = f"{text(signed, 'signed_by')} ({text(signed, 'signed_title')})"
    at = moment(signed.row.fields.get("signed_at"))
    contract = f"{who} signed for them{f' on {day(at)}' if at else ''}, envelope {text(signed, 'envelope_id')}"
    quiet = f"nobody complained about a bill in {count(rule.complaint_free_days, 'day')}"
    reasons = (
        f"{_in_words(found)}, {contract}, and {quiet}: {policy.name} contests and asks for a call",
        "the whole amount is disputed, and only the seats that were added can be meant",
    )
    delta = _delta(matter, found, signed)
    shown = [
        Shown(f"{_in_words(found)}; {quiet}", (policy.evidence, *_cited(matter, found))),
        Shown(f"the seats were agreed to in writing: {contract}", (signed,)),
    ]
    if delta:
        shown.append(Shown(delta, (signed, found.line, matter.dispute)))
    entries = ((at, f"{minute(at)}: {who} of the customer signed for the seats."),) if at else ()
    return Ruling(
        DecisionKind.FIGHT,
        reasons,
        confidence(FIGHT_PCT, seen, gaps),
        policy=policy,
        shown=tuple(shown),
        argument=Argument(
            {},
            entries,
            f"The customer's {text(signed, 'signed_title')} signed for the seats before they were billed, and "
            f"{_in_words(found)} in the billed period.",
        ),
        errands=(_call(matter, found, delta or ""),),
    )


def _delta(matter: Matter, found: Seats, signed: Evidence) -> str:
    """What of the disputed amount can be meant at all: the seats that the contract added."""
    added, each = whole(signed, "quantity"), whole(found.line, "price__unit_amount")
    if not added or each is None or added >= found.billed:
        return ""
    return (
        f"only the {count(added, 'seat')} added by contract can be contested: {added} of {found.billed} at "
        f"{matter.money(each)} = {matter.money(added * each)} of the {matter.money(matter.disputed_minor)} disputed; "
        f"the other {found.billed - added} are not in question"
    )


def _cited(matter: Matter, found: Seats) -> tuple[Evidence, ...]:
    absent = matter.exhibits.absences(labels.NO_SIGN_IN, labels.NO_ADDENDUM, labels.NO_SUPPORT)
    return (*found.rows, *absent)


def _call(matter: Matter, found: Seats, more: str) -> Errand:
    return Errand(
        purposes.CALL_ABOUT_SEATS,
        f"{matter.customer_name}: call to go through the seats",
        f"{matter.customer_name} disputes {matter.money(matter.disputed_minor, matter.dispute_currency)} for "
        f"{count(found.billed, 'seat')}. {_in_words(found)}. {more}{' ' if more else ''}Please call "
        "them and go through the list of people together: who has a seat, since when, and who signed for it. Write to "
        "them only once the answer is with the bank.",
    )
