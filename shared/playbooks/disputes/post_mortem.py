"""The post-mortem of a dispute that has closed: our advice against what came of it, what it cost, and the lesson."""

from __future__ import annotations

from shared.case.actions import ActionKind, ActionState, Effect
from shared.case.brief import DecisionKind
from shared.case.case import Case, PostMortem
from shared.case.money import Money
from shared.playbooks.disputes.ending import Ending, ending_of, was_lost_on_arrival

_CONTESTING = frozenset({DecisionKind.FIGHT, DecisionKind.CREDIT, DecisionKind.ANSWER})
_CARRIES_OUT: dict[DecisionKind, ActionKind] = {
    **dict.fromkeys(_CONTESTING, ActionKind.STRIPE_SUBMIT_EVIDENCE),
    DecisionKind.ACCEPT: ActionKind.STRIPE_CLOSE_DISPUTE,
    DecisionKind.REFUND: ActionKind.STRIPE_REFUND,
}
_IN_WORDS = {
    Ending.WON: "the card issuer decided for us",
    Ending.LOST: "the dispute is lost",
    Ending.ACCEPTED: "the dispute is lost: accepted by us",
    Ending.PREVENTED: "the network settled the dispute by itself: prevented before it became a chargeback",
    Ending.INQUIRY_CLOSED: "the inquiry is closed",
}


def post_mortem(case: Case) -> PostMortem | None:
    """What to keep about a dispute that is over; None while it is open, and for anything that is no dispute."""
    ended = ending_of(case)
    if case.subject.kind != "dispute" or ended is Ending.OPEN:
        return None
    decision = case.brief.decision if case.brief else None
    carried_out = decision is not None and _was_carried_out(case, decision.kind)
    paid = _paid(case)
    return PostMortem(
        advice=decision.kind if decision else None,
        advised_minor=decision.amount_minor if decision else None,
        advised_currency=decision.currency if decision else None,
        carried_out=carried_out,
        outcome=ended.value,
        in_words=_IN_WORDS[ended],
        fees_minor=case.int_fact("books.fees_minor"),
        net_minor=case.int_fact("books.net_minor"),
        currency=case.text_fact("books.currency"),
        paid_minor=paid.minor if paid else None,
        paid_currency=paid.currency if paid else None,
        lesson=_lesson(case, ended, decision.kind if decision else None, carried_out),
    )


def _paid(case: Case) -> Money | None:
    """What our own actions paid; all that one case pays is in one currency."""
    paying = [a for a in case.actions if a.effect is Effect.MONEY_OUT and a.state is ActionState.SUCCEEDED]
    currencies = {action.currency for action in paying if action.currency is not None}
    if len(currencies) != 1:
        return None
    return Money(minor=sum(action.amount_minor or 0 for action in paying), currency=currencies.pop())


def _was_carried_out(case: Case, advice: DecisionKind) -> bool:
    kind = _CARRIES_OUT.get(advice)
    return kind is None or any(
        action.kind is kind and action.state is ActionState.SUCCEEDED and not action.depends_on_outcome()
        for action in case.actions
    )


def _lesson(case: Case, ended: Ending, advice: DecisionKind | None, carried_out: bool) -> str:
    if ended is Ending.PREVENTED:
        return "The network returned the money: no fee for an answer, nothing to answer, and nothing to refund."
    if was_lost_on_arrival(case):
        return "It was lost on arrival: such a dispute cannot be answered, so only preventing the next one helps."
    if advice is None:
        return f"It ended before there was advice: {_IN_WORDS[ended]}."
    if advice is DecisionKind.ESCALATE:
        return f"The rules left it to people, and {_IN_WORDS[ended]}: what decided it is what the rules lack."
    told = _OF_ADVICE.get((ended, advice in _CONTESTING)) if carried_out else None
    if told is None:
        missed = "" if carried_out else f", which was not carried out ({case.state_reason or case.state.value})"
        told = f"We advised to {advice.value}{missed}, and {_IN_WORDS[ended]}."
    return " ".join(part for part in (told, _cost(case, ended), _owed(case)) if part)


_OF_ADVICE = {
    (Ending.WON, True): "We advised to contest, and won: the evidence that decided such a claim was on file.",
    (
        Ending.LOST,
        True,
    ): "We advised to contest, and lost: compare what the issuer wants for this code with the packet.",
    (Ending.ACCEPTED, False): "We advised to give it up, and it was given up by closing it.",
    (Ending.INQUIRY_CLOSED, True): "The answer was enough: the inquiry ended without a chargeback.",
    (Ending.INQUIRY_CLOSED, False): "The refund was enough: the inquiry ended without a chargeback.",
}
"""By how it ended, and whether our advice was to contest; the advice was carried out."""


def _cost(case: Case, ended: Ending) -> str:
    fees, currency = case.int_fact("books.fees_minor"), case.text_fact("books.currency")
    if fees is None or currency is None or fees == 0:
        return ""
    stays = " stays a cost, as it is never returned" if ended is Ending.WON else " is lost as well"
    return f"The fee of {Money(minor=fees, currency=currency)}{stays}."


def _owed(case: Case) -> str:
    paid = _paid(case)
    return f"What was owed, {paid}, is paid." if paid is not None else ""
