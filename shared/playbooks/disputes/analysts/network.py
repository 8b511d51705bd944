"""Network rules analyst: what the dispute's code means to the card network, and what is legal in its present state."""

from __future__ import annotations

from shared.playbooks.disputes import codes, economics, monitoring, remedies
from shared.playbooks.disputes.codes import NetworkCode
from shared.playbooks.disputes.current import CODE_COLUMNS, FACT_OF, current
from shared.playbooks.disputes.identity import dispute_id
from shared.playbooks.disputes.policy_rules import fraud_warning
from shared.playbooks.disputes.policy_rules.fraud_warning import DEFAULT
from shared.playbooks.disputes.stages import stage_of
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import quote
from shared.team.tools import Tools

CODES_TABLE = "rules.network_codes"
REMEDIES_TABLE = "rules.remedies"
WARNINGS_TABLE = "rules.fraud_warnings"
DEFAULT_RULE = "default"


def ask(job: Job, tools: Tools) -> None:
    """The rule base is ours: its rows name their source, and their query is the look-up that found them."""
    if job.case.subject.kind == "early_fraud_warning":
        _of_warning(job, tools)
    else:
        _of_dispute(job, tools)


def _of_warning(job: Job, tools: Tools) -> None:
    tools.add(
        WARNINGS_TABLE,
        DEFAULT_RULE,
        fraud_warning.economics(DEFAULT),
        query="rules: what an early fraud warning is worth",
    )
    since = int((job.now - monitoring.PERIOD).timestamp())
    answer = tools.ask(
        "how many disputes and warnings there were lately",
        "SELECT count(*) AS payments, "
        f"(SELECT count(*) FROM stripe.disputes d WHERE d.created >= {since}) AS disputes, "
        f"(SELECT count(*) FROM stripe.early_fraud_warnings w WHERE w.created >= {since}) AS warnings "
        f"FROM stripe.charges c WHERE c.status = 'succeeded' AND c.created >= {since}",
    )
    for row in answer.rows:
        tools.add(monitoring.TABLE, monitoring.RECORD, {**row, "source": monitoring.SOURCE}, query=answer.sql)


def _of_dispute(job: Job, tools: Tools) -> None:
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
    tools.add(
        economics.TABLE, economics.RECORD, economics.defaults(), query="rules: what contesting a dispute is worth"
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
        f"SELECT {', '.join([*FACT_OF, *CODE_COLUMNS])} FROM stripe.disputes WHERE id = {quote(dispute_id(job))}",
    )
    found = current(job.case, answer.rows[0] if answer.rows else {})
    return {
        "status": found["status"],
        "reason": found["reason"],
        "brand": found["payment_method_details__card__brand"],
        "code": found["payment_method_details__card__network_reason_code"],
        "due_by": found["evidence_details__due_by"],
    }


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
