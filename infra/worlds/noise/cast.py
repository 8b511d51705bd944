"""Who lives in the noise: other companies and their people, name twins of the case's own customers, and staff."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from infra.worlds.noise.dice import Dice
from infra.worlds.noise.scene import Scene
from infra.worlds.noise.words import FAMILY, FIRST, GIVEN, INDUSTRIES, PLANS, SECOND, TITLES, TWIN_ENDINGS

_COMPANIES = 36
_TWINNED = 2
_VOWELS = {"a": "o", "e": "a", "i": "y", "o": "a", "u": "a", "y": "i"}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an address."""

    given: str
    family: str
    email: str
    title: str

    @property
    def name(self) -> str:
        """Given and family name."""
        return f"{self.given} {self.family}"


@dataclass(frozen=True, slots=True)
class Company:
    """Another customer. `price_minor`: what its plan costs a month, in minor units of the org's currency."""

    name: str
    domain: str
    people: tuple[Person, ...]
    industry: str
    plan: str
    price_minor: int
    stripe_id: str


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody. The twins are among the companies, too."""

    companies: tuple[Company, ...]
    twins: tuple[tuple[Company, datetime], ...]
    """Each twin with the moment, before the story, at which it had a trouble of its own."""
    staff: tuple[Person, ...]


def assemble(dice: Dice, scene: Scene, scale: int) -> Cast:
    """The companies (36 per scale and the twins) and ten members of staff, none of whom the facts know."""
    taken = set(scene.domains)
    twins = tuple(_company(dice, name, taken) for name in _twin_names(scene))
    pairs = [
        f"{first} {second}" for first in FIRST for second in SECOND if not {first.lower(), second.lower()} & scene.words
    ]
    others = tuple(_company(dice, name, taken) for name in dice.several(pairs, _COMPANIES * scale))
    staff = tuple(_people(dice, scene.merchant_domain, 10, scene.tokens))
    troubles = tuple((twin, dice.before_the_story()) for twin in twins)
    return Cast(companies=(*twins, *others), twins=troubles, staff=staff)


def _twin_names(scene: Scene) -> list[str]:
    names: list[str] = []
    known = {name.lower() for name in scene.customers}
    for customer in scene.customers[:_TWINNED]:
        first, *rest = customer.split()
        ending = next(word for word in TWIN_ENDINGS if word.lower() not in scene.words)
        for twin in (f"{first} {ending}", f"{customer} Group", " ".join([_misspelt(first), *rest])):
            if twin.lower() not in known:
                known.add(twin.lower())
                names.append(twin)
    return names


def _misspelt(word: str) -> str:
    last = word[-1].lower()
    return f"{word[:-1]}{_VOWELS[last]}" if last in _VOWELS else f"{word}a"


def _company(dice: Dice, name: str, taken: set[str]) -> Company:
    slug = re.sub(r"[^a-z0-9]+", "", name.lower()) or "company"
    domain = next(found for n in count() if (found := f"{slug}{n or ''}.example") not in taken)
    taken.add(domain)
    return Company(
        name=name,
        domain=domain,
        people=tuple(_people(dice, domain, 3, frozenset())),
        industry=dice.pick(INDUSTRIES),
        plan=dice.pick(PLANS),
        price_minor=dice.pick(dice.prices),
        stripe_id=dice.stripe_id("cus", 14),
    )


def _people(dice: Dice, domain: str, count: int, known: frozenset[str]) -> list[Person]:
    people: list[Person] = []
    for given, family in zip(dice.several(GIVEN, count + 5), dice.several(FAMILY, count + 5), strict=True):
        email = f"{given.lower()}.{family.lower()}@{domain}"
        if email not in known and len(people) < count:
            people.append(Person(given=given, family=family, email=email, title=dice.pick(TITLES)))
    return people
