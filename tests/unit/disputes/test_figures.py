"""The numbers of the rule base: each in one place, with unit, meaning, source and date, and used from there."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from shared.case.money import Money
from shared.playbooks.disputes import compelling, limits, monitoring, state
from shared.playbooks.disputes.figures import FIGURES, fee, figure
from shared.playbooks.disputes.policy_rules.fraud_warning import DEFAULT
from shared.playbooks.disputes.rulebase import sources


def test_every_figure_says_what_it_counts_what_it_means_and_where_and_when_that_was_read() -> None:
    for name, found in FIGURES.items():
        assert found.id == name
        assert found.value >= 0
        assert found.unit
        assert found.meaning
        assert found.source in sources().values()


def test_every_source_has_an_address_a_month_and_how_sure_it_is() -> None:
    for source in sources().values():
        assert source.url.startswith("https://")
        assert re.fullmatch(r"20[0-9]{2}-[01][0-9]", source.as_of)
        assert source.sureness in "ABCD"
        assert source.as_of in str(source)


@pytest.mark.parametrize(
    ("kind", "exception", "minor"),
    [
        ("received", None, 1500),
        ("received", "us", 1500),
        ("received", "CARTES_BANCAIRES", 0),
        ("countered", None, 1500),
        ("countered", "mx", 0),
        ("countered", "JP", 0),
        ("compliance", None, 50000),
    ],
)
def test_fees_have_their_regional_exceptions(kind: str, exception: str | None, minor: int) -> None:
    assert fee(kind, exception) == Money(minor=minor, currency="usd")


def test_a_figure_that_does_not_exist_is_no_zero() -> None:
    with pytest.raises(KeyError):
        figure("window.nobody")


def test_the_rules_take_their_numbers_from_the_figures() -> None:
    assert (figure("ce3.least_age"), figure("ce3.most_age")) == (compelling.LEAST_DAYS, compelling.MOST_DAYS)
    assert timedelta(days=figure("window.issuer_decides")) == state.ISSUER_DECIDES_WITHIN
    assert {figure("evidence.long"), figure("evidence.short")} == set(limits.TEXT_LIMITS.values())
    assert fee("received") == DEFAULT.fee


def test_close_to_a_programme_lies_below_every_threshold_of_one() -> None:
    assert figure("ecm.chargebacks") > figure("monitoring.close.count") == monitoring.CLOSE_COUNT
    ratios = [figure(name) for name in ("vamp.excessive", "ecm.ratio", "hecm.ratio")]
    assert min(ratios) == 2 * figure("monitoring.close.share") == 2 * monitoring.CLOSE_PER_TEN_THOUSAND
    assert figure("vamp.events") > figure("monitoring.close.count")
