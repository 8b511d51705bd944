"""`manthan rules`: a code explained, and everything the rule base holds listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import document, run


def test_a_code_is_explained_with_its_family_stance_decisive_fields_and_source() -> None:
    shown = run("rules", "show", "13.2")
    assert shown.exit_code == 0
    for told in ("visa 13.2", "subscription_canceled", "cancellation_rebuttal", "docs.stripe.com", "2026-05"):
        assert told in shown.stdout


def test_one_code_of_two_networks_is_shown_for_both_unless_one_is_named() -> None:
    assert [rule["network"] for rule in document(run("rules", "show", "4863", "--json"))["rules"]] == [
        "discover",
        "mastercard",
    ]
    (only,) = document(run("rules", "show", "4863", "--network", "mc", "--json"))["rules"]
    assert only["family"] == "unrecognized"


def test_a_code_that_covers_many_claims_says_what_refines_it() -> None:
    (rule,) = document(run("rules", "show", "4853", "--json"))["rules"]
    assert "product_not_received" in rule["refined_by"]
    assert "refined by Stripe's reason" in run("rules", "show", "4853").stdout


def test_an_unknown_code_says_what_it_falls_back_to_and_what_looks_like_it() -> None:
    refused = run("rules", "show", "13.33", "--json")
    assert refused.exit_code == 2
    message = document(refused)["error"]["message"]
    assert "Stripe's reason" in message
    assert "visa 13.3" in message


@pytest.mark.parametrize("option", [("--network", "visas"), ("--family", "frauds")])
def test_a_list_of_what_does_not_exist_is_refused_with_what_does(option: tuple[str, str]) -> None:
    refused = run("rules", "list", *option)
    assert refused.exit_code == 2
    assert option[1].removesuffix("s") in refused.stderr


def test_codes_are_listed_by_network_and_family() -> None:
    found = document(run("rules", "list", "--network", "amex", "--family", "inquiry", "--json"))["rules"]
    assert {rule["network"] for rule in found} == {"amex"}
    assert {"127", "155", "691"} <= {rule["code"] for rule in found}
    assert "10.4" in run("rules", "list", "--network", "visa").stdout


def test_every_number_is_listed_with_its_source() -> None:
    found = document(run("rules", "list", "--figures", "--json"))["figures"]
    windows = {figure["id"]: figure["value"] for figure in found}
    assert windows["window.visa"] == 30
    assert all(figure["source"]["url"] for figure in found)
    assert "vamp.excessive = 150" in run("rules", "list", "--figures").stdout


def test_the_page_of_remedies_is_the_table_that_the_product_decides_by() -> None:
    page = Path(__file__).parents[2] / "docs" / "remedies.md"
    assert run("rules", "remedies", "--markdown").stdout == page.read_text(encoding="utf-8")


def test_every_state_says_of_every_decision_what_carries_it_out_or_why_nothing_may() -> None:
    rows = document(run("rules", "remedies", "--json"))["remedies"]
    states = {row["state"] for row in rows}
    assert len(rows) == len(states) * 9
    assert {"an open chargeback", "a lost dispute", "an early fraud warning", "a failed invoice"} <= states
    assert all(bool(row["actions"]) is (row["why"] is None) for row in rows)

    assert "not legal: a charge cannot be refunded" in run("rules", "remedies").stdout
