"""Every function, with a scripted playbook beside the shipped ones: what the functions framework serves in these tests.

The modules of the product are loaded as they are, from the settings of the process. Cases of `test.*` events go to the
script: about charges whose id begins with `ch_silent`, one specialist does not answer within any deadline.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from infra.bootstrap import composed_as
from infra.google.composition import GoogleComposition
from infra.parts import shipped_playbooks
from infra.settings import load
from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import Brief, Decision, DecisionKind, Derivation, Finding, Input
from shared.case.case import Case
from shared.ports.queue import Task
from shared.steps import sending
from shared.team.contract import Draft, Findings, Job, Material, Specialist
from tests.support.playbook import NAMES, ScriptedPlaybook, ScriptedSpecialist, row

SILENT = "ch_silent"
ATTEMPT_S = 15.0
"""The shortest deadline that Cloud Tasks takes."""
DEADLINE_S = 20.0
SILENT_FOR_S = 23.0
AMOUNT = 1900


def finds_charge(job: Job, findings: Findings) -> None:
    findings.rows.append(row("stripe.charges", job.case.subject.id, amount=AMOUNT, refunded=0))


def says_nothing(job: Job, findings: Findings) -> None:
    time.sleep(SILENT_FOR_S)  # a call that nobody can interrupt
    finds_charge(job, findings)


def small_refund(material: Material) -> Draft:
    """The charge back: too little to ask anybody."""
    charge = material.case.subject.id
    derivation = Derivation(
        expression="amount",
        inputs={"amount": Input(value=AMOUNT, evidence=0, field="amount", unit="usd minor units")},
        currency="usd",
        value_minor=AMOUNT,
    )
    decision = Decision(
        kind=DecisionKind.REFUND,
        amount_minor=AMOUNT,
        currency="usd",
        derivation=derivation,
        rationale="it is owed",
        confidence_pct=95,
    )
    brief = Brief(
        round=material.round,
        tldr="It is owed.",
        findings=(Finding(text="The charge was 19.00.", citations=(0,), confidence_pct=95),),
        decision=decision,
        gaps=tuple(material.gaps),
        approver_question="Pay it back?",
    )
    refund = ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose="refund",
        target=charge,
        amount_minor=AMOUNT,
        currency="usd",
        payload={"charge": charge, "amount_minor": AMOUNT, "currency": "usd"},
        description="Refund the charge",
    )
    note = ActionDraft(
        kind=ActionKind.CRM_NOTE,
        purpose="note",
        target="co_1",
        payload={"company_id": "co_1", "body": "It was owed."},
        description="Note it",
        needed=False,
    )
    facts = {"customer.id": "cus_1", "charge.refundable_now_minor": AMOUNT, "charge.refundable_later_minor": AMOUNT}
    return Draft(brief=brief, actions=(refund, note), facts=dict(facts))


class Scripted(ScriptedPlaybook):
    """Five specialists who find the charge, and a refund that needs nobody."""

    def team(self, case: Case) -> Sequence[Specialist]:
        team = [ScriptedSpecialist(name, finds_charge) for name in NAMES]
        if case.subject.id.startswith(SILENT):
            team[-1] = ScriptedSpecialist(NAMES[-1], says_nothing, deadline_s=DEADLINE_S)
        return team


def with_short_attempts(case: Case, task: Task) -> Task:
    """Nobody waits a minute in a test for what never comes."""
    short = case.subject.id.startswith(SILENT) and task.queue == "specialists"
    return replace(task, deadline_s=ATTEMPT_S) if short else task


_task = sending._task
sending._task = lambda context, case, due, generation: with_short_attempts(  # type: ignore[assignment]
    case, _task(context, case, due, generation)
)


def __getattr__(name: str) -> Any:
    """The function that this process serves."""
    playbooks = {**shipped_playbooks(), "scripted": Scripted(name="scripted", conclude=small_refund)}
    try:
        with composed_as(GoogleComposition(load(), playbooks=playbooks)):
            return getattr(importlib.import_module(f"functions.{name}.main"), name)
    except ModuleNotFoundError:
        raise AttributeError(name) from None
