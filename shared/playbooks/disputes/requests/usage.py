"""Use that speaks against "we barely used it": how often, by how many people, and for what."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.usage_refusal import usage_refusal
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import payment_meant
from shared.playbooks.disputes.requests.model import Ruling, declined
from shared.team.contract import Material
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, day, feature, listed

_MOST_NAMED = 4


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """A no that names the use, where there is as much as the policy asks for. Raises Said, Unevaluable."""
    rule = usage_refusal(policy)
    since = claim.received_at - rule.within
    used = [row for row in claim.exhibits.rows("posthog.events") if _inside(row, claim, since)]
    people = {text(row, "person_email").lower() for row in used} - {""}
    days = count(rule.within.days, "day")
    if len(used) < rule.events_min or len(people) < rule.people_min:
        told = f"{count(len(used), 'event')} of use by {count(len(people), 'person')} in {days}"
        return f"{told}, it asks for {rule.events_min} by {rule.people_min}"
    payment = payment_meant(material, claim)
    did = Counter(text(row, "event") for row in used).most_common(_MOST_NAMED)
    what = listed([f"{feature(name)} ({times})" for name, times in did])
    reason = (
        f"{count(len(people), 'person')} of theirs used it {len(used)} times in the {days} before they asked: {what}"
    )
    told = f"your team has used it {len(used)} times in the {days} before you wrote, most recently on {_last(used)}"
    found = claimed(reason, READ_OUT, *used)
    ruling = declined(
        f"{reason}; {policy.name} returns nothing then", told, policy.evidence, policy=policy, payment=payment
    )
    return ruling if found is None else replace(ruling, found=(found,))


def _inside(row: Evidence, claim: Claim, since: datetime) -> bool:
    at = moment(row.row.fields.get("timestamp"))
    return at is not None and since <= at <= claim.received_at


def _last(used: list[Evidence]) -> str:
    return day(max(at for row in used if (at := moment(row.row.fields.get("timestamp"))) is not None))
