"""The exhibit that goes with the evidence is the one that was approved, or nothing is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import stripe

from infra.effects import StripeEffects
from infra.effects.exhibits import render
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind
from shared.case.canonical import canonical
from shared.case.document import Document, Section
from shared.ports.effects import EffectRefused, EffectUnavailable

from .actions import action, context
from .conftest import KEY
from .objects import JsonObject, charge, dispute

FIELD = "service_documentation"
DOCUMENT = Document(
    title="Evidence about a disputed payment",
    subtitle="Acme",
    dated=datetime(2026, 8, 1, tzinfo=UTC),
    sections=(Section(heading="What happened", paragraphs=("They used it every day.",)),),
)


def file_of(document: Document = DOCUMENT, **changes: Any) -> JsonObject:
    drawn = render(document)
    described = {"sha256": drawn.sha256, "bytes": len(drawn.content), "pages": drawn.pages}
    return {"document": canonical(document), **described, **changes}


def disputed(double: StripeDouble) -> JsonObject:
    made = charge()
    found = dispute(made, "needs_response")
    double.load([made, found])
    return found


def answer(kind: ActionKind, of: JsonObject, files: JsonObject) -> Action:
    return action(kind, {"dispute": of["id"], "evidence": {"uncategorized_text": "See the exhibit."}, "files": files})


def staging(of: JsonObject, files: JsonObject | None = None) -> Action:
    return answer(ActionKind.STRIPE_STAGE_EVIDENCE, of, {FIELD: file_of()} if files is None else files)


def submission(of: JsonObject, files: JsonObject | None = None) -> Action:
    return answer(ActionKind.STRIPE_SUBMIT_EVIDENCE, of, {FIELD: file_of()} if files is None else files)


def client(double: StripeDouble) -> stripe.StripeClient:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0)


def files_at(double: StripeDouble) -> list[str]:
    return [file.id for file in client(double).v1.files.list({"limit": 100}).data]


def test_the_exhibit_is_uploaded_staged_and_submitted(double: StripeDouble, effects: StripeEffects) -> None:
    of = disputed(double)
    staged, submitted = staging(of), submission(of)
    assert "2 fields" in effects.perform(staged, context(staged)).summary
    now = client(double).v1.disputes.retrieve(of["id"])
    file = client(double).v1.files.retrieve(str(now.evidence.service_documentation))
    assert (file.type, file.size, file.purpose) == ("pdf", len(render(DOCUMENT).content), "dispute_evidence")
    effects.perform(submitted, context(submitted))
    assert client(double).v1.disputes.retrieve(of["id"]).status == "under_review"


def test_an_exhibit_that_is_drawn_otherwise_than_approved_is_not_sent(
    double: StripeDouble, effects: StripeEffects
) -> None:
    of, before = disputed(double), files_at(double)
    for files in (
        {FIELD: file_of(sha256="0" * 64)},
        {FIELD: {**file_of(), "document": "no document"}},
        {FIELD: {"document": canonical(DOCUMENT)}},
    ):
        staged = staging(of, files)
        with pytest.raises(EffectRefused, match="nothing was sent to Stripe"):
            effects.perform(staged, context(staged))
    assert files_at(double) == before
    assert client(double).v1.disputes.retrieve(of["id"]).evidence_details.has_evidence is False


def test_another_file_in_its_place_stops_the_submission(double: StripeDouble, effects: StripeEffects) -> None:
    of = disputed(double)
    other = file_of(DOCUMENT.model_copy(update={"subtitle": "Somebody else"}))
    staged = staging(of, {FIELD: other})
    effects.perform(staged, context(staged))
    submitted = submission(of)
    with pytest.raises(EffectRefused, match=FIELD):
        effects.perform(submitted, context(submitted))


def test_a_file_that_somebody_took_off_or_added_stops_the_submission(
    double: StripeDouble, effects: StripeEffects
) -> None:
    of = disputed(double)
    staged = staging(of)
    effects.perform(staged, context(staged))
    mine = str(client(double).v1.disputes.retrieve(of["id"]).evidence.service_documentation)
    for evidence in ({FIELD: ""}, {FIELD: mine, "receipt": mine}):
        client(double).v1.disputes.update(of["id"], {"evidence": evidence, "submit": False})  # type: ignore[typeddict-item]
        submitted = submission(of)
        with pytest.raises(EffectRefused, match="somebody has changed it"):
            effects.perform(submitted, context(submitted))


def test_a_draft_without_the_exhibit_takes_the_earlier_one_off(double: StripeDouble, effects: StripeEffects) -> None:
    of = disputed(double)
    first, second, submitted = staging(of), staging(of, {}), submission(of, {})
    for wanted in (first, second, submitted):
        effects.perform(wanted, context(wanted))
    now = client(double).v1.disputes.retrieve(of["id"])
    assert now.evidence.service_documentation is None
    assert "manthan_files" not in now.metadata
    assert now.status == "under_review"


@pytest.mark.parametrize("fault", ["timeout_before", "timeout_after", "429", "500", "500_after"])
def test_after_an_upload_without_an_answer_the_next_attempt_goes_through(
    double: StripeDouble, effects: StripeEffects, fault: str
) -> None:
    of = disputed(double)
    staged = staging(of)
    double.fault(fault, path="/v1/files", hold_s=0.0)
    with pytest.raises(EffectUnavailable):
        effects.perform(staged, context(staged))
    assert effects.look_up(staged, context(staged)) is None
    effects.perform(staged, context(staged, attempt=2))
    assert client(double).v1.disputes.retrieve(of["id"]).evidence.service_documentation in files_at(double)
