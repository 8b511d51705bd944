"""Time passing: moving the clock and carrying out what falls due on the way, in order."""

from __future__ import annotations

from . import agenda, clock, lifecycle, refunds, script, subscriptions
from .errors import Invalid
from .session import Session
from .store import Store
from .wire import JsonObject

_CARRY_OUT = {
    "script": script.deliver,
    "dispute": lifecycle.take_step,
    "refund": refunds.settle,
    "subscription": subscriptions.end,
}


def catch_up(session: Session) -> int:
    """Carries out everything due by now, in this transaction; returns how many things that was."""
    fired = 0
    while (entry := agenda.take(session, session.now)) is not None:
        _CARRY_OUT[entry.kind](session, entry)
        fired += 1
    return fired


def advance(store: Store, until: int) -> int:
    """Moves the clock forward to `until` (epoch seconds), stopping at everything due on the way.

    Each stop is a transaction of its own, so that what happens at an instant sees that instant as now. Returns how many
    things were carried out. Raises Invalid when `until` has passed.
    """
    with store.transaction() as session:
        if until < session.now:
            raise Invalid("The clock does not run backwards.", param="now")
    fired = 0
    while True:
        with store.transaction() as session:
            due = agenda.next_at(session)
            session.now = max(session.now, until if due is None else min(until, due))
            clock.move(session.db, session.now)
            fired += catch_up(session)
            if session.now >= until and not _is_due(session):
                return fired


def state(session: Session) -> JsonObject:
    """Now, and the next instant at which something is scheduled (null for never), in epoch seconds."""
    running = clock.is_running(session.db)
    return {"now": session.now, "next_at": agenda.next_at(session), "running": running}


def _is_due(session: Session) -> bool:
    due = agenda.next_at(session)
    return due is not None and due <= session.now
