"""Two orgs with the same ids: no method of any port may show or change the other's data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.case.events import CaseOpened
from shared.ports.store import (
    Bookkeeping,
    CaseQuery,
    ChargeLedger,
    InboxChange,
    InboxStatus,
    PreconditionFailed,
    Reservation,
)
from tests.contract.conftest import Stores
from tests.contract.factories import (
    ORG,
    OTHER_ORG,
    at,
    batch,
    claim,
    entry,
    episode,
    fact,
    opening,
    report,
    row,
    stored,
)

CASE = "case_same"


def _opening(org: str) -> CaseOpened:
    return opening(org=org, facts={"owner": org}).model_copy(update={"case_id": CASE})


@pytest.fixture
def both(stores: Stores) -> Stores:
    """Both orgs have a case, an event, a charge, a memory, a report and a chunk of the same ids."""
    for number, org in enumerate((ORG, OTHER_ORG), start=1):
        stores.inbox.put(entry(1, org=org, body=org, case_id=CASE))
        stores.cases.write(
            batch(
                None,
                _opening(org),
                commit_id=f"commit of {org}",
                wake_at=at(number),
                ledger=ChargeLedger("acct", "ch", (Reservation(CASE, org, number),)),
                episode=episode(CASE, outcome=org),
            )
        )
        stores.cases.create_report(org, CASE, report(summary=org))
        stores.cases.put_chunk(org, CASE, "same", (row(number),), at(3600))
    return stores


@pytest.mark.parametrize("org", [ORG, OTHER_ORG])
def test_each_org_reads_its_own(both: Stores, org: str) -> None:
    number = 1 if org == ORG else 2
    record = both.cases.read(org, CASE)
    assert record is not None
    assert (record.case.org, record.case.facts["owner"]) == (org, org)
    commit = both.cases.commit_at(org, CASE, 0)
    assert commit is not None
    assert commit.commit_id == f"commit of {org}"
    assert list(both.cases.log(org, CASE)) == [commit]
    assert list(both.cases.due(org, at(60), 10)) == [(org, CASE)]
    assert [case.org for case in both.cases.list_cases(org, CaseQuery()).cases] == [org]
    assert [item.action_id for item in both.cases.read_ledger(org, "acct", "ch").reservations] == [org]
    assert [item.outcome for item in both.cases.episodes(org, "cus_1")] == [org]
    assert [item.summary for item in both.cases.reports(org, CASE, 1)] == [org]
    assert both.cases.read_chunk(org, CASE, "same") == (row(number),)
    found = both.inbox.get(org, "evt_1")
    assert found is not None
    assert found.body == org
    assert [item.org for item in both.inbox.waiting_for(org, CASE)] == [org]
    assert [item.org for item in both.inbox.list_entries(org)] == [org]


def test_a_third_org_sees_nothing(both: Stores) -> None:
    third = "initech"
    assert both.cases.read(third, CASE) is None
    assert both.cases.commit_at(third, CASE, 0) is None
    assert list(both.cases.log(third, CASE)) == []
    assert list(both.cases.due(third, at(60), 10)) == []
    assert both.cases.list_cases(third, CaseQuery()).cases == ()
    assert both.cases.read_ledger(third, "acct", "ch").version is None
    assert list(both.cases.episodes(third, "cus_1")) == []
    assert list(both.cases.reports(third, CASE, 1)) == []
    assert both.cases.read_chunk(third, CASE, "same") is None
    assert both.inbox.get(third, "evt_1") is None
    assert list(both.inbox.waiting_for(third, CASE)) == []
    assert list(both.inbox.list_entries(third)) == []


def test_a_write_of_one_org_leaves_the_other_as_it_was(both: Stores) -> None:
    other = both.cases.read(OTHER_ORG, CASE)
    record = both.cases.read(ORG, CASE)
    assert record is not None
    change = InboxChange("evt_1", InboxStatus.ATTACHED, CASE)
    ledger = replace(both.cases.read_ledger(ORG, "acct", "ch"), reservations=())
    mine = stored(
        both.cases, batch(record, fact("n", 1), inbox=(change,), ledger=ledger, episode=episode(CASE, outcome="new"))
    )
    assert both.cases.set_bookkeeping(ORG, CASE, mine.version, Bookkeeping(at(900), 7, 7))
    assert both.cases.read(OTHER_ORG, CASE) == other
    assert len(list(both.cases.log(OTHER_ORG, CASE))) == 1
    waiting = both.inbox.get(OTHER_ORG, "evt_1")
    assert waiting is not None
    assert waiting.status is InboxStatus.RECEIVED
    assert len(both.cases.read_ledger(OTHER_ORG, "acct", "ch").reservations) == 1
    assert [item.outcome for item in both.cases.episodes(OTHER_ORG, "cus_1")] == [OTHER_ORG]


def test_the_version_of_another_org_opens_nothing(both: Stores) -> None:
    record = both.cases.read(ORG, CASE)
    assert record is not None
    mine = stored(both.cases, batch(record, fact("n", 1)))
    other = both.cases.read(OTHER_ORG, CASE)
    assert other is not None
    assert other.version != mine.version
    with pytest.raises(PreconditionFailed):
        both.cases.write(batch(replace(other, version=mine.version), fact("n", 2)))


def test_settling_an_event_leaves_the_other_orgs_event(both: Stores) -> None:
    both.inbox.settle(ORG, InboxChange("evt_1", InboxStatus.QUARANTINED, reason="malformed"))
    other = both.inbox.get(OTHER_ORG, "evt_1")
    assert other is not None
    assert other.status is InboxStatus.RECEIVED


def test_a_page_token_leads_nowhere_in_another_org(stores: Stores) -> None:
    for number in range(3):
        stores.cases.write(batch(None, opening(number, org=ORG), when=at(number)))
    token = stores.cases.list_cases(ORG, CaseQuery(limit=1)).next
    assert token is not None
    assert stores.cases.list_cases(OTHER_ORG, CaseQuery(after=token)).cases == ()


def test_claims_of_two_orgs_do_not_meet(stores: Stores) -> None:
    assert stores.claims.take(ORG, claim("a"), at(0)) is None
    assert stores.claims.take(OTHER_ORG, claim("b"), at(0)) is None
    stores.claims.release(ORG, claim("a").key, "b")
    stores.claims.release(OTHER_ORG, claim("a").key, "a")
    assert stores.claims.live(ORG, claim("a").key, at(0)) == claim("a")
    assert stores.claims.live(OTHER_ORG, claim("b").key, at(0)) == claim("b")
