"""What a world holds once it has been read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.worlds import find_world, load_world, shipped_worlds
from infra.worlds.policies import TABLE as POLICIES
from shared.errors import NotFound
from shared.ports.directory import Role
from tests.unit.worlds.conftest import DISPUTE, FILES, MANIFEST, Write


def test_a_world_says_who_the_merchant_is_and_when_the_story_starts(write: Write) -> None:
    world = load_world(write())
    assert (world.name, world.now) == ("small", datetime(2026, 5, 8, 12, tzinfo=UTC))
    assert (world.org.id, world.org.currency, world.org.timezone) == ("shop", "usd", "Europe/Berlin")
    assert world.org.fx == {"eur": "1.08", "gbp": "2"}
    assert [(member.name, member.role, member.limit_minor) for member in world.org.members] == [
        ("Ana", Role.ADMIN, None),
        ("Ben", Role.APPROVER, 50000),
        ("Cy", Role.VIEWER, None),
    ]


def test_the_approval_policy_is_carried_as_text_for_others_to_judge(write: Write) -> None:
    assert load_world(write({"approval.yaml": "tiers: [broken"})).org.approval_policy == "tiers: [broken"


def test_an_empty_approval_policy_is_not_the_same_as_none(write: Write) -> None:
    assert load_world(write({"approval.yaml": ""})).org.approval_policy == ""


def test_without_an_approval_file_there_is_no_policy(write: Write) -> None:
    assert load_world(write({"approval.yaml": None})).org.approval_policy is None


def test_rows_keep_their_values_and_fractions_become_exact_text(write: Write) -> None:
    assert load_world(write()).facts["datadog.monitors"] == [
        {"id": "5", "threshold": "0.050"},
        {"id": "6", "tags": ["a"]},
    ]


def test_a_csv_file_is_a_table_whose_empty_cells_are_missing(write: Write) -> None:
    assert load_world(write()).facts["hubspot.companies"] == [
        {"id": "1", "name": "Acme, Inc", "domain": "acme.example", "arr": "1200"},
        {"id": "2", "name": "Twin", "domain": None, "arr": None},
    ]


def test_a_parquet_file_is_a_table(write: Write) -> None:
    duckdb = pytest.importorskip("duckdb")
    root = write()
    (root / "sources/legacy").mkdir()
    target = root / "sources/legacy/charges.parquet"
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT 'x1' AS id, 5 AS amount, 1.25::DECIMAL(5,2) AS rate) TO '{target}' (FORMAT parquet)"
        )
    assert load_world(root).facts["legacy.charges"] == [{"id": "x1", "amount": 5, "rate": "1.25"}]


def test_policies_become_rows_with_their_rule_as_json(write: Write) -> None:
    assert load_world(write()).tables()[POLICIES][0].keys() == {
        "id",
        "title",
        "status",
        "effective_from",
        "applies_to",
        "rule",
        "url",
        "body",
    }
    (row,) = load_world(write()).facts[POLICIES]
    assert row["rule"] == '{"kind":"refund_window","within_days":30}'
    assert (row["effective_from"], row["applies_to"]) == ("2026-01-01", "refund_request, general")
    assert row["body"] == "Money back within 30 days."


def test_events_come_whole_and_in_the_order_of_their_numbers(write: Write) -> None:
    later = FILES["events/01-created.json"].replace("evt_1", "evt_2")
    early = FILES["events/01-created.json"].replace("evt_1", "evt_0")
    world = load_world(write({"events/100-later.json": later, "events/00-early.json": early}))
    assert [event["id"] for event in world.events] == ["evt_0", "evt_1", "evt_2"]
    assert world.events[0]["data"] == {"object": DISPUTE}


def test_requests_say_who_asked_for_what(write: Write) -> None:
    (request,) = load_world(write()).requests
    assert (request.sender, request.charge, request.amount_minor) == ("zoe@customer.example", "ch_1", 9000)
    assert request.received_at == datetime(2026, 5, 8, 9, tzinfo=UTC)


def test_the_stripe_account_is_its_objects(write: Write) -> None:
    assert [found["id"] for found in load_world(write()).stripe_objects] == ["ch_1", "du_1"]


def test_only_the_manifest_is_needed(write: Write) -> None:
    manifest = MANIFEST.replace("noise: { seed: 1, scale: 1 }\n", "")
    world = load_world(write(dict.fromkeys(FILES) | {"world.yaml": manifest}))
    assert (world.tables(), world.events, world.requests, world.stripe_objects) == ({}, (), (), ())


def test_what_is_wrong_with_the_expectations_does_not_concern_the_loader(write: Write) -> None:
    assert load_world(write({"expect.yaml": "{{{"})).name == "small"


def test_the_tables_are_new_each_time(write: Write) -> None:
    world = load_world(write())
    world.tables()["stripe.charges"].clear()
    assert world.tables()["stripe.charges"]


def test_a_shipped_world_is_found_by_its_name() -> None:
    assert all((find_world(name) / "world.yaml").is_file() for name in shipped_worlds())


def test_any_world_is_found_by_its_path(write: Write) -> None:
    root = write()
    assert find_world(root) == root
    assert find_world(str(root)) == root


@pytest.mark.parametrize("name", ["nowhere", "noise", "../worlds/../nowhere", ""])
def test_an_unknown_world_is_answered_with_the_shipped_ones(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match=r"shipped worlds: .*aperture"):
        find_world(name)


def test_a_folder_that_is_no_world_is_told_apart_from_no_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"holds no world\.yaml"):
        find_world(tmp_path)
