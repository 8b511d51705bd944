"""The worlds that ship with the product: consistent, readable, and without the answer in the data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from infra.worlds import find_world, load_expectations, load_world, shipped_worlds
from infra.worlds.consistency import TABLE_OF, disagreements
from infra.worlds.tables import Row
from shared.case.lifecycle import State
from shared.ports.directory import Role

FACTS = ("sources", "policies", "events", "requests", "stripe")
TELLTALE = re.compile(
    r"\b(expect(ed|s|ation)?|answers?|scenario|ground truth|decisions?|verdict|label)\b", re.IGNORECASE
)

worlds = pytest.mark.parametrize("name", shipped_worlds())


def fact_files(name: str) -> list[Path]:
    return sorted(path for part in FACTS for path in (find_world(name) / part).rglob("*") if path.is_file())


def amount_texts(minor: int) -> list[str]:
    major, cents = divmod(minor, 100)
    return [
        str(minor),
        f"{major}.{cents:02d}",
        f"{major:,}.{cents:02d}",
        *([str(major), f"{major:,}"] if not cents else []),
    ]


@worlds
def test_a_world_is_named_as_its_folder(name: str) -> None:
    assert load_world(find_world(name)).name == name


@worlds
def test_rows_and_stripe_objects_tell_the_same_story(name: str) -> None:
    world = load_world(find_world(name))
    assert list(disagreements(world.facts, world.stripe_objects)) == []


def numbers_in(value: object) -> Iterator[int]:
    """Every whole number in a JSON value."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(part)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def worked_out(name: str) -> list[str]:
    """The amounts to be found out, as texts: not those of an object at Stripe, which the facts cannot do without."""
    shown = set(numbers_in(list(load_world(find_world(name)).stripe_objects)))
    wanted = {case.amount_minor for case in load_expectations(find_world(name))} - {None}
    return [text for minor in wanted - shown for text in amount_texts(int(str(minor)))]


@worlds
def test_what_the_events_and_charges_refer_to_exists_at_stripe(name: str) -> None:
    world = load_world(find_world(name))
    objects = {str(found["id"]): found for found in world.stripe_objects}
    for event in world.events:
        subject = event["data"]["object"]  # type: ignore[index]
        assert subject["id"] in objects
        if int(str(event["created"])) <= world.now.timestamp():
            # A dispute makes a warning void without an event that says so.
            assert objects[subject["id"]] | {"actionable": None} == subject | {"actionable": None}
    for found in world.stripe_objects:
        for column in (
            "charge",
            "payment_intent",
            "customer",
            "balance_transaction",
            "latest_charge",
            "latest_invoice",
        ):
            assert found.get(column) is None or found[column] in objects, (found["id"], column)


@worlds
def test_events_have_happened_by_the_time_the_clock_starts_or_come_in_order(name: str) -> None:
    created = [int(str(event["created"])) for event in load_world(find_world(name)).events]
    assert created == sorted(created)


@worlds
def test_a_person_can_read_the_facts(name: str) -> None:
    assert sum(path.stat().st_size for path in fact_files(name)) < 60_000


@worlds
def test_what_must_be_cited_exists(name: str) -> None:
    world = load_world(find_world(name))
    for case in load_expectations(find_world(name)):
        for reference in [*case.cites, *(one for group in case.cites_any for one in group)]:
            table, _, record = reference.partition(":")
            assert any(row.get("id") == record for row in world.facts.get(table, [])), reference


@worlds
def test_the_subject_of_each_case_is_part_of_the_world(name: str) -> None:
    world = load_world(find_world(name))
    known = {str(found["id"]) for found in world.stripe_objects} | {request.id for request in world.requests}
    assert {case.subject for case in load_expectations(find_world(name))} <= known


@worlds
def test_no_file_of_the_facts_gives_the_answer_away(name: str) -> None:
    number = re.compile(
        r"(?<![\w.,])(" + "|".join(map(re.escape, worked_out(name) or ["no amount"])) + r")(?![\w]|[.,]\d)"
    )
    for path in fact_files(name):
        text = path.read_text(encoding="utf-8")
        assert (path.name, TELLTALE.findall(text), number.findall(text)) == (path.name, [], [])


@worlds
def test_no_generated_row_gives_the_answer_away(name: str) -> None:
    amounts = worked_out(name)
    text = json.dumps(load_world(find_world(name)).tables())
    assert [found for found in re.findall(r"(?<![\w.])[\d.,]+(?!\w)", text) if found.strip(".,") in amounts] == []


@worlds
def test_metadata_carries_nothing(name: str) -> None:
    world = load_world(find_world(name))
    rows: list[Row] = [row for rows in world.facts.values() for row in rows] + list(world.stripe_objects)
    assert all(row["metadata"] == {} for row in rows if "metadata" in row)


@worlds
def test_enough_people_can_approve_what_is_at_stake(name: str) -> None:
    world = load_world(find_world(name))
    stake = max((int(str(row["amount"])) for row in world.facts.get("stripe.disputes", [])), default=0)
    able = [
        member
        for member in world.org.members
        if member.role in (Role.ADMIN, Role.APPROVER) and (member.limit_minor is None or member.limit_minor >= stake)
    ]
    # Where nothing is expected to be carried out, it may be because nobody could have approved it.
    ends = {case.state for case in load_expectations(find_world(name))}
    assert len(able) >= (1 if ends == {State.WITHDRAWN} else 2)


def test_every_kind_of_object_that_act_meets_is_held_against_its_rows() -> None:
    kinds = {str(found["object"]) for found in load_world(find_world("aperture")).stripe_objects}
    assert kinds <= set(TABLE_OF)


def rows_of(table: str) -> list[Row]:
    return load_world(find_world("aperture")).facts[table]


def test_aperture_used_the_feature_on_four_days_and_then_worked_on_the_lower_tier() -> None:
    opens = [row for row in rows_of("posthog.events") if row["event"] == "custom_reports_open"]
    days = [str(row["timestamp"])[:10] for row in opens]
    assert [days.count(f"2026-04-{day}") for day in (12, 13, 14, 15)] == [12, 13, 11, 11]
    assert len({row["person_email"] for row in opens}) == 2
    after = [str(row["timestamp"])[:10] for row in rows_of("posthog.events") if row["event"] == "$pageview"]
    assert len(set(after)) == 11


def test_aperture_has_one_alert_of_two_days_for_one_tier_and_no_incident_record() -> None:
    (alert,) = rows_of("datadog.monitor_events")
    assert (alert["started_at"], alert["ended_at"]) == ("2026-04-13T08:00:00Z", "2026-04-15T08:00:00Z")
    assert "tier:premium" in list(alert["tags"])  # type: ignore[call-overload]
    assert "datadog.incidents" not in load_world(find_world("aperture")).facts


def test_aperture_pays_what_its_rule_says() -> None:
    (line,) = (row for row in rows_of("stripe.invoice_lines") if row["invoice"] == "in_1TLJ5SK2N8dQz4Lmg5PwR7Ck")
    (case,) = load_expectations(find_world("aperture"))
    cycle = int(str(line["period__end"])) - int(str(line["period__start"]))
    assert cycle == 30 * 86_400
    assert Fraction(48 * 3600, cycle) * int(str(line["amount"])) == case.amount_minor


def test_aperture_has_one_current_rule_for_the_outage_and_an_older_one_with_other_numbers() -> None:
    rules = {
        str(row["id"]): (row["status"], json.loads(str(row["rule"])))
        for row in rows_of("policies.documents")
        if row["rule"]
    }
    prorations = {key: status for key, (status, rule) in rules.items() if rule["kind"] == "incident_proration"}
    assert prorations == {"documented-incident-prorata": "current", "documented-incident-prorata-2024": "superseded"}
    assert rules["documented-incident-prorata"][1]["clock"] == "monitor_alert"
    assert rules["documented-incident-prorata-2024"][1]["clock"] == "deploy"
