"""Policy analyst: what the merchant's own pages say about this kind of claim, and which of them count."""

from __future__ import annotations

from collections.abc import Iterator

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.policies import declares_topics, is_for, topics_for, words_for
from shared.team.contract import Job
from shared.team.literals import one_of, quote
from shared.team.retrieval import Page, search, words_of
from shared.team.tools import Tools

MOST_BY_WORDS = 3
"""How many pages that declare no topics are handed over: the ones that are most about the matter."""


def ask(job: Job, tools: Tools) -> None:
    """All pages are looked through; those for this claim are evidence, current or not, and who reads them decides.

    A page says by its topics what it is for. One that declares none is found by its words.
    """
    listed = tools.ask("the policy library", "SELECT id, applies_to FROM policies.documents", essential=True)
    topics = topics_for(job.case)
    meant = [str(row["id"]) for row in listed.rows if is_for(row["applies_to"], topics)]
    undeclared = [str(row["id"]) for row in listed.rows if not declares_topics(row["applies_to"])]
    meant += _by_words(job, tools, undeclared)
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


def _by_words(job: Job, tools: Tools, undeclared: list[str]) -> list[str]:
    """Those of the pages without topics that are about this matter, the closest first."""
    if not undeclared:
        return []
    answer = tools.ask(
        "the pages that do not say what they are for",
        f"SELECT id, title, body FROM policies.documents WHERE id IN {one_of(undeclared)} ORDER BY id",
    )
    if answer.truncated:
        tools.gap("the policies for this claim", "the pages that do not say what they are for could not be read whole")
    pages = [Page(str(row["id"]), str(row["title"] or ""), str(row["body"] or "")) for row in answer.rows]
    return list(search(pages, words_of(words_for(job.case), *_said(job, tools)), limit=MOST_BY_WORDS))


def _said(job: Job, tools: Tools) -> Iterator[str]:
    """What a person asked for: their words help to find a page, and decide nothing."""
    if job.case.subject.kind == "request":
        wanted = f"SELECT text FROM manthan.requests WHERE id = {quote(job.case.subject.id)}"
        for row in tools.ask("the request", wanted).rows:
            yield str(row["text"] or "")
