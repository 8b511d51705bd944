"""Failed cards: an automatic update that never came, and a bank that wants to see its customer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_failed_invoices import declined, doing, one

MAIL, TICKET, RETRY = ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET, ActionKind.STRIPE_RETRY_INVOICE


@pytest.fixture
def renewal(investigated: Callable[..., Dossier]) -> Dossier:
    """A large renewal on a card that is past its date."""
    return investigated("tansy")


@pytest.fixture
def confirming(investigated: Callable[..., Dossier]) -> Dossier:
    """A bank that asks for strong customer authentication."""
    return investigated("kittiwake")


def told(dossier: Dossier) -> str:
    return "\n".join(finding.text for finding in dossier.brief().findings)


def test_a_large_renewal_goes_to_people_with_who_stands_in(renewal: Dossier) -> None:
    assert doing(renewal) == {MAIL, TICKET}
    assert "Amos Delacroix <amos.delacroix@tindarell.example> (Controller, stands in for AP)" in str(
        one(renewal, TICKET).payload["body"]
    )
    assert "account updater: sync of" in told(renewal)
    assert "account updater" not in told(renewal.without("datadog.logs"))


def test_the_same_renewal_short_of_money_is_still_not_tried_by_itself(renewal: Dossier) -> None:
    assert doing(declined(renewal, "insufficient_funds")) == {MAIL, TICKET}
    small = renewal.changed("stripe.invoices", amount_due=90_000, amount_remaining=90_000)
    assert doing(declined(small, "insufficient_funds")) == {RETRY}


def test_only_the_holder_can_confirm_a_payment(confirming: Dossier) -> None:
    assert doing(confirming) == {MAIL}
    body = str(one(confirming, MAIL).payload["body_text"])
    assert "wants you to confirm this payment yourself" in body
    assert "https://invoice.stripe.com/" in body
    assert "they are in DE" in told(confirming)
    unplanned = confirming.changed("stripe.invoices", next_payment_attempt=None).with_facts(
        {"invoice.next_payment_attempt": 0}
    )
    assert doing(unplanned) == {MAIL}
    assert doing(declined(unplanned, "processing_error")) == {RETRY}
