"""Who used the seats that were billed, and who signed for them: for claims that the amount is wrong."""

from __future__ import annotations

from dataclasses import replace

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import dealings
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.current import family_of
from shared.playbooks.disputes.identity import Identity
from shared.team.contract import Job
from shared.team.literals import instant
from shared.team.tools import Tools

ABOUT_AMOUNTS = frozenset({Family.PROCESSING_ERROR, Family.GENERAL})
"""Claims in which the number of seats can be what is meant."""


def sign_ins(job: Job, tools: Tools, who: Identity, cycle: Cycle | None) -> None:
    """The first sign-in of each of their people in the billed period, up to now."""
    if cycle is None or not _is_asked(job):
        return
    answer = tools.gather(
        labels.SIGN_INS,
        "SELECT id, user_email, company, timestamp, method, success FROM (SELECT s.id, s.user_email, s.company, "
        "s.timestamp, s.method, s.success, row_number() OVER (PARTITION BY lower(s.user_email) ORDER BY s.timestamp, "
        f"s.id) AS place FROM auth.sign_ins s WHERE {who.wrote('s.user_email')} AND s.success "
        f"AND s.timestamp >= {instant(cycle.start)} AND s.timestamp < {instant(min(cycle.end, job.now))}) u "
        "WHERE u.place = 1 ORDER BY timestamp, id",
        table="auth.sign_ins",
    )
    tools.absence(
        answer,
        table="auth.sign_ins",
        label=labels.NO_SIGN_IN,
        question="Did anybody of this customer sign in during the billed period?",
    )


def addenda(job: Job, tools: Tools, who: Identity) -> None:
    """What they bought by contract, in either CRM, and who signed it; or the proof that nobody signed anything."""
    if not _is_asked(job):
        return
    answer = dealings.deals(tools, who)
    signed = tuple(row for row in answer.rows if row["signed_at"])
    tools.absence(
        replace(answer, rows=signed),
        table="salesforce.opportunities",
        label=labels.NO_ADDENDUM,
        question="Did anybody of this customer sign for what was billed, in either CRM?",
    )


def _is_asked(job: Job) -> bool:
    return job.case.subject.kind == "dispute" and family_of(job.case) in ABOUT_AMOUNTS
