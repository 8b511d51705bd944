"""The remembered registry: a minute old at most, and never sure of what it does not know."""

from __future__ import annotations

import pytest

from infra.google.remembered import KEPT_FOR_S, RememberedDirectory
from infra.local.clock import ManualClock
from shared.errors import NotFound
from shared.ports import Org
from tests.contract.factories import START


class Registry:
    """Knows what a test puts in, and counts who asks."""

    def __init__(self) -> None:
        self.orgs: dict[str, Org] = {}
        self.owners: dict[str, str] = {}
        self.asked = 0

    def org(self, org_id: str) -> Org:
        self.asked += 1
        if org_id not in self.orgs:
            raise NotFound(org_id)
        return self.orgs[org_id]

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        self.asked += 1
        return self.owners.get(endpoint)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


def test_an_org_is_asked_for_once_a_minute(clock: ManualClock) -> None:
    registry = Registry()
    registry.orgs["acme"] = Org(id="acme", currency="usd")
    remembered = RememberedDirectory(registry, clock)
    assert [remembered.org("acme").currency for _ in range(3)] == ["usd"] * 3
    registry.orgs["acme"] = Org(id="acme", currency="eur")
    assert (registry.asked, remembered.org("acme").currency) == (1, "usd")
    clock.advance(KEPT_FOR_S)
    assert remembered.org("acme").currency == "eur"


def test_what_is_unknown_is_asked_again_until_it_is_known(clock: ManualClock) -> None:
    registry = Registry()
    remembered = RememberedDirectory(registry, clock)
    assert remembered.org_of_event("/stripe", "current", None) is None
    with pytest.raises(NotFound):
        remembered.org("acme")
    registry.owners["/stripe"] = "acme"
    registry.orgs["acme"] = Org(id="acme", currency="usd")
    assert remembered.org_of_event("/stripe", "current", None) == "acme"
    assert remembered.org_of_event("/stripe", "current", None) == "acme"
    assert remembered.org("acme").id == "acme"
    assert registry.asked == 4
