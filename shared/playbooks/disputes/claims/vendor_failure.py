"""Charged and not delivered through our own fault: by the merchant's policy all of it is owed, none contested."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import labels, purposes, vendor
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import ACCEPT_PCT, Errand, Letter, Ruling, Shown, confidence, followed
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policy_rules import vendor_failure
from shared.playbooks.disputes.vendor import SIGN_IN_WORDS, Sign
from shared.team.words import day, listed


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    """Give it up where the policy calls it our failure; None where there is no such policy, or nothing points to one.

    Raises Stop where something points to a failure of ours, but less than the policy asks for.
    """
    policy = next((page for page in seen.in_force if page.kind == vendor_failure.KIND), None)
    if policy is None:
        return None
    wanted = followed(policy, vendor_failure.vendor_failure, (matter.charge,))
    found = vendor.signs(matter, seen, wanted)
    rows = tuple(row for sign in found for row in sign.rows)
    if len(found) < wanted.least:
        unread = sorted({gap.what for gap in gaps} & {labels.ERRORS_AROUND, labels.ALERTS_AROUND})
        if all(sign.name == "charge_succeeded" for sign in found) and not unread:
            return None
        missing = [SIGN_IN_WORDS[name] for name in wanted.signs if name not in {sign.name for sign in found}]
        raise Stop(
            (
                f"{len(found)} of the {wanted.least} signs that {policy.name} asks for are on file; missing: "
                f"{listed(missing)}" + (f" (not read whole: {listed(unread)})" if unread else ""),
            ),
            (policy.evidence, *rows),
        )
    reasons = (
        f"they were charged, and our own systems did not deliver: {'; '.join(sign.words for sign in found)}",
        f"{policy.name} never contests that and gives everything back",
        "the charge cannot be refunded while the chargeback is open: closing it leaves the whole amount with them",
    )
    return Ruling(
        DecisionKind.ACCEPT,
        reasons,
        confidence(ACCEPT_PCT, seen, gaps),
        policy=policy,
        shown=tuple(Shown(sign.words, sign.rows) for sign in found),
        errands=(_repair(matter, found),),
        letter=_apology(matter) if wanted.apology else None,
    )


def _repair(matter: Matter, found: Sequence[Sign]) -> Errand:
    told = ". ".join(sign.words for sign in found)
    return Errand(
        purposes.REPAIR_ACCESS,
        f"{matter.customer_name}: paid for {matter.plan}, not delivered",
        f"{matter.customer_name} paid {matter.money(matter.paid_minor)} for {matter.plan} and did not get it. {told}. "
        "Please repair their access, look for others who paid at the same time, and agree with them whether they still "
        "want what they bought: the money of this payment goes back to them through their bank.",
    )


def _apology(matter: Matter) -> Letter:
    paid = matter.money(matter.paid_minor)
    return Letter(
        f"Your payment of {paid}",
        f"on {day(matter.paid_at)} we took {paid} for {matter.plan} and did not give you what you paid for. That was a "
        "fault in our own systems, not yours, and we are sorry.\n\nWe have accepted your bank's dispute, so the money "
        "stays with you and there is nothing more for you to do. Your bank may take a few days to show it. We are "
        "repairing your access; tell us whether you still want the plan.",
    )
