"""Approvals: distinct people, present rights, this very content, and never the author alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.case.actions import Approval
from shared.errors import Refused
from shared.policy.approvals import approved, eligible, may_approve, missing
from shared.ports.directory import Member, Role
from tests.unit.policy.builders import DANA, ERIN, FINN, OLEG, VERA, action, approval, org

BY_DANA, BY_ERIN, BY_FINN = (approval(member.email) for member in (DANA, ERIN, FINN))


# Who may


@pytest.mark.parametrize("email", ["dana@merchant.test", " DANA@Merchant.Test ", "erin@merchant.test"])
def test_approvers_and_admins_approve(email: str) -> None:
    assert may_approve(org(), email, action("two", at_risk=10**9)).email == email.strip().lower()


@pytest.mark.parametrize(
    ("email", "reason"),
    [
        ("mallory@elsewhere.test", r"mallory@elsewhere\.test is not a member of merchant"),
        ("", "is not a member of merchant"),
        ("vera@merchant.test", r"vera@merchant\.test is viewer and cannot approve"),
        ("oleg@merchant.test", r"oleg@merchant\.test is operator and cannot approve"),
    ],
)
def test_nobody_else_does_and_is_told_why(email: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        may_approve(org(), email, action("one", at_risk=1))


@pytest.mark.parametrize(("at_risk", "allowed"), [(0, True), (19999, True), (20000, True), (20001, False)])
def test_a_limit_bounds_the_money_at_risk(at_risk: int, allowed: bool) -> None:
    if allowed:
        assert may_approve(org(), FINN.email, action("one", at_risk=at_risk)) == FINN
    else:
        with pytest.raises(
            Refused, match=r"200\.01 USD at risk is more than the limit of finn@merchant\.test, 200\.00"
        ):
            may_approve(org(), FINN.email, action("one", at_risk=at_risk))


def test_an_unknown_amount_needs_somebody_without_a_limit() -> None:
    assert may_approve(org(), DANA.email, action("two", at_risk=None)) == DANA
    with pytest.raises(Refused, match="the amount at risk is unknown"):
        may_approve(org(), FINN.email, action("two", at_risk=None))


@pytest.mark.parametrize(
    ("tier", "reason"), [("forbidden", "the policy forbids this"), (None, "the policy has not been asked")]
)
def test_nobody_approves_what_the_policy_forbids_or_has_not_seen(tier: str | None, reason: str) -> None:
    for member in (DANA, ERIN):
        with pytest.raises(Refused, match=reason):
            may_approve(org(), member.email, action(tier))
    with pytest.raises(Refused, match=reason):
        missing(action(tier, approvals=(BY_DANA, BY_ERIN)), org())
    assert not approved(action(tier, approvals=(BY_DANA, BY_ERIN)), org())
    assert eligible(org(), action(tier)) == []


def test_those_who_may_are_listed_in_the_order_of_the_members() -> None:
    shuffled = org(members=(VERA, FINN, ERIN, OLEG, DANA))
    assert eligible(shuffled, action("one", at_risk=20000)) == [FINN, ERIN, DANA]
    assert eligible(shuffled, action("one", at_risk=20001)) == [ERIN, DANA]
    assert eligible(shuffled, action("two", at_risk=None)) == [ERIN, DANA]


# How many


@pytest.mark.parametrize(
    ("tier", "given", "lacking"),
    [
        ("auto", (), 0),
        ("one", (), 1),
        ("one", (BY_DANA,), 0),
        ("one", (BY_DANA, BY_ERIN), 0),
        ("two", (), 2),
        ("two", (BY_DANA,), 1),
        ("two", (BY_DANA, BY_DANA), 1),
        ("two", (BY_DANA, approval("DANA@merchant.test")), 1),
        ("two", (BY_DANA, approval(" dana@merchant.test ")), 1),
        ("two", (BY_DANA, BY_ERIN), 0),
        ("two", (BY_DANA, BY_FINN), 0),
    ],
)
def test_different_people_are_counted_and_not_clicks(tier: str, given: tuple[Approval, ...], lacking: int) -> None:
    judged = action(tier, approvals=given)
    assert missing(judged, org()) == lacking
    assert approved(judged, org()) is (lacking == 0)


def test_an_approval_of_another_content_does_not_count() -> None:
    judged = action("one", approvals=(approval(DANA.email, "the hash before the edit"),))
    assert missing(judged, org()) == 1


@pytest.mark.parametrize(
    "now",
    [
        (ERIN,),
        (Member(email=DANA.email, name="Dana", role=Role.VIEWER), ERIN),
        (Member(email=DANA.email, name="Dana", role=Role.OPERATOR), ERIN),
        (Member(email=DANA.email, name="Dana", role=Role.APPROVER, limit_minor=9999), ERIN),
    ],
)
def test_rights_are_those_of_today_and_not_of_when_the_approval_was_given(now: tuple[Member, ...]) -> None:
    judged = action("two", at_risk=10000, approvals=(BY_DANA, BY_ERIN))
    assert approved(judged, org())
    assert missing(judged, org(members=now)) == 1


def test_the_role_written_into_an_approval_proves_nothing() -> None:
    forged = approval(VERA.email).model_copy(update={"role": "admin"})
    assert not approved(action("one", approvals=(forged,)), org())


def test_an_approval_beyond_the_giver_s_limit_does_not_count() -> None:
    assert missing(action("two", at_risk=20001, approvals=(BY_DANA, BY_FINN)), org()) == 1
    assert missing(action("two", at_risk=None, approvals=(BY_DANA, BY_FINN)), org()) == 1


# Never the author alone


@pytest.mark.parametrize("author", ["dana@merchant.test", "Dana@Merchant.Test "])
@pytest.mark.parametrize("role", ["editors", "requested_by"])
def test_whoever_edited_or_requested_is_never_the_only_approver(role: str, author: str) -> None:
    alone = action("one", approvals=(BY_DANA,)).model_copy(update={role: (author,) if role == "editors" else author})
    assert may_approve(org(), DANA.email, alone) == DANA
    assert missing(alone, org()) == 1
    assert not approved(alone, org())
    assert approved(alone.model_copy(update={"approvals": (BY_DANA, BY_ERIN)}), org())
    assert approved(alone.model_copy(update={"approvals": (BY_ERIN,)}), org())


def test_the_author_counts_as_one_of_two() -> None:
    judged = action("two", approvals=(BY_DANA,), edited_by=DANA.email)
    assert missing(judged, org()) == 1
    assert approved(judged.model_copy(update={"approvals": (BY_DANA, BY_ERIN)}), org())


def test_one_who_requested_and_one_who_edited_check_each_other() -> None:
    judged = action("one", approvals=(BY_DANA,), edited_by=DANA.email, requested_by=ERIN.email)
    assert missing(judged, org()) == 1
    assert approved(judged.model_copy(update={"approvals": (BY_DANA, BY_ERIN)}), org())


def test_an_automatic_action_waits_for_nobody_whoever_requested_it() -> None:
    assert approved(action("auto", requested_by=DANA.email), org())
    assert approved(action("auto", requested_by=DANA.email, approvals=(BY_DANA,)), org())


@given(
    st.sampled_from(["auto", "one", "two"]),
    st.lists(st.sampled_from([DANA, ERIN, FINN, OLEG, VERA]), max_size=4),
    st.sampled_from([None, DANA.email, ERIN.email]),
    st.sampled_from([None, 1, 20000, 20001]),
)
def test_one_more_approval_never_makes_more_people_missing(
    tier: str, people: list[Member], author: str | None, at_risk: int | None
) -> None:
    given_approvals = tuple(approval(member.email) for member in people)
    counts = [
        missing(action(tier, at_risk=at_risk, approvals=given_approvals[:length], edited_by=author), org())
        for length in range(len(given_approvals) + 1)
    ]
    assert counts == sorted(counts, reverse=True)
