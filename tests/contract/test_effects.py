"""What `act` relies on, whichever service is changed: the same tests for every adapter and kind of action."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from infra.effects import OutboxEffects, RoutedEffects, StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind, Json
from shared.ports.effects import EffectContext, EffectRefused, Effects

KEY = "sk_test_contract"
EVIDENCE: dict[str, Json] = {"uncategorized_text": "They used it.", "access_activity_log": "Every day."}

_numbers = count(1)


@dataclass(frozen=True)
class Setting:
    """An adapter, an action it can carry out, and one of the same kind that it refuses in the words given."""

    effects: Effects
    action: Action
    happened: Callable[[], int]
    """How many effects the action's target has seen, as the other side counts them."""
    refused: Action
    words: str
    knows: Mapping[str, Json]
    """What the snapshot's fields are before the effect."""


def _action(kind: ActionKind, payload: Mapping[str, Json], **fields: Any) -> Action:
    number = next(_numbers)
    described = {"purpose": f"purpose {number}", "target": "target", "description": "what it does"}
    return Action(kind=kind, payload=dict(payload), id=f"action-{number}", hash="hash", **described, **fields)


def _context(action: Action, attempt: int = 1) -> EffectContext:
    return EffectContext("acme", "case_1", f"manthan-{action.id}", attempt, timeout_s=10.0)


def _in_outbox(kind: ActionKind, folder: Path) -> Setting:
    payload: dict[str, Json] = {
        "to": "jane@example.com",
        "subject": "Your refund",
        "body_text": "It is on its way.",
        "company_id": "comp_1",
        "channel": "#billing",
        "text": "Won.",
        "title": "Won",
        "body": "Won.",
    }
    outbox = OutboxEffects(folder)
    refused = _action(kind, {name: value for name, value in payload.items() if name not in ("subject", "body", "text")})
    return Setting(outbox, _action(kind, payload), lambda: len(outbox.read()), refused, "names no", {})


def _refund(effects: Effects, double: StripeDouble) -> Setting:
    charge, disputed = _loaded(double), _loaded(double, "needs_response")
    knows: dict[str, Json] = {"charge.currency": "usd", "charge.amount_refunded": 0, "refundable_minor": 10_000}
    money = {"amount_minor": 2_000, "currency": "usd", "snapshot": {"charge.currency": "", "charge.amount_refunded": 1}}
    return Setting(
        effects,
        _action(ActionKind.STRIPE_REFUND, {"charge": charge["charge"]}, **money),
        lambda: _count(double, "refund", "charge", charge["charge"]),
        _action(ActionKind.STRIPE_REFUND, {"charge": disputed["charge"]}, **money),
        "charge_disputed",
        knows,
    )


def _on_dispute(kind: ActionKind, effect: str, effects: Effects, double: StripeDouble) -> Setting:
    evidence = EVIDENCE if kind is ActionKind.STRIPE_SUBMIT_EVIDENCE else {}
    disputed = _loaded(double, "needs_response", evidence=evidence, evidence_details=_details(bool(evidence)))
    settled = _loaded(double, "won", evidence=EVIDENCE, evidence_details=_details(True))
    snapshot: dict[str, Json] = {"dispute.status": "", "dispute.submission_count": 9, "dispute.amount": 0}
    knows: dict[str, Json] = {"dispute.status": "needs_response", "dispute.submission_count": 0}

    def made(dispute: str) -> Action:
        return _action(kind, {"dispute": dispute, "evidence": EVIDENCE}, snapshot=snapshot)

    return Setting(
        effects,
        made(disputed["dispute"]),
        lambda: _count(double, effect, "object", disputed["dispute"]),
        made(settled["dispute"]),
        "already closed",
        {**knows, "dispute.amount": 10_000},
    )


def _details(has_evidence: bool) -> dict[str, Json]:
    return {"due_by": 1_789_000_000, "has_evidence": has_evidence}


def _loaded(double: StripeDouble, status: str | None = None, **fields: Json) -> dict[str, str]:
    """A charge of 100.00 USD of its own and, with a status, a dispute about it; their ids."""
    number = next(_numbers)
    money = {"amount": 10_000, "currency": "usd"}
    ids = {"charge": f"ch_{number}", "dispute": f"du_{number}"}
    double.load([{"object": "charge", "id": ids["charge"], **money}])
    if status is not None:
        dispute = {"object": "dispute", "id": ids["dispute"], "charge": ids["charge"], "status": status}
        double.load([{**dispute, **money, **fields}])
    return ids


def _count(double: StripeDouble, kind: str, name: str, id: str) -> int:
    return sum(1 for effect in double.effects() if effect["kind"] == kind and effect[name] == id)


STRIPE: dict[str, Callable[[Effects, StripeDouble], Setting]] = {
    "stripe_refund": _refund,
    "stripe_stage_evidence": lambda e, d: _on_dispute(ActionKind.STRIPE_STAGE_EVIDENCE, "staging", e, d),
    "stripe_submit_evidence": lambda e, d: _on_dispute(ActionKind.STRIPE_SUBMIT_EVIDENCE, "submission", e, d),
    "stripe_close_dispute": lambda e, d: _on_dispute(ActionKind.STRIPE_CLOSE_DISPUTE, "close", e, d),
}
OUTBOX = ("customer_email", "crm_note", "slack_brief", "ticket", "decision_log")


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeDouble]:
    db = tmp_path_factory.mktemp("stripe") / "state.db"
    with StripeDouble.start(db=db, now="2026-09-01T00:00:00Z", write_key=KEY) as double:
        yield double


@pytest.fixture(params=[*STRIPE, *OUTBOX])
def setting(request: pytest.FixtureRequest, tmp_path: Path) -> Setting:
    name = str(request.param)
    if name not in STRIPE:
        return _in_outbox(ActionKind(name), tmp_path)
    double: StripeDouble = request.getfixturevalue("double")
    adapter = RoutedEffects({ActionKind(name): StripeEffects(KEY, base_url=double.url)})
    return STRIPE[name](adapter, double)


def test_it_happens_once_however_often_it_is_performed(setting: Setting) -> None:
    assert setting.happened() == 0
    first = setting.effects.perform(setting.action, _context(setting.action))
    again = setting.effects.perform(setting.action, _context(setting.action, attempt=2))
    assert again.external_ref == first.external_ref
    assert setting.happened() == 1


def test_it_is_found_once_it_has_happened_and_not_before(setting: Setting) -> None:
    assert setting.effects.look_up(setting.action, _context(setting.action)) is None
    done = setting.effects.perform(setting.action, _context(setting.action))
    found = setting.effects.look_up(setting.action, _context(setting.action, attempt=2))
    assert found is not None
    assert found.external_ref == done.external_ref
    assert not found.pending


def test_looking_and_observing_change_nothing(setting: Setting) -> None:
    setting.effects.look_up(setting.action, _context(setting.action))
    setting.effects.observe(setting.action, "acme")
    assert setting.happened() == 0


def test_the_world_is_observed_field_by_field(setting: Setting) -> None:
    assert setting.effects.observe(setting.action, "acme") == setting.knows


def test_a_refusal_is_told_in_the_other_sides_words(setting: Setting) -> None:
    with pytest.raises(EffectRefused, match=setting.words):
        setting.effects.perform(setting.refused, _context(setting.refused))
    assert setting.effects.look_up(setting.refused, _context(setting.refused)) is None


def test_a_kind_that_is_not_served_is_refused_and_never_done(setting: Setting) -> None:
    other = setting.action.model_copy(update={"kind": ActionKind.STRIPE_CANCEL_SUBSCRIPTION})
    with pytest.raises(EffectRefused):
        setting.effects.perform(other, _context(other))
    assert setting.effects.look_up(other, _context(other)) is None
    assert setting.happened() == 0
