"""A record links to the system it came from, or to us where that system is unknown; it never fails."""

from __future__ import annotations

import pytest

from infra.sources.catalog import catalogue
from infra.sources.links import Links
from shared.errors import InvalidInput

BASES = {
    "zendesk": "https://acme.zendesk.com/",
    "intercom": "https://app.intercom.com/a/apps/abc",
    "salesforce": "https://acme.lightning.force.com",
    "hubspot": "https://app.hubspot.com/contacts/1234",
    "slack": "https://acme.slack.com",
    "pagerduty": "https://acme.pagerduty.com",
}


@pytest.mark.parametrize(
    ("table", "record", "address"),
    [
        ("stripe.disputes", "dp_1", "https://dashboard.stripe.com/disputes/dp_1"),
        ("stripe.charges", "ch_1", "https://dashboard.stripe.com/payments/ch_1"),
        ("stripe.invoice_lines", "il_1", "https://dashboard.stripe.com/search?query=il_1"),
        ("zendesk.tickets", "42", "https://acme.zendesk.com/agent/tickets/42"),
        ("intercom.conversations", "9", "https://app.intercom.com/a/apps/abc/inbox/inbox/all/conversations/9"),
        ("salesforce.accounts", "001", "https://acme.lightning.force.com/lightning/r/Account/001/view"),
        ("hubspot.companies", "5", "https://app.hubspot.com/contacts/1234/company/5"),
        ("slack.messages", "C1/p2", "https://acme.slack.com/archives/C1%2Fp2"),
        ("notion.pages", "abc", "https://www.notion.so/abc"),
        ("datadog.monitors", "77", "https://app.datadoghq.com/monitors/77"),
        ("sentry.issues", "3", "https://sentry.io/issues/3/"),
        ("pagerduty.incidents", "P1", "https://acme.pagerduty.com/incidents/P1"),
        ("posthog.persons", "d1", "https://us.posthog.com/person/d1"),
        ("manthan.episodes", "case 1", "manthan://source/manthan/episodes/case%201"),
        ("nowhere", "x", "manthan://source/nowhere//x"),
        ("", "", "manthan://source///"),
    ],
)
def test_a_record_has_an_address(table: str, record: str, address: str) -> None:
    assert Links(BASES).to(table, record) == address


def test_test_data_is_shown_in_test_mode() -> None:
    assert Links(test_mode=True).to("stripe.disputes", "dp_1") == "https://dashboard.stripe.com/test/disputes/dp_1"


def test_a_system_without_a_workspace_links_to_us() -> None:
    assert Links().to("zendesk.tickets", "42") == "manthan://source/zendesk/tickets/42"


@pytest.mark.parametrize("record", ["a/../b", "?x=1#y", "javascript:alert(1)", "<b>", "a b", "\ud800", "é"])
def test_a_record_id_cannot_leave_its_place_in_the_address(record: str) -> None:
    address = Links().to("stripe.disputes", record)
    prefix = "https://dashboard.stripe.com/disputes/"
    assert address.startswith(prefix)
    assert not set(address.removeprefix(prefix)) & set("/?#<> :")


@pytest.mark.parametrize("record", ["", ".", ".."])
def test_a_record_id_of_dots_gets_no_address_to_climb_out_of(record: str) -> None:
    assert Links().to("stripe.disputes", record).startswith("manthan://source/stripe/disputes/")


@pytest.mark.parametrize("base", ["javascript:alert(1)", "http://acme.zendesk.com", "acme.zendesk.com", "https://"])
def test_a_base_must_be_an_https_address(base: str) -> None:
    with pytest.raises(InvalidInput, match="base address of zendesk"):
        Links({"zendesk": base})


def test_every_table_of_the_catalogue_has_a_link() -> None:
    assert all(Links(BASES).to(table, "1") for table in catalogue())
