"""Other troubles: sentry.*, datadog.* and pagerduty.*.

A trouble of the services that the case is about lies before the story, or concerns a tier that the facts do not know;
inside the story only services that the case never mentions have any.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from infra.worlds.noise.cast import Cast
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.noise.words import ERRORS, LOG_LINES, SERVICES, TIERS
from infra.worlds.tables import Row, Tables

_INCIDENTS = 6
_ALERTS = 14
_LOGS = 40
_PAGES = 8


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Incidents, alerts, pages, logs and errors per scale, and each twin's own incident before the story."""
    tables: Tables = defaultdict(list)
    services = [service for service in SERVICES if service not in scene.services]
    monitors = {service: _monitor(dice, service, tables) for service in services}
    for _ in range(_INCIDENTS * scale):
        _incident(dice, dice.pick(services), dice.moment(100, 2), ["env:prod"], tables)
    for _ in range(_ALERTS * scale):
        service = dice.pick(services)
        _alert(dice, monitors[service], service, dice.moment(100, 2), [f"service:{service}", "env:prod"], tables)
    for _ in range(_PAGES * scale):
        _page(dice, dice.pick(services), dice.moment(100, 2), tables)
    for _ in range(_LOGS * scale):
        _log(dice, dice.pick(services), dice.moment(60, 2), tables)
    for service in services:
        _uptime(dice, scene, service, tables)
    _errors(dice, cast, scale, tables)
    _same_services(dice, scene, tables)
    if scene.services:
        for twin, at in cast.twins:
            tags = [f"service:{scene.services[0]}", f"customer:{twin.domain}"]
            _incident(dice, scene.services[0], at, tags, tables, about=f" for {twin.name}")
    return dict(tables)


def _same_services(dice: Dice, scene: Scene, tables: Tables) -> None:
    foreign = [tier for tier in TIERS if tier not in scene.tiers]
    for service in scene.services[:3]:
        monitor = _monitor(dice, service, tables)
        tags = [f"service:{service}", "env:prod"]
        _alert(dice, monitor, service, dice.before_the_story(), tags, tables)
        _incident(dice, service, dice.before_the_story(), tags, tables)
        if scene.incidents_carry_tiers:
            recent = dice.moment(max(2, min(60, (scene.now - scene.begins).days)), 1)
            tagged = [*tags, f"tier:{dice.pick(foreign)}"]
            _alert(dice, monitor, service, recent, tagged, tables)


def _monitor(dice: Dice, service: str, tables: Tables) -> str:
    key = dice.digits(8)
    tables["datadog.monitors"].append(
        {
            "id": key,
            "name": f"{service} {dice.pick(('latency p95', 'saturation', 'queue age'))}",
            "service": service,
            "metric": f"avg:{service}.latency",
            "threshold": dice.number(2, 9),
            "created": iso(dice.moment(500, 200)),
        }
    )
    return key


def _alert(dice: Dice, monitor: str, service: str, at: datetime, tags: list[str], tables: Tables) -> None:
    tables["datadog.monitor_events"].append(
        {
            "id": dice.digits(16),
            "monitor_id": monitor,
            "service": service,
            "status": "alert",
            "value": dice.number(10, 30),
            "started_at": iso(at),
            "ended_at": iso(dice.later(at, 6, 90)),
            "tags": tags,
        }
    )


def _incident(dice: Dice, service: str, at: datetime, tags: list[str], tables: Tables, about: str = "") -> None:
    tables["datadog.incidents"].append(
        {
            "id": dice.hexadecimal(12, prefix="inc-"),
            "title": f"{service}: elevated latency{about}",
            "status": "resolved",
            "severity": dice.pick(("SEV-3", "SEV-4")),
            "service": service,
            "created": iso(at),
            "resolved_at": iso(dice.later(at, 15, 90)),
            "customer_impacted": bool(about),
            "description": f"Slow responses of {service}{about}. Recovered after a restart.",
            "tags": tags,
        }
    )


def _page(dice: Dice, service: str, at: datetime, tables: Tables) -> None:
    tables["pagerduty.incidents"].append(
        {
            "id": dice.hexadecimal(13, prefix="Q").upper(),
            "title": f"{service}: {dice.pick(('disk 85% full', 'certificate expires in 14 days', 'queue is growing'))}",
            "status": "resolved",
            "urgency": dice.pick(("low", "low", "high")),
            "priority": dice.pick(("P3", "P4")),
            "service": service,
            "created_at": iso(at),
            "acknowledged_at": iso(dice.later(at, 1, 6)),
            "resolved_at": iso(dice.later(at, 8, 80)),
            "resolution_note": dice.pick(("restarted", "auto-resolved", "cleaned up", None)),
        }
    )


def _log(dice: Dice, service: str, at: datetime, tables: Tables) -> None:
    tables["datadog.logs"].append(
        {
            "id": dice.hexadecimal(20, prefix="log_"),
            "service": service,
            "status": dice.pick(("info", "warn", "error")),
            "message": dice.pick(LOG_LINES),
            "timestamp": iso(at),
            "tags": [f"service:{service}", f"region:{dice.pick(('eu-west-1', 'us-east-1'))}"],
        }
    )


def _uptime(dice: Dice, scene: Scene, service: str, tables: Tables) -> None:
    month = scene.now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    for _ in range(3):
        before = (month - timedelta(days=1)).replace(day=1)
        slo: Row = {"id": dice.digits(9, prefix="slo-"), "service": service}
        window = {"window_start": iso(before), "window_end": iso(month), "uptime_pct": f"99.{dice.number(90, 99)}"}
        speed = {"p95_ms": dice.number(120, 420), "p99_ms": dice.number(430, 1100)}
        tables["datadog.slo_history"].append(slo | window | speed)
        month = before


def _errors(dice: Dice, cast: Cast, scale: int, tables: Tables) -> None:
    for title, culprit in ERRORS:
        key, project, count = dice.digits(10), dice.pick(("web", "api", "workers")), dice.number(2, 5) * scale
        moments = sorted(dice.moment(60, 2) for _ in range(count))
        tables["sentry.issues"].append(
            {
                "id": key,
                "title": title,
                "status": dice.pick(("resolved", "ignored", "unresolved")),
                "level": "error",
                "culprit": culprit,
                "count": count,
                "user_count": min(count, 3),
                "first_seen": iso(moments[0]),
                "last_seen": iso(moments[-1]),
                "project": project,
            }
        )
        for at in moments:
            company = dice.pick(cast.companies)
            event: Row = {"id": dice.hexadecimal(32), "issue_id": key, "message": title, "level": "error"}
            who = {"user_email": dice.pick(company.people).email, "customer": company.name}
            tables["sentry.events"].append(event | who | {"timestamp": iso(at), "tags": {"project": project}})
