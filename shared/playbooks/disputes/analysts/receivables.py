"""What our own systems know around an invoice that is owed: use of the product, the log of card updates, the domain."""

from __future__ import annotations

from datetime import timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.identity import Identity
from shared.playbooks.disputes.policy_rules.fraud_review import MOST_EVENTS
from shared.team.contract import Job
from shared.team.literals import instant, mentions, one_of, quote
from shared.team.tools import Tools

LOOK_BACK = timedelta(days=90)
"""How long before now use and logs are read."""

MOST_USES, MOST_LOGS = 300, 20
_USE = "e.id, e.event, e.person_email, e.timestamp, e.properties"


def ask(job: Job, tools: Tools, who: Identity) -> None:
    """Use counts for a decision of fraud or of a suspension, logs for why a card was not renewed."""
    _use(job, tools, who)
    _logs(job, tools)
    tools.gather(
        labels.DOMAIN,
        f"SELECT w.id, w.registered_at, w.registrar FROM whois.domains w WHERE lower(w.id) IN {one_of(who.domains)}",
        table="whois.domains",
    )


def _use(job: Job, tools: Tools, who: Identity) -> None:
    """The latest uses of each kind, as many as any rule may count."""
    known = f"SELECT n.distinct_id FROM posthog.persons n WHERE {who.wrote('n.email')}"
    theirs = f"({who.wrote('e.person_email')} OR e.distinct_id IN ({known}))"
    service = "json_extract_string(e.properties, '$.service')"
    answer = tools.gather(
        labels.USE_BY_EVENT,
        f"SELECT id, event, person_email, timestamp, properties FROM (SELECT {_USE}, row_number() OVER (PARTITION BY "
        f"e.event, {service} ORDER BY e.timestamp DESC, e.id) AS place FROM posthog.events e "
        f"WHERE {theirs} AND e.timestamp >= {instant(job.now - LOOK_BACK)}) u "
        f"WHERE u.place <= {MOST_EVENTS} ORDER BY timestamp DESC, id",
        table="posthog.events",
        limit=MOST_USES,
    )
    tools.absence(
        answer,
        table="posthog.events",
        label=labels.NO_USE,
        question=f"Did this customer use the product in the past {LOOK_BACK.days} days?",
    )


def _logs(job: Job, tools: Tools) -> None:
    """Log lines that name the invoice, what it was charged to, or whose it is."""
    which = quote(job.case.subject.id)
    paid = f"SELECT p.payment__payment_intent FROM stripe.invoice_payments p WHERE p.invoice = {which}"
    answer = tools.ask(
        "what logs call the payment by",
        f"SELECT i.id AS name FROM stripe.invoices i WHERE i.id = {which} "
        f"UNION SELECT i.subscription FROM stripe.invoices i WHERE i.id = {which} "
        f"UNION SELECT i.customer FROM stripe.invoices i WHERE i.id = {which} "
        f"UNION SELECT c.payment_method FROM stripe.charges c WHERE c.payment_intent IN ({paid}) "
        f"UNION SELECT c.id FROM stripe.charges c WHERE c.payment_intent IN ({paid}) UNION {paid}",
    )
    named = [str(row["name"]) for row in answer.rows if row["name"]]
    if not named:
        return
    tools.gather(
        labels.OWN_LOGS,
        "SELECT g.id, g.service, g.status, g.message, g.timestamp, g.tags FROM datadog.logs g WHERE "
        f"g.timestamp >= {instant(job.now - LOOK_BACK)} AND {mentions('g.message', named)} "
        "ORDER BY g.timestamp DESC, g.id",
        table="datadog.logs",
        limit=MOST_LOGS,
    )
