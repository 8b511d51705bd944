"""Policy pages beside the merchant's own: older versions, drafts, notes. None is current for what the case is about."""

from __future__ import annotations

from infra.worlds.noise.cast import Cast
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.tables import Row, Tables

# title ({first} and {last} are titles of the merchant's own policies), status, age in days, topic, text
_PAGES = (
    ("{first} (2023)", "superseded", 900, "internal_wiki", "Replaced. Kept so that old decisions can be understood."),
    ("{last} (old wiki)", "superseded", 800, "internal_wiki", "Moved from the old wiki. Replaced by the current page."),
    ("{first}: proposal", "draft", 60, "internal_wiki", "Draft by {author}. Figures to be agreed, none yet."),
    ("{last}, next version", "draft", 40, "internal_wiki", "Outline only: scope, who decides, what to document."),
    (
        "FAQ: {first}",
        "draft",
        70,
        "internal_wiki",
        "Where do I ask? In the billing channel. Who decides? Finance. This is not a policy; the policy pages stand.",
    ),
    (
        "Meeting notes: {first}",
        "draft",
        30,
        "internal_wiki",
        "Present: {author} and two others. Discussed, nothing decided, postponed to next month.",
    ),
    (
        "Travel and expenses",
        "current",
        500,
        "travel_expenses",
        "Book economy below six hours. Receipts within 30 days. Meals at local rates.",
    ),
    (
        "Partner discounts",
        "current",
        450,
        "partner_programme",
        "Partners resell at list price less the margin in their agreement.",
    ),
)


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Eight pages: two superseded, two drafts, a FAQ, meeting notes, and two current ones about something else."""
    titles = scene.policy_titles or ("Refunds", "Disputes")
    names = {"first": titles[0], "last": titles[-1], "author": dice.pick(cast.staff).name}
    return {"policies.documents": [_page(dice, scene, names, *page) for page in _PAGES]}


def _page(
    dice: Dice, scene: Scene, names: dict[str, str], title: str, status: str, age: int, topic: str, body: str
) -> Row:
    key = dice.hexadecimal(8, prefix="page-")
    return {
        "id": key,
        "title": title.format_map(names),
        "status": status,
        "effective_from": iso(dice.moment(age, max(1, age - 30)))[:10],
        "applies_to": topic,
        "rule": None,
        "url": f"https://wiki.{scene.merchant_domain}/{key}",
        "body": body.format_map(names),
    }
