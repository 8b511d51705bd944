"""What a text says plainly: in the writer's own words, in a sentence of a known form, and nothing else bears on it.

Money moves on words only when they are plain. Whoever asks here names the forms that count and the topic; a text that
speaks of the topic in any other way is unclear, which is neither a yes nor silence.
"""

from __future__ import annotations

import re
import unicodedata

_REPLIED_TO = re.compile(r"^[ \t]*(>.*|on .{0,120} wrote:)$", re.IGNORECASE | re.MULTILINE)
_PASSED_ON = re.compile(
    r"^[ \t]*(-{2,} ?(original|forwarded) message.*|(fwd?|wg):.*|(from|von|de):.*)$", re.IGNORECASE | re.MULTILINE
)
_BLOCK = re.compile(r"<blockquote\b.*?(</blockquote>|\Z)", re.IGNORECASE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_DOUBT = re.compile(
    r"\b(correction|mistak\w*|wrong|(not|n't|never) (true|so|correct|right|apply|valid|stand|happen)|disregard|ignore"
    r"|retract\w*|withdraw\w*|t(ake|ook) (it |that |this )?back|my (last|previous|earlier) (e-?mail|mail|message|note)"
    r"|but|however|unless|if|provided|subject to|as soon as|once|approv\w*|sign(s|ed)?[ -]?off"
    r"|under review|(will|to) review (your|this|it)|no longer)\b",
    re.IGNORECASE,
)
"""Words that may take back, or make depend on something, what another sentence says."""


_FOREIGN = re.compile(
    r"\b(und|nicht|bitte|wir|seit|hiermit|unser\w*|ich|sie|mit|quiero|mi|por|favor|usted\w*|nuestr\w+|dar|baja|est|nous"
    r"|notre|vous|merci|veuillez|pas|je|il|nostr\w+|vogli\w+|disdir\w+|per|non|het|wij|niet|onze|graag)\b",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}")


def legible(text: str) -> str:
    """The text as a reader sees it: without invisible characters, in plain letters, with straight apostrophes."""
    folded = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")


def unquoted(text: str) -> str:
    """The text without the lines of the message that it answers; what it passes on or cites otherwise is left in."""
    return _REPLIED_TO.sub("", legible(text))


def own_words(text: str) -> str:
    """What the writer says: without the message answered, citations, and whatever a message passes on."""
    kept = _BLOCK.sub("\n", unquoted(text))
    passed_on = _PASSED_ON.search(kept)
    return kept[: passed_on.start()] if passed_on else kept


def passes_on(text: str) -> bool:
    """Whether it holds words that are not the writer's own, beside the message that it answers."""
    return own_words(text).strip() != unquoted(text).strip()


def is_foreign(text: str) -> bool:
    """Whether it is written, or partly written, in a language that these rules do not read."""
    seen = unquoted(text)
    return len(set(_FOREIGN.findall(seen.lower()))) >= 2 or _OTHER_SCRIPT.search(seen) is not None


def sentences(text: str) -> list[str]:
    """The sentences of the writer's own words."""
    return [sentence.strip() for sentence in _SENTENCE.split(own_words(text)) if sentence.strip()]


def plain(text: str, form: re.Pattern[str], topic: re.Pattern[str]) -> re.Match[str] | None:
    """The one sentence that is wholly of this form; None where anything else in the text may bear on it."""
    found = [match for sentence in sentences(text) if (match := form.fullmatch(sentence.rstrip(".!;")))]
    if len(found) != 1:
        return None
    rest = unquoted(text).replace(found[0][0], " ", 1)
    return None if topic.search(rest) or _DOUBT.search(rest) else found[0]


def casts_doubt(text: str) -> bool:
    """Whether it may take back something that was said before."""
    return _DOUBT.search(unquoted(text)) is not None
