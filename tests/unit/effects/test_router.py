from __future__ import annotations

from pathlib import Path

import pytest

from infra.effects import OutboxEffects, RoutedEffects, StripeEffects
from shared.case.actions import ActionKind
from shared.ports.effects import EffectRefused

from .actions import context, email, refund
from .server import Server, says


def test_each_kind_goes_to_its_service(tmp_path: Path, server: Server, failing: StripeEffects) -> None:
    outbox = OutboxEffects(tmp_path)
    routed = RoutedEffects({ActionKind.STRIPE_REFUND: failing, ActionKind.CUSTOMER_EMAIL: outbox})
    mail, money = email(), refund("ch_1")
    assert routed.perform(mail, context(mail)) == routed.look_up(mail, context(mail))
    assert len(outbox.read()) == 1
    assert server.seen == []
    assert routed.perform(money, context(money)).external_ref == "re_1"
    server.answer = says(404, {"error": {"code": "resource_missing", "message": "No such charge"}})
    assert routed.observe(money, "acme") == {}
    assert [request["path"] for request in server.seen] == ["/v1/refunds", "/v1/charges/ch_1"]


def test_a_kind_that_nobody_serves_is_refused_and_can_have_had_no_effect(tmp_path: Path) -> None:
    routed = RoutedEffects({ActionKind.CUSTOMER_EMAIL: OutboxEffects(tmp_path)})
    money = refund("ch_1")
    assert routed.observe(money, "acme") == {}
    assert routed.look_up(money, context(money)) is None
    with pytest.raises(EffectRefused, match="no service is connected that could carry out stripe_refund"):
        routed.perform(money, context(money))
