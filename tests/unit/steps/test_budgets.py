"""The order of the time budgets: whoever waits, waits longer than what it waits for can take."""

from __future__ import annotations

import pytest

from infra.google.resources import description, queues, subscriptions
from infra.google.tasks import MAX_DOUBLINGS
from infra.local.apps import FUNCTIONS
from shared.case.due import SEND_BUDGET
from shared.steps import budgets


def test_a_specialists_attempt_ends_before_whoever_waits_for_it_gives_up() -> None:
    chain = (
        budgets.SPECIALIST_SOFT_S,
        budgets.SPECIALIST_TIMEOUT_S,
        budgets.SPECIALIST_DISPATCH_S,
        budgets.ACT_LEASE_S,
        budgets.ASSIGNMENT_DEADLINE_S,  # when the watchdog comes
        budgets.SWEEP_HORIZON_S,
    )
    assert list(chain) == sorted(set(chain))


def test_an_actions_call_ends_within_its_attempt_and_the_attempt_within_its_lease() -> None:
    chain = (budgets.ACT_CALL_TIMEOUT_S, budgets.ACT_TIMEOUT_S, budgets.ACT_DISPATCH_S, budgets.ACT_LEASE_S)
    assert list(chain) == sorted(set(chain))


def test_every_function_has_a_timeout_and_its_caller_waits_longer() -> None:
    assert set(budgets.FUNCTION_TIMEOUT_S) == set(budgets.CALLER_WAITS_S) == set(FUNCTIONS)
    for name, timeout_s in budgets.FUNCTION_TIMEOUT_S.items():
        assert timeout_s < budgets.CALLER_WAITS_S[name], name


def test_an_assignment_leaves_time_for_a_second_attempt_after_one_that_hung() -> None:
    assert 2 * budgets.SPECIALIST_DISPATCH_S < budgets.ASSIGNMENT_DEADLINE_S


@pytest.mark.parametrize("budget", budgets.QUEUES, ids=lambda budget: budget.queue)
def test_a_queues_budget_is_one_that_cloud_tasks_takes(budget: budgets.Budget) -> None:
    assert 15 <= budget.dispatch_s <= 1800
    assert budget.retry.min_backoff_s <= budget.retry.max_backoff_s <= 3600
    assert budget.retry.max_attempts >= 1
    assert MAX_DOUBLINGS <= 16


def test_a_pushs_budget_is_one_that_pubsub_takes() -> None:
    assert 10 <= budgets.PUSH_ACK_S <= 600
    assert 5 <= budgets.PUSH_RETRY.max_attempts <= 100
    assert 0 <= budgets.PUSH_RETRY.min_backoff_s <= budgets.PUSH_RETRY.max_backoff_s <= 600


def test_a_message_is_given_up_only_after_the_function_has_shown_the_case_to_operators() -> None:
    assert budgets.PUSH_RETRY.max_attempts > budgets.FAULTS_BEFORE_FAILED


def test_the_sweeper_looks_as_often_as_a_step_may_take_to_start() -> None:
    assert SEND_BUDGET.total_seconds() >= budgets.SWEEP_EVERY_S


def test_an_event_outlives_whatever_can_redeliver_it() -> None:
    assert budgets.INBOX_KEEP.days > 31
    assert budgets.PUSH_KEEP < budgets.INBOX_KEEP


def test_a_deployments_resources_follow_from_the_budgets() -> None:
    assert {queue.name: queue.max_concurrent for queue in queues()} == {
        budget.queue: budget.at_once for budget in budgets.QUEUES
    }
    for subscription in subscriptions():
        assert subscription.ack_deadline_s > budgets.FUNCTION_TIMEOUT_S[subscription.function]
    assert description()["function_timeout_s"] == budgets.FUNCTION_TIMEOUT_S
