"""Memory: what we learned about a customer, one episode per case."""

from __future__ import annotations

from dataclasses import replace

from shared.ports.store import CaseStore
from tests.contract.factories import ORG, at, batch, episode, fact, opening, stored
from tests.contract.test_cases import AWKWARD


def test_a_customer_we_never_met_has_no_episodes(store: CaseStore) -> None:
    assert list(store.episodes(ORG, "cus_1")) == []


def test_episodes_come_latest_first_and_no_more_than_asked(store: CaseStore) -> None:
    for number, seconds in enumerate((20, 0, 10)):
        store.write(batch(None, opening(number), episode=episode(f"case_{number}", decided_at=at(seconds))))
    assert [item.case_id for item in store.episodes(ORG, "cus_1")] == ["case_0", "case_2", "case_1"]
    assert [item.case_id for item in store.episodes(ORG, "cus_1", limit=2)] == ["case_0", "case_2"]


def test_an_episode_is_read_back_as_it_was_written(store: CaseStore) -> None:
    plain = episode("case_1", decided_at=at(0, microseconds=1))
    bare = replace(plain, case_id="case_2", amount_minor=None, currency=None, rationale=AWKWARD, decided_at=at(1))
    store.write(batch(None, opening(1), episode=plain))
    store.write(batch(None, opening(2), episode=bare))
    assert list(store.episodes(ORG, "cus_1")) == [bare, plain]


def test_the_episode_of_a_reopened_case_is_rewritten(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), episode=episode("case_1", outcome="refunded")))
    store.write(batch(record, fact("refund", "failed"), episode=episode("case_1", outcome="failed", decided_at=at(9))))
    assert [(item.outcome, item.decided_at) for item in store.episodes(ORG, "cus_1")] == [("failed", at(9))]


def test_a_rewritten_episode_can_turn_out_to_be_about_somebody_else(store: CaseStore) -> None:
    record = stored(store, batch(None, opening(), episode=episode("case_1", customer="cus_1")))
    store.write(batch(record, fact("n", 1), episode=episode("case_1", customer="cus_2")))
    assert list(store.episodes(ORG, "cus_1")) == []
    assert [item.case_id for item in store.episodes(ORG, "cus_2")] == ["case_1"]
