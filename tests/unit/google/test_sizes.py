"""Documents stay far below 1 MiB, whatever a case comes to."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore_v1 import Client

from infra.google.batches import fill
from infra.google.documents import Batch
from infra.google.texts import AT_MOST, PLAIN_UP_TO, restored, stored
from shared.case.actions import Action, ActionDraft, ActionKind
from shared.case.brief import Brief, Decision, DecisionKind, Finding
from shared.case.case import Assignment, Case, Round
from shared.case.evidence import Ended, Gap, ReportPointer
from shared.errors import InvalidInput
from shared.steps.planning import MAX_ROUNDS
from shared.steps.reports import MAX_GAP_CHARS, MAX_GAPS
from tests.contract.factories import START, batch, opening

MIB = 1024 * 1024
EVIDENCE_CHARS = 150_000
"""What Stripe takes of text with one dispute, all fields together."""
_WORDS = random.Random(7)
VOCABULARY = ["".join(_WORDS.choices("etaoinshrdlucmfwypvbgk", k=_WORDS.randint(2, 11))) for _ in range(8000)]


def prose(length: int) -> str:
    """Text of made-up words, which shrinks no better than a person's."""
    return " ".join(_WORDS.choices(VOCABULARY, k=length // 6))[:length]


def test_a_small_text_is_kept_as_people_can_read_it() -> None:
    assert stored("x" * PLAIN_UP_TO, "a case") == "x" * PLAIN_UP_TO


@pytest.mark.parametrize("length", [0, 1, PLAIN_UP_TO, PLAIN_UP_TO + 1, MIB])
def test_a_text_of_any_size_comes_back_to_the_letter(length: int) -> None:
    text = prose(length) + "naïve 日本語 🧾 \u2028"
    assert restored(stored(text, "a case")) == text


def test_what_is_too_large_even_when_compressed_is_refused_and_says_what_it_is() -> None:
    with pytest.raises(InvalidInput, match="case_1"):
        stored(random.Random(1).randbytes(2 * AT_MOST).hex(), "case_1")


def test_text_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(InvalidInput):
        stored("\ud800", "a case")


def _gaps() -> tuple[Gap, ...]:
    return tuple(Gap(specialist="x", what=prose(MAX_GAP_CHARS), why=prose(MAX_GAP_CHARS)) for _ in range(MAX_GAPS))


def largest_case() -> Case:
    """All rounds it may have, every specialist with all gaps it may have, and evidence to Stripe's limit, twice."""
    names = [f"specialist_{number}" for number in range(6)]
    rounds = tuple(
        Round(
            number=number,
            assignments=tuple(Assignment(specialist=name, deadline_at=START) for name in names),
            planned_at=START,
            base=number * 3000,
            joined=True,
            reports=tuple(
                ReportPointer(specialist=name, ended=Ended.DEGRADED, base=0, count=500, sha256="0" * 64, gaps=_gaps())
                for name in names
            ),
        )
        for number in range(1, MAX_ROUNDS + 1)
    )
    findings = tuple(Finding(text=prose(600), citations=tuple(range(30)), confidence_pct=90) for _ in range(100))
    decision = Decision(kind=DecisionKind.FIGHT, rationale=prose(2000), confidence_pct=90)
    brief = Brief(round=20, tldr=prose(500), findings=findings, decision=decision, approver_question=prose(300))
    drafts = [
        ActionDraft(
            kind=kind,
            purpose=kind.value,
            target="du_1",
            description="evidence",
            payload={"evidence": {"text": prose(EVIDENCE_CHARS)}},
        )
        for kind in (ActionKind.STRIPE_STAGE_EVIDENCE, ActionKind.STRIPE_SUBMIT_EVIDENCE)
    ]
    actions = tuple(Action(**draft.model_dump(), id=draft.purpose, hash="0" * 64) for draft in drafts)
    facts = {f"fact.{number}": prose(200) for number in range(100)}
    return batch(None, opening(facts=facts)).case.model_copy(
        update={"rounds": rounds, "brief": brief, "actions": actions}
    )


def test_the_largest_case_is_a_document_far_below_the_limit() -> None:
    client = Client(project="none", credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    written = Batch(client)
    case = largest_case()
    fill(written, replace(batch(None, opening()), case=case))
    document = written.pending._write_pbs[0]
    size = type(document).pb(document).ByteSize()
    assert len(case.model_dump_json()) > MIB
    assert size < 0.6 * MIB
