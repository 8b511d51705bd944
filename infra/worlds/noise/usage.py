"""Other people at work: posthog.* and auth.*."""

from __future__ import annotations

from infra.worlds.noise.cast import Cast, Company, Person
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.noise.words import SERVICES
from infra.worlds.tables import Row, Tables

_EVENTS = 300
_SIGN_INS = 80
_NAMES = (
    "$pageview",
    "$pageview",
    "dashboard_viewed",
    "export_started",
    "member_invited",
    "report_shared",
    "search_run",
)


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Three hundred events and eighty sign-ins per scale by people of other companies."""
    people = [(company, person) for company in cast.companies for person in company.people]
    services = [*scene.services, *SERVICES]
    devices = {person.email: dice.hexadecimal(16, prefix="dev_") for _, person in people}
    return {
        "posthog.persons": [_person(dice, *who) for who in people],
        "posthog.events": [_event(dice, *dice.pick(people), dice.pick(services)) for _ in range(_EVENTS * scale)],
        "auth.sign_ins": [_sign_in(dice, *dice.pick(people), devices) for _ in range(_SIGN_INS * scale)],
    }


def _person(dice: Dice, company: Company, person: Person) -> Row:
    return {
        "distinct_id": _distinct_id(person),
        "email": person.email,
        "name": person.name,
        "company": company.name,
        "created_at": iso(dice.moment(700, 115)),
        "properties": {"title": person.title},
    }


def _event(dice: Dice, company: Company, person: Person, service: str) -> Row:
    return {
        "id": dice.hexadecimal(8, prefix="ph_"),
        "event": dice.pick(_NAMES),
        "distinct_id": _distinct_id(person),
        "person_email": person.email,
        "company": company.name,
        "timestamp": iso(dice.moment(60)),
        "properties": {"service": service, "plan": company.plan.split()[0].lower()},
    }


def _sign_in(dice: Dice, company: Company, person: Person, devices: dict[str, str]) -> Row:
    return {
        "id": dice.hexadecimal(8, prefix="si_"),
        "user_email": person.email,
        "company": company.name,
        "timestamp": iso(dice.moment(60)),
        "ip": dice.address(),
        "device_id": devices[person.email],
        "method": dice.pick(("password", "google", "sso")),
        "success": not dice.chance(4),
    }


def _distinct_id(person: Person) -> str:
    return f"u_{person.email}"
