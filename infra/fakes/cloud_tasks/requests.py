"""What a new task has to be like: checked and completed as the service does, before anything is stored."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from google.cloud import tasks_v2

from .refusals import invalid, unimplemented
from .settings import completed_retry

MAX_TASK_BYTES: Final = 100 * 1024
MAX_URL: Final = 2083
MAX_HEADERS_BYTES: Final = 80 * 1024
MAX_DELAY: Final = timedelta(days=30)
DEFAULT_DEADLINE: Final = timedelta(minutes=10)
_SHORTEST_DEADLINE: Final = timedelta(seconds=15)
_LONGEST_DEADLINE: Final = timedelta(minutes=30)
_WITH_BODY: Final = frozenset({tasks_v2.HttpMethod.POST, tasks_v2.HttpMethod.PUT, tasks_v2.HttpMethod.PATCH})
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def completed(task: tasks_v2.Task, now: datetime) -> tasks_v2.Task:
    """The task with defaults where it says nothing. Raises Refusal for what the service does not accept.

    What is output only is ignored, a time in the past means now, and `retry_config` stays absent where it was.
    """
    if "app_engine_http_request" in task:
        raise unimplemented("App Engine tasks")
    if "http_request" not in task:
        raise invalid("Task.http_request must be set.")
    if len(tasks_v2.Task.serialize(task)) > MAX_TASK_BYTES:
        raise invalid("Task size too large: the maximum is 100KB.")
    complete = tasks_v2.Task(
        name=task.name,
        http_request=_request(task.http_request),
        schedule_time=_schedule(task, now),
        dispatch_deadline=_deadline(task),
        create_time=now.replace(microsecond=0),
    )
    if "retry_config" in task:
        complete.retry_config = completed_retry(task.retry_config)
    return complete


def _schedule(task: tasks_v2.Task, now: datetime) -> datetime:
    if "schedule_time" not in task:
        return now
    if task.schedule_time - now > MAX_DELAY:
        raise invalid("The scheduled time is too far in the future: the maximum is 30 days.")
    wanted: datetime = task.schedule_time
    return max(wanted, now)


def _deadline(task: tasks_v2.Task) -> timedelta:
    if "dispatch_deadline" not in task:
        return DEFAULT_DEADLINE
    deadline: timedelta = task.dispatch_deadline
    if not _SHORTEST_DEADLINE <= deadline <= _LONGEST_DEADLINE:
        raise invalid("Task.dispatch_deadline must be between 15 seconds and 30 minutes.")
    return deadline


def _request(request: tasks_v2.HttpRequest) -> tasks_v2.HttpRequest:
    complete = tasks_v2.HttpRequest(request)
    complete.http_method = tasks_v2.HttpMethod(request.http_method or tasks_v2.HttpMethod.POST)
    _check_url(request.url)
    if request.body and complete.http_method not in _WITH_BODY:
        raise invalid("HttpRequest.body is allowed with POST, PUT and PATCH only.")
    if sum(len(name) + len(value) for name, value in request.headers.items()) > MAX_HEADERS_BYTES:
        raise invalid("HttpRequest.headers must be smaller than 80KB.")
    for name, value in request.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise invalid("HttpRequest.headers must be legal HTTP header fields.")
    for kind in ("oidc_token", "oauth_token"):
        if kind in request and "@" not in getattr(request, kind).service_account_email:
            raise invalid(f"HttpRequest.{kind}.service_account_email must be set.")
    return complete


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or len(url) > MAX_URL or not url.isprintable() or " " in url:
        raise invalid(
            "HttpRequest.url must begin with http:// or https://, name a host and have at most 2083 characters."
        )
