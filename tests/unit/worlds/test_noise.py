"""Noise looks like life, is the same every time, and stays clear of the case."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache

import pytest

from infra.worlds import World, find_world, load_world, shipped_worlds
from infra.worlds.tables import Row
from tests.unit.worlds.conftest import MANIFEST, Write

EMAIL = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
HASH = """
import hashlib, json, sys
from infra.worlds import find_world, load_world
for name in sys.argv[1:]:
    print(hashlib.sha256(json.dumps(load_world(find_world(name)).tables()).encode()).hexdigest())
"""
AHEAD = ("period_end", "current_period_end", "period__end")
"""Columns that look ahead by their nature: until when something is paid."""

worlds = pytest.mark.parametrize("name", shipped_worlds())


@cache
def shipped(name: str) -> World:
    return load_world(find_world(name))


@cache
def noise_of(name: str) -> dict[str, list[Row]]:
    world = shipped(name)
    tables = world.tables()
    return {table: [row for row in rows if row not in world.facts.get(table, [])] for table, rows in tables.items()}


def facts_text(world: World) -> str:
    return json.dumps([world.facts, world.events, world.stripe_objects, [str(r) for r in world.requests]])


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_another_hash_seed_makes_the_same_bytes(hash_seed: str) -> None:
    names = shipped_worlds()
    here = [hashlib.sha256(json.dumps(load_world(find_world(name)).tables()).encode()).hexdigest() for name in names]
    there = subprocess.run(
        [sys.executable, "-c", HASH, *names],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.split() == here


def test_another_seed_makes_other_rows(write: Write) -> None:
    one = load_world(write()).tables()
    other = load_world(write({"world.yaml": MANIFEST.replace("seed: 1", "seed: 2")})).tables()
    assert one != other


def test_without_noise_there_are_only_facts(write: Write) -> None:
    world = load_world(write({"world.yaml": MANIFEST.replace("noise: { seed: 1, scale: 1 }\n", "")}))
    assert world.tables() == world.facts


def test_a_scale_of_zero_is_no_noise(write: Write) -> None:
    world = load_world(write({"world.yaml": MANIFEST.replace("scale: 1", "scale: 0")}))
    assert world.tables() == world.facts


def test_twice_the_scale_is_twice_the_life(write: Write) -> None:
    one = load_world(write()).tables()
    two = load_world(write({"world.yaml": MANIFEST.replace("scale: 1", "scale: 2")})).tables()
    assert len(one["posthog.events"]) == 300
    assert len(two["posthog.events"]) == 600


@worlds
def test_every_source_has_its_share(name: str) -> None:
    least = {
        "intercom.conversations": 60,
        "intercom.conversation_parts": 120,
        "zendesk.tickets": 40,
        "zendesk.ticket_comments": 80,
        "slack.messages": 80,
        "policies.documents": 8,
        "posthog.events": 300,
        "auth.sign_ins": 60,
        "stripe.charges": 40,
        "stripe.customers": 36,
        "stripe.subscriptions": 36,
        "stripe.invoices": 40,
        "stripe.invoice_payments": 40,
        "stripe.invoice_lines": 40,
        "stripe.balance_transactions": 40,
        "stripe.refunds": 5,
        "stripe.disputes": 4,
        "sentry.issues": 10,
        "sentry.events": 24,
        "datadog.monitors": 8,
        "datadog.monitor_events": 14,
        "datadog.incidents": 6,
        "datadog.logs": 40,
        "pagerduty.incidents": 8,
        "salesforce.accounts": 36,
        "salesforce.contacts": 100,
        "hubspot.companies": 36,
        "hubspot.contacts": 100,
        "notion.pages": 8,
    }
    counts = {table: len(noise_of(name).get(table, [])) for table in least}
    assert {table: count for table, count in counts.items() if count < least[table]} == {}


@worlds
def test_facts_are_all_there_and_ids_stay_unique(name: str) -> None:
    world = shipped(name)
    for table, rows in world.tables().items():
        ids = [row["id"] for row in rows if "id" in row]
        assert len(ids) == len(set(ids)), table
        assert all(row in rows for row in world.facts.get(table, [])), table


@worlds
def test_no_made_up_id_occurs_anywhere_in_the_facts(name: str) -> None:
    text = facts_text(shipped(name))
    assert [
        row["id"] for rows in noise_of(name).values() for row in rows if "id" in row and f'"{row["id"]}"' in text
    ] == []


@worlds
def test_no_address_and_no_domain_of_the_facts_is_used_again(name: str) -> None:
    world = shipped(name)
    facts = {match[0].lower() for match in EMAIL.finditer(facts_text(world))} | {m.email for m in world.org.members}
    made = {match[0].lower() for match in EMAIL.finditer(json.dumps(noise_of(name)))}
    own = world.org.members[0].email.rpartition("@")[2]
    assert made & facts == set()
    assert {a.rpartition("@")[2] for a in made} & {a.rpartition("@")[2] for a in facts} <= {own}


@worlds
def test_rows_of_the_noise_refer_to_each_other_and_never_to_the_facts(name: str) -> None:
    made = noise_of(name)
    for table, column, target in (
        ("stripe.charges", "customer", "stripe.customers"),
        ("stripe.disputes", "charge", "stripe.charges"),
        ("stripe.refunds", "charge", "stripe.charges"),
        ("stripe.invoice_payments", "invoice", "stripe.invoices"),
        ("stripe.invoice_payments", "payment__payment_intent", "stripe.payment_intents"),
        ("stripe.invoice_lines", "invoice", "stripe.invoices"),
        ("stripe.subscriptions", "customer", "stripe.customers"),
        ("zendesk.ticket_comments", "ticket_id", "zendesk.tickets"),
        ("intercom.conversation_parts", "conversation_id", "intercom.conversations"),
        ("sentry.events", "issue_id", "sentry.issues"),
        ("datadog.monitor_events", "monitor_id", "datadog.monitors"),
        ("hubspot.notes", "company_id", "hubspot.companies"),
        ("salesforce.contacts", "account_id", "salesforce.accounts"),
    ):
        assert {row[column] for row in made[table]} <= {row["id"] for row in made[target]}, table


@worlds
def test_nothing_in_the_noise_has_happened_after_now(name: str) -> None:
    now = shipped(name).now
    late = [
        (table, column, value)
        for table, rows in noise_of(name).items()
        for row in rows
        for column, value in row.items()
        if column not in AHEAD and (moment := moment_in(table, column, value)) is not None and moment > now
    ]
    assert late == []


def moment_in(table: str, column: str, value: object) -> datetime | None:
    stripe_time = table.startswith("stripe.") and any(
        part in column for part in ("created", "_at", "_on", "start", "due")
    )
    if stripe_time and isinstance(value, int) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+Z", value):
        return datetime.fromisoformat(value)
    return None


def test_other_customers_carry_names_like_the_customer_of_the_case() -> None:
    world = shipped("aperture")
    (customer,) = (row["name"] for row in world.facts["stripe.customers"])
    names = {str(row["name"]) for row in noise_of("aperture")["hubspot.companies"]}
    assert {"Aperture Labs", "Aperture Analytics Group", "Apertura Analytics"} <= names
    assert customer not in names


def test_a_twin_has_a_trouble_of_its_own_at_another_time() -> None:
    world, made = shipped("aperture"), noise_of("aperture")
    (alert,) = world.facts["datadog.monitor_events"]
    twins = [row for row in made["datadog.incidents"] if "Aperture" in str(row["title"])]
    promises = [row for row in made["zendesk.ticket_comments"] if "free month" in str(row["body"])]
    assert len(twins) == 2
    assert len(promises) == 3
    assert all(str(row["resolved_at"]) < str(alert["started_at"]) for row in twins)


@worlds
def test_a_service_of_the_case_has_no_other_trouble_while_the_story_lasts(name: str) -> None:
    world, made = shipped(name), noise_of(name)
    services = {row["service"] for row in world.facts.get("datadog.monitors", [])}
    first = min((int(str(row["created"])) for row in world.facts["stripe.charges"]), default=0)
    began = datetime.fromtimestamp(first, UTC).isoformat()
    for table, start in (("datadog.incidents", "created"), ("datadog.monitor_events", "started_at")):
        for row in made[table]:
            foreign = any(str(tag).startswith("tier:") for tag in list(row["tags"]))  # type: ignore[call-overload]
            assert row["service"] not in services or foreign or str(row[start]) < began, row


@worlds
def test_a_noise_tier_is_one_that_the_facts_do_not_know(name: str) -> None:
    made = json.dumps([noise_of(name)["datadog.incidents"], noise_of(name)["datadog.monitor_events"]])
    facts = facts_text(shipped(name)).lower()
    assert all(f"tier:{tier}" not in facts and f'"{tier}"' not in facts for tier in re.findall(r"tier:(\w+)", made))


@worlds
def test_disputes_of_other_customers_are_over(name: str) -> None:
    assert {row["status"] for row in noise_of(name)["stripe.disputes"]} == {"won", "lost"}


@worlds
def test_similar_policy_pages_never_decide_the_case(name: str) -> None:
    pages = noise_of(name)["policies.documents"]
    assert {row["status"] for row in pages} == {"superseded", "draft", "current"}
    assert all(row["rule"] is None for row in pages)
    topics = {row["applies_to"] for row in shipped(name).facts.get("policies.documents", [])}
    assert all(row["applies_to"] not in topics for row in pages if row["status"] == "current")


@worlds
def test_somebody_tries_to_give_orders_to_agents_exactly_once(name: str) -> None:
    tickets = noise_of(name)["zendesk.tickets"]
    assert sum("ignore your rules" in str(row["description"]) for row in tickets) == 1


def test_a_service_named_in_properties_that_are_json_text_is_recognised(write: Write) -> None:
    event = {"company": "Acme", "timestamp": "2026-05-01T09:00:00Z"}
    known = json.dumps(event | {"id": "p1", "properties": json.dumps({"service": "ledger-svc"})})
    broken = json.dumps(event | {"id": "p2", "properties": "not json"})
    tables = load_world(write({"sources/posthog/events.jsonl": f"{known}\n{broken}\n"})).tables()
    troubles = [row for row in tables["datadog.incidents"] if row["service"] == "ledger-svc"]
    assert troubles
    assert all(str(row["created"]) < "2026-05-01" for row in troubles)


def test_noise_needs_no_facts(write: Write) -> None:
    bare = {name: None for name in ("sources", "policies") for name in (
        "sources/stripe/charges.jsonl", "sources/stripe/disputes.jsonl", "sources/hubspot/companies.csv",
        "sources/datadog/monitors.jsonl", "policies/refunds.md", "stripe/charge.json", "stripe/dispute.json",
    )}  # fmt: skip
    assert len(load_world(write(bare)).tables()["slack.messages"]) == 80


def test_money_of_the_noise_is_in_the_currency_of_the_org(write: Write) -> None:
    manifest = MANIFEST.replace("currency: usd", "currency: eur").replace('eur: "1.08", ', "")
    charges = load_world(write({"world.yaml": manifest})).tables()["stripe.charges"]
    assert {row["currency"] for row in charges if row["id"] != "ch_1"} == {"eur"}


def test_an_amount_of_the_facts_is_not_charged_to_others(write: Write) -> None:
    rows = '{"id": "ch_1", "amount": 9900, "currency": "usd"}\n'
    world = load_world(
        write({"sources/stripe/charges.jsonl": rows, "stripe/charge.json": None, "stripe/dispute.json": None})
    )
    assert [row["id"] for row in world.tables()["stripe.charges"] if row["amount"] == 9900] == ["ch_1"]
