"""Policy analyst: what the merchant's own pages say about this kind of claim, and which of them count."""

from __future__ import annotations

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.policies import is_for, topics_for
from shared.team.contract import Job
from shared.team.literals import one_of
from shared.team.tools import Tools


def ask(job: Job, tools: Tools) -> None:
    """All pages are looked through; those for this claim are evidence, current or not, and who reads them decides."""
    listed = tools.ask("the policy library", "SELECT id, applies_to FROM policies.documents", essential=True)
    topics = topics_for(job.case)
    meant = [str(row["id"]) for row in listed.rows if is_for(row["applies_to"], topics)]
    answer = tools.gather(
        "the policies for this claim",
        "SELECT id, title, status, effective_from, applies_to, rule, url, body FROM policies.documents "
        f"WHERE id IN {one_of(meant)} ORDER BY id",
        table="policies.documents",
    )
    if not listed.truncated:
        tools.absence(
            answer,
            table="policies.documents",
            label=labels.NO_POLICY,
            question="Is there a policy for this kind of claim?",
        )
