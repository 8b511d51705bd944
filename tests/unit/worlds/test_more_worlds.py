"""The worlds beside the first one: what happens in each, what is on record, and that none of it tells what to do."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from infra.worlds import World, find_world, load_expectations, load_world
from infra.worlds.consistency import TABLE_OF, disagreements
from infra.worlds.documents import Json
from infra.worlds.tables import Row
from shared.case.actions import ActionKind, Tier
from shared.case.brief import DecisionKind
from shared.case.lifecycle import State
from shared.errors import InvalidInput
from shared.ports.directory import Role
from tests.unit.worlds.conftest import MANIFEST, Write

D = DecisionKind
DISPUTE = ("charge.dispute.created", "charge.dispute.funds_withdrawn")
WARNING = ("radar.early_fraud_warning.created",)
EVENTS: dict[str, tuple[str, ...]] = {
    "quill": DISPUTE,
    "larkspur": WARNING,
    "brightwater": WARNING,
    "harbor": (*DISPUTE, "charge.dispute.closed"),
    "meridian": ("charge.dispute.created", "charge.dispute.updated", "charge.dispute.funds_withdrawn"),
    "wren": (),
    "tamarack": (),
    "sorrel": (),
    "alderney": (),
    "linnet": (),
    "mallow": (),
    "brambling": (),
    "hazelmere": (),
    "yarrow": (),
    "goldenrod": ("invoice.payment_failed",),
    "juniper": (*DISPUTE, *DISPUTE),
    "saffron": (*WARNING, *DISPUTE),
    "cedar": WARNING,
}
ENDS: dict[str, list[tuple[DecisionKind, int | None, State]]] = {
    "quill": [(D.FIGHT, 900000, State.RESOLVED)],
    "larkspur": [(D.REFUND, 1450, State.RESOLVED)],
    "brightwater": [(D.RECORD, None, State.RESOLVED)],
    "harbor": [(D.FIGHT, 264000, State.WITHDRAWN)],
    "meridian": [(D.FIGHT, 64000, State.RESOLVED)],
    "wren": [(D.REFUND, 8900, State.RESOLVED)],
    "tamarack": [(D.REFUND, 1116700, State.RESOLVED)],
    "sorrel": [(D.DECLINE, None, State.RESOLVED)],
    "alderney": [(D.CREDIT, 325000, State.RESOLVED)],
    "linnet": [(D.REFUND, 820000, State.RESOLVED)],
    "mallow": [(D.REFUND, 90000, State.RESOLVED)],
    "brambling": [(D.DECLINE, None, State.RESOLVED)],
    "hazelmere": [(D.REFUND, 28000, State.RESOLVED)],
    "yarrow": [(D.REFUND, 48000, State.RESOLVED)],
    "goldenrod": [(D.RECOVER, None, State.RESOLVED)],
    "juniper": [(D.FIGHT, 70000, State.RESOLVED), (D.FIGHT, 50000, State.RESOLVED)],
    "saffron": [(D.RECORD, None, State.RESOLVED), (D.FIGHT, 5400, State.RESOLVED)],
    "cedar": [(D.REFUND, 1780, State.MANUAL_REVIEW)],
}
FACTS = ("sources", "policies", "events", "requests", "stripe")
TELLTALE = re.compile(
    r"\b(expect(ed|s|ation)?|answers?|scenario|ground truth|decisions?|verdict|label|correct(ly)?|recommend\w*"
    r"|must (fight|contest|accept|refund)|should be (refunded|contested|accepted|recorded))\b",
    re.IGNORECASE,
)
EVENT_KEYS = {"id", "object", "api_version", "created", "data", "livemode", "pending_webhooks", "request", "type"}
FEE = 1500
BREAK_EVEN = 80 * FEE // 20  # odds times fee over the rest: 60.00

worlds = pytest.mark.parametrize("name", sorted(EVENTS))


@cache
def loaded(name: str) -> World:
    return load_world(find_world(name))


def rows(name: str, table: str) -> list[Row]:
    return loaded(name).facts[table]


def subjects(world: World) -> list[Json]:
    return [event["data"]["object"] for event in world.events]  # type: ignore[index]


def number(row: Row | Json, column: str) -> int:
    return int(str(row[column]))


def moment(row: Row, column: str) -> datetime:
    return datetime.fromisoformat(str(row[column]))


def one(name: str, kind: str) -> Json:
    (found,) = (item for item in loaded(name).stripe_objects if item["object"] == kind)
    return found


def rule_of(name: str, policy: str) -> dict[str, object]:
    (row,) = (row for row in rows(name, "policies.documents") if row["id"] == policy)
    rule: dict[str, object] = json.loads(str(row["rule"]))
    return rule


# Every world


@worlds
def test_the_world_holds_the_events_it_is_about(name: str) -> None:
    assert tuple(str(event["type"]) for event in loaded(name).events) == EVENTS[name]


@worlds
def test_each_event_has_the_whole_shape_that_stripe_sends(name: str) -> None:
    for event in loaded(name).events:
        assert set(event) == EVENT_KEYS
        assert event["livemode"] is False


@worlds
def test_the_first_event_has_happened_when_the_clock_starts(name: str) -> None:
    world = loaded(name)
    asked = [request.received_at for request in world.requests]
    began = [datetime.fromtimestamp(number(event, "created"), UTC) for event in world.events]
    assert min([*asked, *began]) <= world.now


@worlds
def test_rows_and_objects_agree_and_every_object_has_its_row(name: str) -> None:
    world = loaded(name)
    assert {str(found["object"]) for found in world.stripe_objects} <= set(TABLE_OF)
    assert list(disagreements(world.facts, world.stripe_objects)) == []


@worlds
def test_the_latest_event_so_far_shows_its_object_as_it_stands(name: str) -> None:
    world = loaded(name)
    standing = {str(found["id"]): found for found in world.stripe_objects}
    told = {
        str(subject["id"]): subject
        for event, subject in zip(world.events, subjects(world), strict=True)
        if number(event, "created") <= world.now.timestamp()
    }
    # A dispute makes a warning void without an event that says so.
    assert {key: {**found, "actionable": None} for key, found in told.items()} == {
        key: {**standing[key], "actionable": None} for key in told
    }


@worlds
def test_an_event_still_to_come_changes_an_object_that_is_there(name: str) -> None:
    world = loaded(name)
    standing = {str(found["id"]): found for found in world.stripe_objects}
    for subject in subjects(world):
        there = standing[str(subject["id"])]
        for column in ("object", "amount", "currency", "charge", "payment_intent", "created", "customer"):
            assert subject.get(column) == there.get(column)


@worlds
def test_what_is_expected_is_the_end_we_mean(name: str) -> None:
    cases = load_expectations(find_world(name))
    assert [(case.decision, case.amount_minor, case.state) for case in cases] == ENDS[name]


@worlds
def test_a_kind_of_action_that_is_forbidden_is_not_required_too(name: str) -> None:
    for case in load_expectations(find_world(name)):
        wanted = {kind for kinds in case.requires.values() for kind in kinds} | set(case.verdicts)
        banned = {forbidden.action for forbidden in case.forbids if forbidden.amount_minor is None}
        assert wanted & banned == set()


@worlds
def test_nothing_in_the_facts_tells_what_to_do(name: str) -> None:
    for path in fact_files(name):
        assert (path.name, TELLTALE.findall(path.read_text(encoding="utf-8"))) == (path.name, [])


@worlds
def test_the_facts_know_no_action_of_ours_and_metadata_carries_nothing(name: str) -> None:
    words = [kind.value for kind in ActionKind if kind.value.startswith("stripe_")]
    words += [Tier.ONE_APPROVER.value, Tier.TWO_APPROVERS.value]
    for path in fact_files(name):
        text = path.read_text(encoding="utf-8")
        assert (path.name, [word for word in words if word in text]) == (path.name, [])
    world = loaded(name)
    objects = [*world.stripe_objects, *(row for found in world.facts.values() for row in found)]
    assert all(found["metadata"] == {} for found in objects if "metadata" in found)


@worlds
def test_no_row_comes_from_the_future(name: str) -> None:
    world = loaded(name)
    ahead = re.compile(r"(period_end|period__end|due_by|available_on|effective_from)$")
    for table, found in world.facts.items():
        for row in found:
            for column, value in row.items():
                if ahead.search(column) or isinstance(value, bool) or not isinstance(value, str | int):
                    continue
                instant = instant_of(value) if table.startswith("stripe.") or isinstance(value, str) else None
                assert instant is None or instant <= world.now, (table, column, value)


def instant_of(value: str | int) -> datetime | None:
    if isinstance(value, str):
        return datetime.fromisoformat(value) if re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+Z", value) else None
    return datetime.fromtimestamp(value, UTC) if value > 1_600_000_000 else None


def fact_files(name: str) -> list[Path]:
    return sorted(path for part in FACTS for path in (find_world(name) / part).rglob("*") if path.is_file())


# An outage claim that nothing supports


def test_quill_worked_through_the_quarter_it_claims_was_lost() -> None:
    quarter = [row for row in rows("quill", "posthog.events") if str(row["timestamp"]) < "2026-04-01"]
    logins = [row for row in quarter if row["event"] == "login"]
    assert (len(logins), len({row["person_email"] for row in logins}), len(quarter) - len(logins)) == (22, 8, 47)


def test_quill_has_two_short_notices_and_no_page_within_the_objectives() -> None:
    notices = rows("quill", "datadog.incidents")
    minutes = [(moment(row, "resolved_at") - moment(row, "created")) // timedelta(minutes=1) for row in notices]
    assert ([row["severity"] for row in notices], minutes) == (["SEV-3", "SEV-3"], [3, 4])
    assert "pagerduty.incidents" not in loaded("quill").facts
    api = rows("quill", "datadog.slo_history")[0]
    assert (api["uptime_pct"], api["p95_ms"], api["p99_ms"], api["error_rate_pct"]) == ("99.97", 247, 612, "0.4")
    assert len(rows("quill", "sentry.events")) == 22


def test_quill_has_one_rule_in_force_that_the_records_satisfy_to_the_hundredth() -> None:
    rule = rule_of("quill", "CRP-2026-V3")
    assert (rule["kind"], rule["uptime_min_pct"], rule["error_rate_max_pct"]) == ("outage_claim", "99.97", "0.5")
    assert (rule["p1_incidents_max"], rule["usage_continued"]) == (0, True)
    assert rule_of("quill", "CRP-2025-V2")["uptime_min_pct"] == "99.99"  # which the records would not satisfy


# Early fraud warnings


@pytest.mark.parametrize("name", ["larkspur", "cedar"])
def test_a_small_charge_is_cheaper_to_give_back_than_a_dispute(name: str) -> None:
    charge, warning = one(name, "charge"), one(name, "radar.early_fraud_warning")
    assert number(charge, "amount") * 100 <= 135 * FEE
    assert warning["actionable"] is True
    assert charge["payment_method_details"]["card"]["three_d_secure"] is None  # type: ignore[index]


def test_larkspur_has_had_the_warning_for_three_days() -> None:
    (warning,) = rows("larkspur", "stripe.early_fraud_warnings")
    assert loaded("larkspur").now - datetime.fromtimestamp(number(warning, "created"), UTC) >= timedelta(days=3)


def test_brightwater_is_far_above_the_break_even_and_a_colleague_would_pay_all_the_same() -> None:
    assert BREAK_EVEN == 6000
    assert number(one("brightwater", "charge"), "amount") == 40000
    assert rule_of("brightwater", "early-fraud-warnings")["above"] == "record"
    assert "give it back" in str(rows("brightwater", "slack.messages")[0]["text"])


def test_saffron_would_be_given_back_if_it_were_not_disputed_by_now() -> None:
    world = loaded("saffron")
    warned, opened, _ = subjects(world)
    assert (warned["charge"], number(one("saffron", "charge"), "amount")) == (opened["charge"], 5400)
    assert FEE * 135 < number(opened, "amount") * 100 < BREAK_EVEN * 100
    assert (warned["actionable"], one("saffron", "radar.early_fraud_warning")["actionable"]) == (True, False)
    assert number(opened, "created") - number(warned, "created") == 2 * 3600


def test_saffron_was_paid_from_the_same_device_twice_within_the_window_of_compelling_evidence() -> None:
    *earlier, disputed = sorted(rows("saffron", "stripe.charges"), key=lambda row: number(row, "created"))
    ages = [(number(disputed, "created") - number(row, "created")) // 86400 for row in earlier]
    assert ages == [232, 190]
    assert not any(row["disputed"] for row in earlier)
    card = "payment_method_details__card__fingerprint"
    assert {row[card] for row in earlier} == {disputed[card]}
    checkouts = [row for row in rows("saffron", "posthog.events") if row["event"] == "checkout_completed"]
    intents = [row["properties"]["payment_intent"] for row in checkouts]  # type: ignore[index]
    assert intents == [row["payment_intent"] for row in (*earlier, disputed)]
    assert len({(row["ip"], row["device_id"]) for row in checkouts}) == 1
    assert all(len(str(row["device_id"])) >= 15 for row in checkouts)


# What the outside world does in the middle of a case


def test_harbor_is_lost_two_hours_later_and_only_one_person_may_approve_until_then() -> None:
    world = loaded("harbor")
    opened, _, closed = world.events
    assert number(closed, "created") - number(opened, "created") == 7200
    assert [subject["status"] for subject in subjects(world)] == ["needs_response", "needs_response", "lost"]
    able = [
        member.name
        for member in world.org.members
        if member.role in (Role.ADMIN, Role.APPROVER)
        and (member.limit_minor is None or member.limit_minor >= number(subjects(world)[0], "amount"))
    ]
    assert able == ["Rosa Villalba"]


def test_meridian_is_asked_first_and_two_days_later_the_money_is_taken() -> None:
    asked, grown, taken = subjects(loaded("meridian"))
    stages = [(found["status"], found["payment_method_details"]["card"]["case_type"]) for found in (asked, grown)]  # type: ignore[index]
    assert stages == [("warning_needs_response", "inquiry"), ("needs_response", "chargeback")]
    assert (asked["is_charge_refundable"], asked["balance_transactions"]) == (True, [])
    assert grown["is_charge_refundable"] is False
    moved = grown["balance_transactions"][0]  # type: ignore[index]
    assert (moved["amount"], moved["fee"]) == (-64000, FEE)
    assert grown["evidence_details"]["due_by"] > asked["evidence_details"]["due_by"]  # type: ignore[index]
    assert taken == grown
    first, second, _ = (number(event, "created") for event in loaded("meridian").events)
    assert timedelta(days=2) <= timedelta(seconds=second - first) < timedelta(days=3)


def test_cedar_gets_its_money_back_and_then_does_not() -> None:
    charge = str(one("cedar", "charge")["id"])
    stripe = loaded("cedar").manifest.stripe
    assert (stripe.refunds, stripe.refund_days) == ({charge: "fails"}, 5)


# One charge, two disputes; one order, two charges; one invoice, no charge


def test_juniper_disputes_one_payment_in_two_parts_that_make_up_the_whole() -> None:
    first, second = rows("juniper", "stripe.disputes")
    assert first["charge"] == second["charge"] == one("juniper", "charge")["id"]
    assert number(first, "amount") + number(second, "amount") == number(one("juniper", "charge"), "amount")
    assert [number(row, "amount") for row in rows("juniper", "stripe.invoice_lines")] == [70000, 50000]


def test_wren_was_charged_twice_by_one_message_and_asks_for_one_charge_only() -> None:
    first, second = rows("wren", "stripe.charges")
    assert number(second, "created") - number(first, "created") == 246
    assert {number(row, "amount") for row in (first, second)} == {8900}
    logs = "\n".join(str(row["message"]) for row in rows("wren", "datadog.logs"))
    (message,) = set(re.findall(r"message=(\w+)", logs))
    assert {str(first["id"]), str(second["id"])} <= set(re.findall(r"ch_\w+", logs))
    assert rows("wren", "sentry.events")[0]["tags"]["message"] == message  # type: ignore[index]
    (request,) = loaded("wren").requests
    assert (request.channel, request.charge, request.amount_minor) == ("email", None, 8900)
    assert request.customer == second["customer"]


def test_wren_is_within_everything_the_rule_asks_for() -> None:
    rule = rule_of("wren", "small-refund-auto")
    assert rule["kind"] == "duplicate_window"
    assert (rule["below_minor"], rule["within_minutes"], rule["root_cause_sources_min"]) == (20000, 30, 2)
    assert {"sentry.events", "datadog.logs", "pagerduty.incidents"} <= set(loaded("wren").facts)
    (ticket,) = rows("wren", "zendesk.tickets")
    assert ticket["status"] == "solved"
    assert "stripe.disputes" not in loaded("wren").facts
    (case,) = load_expectations(find_world("wren"))
    assert case.verdicts[ActionKind.STRIPE_REFUND] is Tier.ONE_APPROVER


def test_goldenrod_failed_once_because_the_card_has_expired_and_is_not_tried_again_by_itself() -> None:
    invoice, charge = one("goldenrod", "invoice"), one("goldenrod", "charge")
    assert (invoice["attempt_count"], invoice["next_payment_attempt"], invoice["status"]) == (1, None, "open")
    assert (charge["failure_code"], charge["paid"], charge["captured"]) == ("expired_card", False, False)
    card = charge["payment_method_details"]["card"]  # type: ignore[index]
    tried = datetime.fromtimestamp(number(charge, "created"), UTC)
    assert (card["exp_year"], card["exp_month"]) < (tried.year, tried.month)
    (company,) = rows("goldenrod", "hubspot.companies")
    assert (company["strategic"], company["arr"]) == (True, 4 * number(invoice, "amount_due") // 100)


def test_goldenrod_has_an_older_page_that_would_retry_and_suspend() -> None:
    now, then = rule_of("goldenrod", "dunning-2026"), rule_of("goldenrod", "dunning-2024")
    assert "expired_card" in list(now["contact_on"])  # type: ignore[call-overload]
    assert "expired_card" in list(then["retry_on"])  # type: ignore[call-overload]
    assert (now["suspend_after_days"], now["never_suspend"]) == (30, ["strategic"])
    assert (then["suspend_after_days"], then["never_suspend"]) == (21, [])


# How the simulated Stripe treats refunds


def with_refunds(refunds: str) -> dict[str, str | None]:
    return {"world.yaml": MANIFEST + f"stripe: {{ refund_days: 3, refunds: {refunds} }}\n"}


@pytest.mark.parametrize("course", ["pending", "pending_fails", "fails"])
def test_how_refunds_of_a_charge_go_is_said_in_the_world(write: Write, course: str) -> None:
    stripe = load_world(write(with_refunds(f"{{ ch_1: {course} }}"))).manifest.stripe
    assert (stripe.refunds, stripe.refund_days) == ({"ch_1": course}, 3)
    assert loaded("aperture").manifest.stripe.refunds == {}


@pytest.mark.parametrize(
    ("refunds", "said"),
    [
        ("{ ch_1: bounces }", r"world.yaml:\d+: stripe.refunds.ch_1: Input should be 'pending'"),
        ("{ ch_2: fails }", "world.yaml: stripe.refunds: ch_2 is not a charge in stripe/"),
        ("{ du_1: fails }", "world.yaml: stripe.refunds: du_1 is not a charge in stripe/"),
    ],
)
def test_a_fault_in_the_refunds_is_pointed_at(write: Write, refunds: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        load_world(write(with_refunds(refunds)))


@pytest.mark.parametrize("days", ["0", "31", "'5'"])
def test_a_refund_takes_a_whole_number_of_days_within_a_month(write: Write, days: str) -> None:
    with pytest.raises(InvalidInput, match=r"world.yaml:\d+: stripe.refund_days"):
        load_world(write({"world.yaml": MANIFEST + f"stripe: {{ refund_days: {days} }}\n"}))
