"""What a task asks Cloud Tasks for, and what is said when it cannot be handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from google.cloud import tasks_v2

from infra.fakes.cloud_tasks import Emulator, EmulatorClock, RunningEmulator, Signer
from infra.google import calls
from infra.google.identity import TokenCallers
from infra.google.keys import Keys, fetch_from
from infra.google.tasks import CloudTasks, Dispatch, connect_tasks
from infra.stage.serving import AppServer
from shared.errors import InvalidInput, Refused, Retryable
from shared.ports.queue import Task
from shared.steps.budgets import ACTIONS, SPECIALISTS, WATCHDOGS, Budget
from tests.unit.runtime.house import START, Function

ACCOUNT = "tasks@acme.iam.gserviceaccount.com"


@dataclass
class Service:
    running: RunningEmulator
    dispatch: Dispatch
    function: Function
    calls: list[str]

    @property
    def tasks(self) -> CloudTasks:
        return CloudTasks(connect_tasks(self.running.address), self.dispatch, counted=self.calls.append)

    def stored(self, task: Task) -> tasks_v2.Task:
        name = f"{self.dispatch.queue_path(task.queue)}/tasks/{task.name}"
        return self.running.client().get_task(request={"name": name, "response_view": tasks_v2.Task.View.FULL})


@pytest.fixture
def service() -> Iterator[Service]:
    """Cloud Tasks with the queues of the budgets, its clock standing still, and a function."""
    function = Function()
    emulator = Emulator(EmulatorClock(START, frozen=True), signer=Signer())
    with AppServer(function) as app, RunningEmulator(emulator) as running:
        urls = {"specialist": app.url, "act": app.url}
        dispatch = Dispatch("acme", "europe-west1", urls, account=ACCOUNT, prefix="test-")
        for budget in (SPECIALISTS, WATCHDOGS, ACTIONS):
            name = dispatch.queue_path(budget.queue)
            running.client().create_queue(parent=name.rpartition("/queues/")[0], queue={"name": name})
        yield Service(running, dispatch, function, [])


def task_of(budget: Budget) -> Task:
    return Task(
        queue=budget.queue,
        name="0123abc",
        function="act" if budget is ACTIONS else "specialist",
        body={"org": "acme", "case_id": "case_1"},
        deadline_s=budget.dispatch_s,
        retry=budget.retry,
        schedule_at=START + timedelta(minutes=3),
        attributes={"org": "acme", "trace": "t" * 32},
    )


@pytest.mark.parametrize("budget", [SPECIALISTS, WATCHDOGS, ACTIONS], ids=lambda budget: budget.queue)
def test_every_class_of_tasks_carries_its_own_deadline_and_retry_policy(service: Service, budget: Budget) -> None:
    task = task_of(budget)
    assert service.tasks.enqueue(task)
    stored = service.stored(task)
    retry = stored.retry_config
    assert stored.dispatch_deadline == timedelta(seconds=budget.dispatch_s)
    assert retry.max_attempts == budget.retry.max_attempts
    assert retry.max_retry_duration == timedelta(seconds=budget.retry.max_duration_s)
    assert (retry.min_backoff.total_seconds(), retry.max_backoff.total_seconds()) == (
        budget.retry.min_backoff_s,
        budget.retry.max_backoff_s,
    )
    assert stored.schedule_time == task.schedule_at
    assert stored.http_request.headers["X-Manthan-Trace"] == "t" * 32
    assert service.calls == ["tasks.create"]


def test_the_token_of_a_task_passes_the_functions_own_verification_and_no_other(service: Service) -> None:
    service.tasks.enqueue(replace(task_of(SPECIALISTS), schedule_at=None))
    authorization = service.function.wait().headers["AUTHORIZATION"]
    keys = Keys(fetch_from(service.running.certs_url))
    url = service.dispatch.functions["specialist"]
    TokenCallers(keys, audience=url, accounts=frozenset({ACCOUNT})).require(authorization, "")
    with pytest.raises(Refused):
        TokenCallers(keys, audience="https://act", accounts=frozenset({ACCOUNT})).require(authorization, "")
    with pytest.raises(Refused):
        TokenCallers(keys, audience=url, accounts=frozenset({"push@acme"})).require(authorization, "")


def test_without_an_account_no_token_is_asked_for(service: Service) -> None:
    service.dispatch = replace(service.dispatch, account=None)
    service.tasks.enqueue(replace(task_of(SPECIALISTS), schedule_at=None))
    assert "AUTHORIZATION" not in service.function.wait().headers


def test_what_cloud_tasks_itself_refuses_is_an_invalid_input(service: Service) -> None:
    with pytest.raises(InvalidInput, match="0123abc"):
        service.tasks.enqueue(replace(task_of(SPECIALISTS), deadline_s=5.0))


@pytest.mark.parametrize("changes", [{"queue": "forgotten"}, {"function": "unheard-of"}])
def test_a_faulty_configuration_is_never_acknowledged(service: Service, changes: dict[str, str]) -> None:
    with pytest.raises(Retryable):
        service.tasks.enqueue(replace(task_of(SPECIALISTS), **changes))  # type: ignore[arg-type]


def test_a_service_that_is_down_is_tried_for_a_while_and_then_reported(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "GIVE_UP_AFTER_S", 0.3)
    tasks = service.tasks
    service.running.close()
    with pytest.raises(Retryable, match="enqueuing on specialists failed"):
        tasks.enqueue(task_of(SPECIALISTS))
