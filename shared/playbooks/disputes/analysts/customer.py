"""Customer context: who the customer is, what they told us, what we told them."""

from __future__ import annotations

from datetime import datetime, timedelta

from shared.case.canonical import sha256
from shared.playbooks.disputes import labels, product
from shared.playbooks.disputes.analysts import agreements, dealings, seats
from shared.playbooks.disputes.codes import OF_FRAUD
from shared.playbooks.disputes.current import family_of
from shared.playbooks.disputes.identity import Identity, identify
from shared.ports.sources import Row
from shared.team import language
from shared.team.contract import Job
from shared.team.literals import instant, mentions, one_of, quote
from shared.team.tools import Answer, Tools

LOOK_BACK = timedelta(days=120)
"""How long before the charge conversations are read; cancellations count 60 days back."""


def ask(job: Job, tools: Tools) -> None:
    """Who, then every channel in which they or we could have said something about this charge."""
    who = identify(tools, job)
    since = (who.paid_at or job.now) - LOOK_BACK
    if job.case.subject.kind == "request":
        _request(job, tools)
    if job.case.subject.kind in ("invoice", "request"):
        agreements.ask(job, tools, who)
    _account(tools, who)
    seats.addenda(job, tools, who)
    if job.case.subject.kind == "request":
        dealings.ask(job, tools, who)
    conversations = _conversations(tools, who, since)
    tickets = _tickets(tools, who, since)
    contacts = Answer(conversations.sql, (*conversations.rows, *tickets.rows), conversations.ok and tickets.ok)
    tools.absence(
        contacts,
        table="zendesk.tickets",
        label=labels.NO_SUPPORT,
        question="Did this customer contact support in chat or by ticket?",
    )
    _cancellations(tools, who, since)
    if job.case.subject.kind == "dispute":
        dealings.emails(job, tools, who)
        _told_in_the_product(tools, who, since)
        _written_requests(tools, who, since)
        _actions(job, tools, who)
    _colleagues(job, tools, who)


def _request(job: Job, tools: Tools) -> None:
    """What they asked for, in their words: it must be the text that arrived, which the case knows by its hash."""
    answer = tools.gather(
        "the request",
        "SELECT q.id, q.channel, q.received_at, q.sender, q.text, q.customer, q.charge, q.invoice, q.amount_minor, "
        f"q.currency FROM manthan.requests q WHERE q.id = {quote(job.case.subject.id)}",
        table="manthan.requests",
        untrusted=True,
        essential=True,
    )
    for row in answer.rows:
        if sha256(str(row["text"])) != job.case.text_fact("request.text_sha256"):
            tools.gap("the words of the request", "what is stored now is not the text that arrived")


def _account(tools: Tools, who: Identity) -> None:
    salesforce, hubspot = one_of(who.salesforce_accounts), one_of(who.hubspot_companies)
    if who.salesforce_accounts:
        tools.gather(
            "the CRM account",
            "SELECT id, name, website, industry, arr, tier, strategic, owner_name, owner_email, owner_started_at, "
            f"vat_id, created_at FROM salesforce.accounts WHERE id IN {salesforce}",
            table="salesforce.accounts",
        )
        tools.gather(
            "the CRM contacts",
            f"SELECT id, account_id, name, email, title FROM salesforce.contacts WHERE account_id IN {salesforce}",
            table="salesforce.contacts",
        )
    if who.hubspot_companies:
        tools.gather(
            "the CRM company",
            "SELECT id, name, domain, industry, arr, tier, strategic, owner_name, owner_email, owner_started_at, "
            f"created_at FROM hubspot.companies WHERE id IN {hubspot}",
            table="hubspot.companies",
        )
        tools.gather(
            "the CRM contacts",
            "SELECT id, company_id, email, firstname, lastname, jobtitle FROM hubspot.contacts "
            f"WHERE company_id IN {hubspot}",
            table="hubspot.contacts",
        )
        tools.gather(
            labels.NOTES,
            "SELECT id, company_id, contact_id, body, author_email, created_at FROM hubspot.notes "
            f"WHERE company_id IN {hubspot}",
            table="hubspot.notes",
        )
    if not who.salesforce_accounts and not who.hubspot_companies:
        absent = tools.absence(
            who.crm,
            table="hubspot.companies",
            label=labels.NO_CRM,
            question="Does a CRM hold an account with a contact or a website of this customer?",
        )
        if not absent:
            tools.gap(labels.CRM, "whether a CRM knows this customer could not be read")


def _conversations(tools: Tools, who: Identity, since: datetime) -> Answer:
    theirs = (
        f"v.created_at >= {instant(since)} AND ({who.wrote('v.source_author_email')} OR v.id IN "
        f"(SELECT p.conversation_id FROM intercom.conversation_parts p WHERE {who.wrote('p.author_email')}))"
    )
    answer = tools.gather(
        labels.CHATS,
        "SELECT v.id, v.title, v.state, v.source_subject, v.source_body, v.source_author_email, v.created_at "
        f"FROM intercom.conversations v WHERE {theirs} ORDER BY v.created_at",
        table="intercom.conversations",
        untrusted=True,
    )
    tools.gather(
        labels.CHAT_MESSAGES,
        "SELECT q.id, q.conversation_id, q.author_type, q.author_email, q.body, q.created_at "
        "FROM intercom.conversation_parts q WHERE q.author_type <> 'bot' AND q.conversation_id IN "
        f"(SELECT v.id FROM intercom.conversations v WHERE {theirs}) ORDER BY q.created_at",
        table="intercom.conversation_parts",
        untrusted=lambda row: row["author_type"] != "admin",
    )
    return answer


def _tickets(tools: Tools, who: Identity, since: datetime) -> Answer:
    theirs = (
        f"t.created_at >= {instant(since)} AND ({who.wrote('t.requester_email')} OR t.id IN "
        f"(SELECT m.ticket_id FROM zendesk.ticket_comments m WHERE {who.wrote('m.author_email')}))"
    )
    answer = tools.gather(
        labels.TICKETS,
        "SELECT t.id, t.subject, t.description, t.status, t.priority, t.requester_email, t.created_at, "
        f"t.first_response_at, t.solved_at, t.tags FROM zendesk.tickets t WHERE {theirs} ORDER BY t.created_at",
        table="zendesk.tickets",
        untrusted=True,
    )
    tools.gather(
        labels.TICKET_COMMENTS,
        "SELECT n.id, n.ticket_id, n.author_email, n.author_role, n.public, n.body, n.created_at "
        "FROM zendesk.ticket_comments n WHERE n.ticket_id IN "
        f"(SELECT t.id FROM zendesk.tickets t WHERE {theirs}) ORDER BY n.created_at",
        table="zendesk.ticket_comments",
        untrusted=lambda row: row["author_role"] != "agent",
    )
    return answer


_CANCELLING = (
    *("cancel", "terminat", "unsubscrib", "discontinu", "not renew", "not be renew"),
    *("end our", "stop our", "close our", "stop billing", "stop charging"),
)
"""Pieces of what a request to cancel says: what holds one of them is no proof that there is none."""


def _cancellations(tools: Tools, who: Identity, since: datetime) -> None:
    """Every channel at once. What is found is judged later; only nothing at all in a channel proves its absence."""
    surfaces = dict(zip(labels.CANCELLATION_CHANNELS, _surfaces(who, instant(since)), strict=True))
    asked = [
        f"SELECT {quote(label)} AS channel, id FROM {table} WHERE {test}"
        for label, tests in surfaces.items()
        for table, test in tests.items()
    ]
    answer = tools.ask(labels.CANCELLATIONS, " UNION ALL ".join(asked))
    for label, tests in surfaces.items():
        rows = tuple(row for row in answer.rows if row["channel"] == label)
        tools.absence(
            Answer(answer.sql, rows, answer.ok, answer.truncated),
            table=next(iter(tests)),
            label=label,
            question=f"Did this customer ask to cancel the subscription: {labels.CANCELLATION_CHANNELS[label]}?",
        )


def _surfaces(who: Identity, since: str) -> list[dict[str, str]]:
    """Where a cancellation can sit, in the order of the channels: by table, what a row of it has to be."""

    def said(column: str) -> str:
        return mentions(column, _CANCELLING)

    named = mentions("text", who.names | who.domains) if who.names | who.domains else "1 = 0"
    return [
        {
            "intercom.conversations": f"created_at >= {since} AND {who.wrote('source_author_email')} AND "
            f"({said('source_subject')} OR {said('source_body')})",
            "intercom.conversation_parts": f"created_at >= {since} AND {who.wrote('author_email')} AND {said('body')}",
        },
        {
            "zendesk.tickets": f"created_at >= {since} AND {who.wrote('requester_email')} AND "
            f"({said('subject')} OR {said('description')})",
            "zendesk.ticket_comments": f"created_at >= {since} AND {who.wrote('author_email')} AND {said('body')}",
        },
        {
            "hubspot.emails": f"sent_at >= {since} AND {who.wrote('from_email')} AND "
            f"({said('subject')} OR {said('body')})"
        },
        {"hubspot.notes": f"company_id IN {one_of(who.hubspot_companies)} AND {said('body')}"},
        {"slack.messages": f"ts >= {since} AND {named} AND {said('text')}"},
        {"manthan.requests": f"received_at >= {since} AND {who.wrote('sender')} AND {said('text')}"},
        {
            "posthog.events": f"timestamp >= {since} AND {who.wrote('person_email')} AND "
            f"{mentions('event', ('cancel',))}"
        },
        {
            "stripe.subscriptions": f"customer IN {one_of(filter(None, [who.customer]))} AND "
            "(canceled_at IS NOT NULL OR cancel_at IS NOT NULL OR cancel_at_period_end)"
        },
    ]


def _told_in_the_product(tools: Tools, who: Identity, since: datetime) -> None:
    """What they agreed to, what they were told about the renewal, and any step towards a cancellation."""
    wanted = one_of([*product.AGREED, *product.NOTIFIED])
    tools.gather(
        labels.PRODUCT_STEPS,
        "SELECT e.id, e.event, e.person_email, e.timestamp, e.ip, e.device_id, e.properties FROM posthog.events e "
        f"WHERE {who.wrote('e.person_email')} AND (e.event IN {wanted} OR (e.timestamp >= {instant(since)} AND "
        f"{mentions('e.event', ('cancel',))})) ORDER BY e.timestamp, e.id",
        table="posthog.events",
        limit=50,
    )


def _actions(job: Job, tools: Tools, who: Identity) -> None:
    """The last things that they did, for a claim of fraud alone: how much there is to lose, and who it was."""
    if family_of(job.case) not in OF_FRAUD:
        return
    known = one_of([*product.NOT_USE, *product.PASSIVE])
    tools.gather(
        labels.ACTIONS,
        "SELECT e.id, e.event, e.person_email, e.timestamp, e.ip, e.device_id, e.properties FROM posthog.events e "
        f"WHERE {who.wrote('e.person_email')} AND e.event NOT IN {known} AND e.event NOT LIKE '$%' "
        "ORDER BY e.timestamp DESC, e.id",
        table="posthog.events",
        limit=50,
    )


def _written_requests(tools: Tools, who: Identity, since: datetime) -> None:
    """Other requests that they sent us by mail or form."""
    tools.gather(
        labels.REQUESTS,
        "SELECT q.id, q.channel, q.received_at, q.sender, q.text FROM manthan.requests q WHERE q.received_at >= "
        f"{instant(since)} AND {who.wrote('q.sender')} ORDER BY q.received_at, q.id",
        table="manthan.requests",
        untrusted=True,
        limit=20,
    )


def _colleagues(job: Job, tools: Tools, who: Identity) -> None:
    """What colleagues wrote about this customer. A longer name that begins like this one is another company's."""
    if not who.names:
        return
    since = (who.paid_at or job.now) - LOOK_BACK
    answer = tools.ask(
        labels.COLLEAGUES,
        f"SELECT id, channel, user_email, text, ts FROM slack.messages WHERE ts >= {instant(since)} "
        f"AND {mentions('text', who.names | who.domains)} ORDER BY ts",
    )
    namesakes = _namesakes(tools, who) if answer.rows else frozenset()
    for row in answer.rows:
        if _is_meant(row, who, namesakes):
            tools.add("slack.messages", str(row["id"]), dict(row), query=answer.sql)


def _namesakes(tools: Tools, who: Identity) -> frozenset[str]:
    asked = " UNION ALL ".join(
        f"SELECT name FROM {table} WHERE {mentions('name', who.names)}"
        for table in ("salesforce.accounts", "hubspot.companies", "stripe.customers")
    )
    answer = tools.ask("companies with a similar name", asked)
    return frozenset(str(row["name"]) for row in answer.rows) - who.names


def _is_meant(row: Row, who: Identity, namesakes: frozenset[str]) -> bool:
    text = str(row["text"])
    return any(language.names_company(text, name, namesakes) for name in who.names) or any(
        language.names_word(text, domain) for domain in who.domains
    )
