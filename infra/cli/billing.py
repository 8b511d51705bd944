"""`manthan bench --cloud`: what cases use at Google, counted on its emulators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from infra.bench.bills import Account, accounts
from infra.bench.minimum import ABOVE, MINIMUM, Need, document, total
from infra.cli.approving import Approvers, Turn
from infra.cli.output import EnvironmentFault, Screen
from infra.cli.performance import perform
from infra.fakes.emulators import EmulatorMissing
from infra.stage import Stage
from infra.worlds import find_world, load_world
from shared.case.case import Case

_COLUMNS = ("reads", "writes", "deletes", "messages", "tasks", "deliveries", "calls")


def bill(screen: Screen, data: Path, world: str) -> None:
    """Count, and show the counts. Raises EnvironmentFault without the emulators, NotFound for no such world."""
    played = load_world(find_world(world))
    try:
        found = list(accounts(data, played, _perform, screen.say))
    except EmulatorMissing as missing:
        raise EnvironmentFault(str(missing)) from None
    screen.emit({"cases": [account.document() for account in found], "minimum": document()})
    screen.show()
    for line in _table(found):
        screen.show(line)


def _perform(stage: Stage) -> None:
    perform(stage, Approvers(), _Unwatched())


class _Unwatched:
    """Nobody looks."""

    def look(self) -> None:
        """Do nothing."""

    def asked(self, case: Case) -> None:
        """Do nothing."""

    def refused(self, turn: Turn, reason: str) -> None:
        """Do nothing."""


def _table(found: Sequence[Account]) -> Iterator[str]:
    width = max(len(account.name) for account in found)
    yield f"{'per case':{width}}" + "".join(f"{name:>12}" for name in _COLUMNS)
    for account in found:
        numbers = account.bill.numbers()
        yield f"{account.name:{width}}" + "".join(f"{numbers[name]:>12}" for name in _COLUMNS)
    least = total(MINIMUM)
    yield f"{'the least for the first':{width}}" + "".join(f"{least.get(name, '-'):>12}" for name in _COLUMNS)
    yield ""
    yield "The least, and why:"
    yield from map(_line, MINIMUM)
    yield ""
    yield "Above it, and why:"
    yield from map(_line, ABOVE)
    yield ""
    yield "Firestore's operations without the trace. A task's operations are its creation and its attempts."


def _line(need: Need) -> str:
    costs = {"reads": need.reads, "writes": need.writes, "messages": need.messages, "tasks": need.tasks}
    told = ", ".join(f"{number} {name}" for name, number in costs.items() if number)
    return f"  {need.what} ({told}): {need.why}"
