"""Claims: one worker per piece of work, until it ends, expires or is superseded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.ports.store import Claims
from tests.contract.factories import ORG, at, claim

KEY = claim("anyone").key


def test_a_free_claim_is_taken_and_lives(claims: Claims) -> None:
    assert claims.live(ORG, KEY, at(0)) is None
    assert claims.take(ORG, claim("a"), at(0)) is None
    assert claims.live(ORG, KEY, at(0)) == claim("a")


@pytest.mark.parametrize(("generation", "retry"), [(1, 2), (1, 1), (0, 9)])
def test_an_equal_or_lower_order_is_told_who_holds_the_claim(claims: Claims, generation: int, retry: int) -> None:
    held = claim("a", generation=1, retry=2)
    claims.take(ORG, held, at(0))
    assert claims.take(ORG, claim("b", generation=generation, retry=retry), at(1)) == held
    assert claims.live(ORG, KEY, at(1)) == held


@pytest.mark.parametrize(("generation", "retry"), [(1, 3), (2, 0)])
def test_a_higher_order_takes_over(claims: Claims, generation: int, retry: int) -> None:
    claims.take(ORG, claim("a", generation=1, retry=2), at(0))
    higher = claim("b", generation=generation, retry=retry)
    assert claims.take(ORG, higher, at(1)) is None
    assert claims.live(ORG, KEY, at(1)) == higher


def test_an_expired_claim_is_free_for_any_order(claims: Claims) -> None:
    claims.take(ORG, claim("a", generation=5, lasts_s=60), at(0))
    assert claims.take(ORG, claim("b", lasts_s=120), at(59.999999)) is not None
    assert claims.live(ORG, KEY, at(60)) is None
    assert claims.take(ORG, claim("b", lasts_s=120), at(60)) is None
    assert claims.live(ORG, KEY, at(60)) == claim("b", lasts_s=120)


def test_a_released_claim_is_free(claims: Claims) -> None:
    claims.take(ORG, claim("a"), at(0))
    claims.release(ORG, KEY, "a")
    assert claims.live(ORG, KEY, at(0)) is None
    assert claims.take(ORG, claim("b"), at(0)) is None


def test_who_lost_a_claim_cannot_release_it(claims: Claims) -> None:
    claims.take(ORG, claim("a"), at(0))
    claims.take(ORG, claim("b", retry=1), at(0))
    claims.release(ORG, KEY, "a")
    assert claims.live(ORG, KEY, at(0)) == claim("b", retry=1)


def test_releasing_what_nobody_holds_is_fine(claims: Claims) -> None:
    claims.release(ORG, KEY, "a")
    assert claims.live(ORG, KEY, at(0)) is None


def test_claims_of_different_work_do_not_meet(claims: Claims) -> None:
    assert claims.take(ORG, claim("a", key="one"), at(0)) is None
    assert claims.take(ORG, claim("b", key="two"), at(0)) is None


def test_of_twenty_takers_exactly_one_gets_the_claim_and_the_others_learn_who(claims: Claims) -> None:
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda n: claims.take(ORG, claim(f"worker-{n}"), at(0)), range(20)))
    assert answers.count(None) == 1
    winner = claim(f"worker-{answers.index(None)}")
    assert {answer for answer in answers if answer is not None} == {winner}
