"""The approval policy: tiers, minimums per kind and stricter rules, from the org's file or from the shipped one."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from shared.case.actions import TIER_ORDER, ActionKind, Tier
from shared.case.canonical import Record, canonical, short_hash
from shared.errors import InvalidInput
from shared.policy.conditions import Clause
from shared.policy.grammar import read_clause
from shared.policy.schema import LowConfidence, PolicyFile, RuleText, read_file, refusal
from shared.policy.source import Document, PolicyFault, read_document
from shared.policy.tiers import Band


class Rule(Record):
    """A stricter rule: where its condition holds, or cannot be told, at least this tier."""

    name: str
    when: Clause
    at_least: Tier


class Policy(Record):
    """Who must approve what. `version` is a hash of the content, so that two equal policies have equal versions.

    `error` is set where the org's file could not be used: then everything needs two people, until it is mended.
    """

    version: str
    tiers: tuple[Band, ...]
    minimums: dict[ActionKind, Tier]
    low_confidence: LowConfidence
    rules: tuple[Rule, ...] = ()
    error: str | None = None


@lru_cache(maxsize=64)
def load_policy(text: str | None, *, name: str = "approval.yaml") -> Policy:
    """The policy of an org by the text of its file, never failing.

    No file: the shipped policy. One that is invalid or empty: two people for everything, and `error` says why.
    """
    if text is None:
        return shipped_policy()
    try:
        return parse_policy(text, name=name)
    except InvalidInput as error:
        return Policy(
            version=f"invalid-{short_hash(text, length=12)}",
            tiers=(Band.model_validate({"approvers": "two"}),),
            minimums={},
            low_confidence=shipped_policy().low_confidence,
            error=str(error),
        )


def parse_policy(text: str, *, name: str = "approval.yaml") -> Policy:
    """The policy that a file describes. Raises InvalidInput naming the line of what is wrong.

    The shipped minimums hold beside the file's own, and its low-confidence rule where the file has none.
    """
    shipped = shipped_policy()
    return _policy(text, name, shipped.minimums, shipped.low_confidence)


@lru_cache(maxsize=1)
def shipped_policy() -> Policy:
    """The policy that comes with the package."""
    text = files("shared.policy").joinpath("shipped.yaml").read_text(encoding="utf-8")
    return _policy(text, "shipped.yaml", {}, None)


def _policy(text: str, name: str, floor: dict[ActionKind, Tier], low_confidence: LowConfidence | None) -> Policy:
    document = read_document(text, name)
    content = read_file(document, name)
    own = content.low_confidence or low_confidence
    if own is None:
        raise InvalidInput(f"{name} line 1: 'low_confidence' is missing")
    policy = Policy(
        version="",
        tiers=content.tiers,
        minimums=_stricter(floor, content.minimums),
        low_confidence=own,
        rules=_rules(document, name, content),
    )
    return policy.model_copy(update={"version": short_hash(canonical(policy), length=12)})


def _stricter(one: dict[ActionKind, Tier], other: dict[ActionKind, Tier]) -> dict[ActionKind, Tier]:
    kinds = [kind for kind in ActionKind if kind in one or kind in other]
    return {
        kind: max(one.get(kind, Tier.AUTO), other.get(kind, Tier.AUTO), key=TIER_ORDER.__getitem__) for kind in kinds
    }


def _rules(document: Document, name: str, content: PolicyFile) -> tuple[Rule, ...]:
    try:
        return tuple(_rule(index, rule) for index, rule in enumerate(content.rules))
    except PolicyFault as fault:
        raise refusal(document, name, [(fault.path, str(fault))]) from None


def _rule(index: int, text: RuleText) -> Rule:
    return Rule(name=text.name, when=read_clause(text.when, ("rules", index, "when")), at_least=text.at_least)
