"""Every shipped world that rules decide: the specialists over the real engine, then the synthesizer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from infra.worlds.expectations import Expectation, load_expectations
from infra.worlds.loader import find_world
from shared.case.actions import Action, ActionDraft, ActionKind, DependencyKind
from shared.case.brief import DecisionKind
from shared.case.derivation import verify
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK

WORLDS = [
    ("kestrel", 0),
    ("lindera", 0),
    ("marram", 0),
    ("osprey", 0),
    ("plover", 0),
    ("rowan", 0),
    ("teasel", 0),
    ("alderney", 0),
    ("aperture", 0),
    ("bracken", 0),
    ("brambling", 0),
    ("brightwater", 0),
    ("cedar", 0),
    ("gentian", 0),
    ("goldenrod", 0),
    ("harbor", 0),
    ("hazelmere", 0),
    ("juniper", 0),
    ("juniper", 2),
    ("kittiwake", 0),
    ("larkspur", 0),
    ("linnet", 0),
    ("mallow", 0),
    ("marigold", 0),
    ("osier", 0),
    ("quill", 0),
    ("ribwort", 0),
    ("sandpiper", 0),
    ("saffron", 0),
    ("saffron", 1),
    ("sorrel", 0),
    ("tamarack", 0),
    ("tansy", 0),
    ("wren", 0),
    ("hornbeam", 0),
    ("foxglove", 0),
    ("bramble", 0),
    ("lichen", 0),
    ("lichen", 1),
    ("ochre", 0),
    ("thistle", 0),
    ("heron", 0),
    ("linden", 0),
    ("sycamore", 0),
    ("pelican", 0),
    ("yarrow", 0),
    ("sedge", 0),
    ("dunlin", 0),
    ("wagtail", 0),
]


def expected_of(name: str, dossier: Dossier) -> Expectation:
    found = {item.subject: item for item in load_expectations(find_world(name))}
    return found[dossier.case.subject.id]


def cited(dossier: Dossier) -> set[str]:
    rows = {item.index: item.row for item in dossier.evidence}
    indexes = [index for finding in dossier.brief().findings for index in finding.citations]
    return {f"{rows[index].table}:{rows[index].record_id}" for index in indexes}


@pytest.mark.parametrize(("name", "place"), WORLDS)
def test_the_decision_and_what_it_cites_are_the_expected_ones(
    investigated: Callable[..., Dossier], name: str, place: int
) -> None:
    dossier = investigated(name, place)
    expected, decision = expected_of(name, dossier), dossier.brief().decision
    assert decision.kind in expected.decisions
    if expected.amount_minor is not None:
        assert (decision.amount_minor, decision.currency) == (expected.amount_minor, expected.currency)
    assert set(expected.cites) <= cited(dossier)
    assert all(cited(dossier) & set(group) for group in expected.cites_any)
    kinds = {action.kind for action in dossier.draft().actions}
    assert set(expected.verdicts) | set(expected.requires.get(decision.kind, ())) <= kinds
    for forbidden in expected.forbids:
        if forbidden.cites is not None:
            assert forbidden.cites not in cited(dossier)
        if forbidden.action is not None and forbidden.amount_minor is None:
            assert forbidden.action not in kinds


@pytest.mark.parametrize(("name", "place"), WORLDS)
def test_every_draft_is_whole_and_legal(investigated: Callable[..., Dossier], name: str, place: int) -> None:
    dossier = investigated(name, place)
    draft = dossier.draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    rows = {item.index: item for item in dossier.evidence}
    if decision.derivation is not None:
        verify(decision.derivation, rows.get)
    known = dossier.with_facts(draft.facts).case
    assert PLAYBOOK.illegal(known, decision, None) is None
    for action in draft.actions:
        assert PLAYBOOK.illegal(known, decision, Action(**action.model_dump(), id=action.purpose, hash="h")) is None
    purposes = [action.purpose for action in draft.actions]
    assert len(set(purposes)) == len(purposes)
    needed = {d.ref for a in draft.actions for d in a.depends_on if d.kind is not DependencyKind.OUTCOME}
    assert needed <= set(purposes)
    assert dossier.draft() == draft


@pytest.mark.parametrize(("name", "place"), WORLDS)
def test_recipients_and_charges_come_from_trusted_rows(
    investigated: Callable[..., Dossier], name: str, place: int
) -> None:
    dossier = investigated(name, place)
    trusted = [item.row for item in dossier.evidence if not item.row.untrusted]
    held = {str(value) for row in trusted for value in row.fields.values()} | {row.record_id for row in trusted}
    for action in dossier.draft().actions:
        if action.kind in (ActionKind.CUSTOMER_EMAIL, ActionKind.STRIPE_REFUND, ActionKind.CRM_NOTE):
            assert action.target in held


def test_an_inquiry_is_answered_with_a_packet_of_its_own(investigated: Callable[..., Dossier]) -> None:
    draft = investigated("meridian").draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.ANSWER
    assert [action.purpose for action in draft.actions[:2]] == ["stage_inquiry_answer", "submit_inquiry_answer"]


def by_kind(dossier: Dossier) -> dict[ActionKind, ActionDraft]:
    return {action.kind: action for action in dossier.draft().actions}


def test_policy_facts_are_told_where_they_are_known(investigated: Callable[..., Dossier]) -> None:
    facts = investigated("goldenrod").draft().facts
    assert (facts["customer_arr_minor"], facts["prior_disputes"], facts["untrusted_flags"]) == (10_800_000, 0, 0)
    alone = investigated("larkspur").draft().facts
    assert "customer_arr_minor" not in alone
