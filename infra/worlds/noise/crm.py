"""Other customers in salesforce.* and hubspot.*."""

from __future__ import annotations

from collections import defaultdict

from infra.worlds.noise.cast import Cast, Company, Person
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.tables import Row, Tables

_NOTES = (
    "Intro call, wants to see the roadmap. Follow up in two weeks.",
    "Renewal is on autopilot, nothing open.",
    "{name} is the new contact, {other} moved to another team.",
    "Asked about the partner programme.",
    "Sent the security pack.",
    "QBR done. Happy with onboarding, wants better mobile.",
    "Left a voicemail.",
)
_STAGES = ("closedwon", "closedlost", "contractsent", "presentationscheduled")


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Every company in both CRMs, as happens after a merger of sales teams, with contacts, deals and notes."""
    tables: Tables = defaultdict(list)
    for company in cast.companies:
        _in_hubspot(dice, cast, company, tables)
        _in_salesforce(dice, cast, company, tables)
    return dict(tables)


def _in_hubspot(dice: Dice, cast: Cast, company: Company, tables: Tables) -> None:
    key, owner = dice.digits(11), dice.pick(cast.staff)
    tables["hubspot.companies"].append(
        {
            "id": key,
            "name": company.name,
            "domain": company.domain,
            "industry": company.industry,
            "arr": company.price_minor * 12 // 100,
            "tier": company.plan.split()[0],
            "strategic": dice.chance(10),
            "owner_name": owner.name,
            "owner_email": owner.email,
            "created_at": iso(dice.moment(800, 130)),
        }
    )
    contacts = [dice.digits(11) for _ in company.people]
    for contact, person in zip(contacts, company.people, strict=True):
        tables["hubspot.contacts"].append(
            {
                "id": contact,
                "company_id": key,
                "email": person.email,
                "firstname": person.given,
                "lastname": person.family,
                "jobtitle": person.title,
                "created_at": iso(dice.moment(700, 120)),
            }
        )
    if dice.chance(60):
        tables["hubspot.notes"].append(_note(dice, company, key, contacts[0], owner))
    if dice.chance(40):
        tables["hubspot.deals"].append(_deal(dice, company, key))


def _note(dice: Dice, company: Company, key: str, contact: str, owner: Person) -> Row:
    body = dice.pick(_NOTES).format(name=company.people[0].given, other=company.people[1].given)
    return {
        "id": dice.digits(11),
        "company_id": key,
        "contact_id": contact,
        "body": body,
        "author_email": owner.email,
        "created_at": iso(dice.moment(100)),
    }


def _deal(dice: Dice, company: Company, key: str) -> Row:
    return {
        "id": dice.digits(11),
        "company_id": key,
        "dealname": f"{company.name} expansion",
        "dealstage": dice.pick(_STAGES),
        "amount": dice.pick(dice.prices) // 100,
        "quantity": dice.number(1, 9),
        "closedate": iso(dice.moment(200)),
    }


def _in_salesforce(dice: Dice, cast: Cast, company: Company, tables: Tables) -> None:
    key, owner = f"001{dice.hexadecimal(15)}", dice.pick(cast.staff)
    tables["salesforce.accounts"].append(
        {
            "id": key,
            "name": company.name,
            "website": f"https://www.{company.domain}",
            "type": "Customer",
            "industry": company.industry,
            "arr": company.price_minor * 12 // 100,
            "tier": company.plan.split()[0],
            "strategic": False,
            "owner_name": owner.name,
            "owner_email": owner.email,
            "owner_started_at": iso(dice.moment(1500, 400)),
            "created_at": iso(dice.moment(800, 130)),
        }
    )
    for person in company.people:
        contact: Row = {"id": f"003{dice.hexadecimal(15)}", "account_id": key, "name": person.name}
        tables["salesforce.contacts"].append(contact | {"email": person.email, "title": person.title})
    if dice.chance(40):
        won = dice.chance(50)
        tables["salesforce.opportunities"].append(
            {
                "id": f"006{dice.hexadecimal(15)}",
                "account_id": key,
                "name": f"{company.name} renewal",
                "stage": "Closed Won" if won else "Negotiation",
                "amount": company.price_minor * 12 // 100,
                "close_date": iso(dice.moment(200)),
                "is_won": won,
            }
        )
