"""The specialists over the real engine: other worlds, missing tables, sources that fail, time that runs out."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from shared.case.brief import DecisionKind
from shared.case.evidence import EvidenceKind, EvidenceRow
from shared.ports.sources import QueryFailed, QueryResult, Sources, Table
from shared.team.contract import Findings, OutOfTime
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK, Tables, World, investigate, job, opened, sources


@dataclass
class Broken(Sources):
    """The engine, except that some tables cannot be read, and that every answer claims to have taken a while."""

    engine: Sources
    tables: frozenset[str] = frozenset()
    elapsed_ms: int = 1
    asked: int = 0

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        self.asked += 1
        down = [table for table in self.tables if table in query]
        if down:
            raise QueryFailed(f"{down[0]} is down")
        return replace(self.engine.sql(query, timeout_s=timeout_s), elapsed_ms=self.elapsed_ms)

    def link(self, table: str, record_id: str) -> str:
        return self.engine.link(table, record_id)

    def list_catalog(self) -> Sequence[Table]:
        return self.engine.list_catalog()

    def describe_table(self, table: str) -> Table:
        return self.engine.describe_table(table)


def dossier_of(world: World, found: Sources) -> Dossier:
    case = opened(world)
    evidence, gaps = investigate(case, world, found)
    return Dossier(case, world.org, world.now, tuple(evidence), tuple(gaps))


def rows_of(specialist: str, world: World, found: Sources) -> tuple[list[EvidenceRow], Findings]:
    case = opened(world)
    (twin,) = [one for one in PLAYBOOK.team(case) if one.name == specialist]
    findings = Findings()
    twin.investigate(job(case, world, specialist, found), findings)
    return findings.rows, findings


def renamed(world: World) -> World:
    """The same world under other names: every id, the company, its people, the service, the tiers and the amounts."""
    ids = {str(row["id"]) for rows in world.tables.values() for row in rows if isinstance(row.get("id"), str)}
    new = {old: f"n{place}x{old[::-1]}" for place, old in enumerate(sorted(ids)) if len(old) > 5}
    words = (
        ("Aperture", "Borealis"),
        ("aperture", "borealis"),
        ("custom-reports-svc", "board-packs-service"),
        ("Custom Reports", "Board Packs"),
        ("custom_reports", "board_packs"),
        ("premium", "platinum"),
        ("Premium", "Platinum"),
        ("8,400.00", "12,345.00"),
        ("Dana", "Ilse"),
        ("dana", "ilse"),
    )

    def other(value: object) -> object:
        if isinstance(value, dict):
            return {name: other(item) for name, item in value.items()}
        if isinstance(value, list):
            return [other(item) for item in value]
        if isinstance(value, str):
            value = new.get(value, value)
            for old, replacement in words:
                value = value.replace(old, replacement)
            return value
        return {840000: 1234500, -840000: -1234500}.get(value, value) if type(value) is int else value

    return replace(world, tables=cast(Tables, other(world.tables)), event=cast(dict[str, None], other(world.event)))


def test_under_other_names_the_same_facts_give_the_same_decision(world: World, tmp_path: Path) -> None:
    other = renamed(world)
    with sources(tmp_path / "other.duckdb", other.tables) as found:
        draft = dossier_of(other, found).draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.CREDIT, 82300)
    assert decision.confidence_pct == 95
    told = draft.brief.model_dump_json() + "".join(action.model_dump_json() for action in draft.actions)
    assert "Board Packs" in told
    assert "Borealis Analytics" in told
    assert not re.search(r"aperture|custom.?reports|8,400|840000|premium", told, re.IGNORECASE)


def test_in_a_world_of_nothing_but_stripe_a_person_decides_and_the_gaps_say_why(world: World, tmp_path: Path) -> None:
    bare = replace(world, tables={name: rows for name, rows in world.tables.items() if name.startswith("stripe.")})
    with sources(tmp_path / "bare.duckdb", bare.tables) as found:
        dossier = dossier_of(bare, found)
    assert dossier.brief().decision.kind is DecisionKind.ESCALATE
    assert {gap.what for gap in dossier.gaps} == {"whether the service worked"}


def test_in_an_empty_world_a_person_decides(world: World, tmp_path: Path) -> None:
    empty = replace(world, tables={})
    with sources(tmp_path / "empty.duckdb", {}) as found:
        dossier = dossier_of(empty, found)
    assert dossier.brief().decision.kind is DecisionKind.ESCALATE
    assert {"the dispute", "the charge", "the disputed charge", "the billing cycle of the charge"} <= {
        gap.what for gap in dossier.gaps
    }
    assert not any(item.row.table.startswith("stripe.charges") for item in dossier.evidence)


def test_a_salesforce_customer_is_found_by_the_website_or_a_contact(world: World, tmp_path: Path) -> None:
    tables = {name: rows for name, rows in copy.deepcopy(world.tables).items() if not name.startswith("hubspot.")}
    payer = next(row for row in tables["stripe.customers"] if row["id"] == payer_of(world))
    site = str(payer["email"]).partition("@")[2]
    tables["salesforce.accounts"] = [
        {
            "id": "001A",
            "name": "Whatever LLC",
            "website": f"https://www.{site}/about",
            "tier": "Premium",
            "arr": "100800.50",
        },
        {"id": "001B", "name": "Look-alike", "website": f"https://not{site}", "tier": "Premium"},
        {"id": "001C", "name": "By contact", "website": None},
    ]
    tables["salesforce.contacts"] = [
        {"id": "003A", "account_id": "001C", "email": str(payer["email"]).upper(), "name": "AP"},
        {"id": "003B", "account_id": "001B", "email": "someone@elsewhere.example", "name": "Else"},
    ]
    tables["salesforce.accounts"].append({"id": "001D", "name": f"{payer['name']} Research"})
    said = ((f"{payer['name']} Research had an outage", "m1"), (f"{payer['name']} asked again", "m2"))
    for text, message in said:
        at = "2026-05-01T08:00:00Z"
        tables["slack.messages"].append({"id": message, "channel": "#ae", "user_email": None, "text": text, "ts": at})
    with sources(tmp_path / "sf.duckdb", tables) as found:
        rows, _ = rows_of("customer_context", replace(world, tables=tables), found)
    messages = {row.record_id for row in rows if row.table == "slack.messages"}
    assert messages & {"m1", "m2"} == {"m2"}
    accounts = [row.record_id for row in rows if row.table == "salesforce.accounts"]
    assert accounts == ["001A", "001C"]
    assert [row.record_id for row in rows if row.table == "salesforce.contacts"] == ["003A"]


def payer_of(world: World) -> str:
    charge = next(row for row in world.tables["stripe.charges"] if row["id"] == opened(world).facts["charge.id"])
    return str(charge["customer"])


@pytest.mark.parametrize(
    ("table", "specialist", "gap"),
    [
        ("stripe.refunds", "payments_analyst", "refunds of the charge"),
        ("datadog.incidents", "reliability_analyst", "incident records"),
        ("zendesk.tickets", "customer_context", "support tickets"),
        ("slack.messages", "customer_context", "what colleagues wrote about the customer"),
        ("hubspot.companies", "customer_context", "the CRM account"),
        ("stripe.invoice_lines", "reliability_analyst", "the billing cycle of the charge"),
    ],
)
def test_a_table_that_cannot_be_read_is_a_gap_and_the_rest_goes_on(
    world: World, engine: Sources, table: str, specialist: str, gap: str
) -> None:
    rows, findings = rows_of(specialist, world, Broken(engine, frozenset({table})))
    assert any(found.what == gap and f"{table} is down" in found.why for found in findings.gaps)
    assert not any(row.table == table for row in rows)
    assert rows


@pytest.mark.parametrize(
    ("table", "specialist"),
    [
        ("stripe.disputes", "payments_analyst"),
        ("stripe.charges", "payments_analyst"),
        ("stripe.charges", "customer_context"),
        ("stripe.charges", "reliability_analyst"),
        ("policies.documents", "policy_analyst"),
    ],
)
def test_without_the_essential_table_the_attempt_fails_so_that_the_queue_tries_again(
    world: World, engine: Sources, table: str, specialist: str
) -> None:
    with pytest.raises(QueryFailed):
        rows_of(specialist, world, Broken(engine, frozenset({table})))


@pytest.mark.parametrize(
    "table", ["stripe.refunds", "policies.documents", "stripe.disputes", "stripe.invoice_lines", "posthog.events"]
)
def test_a_failing_source_never_leads_to_a_payment(world: World, engine: Sources, table: str) -> None:
    dossier = dossier_of(world, Broken(engine, frozenset({table})))
    assert dossier.brief().decision.kind is DecisionKind.ESCALATE
    assert dossier.brief().gaps


def test_a_source_that_is_not_needed_lowers_the_confidence_and_no_more(world: World, engine: Sources) -> None:
    dossier = dossier_of(world, Broken(engine, frozenset({"sentry.events"})))
    decision = dossier.brief().decision
    assert (decision.amount_minor, decision.confidence_pct) == (56000, 90)


def test_the_network_analyst_falls_back_to_what_the_event_said(world: World, engine: Sources) -> None:
    rows, findings = rows_of("network_rules_analyst", world, Broken(engine, frozenset({"stripe.disputes"})))
    assert rows[0].record_id == "visa-13.3"
    assert rows[0].query == "rules: network code for brand visa, code 13.3, reason product_unacceptable"
    assert {row.source for row in rows} == {"rules"}
    assert [gap.what for gap in findings.gaps] == ["the code of the dispute"]


def test_the_network_analyst_says_when_a_code_is_unknown_or_no_answer_is_possible(
    world: World, engine: Sources
) -> None:
    case = opened(world)
    facts = {**case.facts, "dispute.network_reason_code": "77.7", "dispute.due_by": 0}
    unknown = case.model_copy(update={"facts": facts})
    (twin,) = [one for one in PLAYBOOK.team(case) if one.name == "network_rules_analyst"]
    findings = Findings()
    twin.investigate(job(unknown, world, twin.name, Broken(engine, frozenset({"stripe.disputes"}))), findings)
    assert findings.rows[0].record_id == "any-product_unacceptable"
    assert [gap.what for gap in findings.gaps] == [
        "the code of the dispute",
        "what code 77.7 of visa means",
        "by when the dispute must be answered",
    ]


def test_without_a_fact_about_the_charge_it_is_found_through_the_dispute(world: World, engine: Sources) -> None:
    case = opened(world)
    facts = {name: value for name, value in case.facts.items() if name != "charge.id"}
    thin = case.model_copy(update={"facts": facts})
    for name in ("payments_analyst", "customer_context"):
        (twin,) = [one for one in PLAYBOOK.team(case) if one.name == name]
        findings = Findings()
        twin.investigate(job(thin, world, name, engine), findings)
        assert findings.gaps == []
        assert len(findings.rows) > 10


def test_time_that_runs_out_keeps_what_was_found(world: World, engine: Sources) -> None:
    case = opened(world)
    (twin,) = [one for one in PLAYBOOK.team(case) if one.name == "payments_analyst"]
    findings = Findings()
    with pytest.raises(OutOfTime):
        twin.investigate(job(case, world, twin.name, Broken(engine, elapsed_ms=500), remaining_s=1.4), findings)
    assert [row.table for row in findings.rows] == ["stripe.disputes", "stripe.charges", "stripe.invoice_payments"]
    assert findings.summary.startswith("3 rows")


def test_no_specialist_asks_more_than_a_few_questions(world: World, engine: Sources) -> None:
    case = opened(world)
    for twin in PLAYBOOK.team(case):
        counted = Broken(engine)
        twin.investigate(job(case, world, twin.name, counted), Findings())
        assert counted.asked <= 17, twin.name


def test_every_row_has_its_query_and_a_link(recorded: Dossier) -> None:
    for item in recorded.evidence:
        assert item.row.query.startswith(("SELECT ", "rules: "))
        assert "://" in item.row.link
        assert (item.row.kind is EvidenceKind.ABSENCE) == bool(item.row.question)


def test_heavy_use_is_read_to_its_bound_and_the_rest_is_a_gap(world: World, tmp_path: Path) -> None:
    tables = copy.deepcopy(world.tables)
    own = next(row for row in tables["posthog.events"] if "custom-reports-svc" in json.dumps(row["properties"]))
    tables["posthog.events"] += [
        {**own, "id": f"more{place}", "timestamp": f"2026-04-14T{place // 60:02d}:{place % 60:02d}:00+00:00"}
        for place in range(400)
    ]
    heavy = replace(world, tables=tables)
    with sources(tmp_path / "heavy.duckdb", tables) as found:
        dossier = dossier_of(heavy, found)
    assert [gap.what for gap in dossier.gaps] == ["use of the affected services"]
    assert dossier.brief().decision.amount_minor == 56000


def test_a_quiet_month_of_steady_use_is_contested(world: World, tmp_path: Path) -> None:
    noisy = {"datadog.monitor_events", "datadog.logs", "slack.messages"}
    tables = {name: rows for name, rows in world.tables.items() if name not in noisy}
    for table in (
        "intercom.conversations",
        "intercom.conversation_parts",
        "zendesk.tickets",
        "zendesk.ticket_comments",
    ):
        facts = {str(row.get("id")) for row in tables[table] if "Custom Reports" in json.dumps(row)}
        talks = facts | {
            str(row.get("conversation_id") or row.get("ticket_id")) for row in tables[table] if row["id"] in facts
        }
        tables[table] = [
            row
            for row in tables[table]
            if not {row.get("id"), row.get("conversation_id"), row.get("ticket_id")} & talks
        ]
    with sources(tmp_path / "quiet.duckdb", tables) as found:
        dossier = dossier_of(replace(world, tables=tables), found)
    decision = dossier.brief().decision
    assert dossier.gaps == ()
    assert (decision.kind, decision.amount_minor) == (DecisionKind.FIGHT, 840000)


def test_a_policy_library_that_was_cut_proves_no_absence(world: World, engine: Sources) -> None:
    @dataclass
    class Cut(Broken):
        def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
            return replace(self.engine.sql(query, timeout_s=timeout_s), rows=(), truncated="applies_to FROM" in query)

    rows, _ = rows_of("policy_analyst", world, Cut(engine))
    assert rows == []
