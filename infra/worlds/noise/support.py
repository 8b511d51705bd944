"""Other people's conversations and tickets: intercom.* and zendesk.*."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from infra.worlds.noise.cast import Cast, Company, Person
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.noise.texts import CHATS, INSTRUCTION_TICKET, TICKETS
from infra.worlds.tables import Tables

_CONVERSATIONS = 60
_TICKETS = 40
_PRIORITIES = ("low", "normal", "normal", "high", "urgent")

# What a twin complains about: the same feature, another customer, another time.
_TWIN_CHAT = (
    "{feature} was slow for us this morning, half of the team noticed",
    "Hi {name}, thanks for flagging. We see it too and are on it, I will let you know.",
    "back to normal since lunch, cheers",
)
_TWIN_TICKET = (
    None,
    "hello, {feature} did not load for {company} yesterday afternoon. we had a board meeting. please look into it"
    "\n\n{name}",
    "Hi {name},\n\nsorry for the trouble. It was down for about an hour. As a gesture we will add a free month of the "
    "forecasting add-on to your workspace.\n\nKind regards",
)


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Sixty conversations and forty tickets per scale, and each twin's own complaint about the case's own feature."""
    tables: Tables = defaultdict(list)
    for company in cast.companies:
        for person in company.people[:2]:
            _contact(dice, company, person, tables)
    for _ in range(_CONVERSATIONS * scale):
        _conversation(dice, cast, dice.pick(cast.companies), dice.pick(CHATS), dice.moment(110), tables)
    for _ in range(_TICKETS * scale - 1):
        _ticket(dice, cast, dice.pick(cast.companies), dice.pick(TICKETS), dice.moment(110), tables)
    _ticket(dice, cast, cast.companies[-1], INSTRUCTION_TICKET, dice.moment(60), tables)
    for company, at in cast.twins:
        _conversation(dice, cast, company, _named(_TWIN_CHAT, scene), dice.later(at, 10, 50), tables)
        _ticket(dice, cast, company, _named(_TWIN_TICKET, scene), dice.later(at, 1200, 1400), tables)
    return dict(tables)


def feature_of(scene: Scene) -> str:
    """How people call what the case is about: the first service without its technical ending."""
    service = scene.services[0] if scene.services else "the dashboard"
    return service.removesuffix("-svc").removesuffix("-service").removesuffix("-worker").replace("-", " ")


def _named(texts: tuple[str | None, str, str], scene: Scene) -> tuple[str | None, str, str]:
    first, second, third = (text and text.replace("{feature}", feature_of(scene)) for text in texts)
    return first, second or "", third or ""


def _fill(dice: Dice, text: str | None, company: Company, writer: Person) -> str | None:
    other = next(person for person in company.people if person != writer)
    return text and text.format(name=writer.given, company=company.name, other=other.given, n=dice.number(6, 48))


def _contact(dice: Dice, company: Company, person: Person, tables: Tables) -> None:
    tables["intercom.contacts"].append(
        {
            "id": dice.hexadecimal(24),
            "email": person.email,
            "name": person.name,
            "role": "user",
            "company_name": company.name,
            "created_at": iso(dice.moment(600, 120)),
            "last_seen_at": iso(dice.moment(20)),
        }
    )


def _conversation(
    dice: Dice, cast: Cast, company: Company, texts: tuple[str | None, str, str], at: datetime, tables: Tables
) -> None:
    key, writer, agent = dice.digits(15), dice.pick(company.people), dice.pick(cast.staff)
    opening, reply, closing = (_fill(dice, text, company, writer) for text in texts)
    replied = dice.later(at, 4, 240)
    closed = dice.later(replied, 2, 300)
    tables["intercom.conversations"].append(
        {
            "id": key,
            "title": None,
            "state": "open" if dice.chance(10) else "closed",
            "priority": "not_priority",
            "source_subject": None,
            "source_body": opening,
            "source_author_email": writer.email,
            "created_at": iso(at),
            "updated_at": iso(closed),
        }
    )
    for author, email, body, moment in (
        ("admin", agent.email, reply, replied),
        ("user", writer.email, closing, closed),
    ):
        part = {"id": dice.digits(11), "conversation_id": key, "author_type": author, "author_email": email}
        tables["intercom.conversation_parts"].append(part | {"body": body, "created_at": iso(moment)})


def _ticket(
    dice: Dice, cast: Cast, company: Company, texts: tuple[str | None, str, str], at: datetime, tables: Tables
) -> None:
    key, writer, agent = dice.digits(6), dice.pick(company.people), dice.pick(cast.staff)
    subject, description, reply = (_fill(dice, text, company, writer) for text in texts)
    replied, status = dice.later(at, 20, 2600), dice.pick(("solved", "closed", "solved", "pending"))
    tables["zendesk.tickets"].append(
        {
            "id": key,
            "subject": subject,
            "description": description,
            "status": status,
            "priority": dice.pick(_PRIORITIES),
            "requester_email": writer.email,
            "created_at": iso(at),
            "updated_at": iso(replied),
            "first_response_at": iso(replied),
            "solved_at": None if status == "pending" else iso(replied),
            "tags": dice.several(("billing", "how_to", "bug", "feature_request", "account"), 2),
        }
    )
    for role, email, body, moment in (
        ("end_user", writer.email, description, at),
        ("agent", agent.email, reply, replied),
    ):
        comment = {"id": dice.digits(12), "ticket_id": key, "author_email": email, "author_role": role, "public": True}
        tables["zendesk.ticket_comments"].append(comment | {"body": body, "created_at": iso(moment)})
