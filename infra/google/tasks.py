"""Enqueuing on Cloud Tasks: one task per specialist, watchdog and action, with its own deadline and retry policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import grpc
from google.api_core import exceptions
from google.cloud import tasks_v2
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcTransport

from infra.google.calls import CALL_TIMEOUT_S, Count, patience, translating, uncounted
from shared.errors import InvalidInput, Retryable
from shared.ports.queue import Retry, Task
from shared.ports.task_rules import attribute_headers, check_task

MAX_DOUBLINGS: Final = 16


def connect_tasks(emulator: str | None = None) -> tasks_v2.CloudTasksClient:
    """A client of the service, or of an emulator at this address (host:port)."""
    if emulator is None:
        return tasks_v2.CloudTasksClient()
    return tasks_v2.CloudTasksClient(transport=CloudTasksGrpcTransport(channel=grpc.insecure_channel(emulator)))


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Where the queues are, where the functions are, and as whom the queues call them."""

    project: str
    location: str
    functions: Mapping[str, str]
    """The URL of each function that handles tasks. It is the audience of the tokens, too."""
    account: str | None = None
    """The service account that the tokens name; None: the queues send none, for functions that ask for none."""
    prefix: str = ""
    """What the names of this deployment's queues begin with."""

    def queue_path(self, queue: str) -> str:
        """The full name of a queue."""
        return f"projects/{self.project}/locations/{self.location}/queues/{self.prefix}{queue}"


class CloudTasks:
    """Tasks on Cloud Tasks; implements shared.ports.queue.Tasks."""

    def __init__(self, client: tasks_v2.CloudTasksClient, dispatch: Dispatch, *, counted: Count = uncounted) -> None:
        self._client = client
        self._dispatch = dispatch
        self._counted = counted

    def enqueue(self, task: Task) -> bool:
        """Hand the task over before returning. False: the name exists or existed, which proves nothing.

        That is also what a repeated call says after its first answer was lost. Raises InvalidInput for what Cloud Tasks
        refuses, and Retryable when it could not be handed over.
        """
        body = json.dumps(task.body, separators=(",", ":"))
        check_task(task, body)
        parent = self._dispatch.queue_path(task.queue)
        message = self._message(task, f"{parent}/tasks/{task.name}", body.encode())
        self._counted("tasks.create")
        with translating(f"enqueuing on {task.queue}"):
            try:
                # The client itself never retries this call.
                self._client.create_task(parent=parent, task=message, retry=patience(), timeout=CALL_TIMEOUT_S)
            except exceptions.AlreadyExists:
                return False
            except exceptions.InvalidArgument as error:
                raise InvalidInput(f"Cloud Tasks does not accept task {task.name}: {error.message}") from error
        return True

    def _message(self, task: Task, name: str, body: bytes) -> tasks_v2.Task:
        url = self._dispatch.functions.get(task.function)
        if url is None:
            raise Retryable(f"no address is configured for the function {task.function}")
        request = tasks_v2.HttpRequest(
            url=url,
            http_method=tasks_v2.HttpMethod.POST,
            headers={"Content-Type": "application/json", **attribute_headers(task.attributes)},
            body=body,
        )
        if self._dispatch.account is not None:
            request.oidc_token = tasks_v2.OidcToken(service_account_email=self._dispatch.account, audience=url)
        return tasks_v2.Task(
            name=name,
            http_request=request,
            schedule_time=task.schedule_at,
            dispatch_deadline=timedelta(seconds=task.deadline_s),
            retry_config=_retry_config(task.retry),
        )


def _retry_config(retry: Retry) -> tasks_v2.RetryConfig:
    """All of it: what is left out would be filled in by defaults that nobody chose."""
    return tasks_v2.RetryConfig(
        max_attempts=retry.max_attempts,
        max_retry_duration=timedelta(seconds=retry.max_duration_s),
        min_backoff=timedelta(seconds=retry.min_backoff_s),
        max_backoff=timedelta(seconds=retry.max_backoff_s),
        max_doublings=MAX_DOUBLINGS,
    )
