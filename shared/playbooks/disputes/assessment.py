"""Everything the ruling rests on, read once from the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.evidence import Evidence
from shared.playbooks.disputes import cancelling, labels, standing, testimony, trouble, usage
from shared.playbooks.disputes.cancelling import Cancellations
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy, for_topics, in_force, topics_of
from shared.playbooks.disputes.testimony import Statement
from shared.playbooks.disputes.trouble import Bearing, Trouble
from shared.playbooks.disputes.usage import Use
from shared.team.exhibits import text, whole


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the evidence says about use, trouble, statements, money returned and policies."""

    uses: list[Use]
    troubles: list[Trouble]
    said: list[Statement]
    complaints: list[Statement]
    unclear_complaints: list[Statement]
    """What may be a complaint, and has to be read by a person."""
    undated: list[Evidence]
    """What they wrote at a time that cannot be read."""
    promises: list[Statement]
    cancellations: Cancellations
    courtesies: list[Evidence]
    policies: list[Policy]
    in_force: list[Policy]
    refunds: list[Evidence]
    credits: list[Evidence]
    earlier_disputes: list[Evidence]
    siblings: list[Evidence]
    """Other disputes on the same charge: cases of their own, with clocks of their own."""
    warnings: list[Evidence]
    """Early fraud warnings on the charge."""

    @property
    def relevant(self) -> list[Trouble]:
        """The records of trouble that concern the customer."""
        return [item for item in self.troubles if item.bearing is Bearing.CONCERNS]

    @property
    def unclear(self) -> list[Trouble]:
        """Those of which no evidence tells whether they do."""
        return [item for item in self.troubles if item.bearing is Bearing.UNCLEAR]

    @property
    def aside(self) -> list[Trouble]:
        """Those that do not."""
        return [item for item in self.troubles if item.bearing is Bearing.DOES_NOT]

    @property
    def lost_before(self) -> list[Evidence]:
        """Earlier disputes that the customer won."""
        return [item for item in self.earlier_disputes if text(item, "status") == "lost"]


def assess(matter: Matter) -> Assessment:
    """Read the evidence of a matter."""
    used, said = usage.uses(matter), testimony.statements(matter)
    since = matter.paid_at
    policies = _policies(matter)
    siblings = standing.disputes_on(matter.exhibits, matter.charge, besides=matter.dispute.row.record_id)
    apart = {matter.dispute.index, *(item.index for item in siblings)}
    return Assessment(
        uses=used,
        troubles=trouble.troubles(matter, used),
        said=said,
        complaints=[item for item in testimony.complaints(said) if item.at >= since],
        unclear_complaints=[item for item in testimony.unclear_complaints(said) if item.at >= since],
        undated=testimony.undated(matter),
        promises=testimony.promises(said, since),
        cancellations=cancelling.cancellations(matter, said),
        courtesies=testimony.courtesies(matter),
        policies=policies,
        in_force=in_force(policies, matter.now),
        refunds=standing.refunds_of(matter.exhibits, matter.charge),
        credits=_credits(matter),
        earlier_disputes=[item for item in matter.exhibits.rows("stripe.disputes") if item.index not in apart],
        siblings=siblings,
        warnings=standing.warnings_on(matter.exhibits, matter.charge),
    )


def operations_seen(matter: Matter) -> bool:
    """Whether every operations system answered: with records, or with a proven absence."""
    seen = (
        ("datadog.monitor_events", labels.NO_ALERT),
        ("datadog.incidents", labels.NO_INCIDENT),
        ("pagerduty.incidents", labels.NO_PAGE),
    )
    return all(matter.exhibits.rows(table) or matter.exhibits.absences(label) for table, label in seen)


def policies_seen(matter: Matter) -> bool:
    """Whether the policy library was read: with pages for this claim, or with the proof that there are none."""
    return bool(matter.exhibits.rows("policies.documents") or matter.exhibits.absences(labels.NO_POLICY))


def support_seen(matter: Matter) -> bool:
    """Whether support was read: with contacts of this customer, or with the proof that there were none."""
    channels = ("intercom.conversations", "zendesk.tickets")
    return bool(matter.exhibits.rows(*channels) or matter.exhibits.absences(labels.NO_SUPPORT))


def returns_seen(matter: Matter) -> bool:
    """Whether refunds were looked for and the answer was complete."""
    return bool(matter.exhibits.rows("stripe.refunds") or matter.exhibits.absences(labels.NO_REFUND))


def _policies(matter: Matter) -> list[Policy]:
    rule = matter.rule
    reason = matter.now_at["reason"]
    topics = topics_of(rule.network, rule.code, reason if isinstance(reason, str) else None) | {rule.family.value}
    return for_topics(matter.exhibits, topics)


def _credits(matter: Matter) -> list[Evidence]:
    """Credits that the customer may have had for the charge: negative invoice lines, a balance in their favour."""
    recent = standing.credits_since(matter.exhibits, matter.charge, matter.paid_at)
    balance = [matter.customer] if matter.customer and (whole(matter.customer, "balance") or 0) < 0 else []
    return [*recent, *balance]
