"""What people read first about a dispute: the summary, and the question to whoever approves."""

from __future__ import annotations

from shared.case.brief import DecisionKind
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.conclusion import capital
from shared.playbooks.disputes.matter import Matter
from shared.team.words import feature, listed, minute


def summary(matter: Matter, ruling: Ruling) -> str:
    """The case in a few sentences."""
    disputed, does = _disputed(matter), "asks their bank about" if matter.is_inquiry else "disputes"
    opening = f"{matter.customer_name} {does} {disputed} for {matter.plan}: {matter.rule.meaning}."
    if ruling.credit is not None:
        credit = ruling.credit
        owed = matter.money(credit.derivation.value_minor)
        features = listed(sorted({feature(item.service) for item in credit.troubles}))
        return (
            f"{opening} {features} was in trouble from {minute(credit.windows[0].start)} to "
            f"{minute(credit.windows[-1].end)}; they used it and complained at the time. {credit.policy.title}: "
            f"{credit.derivation.words}. Contest the chargeback, say openly that {owed} are owed, and refund that once "
            "the dispute is won."
        )
    move = {
        DecisionKind.FIGHT: f"Contest the whole {disputed}.",
        DecisionKind.ANSWER: "Answer the inquiry with the facts.",
        DecisionKind.REFUND: "Refund the whole charge, which resolves the inquiry.",
        DecisionKind.ACCEPT: f"Accept the chargeback by closing it: the customer keeps the {disputed}.",
        DecisionKind.RECORD: "There is nothing to answer: book it, and see to what has to be repaired.",
    }.get(ruling.kind)
    if move is not None:
        return f"{opening} {capital(ruling.reasons[0])}. {move}{_beside(matter, ruling)}"
    return f"{opening} A person has to decide: {'; '.join(ruling.reasons)}."


def question(matter: Matter, ruling: Ruling) -> str:
    """The trade-off, the risk and the alternative."""
    disputed = _disputed(matter)
    if ruling.credit is not None:
        owed = matter.money(ruling.credit.derivation.value_minor)
        return (
            f"Shall we contest {disputed} while admitting that {owed} are owed, and refund {owed} only if we win? The "
            "packet can be submitted once, and contesting costs a fee that only a win returns. If we lose, the "
            f"customer keeps the whole {disputed} and nothing more is paid. The alternative is to accept the dispute "
            "and to lose all of it, more than the policy gives back."
        )
    if ruling.kind is DecisionKind.FIGHT:
        return (
            f"Shall we contest the whole {disputed}? The packet can be submitted once, and contesting costs a fee that "
            "only a win returns. The alternative is to accept the dispute and keep the goodwill of the customer."
        )
    if ruling.kind is DecisionKind.ANSWER:
        return (
            f"Shall we answer the inquiry about {disputed} with these facts? No money has moved, and answering costs "
            "nothing; the bank may still take the money, and then a chargeback needs an answer of its own. The "
            "alternative is to refund the whole charge, which ends the inquiry for certain."
        )
    if ruling.kind is DecisionKind.REFUND:
        return (
            f"Shall we refund all of {disputed}? That ends the inquiry without a fee. The alternative is to answer it "
            "and to risk a chargeback that we would probably lose."
        )
    if ruling.kind is DecisionKind.ACCEPT:
        return (
            f"Shall we accept the chargeback of {disputed}? Closing it cannot be taken back, the fee for receiving it "
            "is lost either way, and it still counts as a dispute. The alternative is to contest it, at "
            "another fee and with little hope."
        )
    if ruling.kind is DecisionKind.RECORD:
        return (
            f"The bank has returned {disputed} for good. Is there anything to do beside booking it? A refund would pay "
            "twice."
        )
    object_, end = ("inquiry about", "can become a chargeback") if matter.is_inquiry else ("chargeback of", "is lost")
    return (
        f"What shall become of the {object_} {disputed}? The rules could not decide it: "
        f"{'; '.join(ruling.reasons)}. Left unanswered, it {end} at its due date."
    )


def _beside(matter: Matter, ruling: Ruling) -> str:
    """What goes with a contest: the end of a subscription, and what a win makes payable."""
    if ruling.kind is not DecisionKind.FIGHT or not ruling.ends:
        return ""
    due = ruling.after_win
    later = f" and refund {matter.money(due.value_minor)} for its unused time once the dispute is won" if due else ""
    return f" End the subscription{later}."


def _disputed(matter: Matter) -> str:
    return matter.money(matter.disputed_minor, matter.dispute_currency)
