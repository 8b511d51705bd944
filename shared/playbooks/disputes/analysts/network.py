"""Network rules analyst: what the dispute's code means to the card network, and what is legal in its present state."""

from __future__ import annotations

from shared.playbooks.disputes import codes, remedies
from shared.playbooks.disputes.codes import NetworkCode
from shared.playbooks.disputes.identity import dispute_id
from shared.playbooks.disputes.stages import stage_of
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import quote
from shared.team.tools import Tools

CODES_TABLE = "rules.network_codes"
REMEDIES_TABLE = "rules.remedies"


def ask(job: Job, tools: Tools) -> None:
    """The rule base is ours: its rows name their source, and their query is the look-up that found them."""
    dispute = _dispute(job, tools)
    brand, code, reason = (dispute[name] for name in ("brand", "code", "reason"))
    rule = codes.lookup(_text(brand), _text(code), _text(reason))
    tools.add(
        CODES_TABLE,
        rule.id,
        {
            "network": rule.network,
            "code": rule.code,
            "family": rule.family.value,
            "meaning": rule.meaning,
            "evidence_fields": ", ".join(rule.evidence_fields),
            "stance": rule.stance,
            "source": rule.source,
        },
        query=f"rules: network code for brand {brand or 'none'}, code {code or 'none'}, reason {reason or 'none'}",
    )
    _say_what_is_missing(tools, dispute, rule)
    stage = stage_of(dispute["status"])
    for rule_id, decision, why in remedies.laws(stage):
        tools.add(
            REMEDIES_TABLE,
            rule_id,
            {"state": stage.value, "decision": decision, "rule": why, "source": remedies.SOURCE},
            query=f"rules: remedies for {stage.value}",
        )


def _dispute(job: Job, tools: Tools) -> Row:
    answer = tools.ask(
        "the code of the dispute",
        "SELECT d.status, d.reason, d.payment_method_details__card__brand AS brand, "
        "d.payment_method_details__card__network_reason_code AS code, d.evidence_details__due_by AS due_by "
        f"FROM stripe.disputes d WHERE d.id = {quote(dispute_id(job))}",
    )
    told: Row = {
        "status": job.case.text_fact("dispute.status"),
        "reason": job.case.text_fact("dispute.reason"),
        "brand": job.case.text_fact("dispute.brand"),
        "code": job.case.text_fact("dispute.network_reason_code"),
        "due_by": job.case.int_fact("dispute.due_by"),
    }
    read = answer.rows[0] if answer.rows else {}
    # The event told us first; what Stripe's data adds to it counts, an empty cell does not.
    return {name: told[name] if read.get(name) is None else read[name] for name in told}


def _say_what_is_missing(tools: Tools, dispute: Row, rule: NetworkCode) -> None:
    if dispute["code"] and rule.network == "any":
        tools.gap(
            f"what code {dispute['code']} of {dispute['brand'] or 'this network'} means",
            "it is not in the rule base; Stripe's reason was used instead",
        )
    if not dispute["due_by"]:
        tools.gap(
            "by when the dispute must be answered", "Stripe gives no due date; one of 0 cannot be answered at all"
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
