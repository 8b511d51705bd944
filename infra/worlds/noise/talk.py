"""What the merchant's own people say and write: slack.* and notion.*."""

from __future__ import annotations

from infra.worlds.noise.cast import Cast
from infra.worlds.noise.dice import Dice, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.noise.support import feature_of
from infra.worlds.noise.texts import NOTION, SLACK
from infra.worlds.noise.words import SERVICES
from infra.worlds.tables import Row, Tables

_MESSAGES = 80
_CHANNELS = ("#general", "#support", "#sales", "#deploys", "#random", "#billing", "#customer-success")


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """Eighty messages per scale, a line about each twin from before the story, and pages of a company wiki."""
    messages = [_message(dice, scene, cast) for _ in range(_MESSAGES * scale)]
    for twin, trouble in cast.twins:
        text = f"{feature_of(scene)} slow for {twin.name}, recovered by itself after an hour, no other reports"
        at = iso(dice.later(trouble, 60, 100))
        messages.append(_said(dice, "#incidents", dice.pick(cast.staff).email, text, at, at))
    pages = [_page(dice, title, body) for title, body in NOTION]
    return {"slack.messages": messages, "notion.pages": pages}


def _message(dice: Dice, scene: Scene, cast: Cast) -> Row:
    services = [service for service in SERVICES if service not in scene.services]
    text = dice.pick(SLACK).format(
        company=dice.pick(cast.companies).name, first=dice.pick(cast.staff).given, service=dice.pick(services)
    )
    at = dice.moment(60)
    return _said(dice, dice.pick(_CHANNELS), dice.pick(cast.staff).email, text, iso(at), iso(at))


def _said(dice: Dice, channel: str, email: str, text: str, at: str, thread: str) -> Row:
    key = dice.digits(10, prefix="M")
    return {"id": key, "channel": channel, "user_email": email, "text": text, "ts": at, "thread_ts": thread}


def _page(dice: Dice, title: str, body: str) -> Row:
    key = dice.hexadecimal(32)
    return {
        "id": key,
        "title": title,
        "url": f"https://www.notion.so/{key}",
        "status": "published",
        "body": body,
        "last_edited_time": iso(dice.moment(300)),
    }
