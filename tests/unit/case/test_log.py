"""The chain detects every edit, removal and reordering of a case's log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from shared.case.case import Subject, Trigger
from shared.case.events import CaseOpened, Event, Moved, OutsideChanged
from shared.case.evolve import evolve
from shared.case.lifecycle import LEGAL, State, check_move
from shared.case.log import StoredEntry, chain, compare_state, genesis, verify
from shared.errors import IllegalTransition

ORG, CASE = "acme", "case_1"
AT = datetime(2026, 5, 8, 12, tzinfo=UTC)


def opened() -> CaseOpened:
    return CaseOpened(
        case_id=CASE,
        org=ORG,
        subject=Subject(kind="dispute", id="du_1"),
        playbook="disputes",
        trigger=Trigger(event_id="evt_1", type="charge.dispute.created", summary="a dispute", created_at=AT),
        facts={"dispute.amount": 84000},
    )


def events() -> list[Event]:
    return [
        opened(),
        Moved(to=State.MANUAL_REVIEW, reason="look"),
        OutsideChanged(event_id="evt_2", event_type="charge.dispute.updated", facts={"dispute.amount": 84001}),
        Moved(to=State.RESOLVED, reason="done"),
    ]


def entries(*, at: datetime = AT) -> list[StoredEntry]:
    head = genesis(ORG, CASE)
    stored: list[StoredEntry] = []
    for number, event in enumerate(events()):
        chained = chain(
            [event],
            first_seq=number,
            head=head,
            at=at + timedelta(seconds=number),
            actor="system",
            trace="t",
            commit_id=f"c{number}",
        )
        head = chained.head
        stored += [StoredEntry(text, digest) for text, digest in zip(chained.entries, chained.hashes, strict=True)]
    return stored


def problems(stored: list[StoredEntry]) -> str:
    return " | ".join(verify(stored, org=ORG, case_id=CASE).problems)


def test_an_untouched_log_verifies_and_folds_into_the_case() -> None:
    result = verify(entries(), org=ORG, case_id=CASE)
    assert (result.ok, result.events) == (True, 4)
    assert result.case is not None
    assert (result.case.state, result.case.facts) == (State.RESOLVED, {"dispute.amount": 84001})
    assert compare_state(result, result.case) == []


def test_a_flipped_byte_in_an_entry_is_found() -> None:
    stored = entries()
    stored[2] = StoredEntry(stored[2].text.replace("84001", "84002"), stored[2].hash)
    assert "entry 2: its text does not match its hash" in problems(stored)


def test_an_edit_with_a_recomputed_hash_breaks_the_chain() -> None:
    from shared.case.canonical import sha256

    stored = entries()
    text = stored[2].text.replace("84001", "84002")
    stored[2] = StoredEntry(text, sha256(text))
    assert "entry 3: it does not chain to the entry before it" in problems(stored)


def test_a_removed_entry_is_found() -> None:
    stored = entries()
    del stored[1]
    assert "an entry was removed, added or moved" in problems(stored)


def test_reordered_entries_are_found() -> None:
    stored = entries()
    stored[1], stored[2] = stored[2], stored[1]
    found = problems(stored)
    assert "its seq is 2" in found
    assert "it is dated before the entry before it" in found


def test_a_log_of_another_case_cannot_pass_for_this_one() -> None:
    assert "it does not chain" in " | ".join(verify(entries(), org=ORG, case_id="case_2").problems)
    assert "it does not chain" in " | ".join(verify(entries(), org="other", case_id=CASE).problems)


def test_an_unreadable_entry_is_reported_and_the_rest_is_still_checked() -> None:
    stored = entries()
    stored[1] = StoredEntry("{not json", stored[1].hash)
    assert "entry 1: its text is not a readable entry" in problems(stored)


def test_a_missing_log_and_a_changed_state_are_reported() -> None:
    empty = verify([], org=ORG, case_id=CASE)
    folded = verify(entries(), org=ORG, case_id=CASE)
    assert folded.case is not None
    assert compare_state(empty, folded.case) == ["the log holds no case"]
    changed = folded.case.model_copy(update={"state": State.FAILED})
    assert compare_state(folded, changed) == ["the stored case differs from the fold of its log in: state"]


def test_an_event_that_cannot_follow_is_an_error() -> None:
    case = evolve(None, opened(), AT)
    with pytest.raises(IllegalTransition, match="already open"):
        evolve(case, opened(), AT)
    with pytest.raises(IllegalTransition, match="before the case was opened"):
        evolve(None, Moved(to=State.FAILED, reason="x"), AT)
    with pytest.raises(IllegalTransition, match="received cannot become resolved"):
        evolve(case, Moved(to=State.RESOLVED, reason="x"), AT)


@pytest.mark.parametrize("current", list(State))
def test_only_moves_in_the_table_are_legal(current: State) -> None:
    for to in State:
        if to in LEGAL[current]:
            check_move(current, to)
        else:
            with pytest.raises(IllegalTransition):
                check_move(current, to)
