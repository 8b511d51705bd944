"""What a person chose of the ways out that an escalation offered: it holds for the round that the choice started."""

from __future__ import annotations

from shared.case.case import Answer, Case


def chosen(case: Case) -> Answer | None:
    """The answer that started the present round; None where something else did.

    News that came later starts a round of its own, and whatever was chosen before is asked again.
    """
    answers = [question.answer for question in case.questions if question.answer is not None]
    # The answer and the round that it starts are one commit, and so have the same instant.
    if len(case.rounds) < 2 or not answers or answers[-1].at != case.rounds[-1].planned_at:
        return None
    return answers[-1]
