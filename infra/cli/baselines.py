"""What deciding is worth: our decisions about disputes beside accepting all and fighting all, in money, fees included.

The measure is the right decision of expect.yaml and a bank that finds the truth: contesting wins where the merchant is
right, and loses where all of the money is owed. What a strategy keeps is counted against keeping the whole payment:

    accepted                            - amount - received fee
    contested and won                   - received fee (the countered fee comes back)
    contested and lost                  - amount - received fee - countered fee
    contested and won, a part owed      the same, and what is owed once it is paid

Whoever fights all keeps money that is owed to customers where a part is owed: that is shown beside it. Cases that only
a person can decide rightly are left out, and a decision that we left to a person counts as accepted: the worst that
can become of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from infra.cli.expected import Judged
from shared.case.brief import DecisionKind
from shared.case.money import Money, convert, format_minor
from shared.errors import InvalidInput
from shared.playbooks.disputes.figures import fee
from shared.ports.directory import Org

_CONTESTED = frozenset({DecisionKind.FIGHT, DecisionKind.CREDIT})
_GIVEN_UP = frozenset({DecisionKind.ACCEPT, DecisionKind.REFUND})


@dataclass(slots=True)
class Balance:
    """Sums over disputes in one currency, in its minor units: what each strategy keeps or loses."""

    currency: str
    cases: int = 0
    disputed_minor: int = 0
    accept_all_minor: int = 0
    fight_all_minor: int = 0
    fight_all_owes_minor: int = 0
    """What is owed to customers and was not paid by whoever fights all."""
    ours_minor: int = 0
    left_to_people: int = 0

    def as_json(self) -> dict[str, Any]:
        """The sums for other programs."""
        return asdict(self)

    def __str__(self) -> str:
        def money(minor: int) -> str:
            return format_minor(minor, self.currency)

        return (
            f"{self.cases} disputes over {money(self.disputed_minor)} {self.currency.upper()}: accept all "
            f"{money(self.accept_all_minor)}, fight all {money(self.fight_all_minor)} (and owes "
            f"{money(self.fight_all_owes_minor)}), ours {money(self.ours_minor)}"
        )


def baselines(trials: Iterable[tuple[Org, Iterable[Judged]]]) -> list[Balance]:
    """The sums by the currency of the orgs; cases without a rate to it are left out."""
    found: dict[str, Balance] = {}
    for org, judged in trials:
        for case in judged:
            _add(found, org, case)
    return [found[currency] for currency in sorted(found)]


def _add(found: dict[str, Balance], org: Org, judged: Judged) -> None:
    case, expected = judged.got, judged.expected
    if case is None or expected is None or case.brief is None or case.subject.kind != "dispute":
        return
    minor, currency = case.int_fact("dispute.amount"), case.text_fact("dispute.currency")
    right = next((kind for kind in _CONTESTED | _GIVEN_UP if expected.decisions == {kind}), None)
    if right is None or minor is None or currency is None:
        return
    try:
        amount = convert(Money(minor=minor, currency=currency), org.currency, org.fx)
        received, countered = (convert(fee(kind), org.currency, org.fx) for kind in ("received", "countered"))
        part = expected.amount_minor if right is DecisionKind.CREDIT and expected.amount_minor else 0
        owed = convert(Money(minor=part, currency=expected.currency or currency), org.currency, org.fx)
    except InvalidInput:
        return
    accepted = -amount - received
    contested = -received if right in _CONTESTED else accepted - countered
    balance = found.setdefault(org.currency, Balance(org.currency))
    balance.cases += 1
    balance.disputed_minor += amount
    balance.accept_all_minor += accepted
    balance.fight_all_minor += contested
    balance.fight_all_owes_minor += owed
    ours = case.brief.decision.kind
    balance.left_to_people += ours not in _CONTESTED | _GIVEN_UP
    paid = owed if ours is DecisionKind.CREDIT else 0
    balance.ours_minor += contested - paid if ours in _CONTESTED else accepted
