"""What has to hold before the rules may decide about a dispute at all; anything else goes to a person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from shared.case.evidence import Ended, Gap
from shared.playbooks.disputes import labels, remedies
from shared.playbooks.disputes.assessment import (
    Assessment,
    operations_seen,
    policies_seen,
    returns_seen,
    support_seen,
)
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.credit import Stop, billed
from shared.playbooks.disputes.deadlines import deadline_of
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import disagree
from shared.playbooks.disputes.policy_rules import (
    cancellation,
    double_billing,
    duplicate_window,
    economics,
    outage_claim,
    proration,
    refund_window,
    repeat_disputer,
    seat_reconciliation,
    small_accept,
    vendor_failure,
)
from shared.playbooks.disputes.stages import Stage
from shared.team.exhibits import whole
from shared.team.words import listed

COVERED = frozenset({Family.NOT_AS_DESCRIBED, Family.NOT_RECEIVED})
"""The claim families that these rules decide; every other one goes to a person."""

COVERED_INQUIRIES = COVERED | {Family.INQUIRY}
"""An inquiry often has a code of its own that names no claim."""

OTHER_QUESTIONS = frozenset(
    {
        outage_claim.KIND,
        refund_window.KIND,
        duplicate_window.KIND,
        vendor_failure.KIND,
        double_billing.KIND,
        seat_reconciliation.KIND,
        cancellation.KIND,
        repeat_disputer.KIND,
        small_accept.KIND,
        economics.KIND,
    }
)
"""Kinds of rules that do not say what is owed for an incident."""

FOLLOWED = OTHER_QUESTIONS | {proration.KIND}
"""The kinds of policy rules that we follow for a dispute; one of each can hold at the same time."""


def admit(matter: Matter, seen: Assessment) -> None:
    """Return if the rules may decide. Raises Stop with the reason why a person has to."""
    for check in _CHECKS:
        check(matter, seen)


def _is_answerable(matter: Matter, seen: Assessment) -> None:
    if matter.stage not in (Stage.OPEN, Stage.INQUIRY):
        raise Stop((f"this is {matter.stage.value}: there is nothing to answer now",), (matter.dispute,))
    deadline = deadline_of(matter.now_at["evidence_details__due_by"])
    if deadline is None:
        raise Stop((remedies.NOT_ANSWERABLE,), (matter.dispute,))
    if deadline.has_passed(matter.now):
        raise Stop((remedies.TOO_LATE,), (matter.dispute,))
    # An answer to the inquiry that a chargeback began as is none to the chargeback.
    if matter.submissions > 0 and not matter.was_inquiry:
        raise Stop(("evidence has already been submitted, and the bank takes it once",), (matter.dispute,))


def _is_no_compliance(matter: Matter, seen: Assessment) -> None:
    case_type = matter.now_at["payment_method_details__card__case_type"]
    if remedies.is_compliance(case_type, matter.now_at["reason"]):
        raise Stop((remedies.COMPLIANCE,), (matter.dispute,))


def _is_covered(matter: Matter, seen: Assessment) -> None:
    if matter.rule.family not in (COVERED_INQUIRIES if matter.is_inquiry else COVERED):
        raise Stop(
            (f"no rule decides claims of the kind {matter.rule.family.value} ({matter.rule.meaning})",),
            (matter.dispute,),
        )


def _has_a_cycle(matter: Matter, seen: Assessment) -> None:
    billed(matter)


def _returns_were_read(matter: Matter, seen: Assessment) -> None:
    if not returns_seen(matter):
        raise Stop(("whether anything was refunded already could not be read",), (matter.charge,))


def _nothing_came_back(matter: Matter, seen: Assessment) -> None:
    _returns_were_read(matter, seen)
    returned = [*seen.refunds, *seen.credits]
    if returned or (whole(matter.charge, "amount_refunded") or 0) > 0:
        raise Stop(("part of the money has been returned already: that has to be set off",), (matter.charge, *returned))


def _policies_agree(matter: Matter, seen: Assessment) -> None:
    if not policies_seen(matter):
        raise Stop(("the merchant's policies could not be read",), (matter.dispute,))
    if disagree(seen.in_force, FOLLOWED):
        named = listed([policy.name for policy in seen.in_force])
        raise Stop((f"two current policies disagree: {named}",), tuple(policy.evidence for policy in seen.in_force))


def _no_cancellation(matter: Matter, seen: Assessment) -> None:
    asked = [*(item.evidence for item in seen.cancellations.formal), *seen.cancellations.unclear]
    if asked:
        raise Stop(
            ("the customer asked to cancel: whether that covers this charge is for a person to say",), tuple(asked)
        )


def _pages_are_rules(matter: Matter, seen: Assessment) -> None:
    """Every page for this claim says something that we can follow. Prose and kinds we do not know are for people."""
    pages = [policy for policy in seen.in_force if policy.kind not in FOLLOWED]
    if pages:
        named = listed([policy.name for policy in pages])
        raise Stop(
            (f"the merchant has a page on this kind of claim that has to be read by a person: {named}",),
            tuple(policy.evidence for policy in pages),
        )


def admit_documents(matter: Matter, seen: Assessment) -> None:
    """The same for a claim that documents decide: what came back is evidence, and no outage matters."""
    for check in (_is_answerable, _is_no_compliance, _returns_were_read, _policies_agree, _pages_are_rules):
        check(matter, seen)


def check_not_cancelled(matter: Matter, seen: Assessment) -> None:
    """Return if nobody asked to cancel. Raises Stop."""
    _no_cancellation(matter, seen)


def check_everything_was_read(
    matter: Matter, gaps: Sequence[Gap], *, operations: bool = True, wanted: Collection[str] = labels.AGAINST_US
) -> None:
    """Contesting says that nothing speaks for the customer: so everything that could must have been read whole.

    `operations`: whether trouble in our systems could speak for them, too; `wanted`: the names of the gaps that matter.
    Raises Stop with what was not read.
    """
    current = matter.case.round
    unfinished = (
        [pointer.specialist for pointer in current.reports if pointer.ended is not Ended.REPORTED] if current else []
    )
    unread = [gap.what for gap in gaps if gap.what in wanted]
    if operations and not operations_seen(matter):
        unread.append("every operations system")
    if not support_seen(matter):
        unread.append("every support channel")
    if unread or unfinished:
        missing = listed([*dict.fromkeys(unread), *(f"the report of the {name}" for name in unfinished)])
        raise Stop((f"what could speak for the customer was not read whole: {missing}",), (matter.dispute,))


def admit_cancellation(matter: Matter, seen: Assessment) -> None:
    """The same for a claim that the subscription was cancelled: what was asked is for the rules of that family."""
    for check in (
        _is_answerable,
        _is_no_compliance,
        _has_a_cycle,
        _nothing_came_back,
        _policies_agree,
        _pages_are_rules,
    ):
        check(matter, seen)


def admit_fraud(matter: Matter, seen: Assessment) -> None:
    """The same for a claim of fraud, where neither a cycle nor a cancellation matters."""
    if matter.is_inquiry:
        _is_covered(matter, seen)
    for check in (_is_answerable, _is_no_compliance, _nothing_came_back, _policies_agree, _pages_are_rules):
        check(matter, seen)


_CHECKS: tuple[Callable[[Matter, Assessment], None], ...] = (
    _is_answerable,
    _is_no_compliance,
    _is_covered,
    _has_a_cycle,
    _nothing_came_back,
    _policies_agree,
    _no_cancellation,
)
