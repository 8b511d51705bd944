"""What two sides billed for one period after a migration: the merchant's policy says which of them gives it back."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import giving_up, purposes
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import ACCEPT_PCT, Errand, Letter, Ruling, Shown, confidence, followed
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.doubles import CONTACTS, Double, double
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import double_billing
from shared.playbooks.disputes.policy_rules.double_billing import LEGACY, ORPHAN, DoubleBilling
from shared.playbooks.disputes.standing import KEEPS_MONEY, disputes_on, left_minor, strictest
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import day, listed

_SIDES = {LEGACY: "the system before Stripe", ORPHAN: "a customer at Stripe whom the CRM does not know"}
_READ_BY_RULE = DoubleBilling(frozenset({LEGACY, ORPHAN}), "any", 1, end_returned_side=False, tag=None)


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    """Give up the side that the policy gives back; None where no two sides billed the period.

    Raises Stop without a policy, where the disputed charge is the side that stands, or where the two do not add up.
    """
    policy = next((page for page in seen.in_force if page.kind == double_billing.KIND), None)
    wanted = followed(policy, double_billing.double_billing, (matter.charge,)) if policy else _READ_BY_RULE
    found = double(matter, wanted)
    if found is None:
        return None
    if policy is None:
        raise Stop(("two sides billed one period, and no current policy says which gives it back",), found.rows)
    if found.kind not in wanted.returns:
        raise Stop((_why_not(found, policy),), (policy.evidence, *found.rows))
    _check_other_stays(matter, found)
    return _given_back(matter, seen, gaps, policy, wanted, found)


def _why_not(found: Double, policy: Policy) -> str:
    if found.kind:
        return f"two sides billed one period, and {policy.name} does not give back {_SIDES[found.kind]}"
    return (
        f"two sides billed one period, and the disputed charge is the side that stands by {policy.name}: what goes "
        "back is the other one, so either contest this and return that, or give this up and keep that"
    )


def _check_other_stays(matter: Matter, found: Double) -> None:
    """Giving one side up is right only while the other one stays paid, and nothing of either went back."""
    other = found.other
    assert other is not None
    disputes = disputes_on(matter.exhibits, other.charge)
    if strictest(disputes) in KEEPS_MONEY:
        raise Stop(("both sides are disputed, and only one of them is owed",), (*found.rows, *disputes))
    if any(text(entry, "status").lower() == "refunded" for entry in found.entries):
        raise Stop(("the ledger calls its charge refunded, and Stripe knows no refund of it",), found.rows)
    whole_yet = left_minor(other.charge) == whole(other.charge, "amount")
    if not whole_yet or left_minor(matter.charge) != matter.paid_minor:
        raise Stop(("a part of one of the two sides went back: that has to be set off",), found.rows)


def _given_back(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy, wanted: DoubleBilling, found: Double
) -> Ruling:
    assert found.other is not None
    side = _SIDES[found.kind]
    period = f"{day(found.period.start)} to {day(found.period.end)}"
    paid = matter.money(matter.paid_minor)
    shown = (
        f"two sides billed {paid} for {period}: {side} took the disputed charge, and {found.other.in_words()} stands"
    )
    reasons = (
        shown,
        f"{policy.name} gives back {side}, never the other side; closing the dispute does that",
    )
    ends = tuple(row for row in _subscriptions(matter, found) if giving_up.running(row))
    left = _named(found)
    more = (Shown(f"also billed twice, not disputed, and not returned yet: {left}", found.unreturned),) if left else ()
    return Ruling(
        DecisionKind.ACCEPT,
        reasons,
        confidence(ACCEPT_PCT, seen, gaps),
        policy=policy,
        shown=(Shown(shown, (policy.evidence, *found.rows, *_known(matter, wanted))), *more),
        errands=(_clear(matter, wanted, found, side),),
        ends=ends if wanted.end_returned_side else (),
        letter=Letter(
            f"Your payment of {paid}",
            f"for {period} you were billed twice after we moved to another billing system, and we are sorry. We have "
            f"accepted your bank's dispute, so the {paid} stay with you. Your plan goes on unchanged.",
        ),
    )


def _subscriptions(matter: Matter, found: Double) -> list[Evidence]:
    """The subscriptions behind the disputed charge: an orphan's own, which would bill again."""
    if found.kind != ORPHAN:
        return []
    customer = text(matter.charge, "customer")
    return [row for row in matter.exhibits.rows("stripe.subscriptions") if text(row, "customer") == customer]


def _known(matter: Matter, wanted: DoubleBilling) -> list[Evidence]:
    """Who the CRM knows, and the customers at Stripe."""
    return [
        *matter.exhibits.rows("stripe.customers"),
        *matter.exhibits.rows(*CONTACTS[wanted.known_in]),
    ]


def _named(found: Double) -> str:
    """What else was billed twice: by its id and its day."""
    told = []
    for row in found.unreturned:
        at = moment(row.row.fields.get("created_at") or row.row.fields.get("created"))
        told.append(f"{row.row.record_id} of {day(at)}" if at else row.row.record_id)
    return listed(told)


def _clear(matter: Matter, wanted: DoubleBilling, found: Double, side: str) -> Errand:
    tag = f" [{wanted.tag}]" if wanted.tag else ""
    paid, period = matter.money(matter.paid_minor), f"{day(found.period.start)} to {day(found.period.end)}"
    stands = found.other.in_words() if found.other else "Stripe"
    entries = listed([entry.row.record_id for entry in found.entries])
    ledger = (
        f"Ledger: {entries}. Enter a credit memo for it, and end the contract there as of the move. " if entries else ""
    )
    left = f"Not disputed, but billed twice as well: {_named(found)}. " if found.unreturned else ""
    return Errand(
        purposes.CLEAR_DOUBLE,
        f"Double billing of {matter.customer_name}{tag}",
        f"{side} billed {paid} for {period} beside {stands}. {ledger}{left}Make sure that this side bills nothing "
        "more; the disputed charge itself goes back through the bank and must not be refunded as well.",
    )
