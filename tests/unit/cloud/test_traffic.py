"""What is under way: nothing that still has to come is overlooked, in whatever order one hears of it."""

from __future__ import annotations

import pytest

from infra.cloud.traffic import Traffic


@pytest.fixture
def traffic() -> Traffic:
    return Traffic(gives_up_after=3)


def test_a_message_is_under_way_from_its_publishing_to_its_acknowledgement(traffic: Traffic) -> None:
    traffic.published("1")
    assert not traffic.quiet()
    assert traffic.under_way() == {"messages": 1}
    traffic.attempt("1")
    traffic.delivered("1", acknowledged=True)
    assert traffic.quiet()


def test_an_acknowledgement_may_be_heard_of_before_the_publishing(traffic: Traffic) -> None:
    traffic.attempt("1")
    traffic.delivered("1", acknowledged=True)
    traffic.published("1")
    assert traffic.quiet()


def test_a_refused_message_comes_again_until_it_is_given_up(traffic: Traffic) -> None:
    traffic.published("1")
    for number in (1, 2, 3):
        assert not traffic.quiet()
        assert traffic.attempt("1") == number
        traffic.delivered("1", acknowledged=False)
    assert traffic.quiet()


def test_a_request_is_under_way_until_it_is_answered_also_when_that_fails(traffic: Traffic) -> None:
    under_way: list[dict[str, int]] = []

    def breaks() -> None:
        with traffic.at_work("act"):
            under_way.append(traffic.under_way())
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        breaks()
    assert under_way == [{"act": 1}]
    assert traffic.quiet()


def test_an_end_is_a_move_that_is_told_and_wakes_whoever_waits() -> None:
    told: list[int] = []
    traffic = Traffic(gives_up_after=3)
    traffic.tell(lambda: told.append(traffic.moves()))
    seen = traffic.moves()
    assert not traffic.wait_for_move(seen, timeout_s=0.0)
    with traffic.at_work("act"):
        pass
    assert traffic.wait_for_move(seen, timeout_s=0.0)
    assert told == [seen + 1]


def test_what_an_earlier_world_left_is_waited_for_no_more(traffic: Traffic) -> None:
    traffic.published("1")
    traffic.forget()
    traffic.published("1")
    assert traffic.quiet()
