"""What `act` relies on, whichever service is changed: the same tests for every adapter and kind of action."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.effects import OutboxEffects, RoutedEffects, StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import ActionKind
from shared.ports.effects import EffectRefused
from tests.unit.effects.actions import action, context
from tests.unit.effects.kinds import STRIPE, Setting

KEY = "sk_test_contract"
OUTBOX = ("customer_email", "crm_note", "slack_brief", "ticket", "decision_log")


def _in_outbox(kind: ActionKind, folder: Path) -> Setting:
    payload: dict[str, Any] = {
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
    refused = action(kind, {name: value for name, value in payload.items() if name not in ("subject", "body", "text")})
    return Setting(outbox, action(kind, payload), lambda: len(outbox.read()), refused, "names no", {})


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
    first = setting.effects.perform(setting.action, context(setting.action))
    again = setting.effects.perform(setting.action, context(setting.action, attempt=2))
    assert again.external_ref == first.external_ref
    assert setting.happened() == 1


def test_it_is_found_once_it_has_happened_and_not_before(setting: Setting) -> None:
    assert setting.effects.look_up(setting.action, context(setting.action)) is None
    done = setting.effects.perform(setting.action, context(setting.action))
    found = setting.effects.look_up(setting.action, context(setting.action, attempt=2))
    assert found is not None
    assert found.external_ref == done.external_ref
    assert not found.pending


def test_looking_and_observing_change_nothing(setting: Setting) -> None:
    setting.effects.look_up(setting.action, context(setting.action))
    setting.effects.observe(setting.action, "acme")
    assert setting.happened() == 0


def test_the_world_is_observed_field_by_field(setting: Setting) -> None:
    assert setting.effects.observe(setting.action, "acme") == setting.knows


def test_a_refusal_is_told_in_the_other_sides_words(setting: Setting) -> None:
    with pytest.raises(EffectRefused, match=setting.words):
        setting.effects.perform(setting.refused, context(setting.refused))
    assert setting.effects.look_up(setting.refused, context(setting.refused)) is None


def test_a_kind_that_is_not_served_is_refused_and_never_done(setting: Setting) -> None:
    served_by_stripe = setting.action.kind.value.startswith("stripe_")
    unserved = ActionKind.CRM_NOTE if served_by_stripe else ActionKind.STRIPE_REFUND
    other = setting.action.model_copy(update={"kind": unserved})
    with pytest.raises(EffectRefused):
        setting.effects.perform(other, context(other))
    assert setting.effects.look_up(other, context(other)) is None
    assert setting.happened() == 0
