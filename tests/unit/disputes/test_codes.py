"""The rule base of the card networks."""

from __future__ import annotations

import re

import pytest

from shared.playbooks.disputes.codes import CODES, Family, lookup, named, near, of_code


@pytest.mark.parametrize(
    ("network", "code", "reason", "family", "id_"),
    [
        ("visa", "13.3", "product_unacceptable", Family.NOT_AS_DESCRIBED, "visa-13.3"),
        ("visa", "13.7", "credit_not_processed", Family.SUBSCRIPTION_CANCELED, "visa-13.7"),
        ("visa", "10.4", "fraudulent", Family.FRAUD, "visa-10.4"),
        ("visa", "12.6.1", "duplicate", Family.DUPLICATE, "visa-12.6.1"),
        ("mastercard", "4853", "product_unacceptable", Family.NOT_AS_DESCRIBED, "mastercard-4853"),
        ("mastercard", "4853", "subscription_canceled", Family.SUBSCRIPTION_CANCELED, "mastercard-4853"),
        ("MC", "4837", "fraudulent", Family.FRAUD, "mastercard-4837"),
        ("amex", "c08", "product_not_received", Family.NOT_RECEIVED, "amex-C08"),
        ("american_express", "C28", None, Family.SUBSCRIPTION_CANCELED, "amex-C28"),
        ("discover", "4755", None, Family.NOT_RECEIVED, "discover-4755"),
        ("visa", "99.9", "duplicate", Family.DUPLICATE, "any-duplicate"),
        ("visa", "C028", "noncompliant", Family.COMPLIANCE, "any-noncompliant"),
        ("visa", "13.3", "noncompliant", Family.COMPLIANCE, "any-noncompliant"),
        (None, None, "unrecognized", Family.UNRECOGNIZED, "any-unrecognized"),
        ("mastercard", "4863", "fraudulent", Family.UNRECOGNIZED, "mastercard-4863"),
        ("discover", "UA02", "fraudulent", Family.FRAUD, "discover-UA02"),
        ("visa", "C0135", "general", Family.COMPLIANCE, "visa-C0135"),
        ("mastercard", "6341", "general", Family.INQUIRY, "mastercard-6341"),
        ("klarna", "goods not received", "general", Family.NOT_RECEIVED, "klarna-GOODS_NOT_RECEIVED"),
        ("paypal", "UNAUTHORISED", "general", Family.FRAUD, "paypal-UNAUTHORISED"),
        ("us_bank_account", "R10", "debit_not_authorized", Family.BANK_DEBIT, "ach-R10"),
        ("sepa_debit", "MD06", None, Family.BANK_DEBIT, "sepa_debit-MD06"),
        ("klarna", "some new words", "product_unacceptable", Family.NOT_AS_DESCRIBED, "any-product_unacceptable"),
        ("any", "fraudulent", None, Family.GENERAL, "any-general"),
        (None, None, "debit_not_authorized", Family.BANK_DEBIT, "any-debit_not_authorized"),
        (None, None, "a_new_reason", Family.GENERAL, "any-general"),
        (None, None, None, Family.GENERAL, "any-general"),
    ],
)
def test_the_network_code_decides_then_the_reason_then_the_general_rule(
    network: str | None, code: str | None, reason: str | None, family: Family, id_: str
) -> None:
    found = lookup(network, code, reason)
    assert (found.family, found.id) == (family, id_)


def test_every_code_says_what_it_means_what_decides_it_and_where_that_is_written() -> None:
    assert len(CODES) > 80
    for code in CODES.values():
        assert code.meaning
        assert code.stance
        assert code.source
        assert re.fullmatch(r"20[0-9]{2}-[01][0-9]", code.origin.as_of)
        assert code.evidence_fields or code.family in (Family.COMPLIANCE, Family.BANK_DEBIT)


def test_the_table_knows_the_codes_of_every_network() -> None:
    cards = {"visa", "mastercard", "amex", "discover"}
    assert {network for network, _ in CODES} == cards | {"klarna", "paypal", "cashapp", "ach", "sepa_debit", "any"}


def test_a_code_of_its_own_wins_over_the_one_for_every_ending() -> None:
    assert of_code("mastercard", "4853") == CODES["mastercard", "4853"]
    assert of_code("visa", "C0") is not None
    assert of_code("visa", "") is None


def test_a_code_is_found_in_every_network_that_knows_it() -> None:
    assert [rule.id for rule in named("4863")] == ["discover-4863", "mastercard-4863"]
    assert [rule.id for rule in named("4863", "MC")] == ["mastercard-4863"]
    assert [rule.id for rule in named("duplicate")] == ["any-duplicate"]
    assert named("nothing at all") == []
    assert "visa 13.3" in near("13.33")
