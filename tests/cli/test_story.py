"""The log of a case as sentences."""

from __future__ import annotations

from pathlib import Path

from infra.cli.progress import Follower
from infra.cli.story import _SENTENCES, entries, sentence
from shared.case.canonical import Record
from shared.case.events import CaseOpened, EpisodeRecorded, Event, Reminded
from shared.case.lifecycle import State
from shared.steps import people
from tests.support.rig import ALICE, BOB, ORG, Rig


def settled(rig: Rig) -> str:
    """A case that went all the way."""
    case = rig.to_approval()
    for email in (ALICE, BOB):
        people.approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    rig.post(rig.event("test.closed", status="won"))
    rig.pump()
    assert rig.case().state is State.RESOLVED
    return case.id


def test_every_kind_of_event_has_a_sentence() -> None:
    kinds = {kind for kind in Record.__subclasses__() if kind.__module__ == CaseOpened.__module__}
    assert {kind for kind in kinds if "type" in kind.model_fields} == set(_SENTENCES)


def test_the_story_of_a_case_is_told_from_its_log_in_order(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        case_id = settled(rig)
        log = list(entries(rig.store, ORG, case_id))
    told = [sentence(entry.event) for entry in log]
    assert [entry.seq for entry in log] == list(range(len(log)))
    in_order = [
        "case opened: test.created of du_1",
        "round 1: payments, customer, reliability, policies, network start",
        "brief drafted: credit 84.00 USD, 1 finding and 5 actions",
        "now awaiting outcome: waits for the issuer's decision",
        "from outside: test.closed: dispute.won",
        "now resolved: the dispute was won",
    ]
    places = [told.index(line) for line in in_order]
    assert places == sorted(places)
    assert any(line.startswith(f"{ALICE} approved stripe_submit_evidence") for line in told)


def test_a_sentence_is_one_line_whatever_is_in_it() -> None:
    event: Event = Reminded(what="due\n\x1b[2Jnow")
    assert sentence(event) == "reminder: due now"
    without_amount: Event = EpisodeRecorded(
        customer="cus_1", decision="accept", amount_minor=None, currency=None, outcome="lost"
    )
    assert sentence(without_amount) == "committed to memory: accept no amount, lost"


def test_a_follower_tells_everything_once(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        follower = Follower(rig.store)
        first = follower.news([rig.to_approval()])
        assert follower.news([rig.case()]) == []
        people.approve(rig.all_ports(), rig.context(ALICE), rig.case().id)
        later = follower.news([rig.case()])
        assert len(first) + len(later) == rig.case().events
        assert any(f"{ALICE} approved" in line.text for line in later)


def test_with_several_cases_each_line_names_its_own(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        cases = [rig.to_approval("du_1"), rig.to_approval("du_2")]
        lines = Follower(rig.store).news(cases)
        assert {line.text.split()[0] for line in lines} == {case.id for case in cases}


def test_what_a_follower_has_caught_up_with_is_no_news(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        case = rig.to_approval()
        follower = Follower(rig.store)
        follower.catch_up([case])
        assert follower.news([case]) == []
