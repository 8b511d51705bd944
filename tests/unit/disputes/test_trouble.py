"""Which records of trouble concern a customer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.case.evidence import Cell
from shared.playbooks.disputes.matter import matter_of
from shared.playbooks.disputes.trouble import Bearing, Trouble, tags_of, troubles, windows
from shared.playbooks.disputes.usage import uses
from shared.team.contract import Material
from tests.unit.disputes.dossier import Dossier

ALERT = "datadog.monitor_events"
FIELDS: dict[str, Cell] = {
    "service": "custom-reports-svc",
    "status": "alert",
    "started_at": "2026-04-13T08:00:00+00:00",
    "ended_at": "2026-04-13T10:00:00+00:00",
    "tags": None,
}


def judged(dossier: Dossier, **fields: Cell) -> Trouble | None:
    """The judgement on one more alert."""
    material = _material(dossier.added(ALERT, "probe", {**FIELDS, **fields}))
    matter = matter_of(material)
    found = troubles(matter, uses(matter))
    return next((item for item in found if item.evidence.row.record_id == "probe"), None)


def _material(dossier: Dossier) -> Material:
    return Material(dossier.case, dossier.org, 1, dossier.evidence, dossier.gaps, dossier.now)


@pytest.mark.parametrize(
    ("fields", "bearing"),
    [
        ({}, Bearing.CONCERNS),
        ({"service": "never-used-svc"}, Bearing.DOES_NOT),
        ({"status": "warn"}, Bearing.DOES_NOT),
        ({"status": "ok"}, Bearing.DOES_NOT),
        ({"status": None}, Bearing.CONCERNS),
        ({"tags": '["env:staging"]'}, Bearing.DOES_NOT),
        ({"tags": '["env:prod"]'}, Bearing.CONCERNS),
        ({"tags": '["tier:premium"]'}, Bearing.CONCERNS),
        ({"tags": '["tier:premium", "tier:enterprise"]'}, Bearing.CONCERNS),
        ({"tags": '["tier:enterprise"]'}, Bearing.DOES_NOT),
        ({"tags": '["region:eu"]'}, Bearing.UNCLEAR),
        ({"tags": '["customer:somebody.example"]'}, Bearing.DOES_NOT),
        ({"tags": '["customer:Aperture Analytics"]'}, Bearing.CONCERNS),
        ({"tags": '{"tier": "enterprise"}'}, Bearing.DOES_NOT),
        ({"tags": "tier:enterprise,env:prod"}, Bearing.DOES_NOT),
        ({"tags": "7"}, Bearing.CONCERNS),
        ({"tags": '["urgent"]'}, Bearing.CONCERNS),
    ],
)
def test_a_record_concerns_who_used_that_service_on_that_tier_in_production(
    dossier: Dossier, fields: dict[str, Cell], bearing: Bearing
) -> None:
    found = judged(dossier, **fields)
    assert found is not None
    assert found.bearing is bearing
    assert found.why


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-04-10T08:00:00+00:00", "2026-04-12T09:00:00+00:00"),
        ("2026-05-12T09:00:00+00:00", "2026-05-13T09:00:00+00:00"),
    ],
)
def test_what_lies_outside_the_cycle_is_no_record(dossier: Dossier, start: str, end: str) -> None:
    assert judged(dossier, started_at=start, ended_at=end) is None


def test_a_region_that_use_shows_decides(dossier: Dossier) -> None:
    there = dossier.changed("posthog.events", properties='{"service": "custom-reports-svc", "region": "EU"}')
    eu, us = judged(there, tags='["region:eu"]'), judged(there, tags='["region:us"]')
    assert eu is not None
    assert us is not None
    assert (eu.bearing, us.bearing) == (Bearing.CONCERNS, Bearing.DOES_NOT)


def test_without_a_tier_in_use_the_plan_that_was_paid_decides(dossier: Dossier) -> None:
    untold = dossier.changed("posthog.events", properties='{"service": "custom-reports-svc"}')
    premium, other = judged(untold, tags='["tier:premium"]'), judged(untold, tags='["tier:enterprise"]')
    assert premium is not None
    assert other is not None
    assert (premium.bearing, other.bearing) == (Bearing.CONCERNS, Bearing.UNCLEAR)


def test_use_that_cannot_be_read_shows_nothing(dossier: Dossier) -> None:
    broken = dossier.changed("posthog.events", properties="{not json")
    found = judged(broken)
    assert found is not None
    assert found.bearing is Bearing.DOES_NOT
    assert judged(dossier.changed("posthog.events", timestamp=None)) is not None


def test_without_a_cycle_there_are_no_records(dossier: Dossier) -> None:
    assert judged(dossier.without("stripe.invoice_lines")) is None


def _windows(dossier: Dossier, spans: Sequence[tuple[str, str | None]]) -> list[tuple[str, str]]:
    probed = dossier.without(ALERT)
    for place, (start, end) in enumerate(spans):
        probed = probed.added(ALERT, f"a{place}", {**FIELDS, "started_at": start, "ended_at": end})
    matter = matter_of(_material(probed))
    assert matter.cycle is not None
    found = windows(troubles(matter, uses(matter)), matter.cycle)
    return [(window.start.isoformat()[8:16], window.end.isoformat()[8:16]) for window in found]


def test_records_that_touch_or_overlap_are_one_stretch(dossier: Dossier) -> None:
    def at(day_hour: str) -> str:
        return f"2026-04-{day_hour}:00:00+00:00"

    assert _windows(dossier, [(at("13T08"), at("13T10")), (at("13T10"), at("13T12"))]) == [("13T08:00", "13T12:00")]
    assert _windows(dossier, [(at("13T08"), at("13T12")), (at("13T09"), at("13T10"))]) == [("13T08:00", "13T12:00")]
    assert _windows(dossier, [(at("14T08"), at("14T09")), (at("13T08"), at("13T10"))]) == [
        ("13T08:00", "13T10:00"),
        ("14T08:00", "14T09:00"),
    ]
    assert _windows(dossier, [(at("13T08"), None), (at("13T10"), at("13T10"))]) == []


def test_tags_of_a_row_without_any_are_none(dossier: Dossier) -> None:
    assert tags_of(dossier.evidence[0]) == {}
