"""The pipeline on a bench: the real functions and store, a clock that stands still, and a queue a test can look into.

Nothing runs by itself: `pump` delivers what is due, one delivery after another, as HTTP requests to the functions' own
WSGI apps, until nothing is left.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from flask import Flask
from werkzeug.test import TestResponse

from infra.local.apps import load_apps
from infra.local.clock import ManualClock
from infra.local.composition import WEBHOOK_PATH, LocalComposition, LocalSettings
from infra.local.entropy import SeededEntropy
from infra.telemetry import Watch
from shared.case.case import Case, Subject, case_id
from shared.case.lifecycle import State
from shared.ports import Member, Message, Org, Role, Sources, Task
from shared.ports.task_rules import attribute_headers
from shared.steps.context import Ports, RequestContext, system_context
from tests.support.effects import ScriptedEffects
from tests.support.playbook import ScriptedPlaybook

ORG = "acme"
SECRET = "whsec_test"
START = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
ALICE, BOB, CAROL, OSCAR, VERA = (f"{name}@acme.test" for name in ("alice", "bob", "carol", "oscar", "vera"))


@dataclass
class Outgoing:
    """What the functions have sent, as messages and tasks."""

    messages: list[Message] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def publish(self, message: Message) -> None:
        self.messages.append(message)

    def enqueue(self, task: Task) -> bool:
        if task.name in self.names:
            return False
        self.names.add(task.name)
        self.tasks.append(task)
        return True


class Rig(LocalComposition):
    """One org with members, a scripted playbook and scripted effects, on a real store."""

    def __init__(
        self, folder: Path, playbook: ScriptedPlaybook | None = None, *, telemetry: Watch | None = None
    ) -> None:
        self.playbook = playbook or ScriptedPlaybook()
        self.effects = ScriptedEffects()
        self.manual = ManualClock(START)
        super().__init__(
            LocalSettings(data=folder, secrets={"current": SECRET}, synchronous="OFF"),
            clock=self.manual,
            entropy=SeededEntropy(1),
            playbooks={"disputes": self.playbook},
            sources=lambda org: cast(Sources, None),
            effects=self.effects,
            telemetry=telemetry,
        )
        self.out = Outgoing()
        self.directory.put_org(
            Org(
                id=ORG,
                currency="usd",
                members=(
                    Member(email=ALICE, name="Alice", role=Role.ADMIN),
                    Member(email=BOB, name="Bob", role=Role.APPROVER),
                    Member(email=CAROL, name="Carol", role=Role.APPROVER, limit_minor=10000),
                    Member(email=OSCAR, name="Oscar", role=Role.OPERATOR),
                    Member(email=VERA, name="Vera", role=Role.VIEWER),
                ),
            )
        )
        self.directory.register_endpoint(WEBHOOK_PATH, "current", None, ORG)
        self.apps = load_apps(self)
        self.answers: list[tuple[str, int]] = []

    def given(self, function: str) -> Ports:
        return replace(super().given(function), messages=self.out, tasks=self.out)

    def all_ports(self) -> Ports:
        return self.ports("act")

    def context(self, actor: str | None = None) -> RequestContext:
        if actor is None:
            return system_context(ORG, "trace")
        return RequestContext(org=ORG, actor=actor, role="member", trace="trace")

    # What the outside does

    def event(self, kind: str, subject: str = "du_1", status: str = "needs_response", **extra: Any) -> dict[str, Any]:
        created = int(self.clock.now().timestamp())
        identity = f"evt_{hashlib.sha256(f'{kind}{subject}{status}{sorted(extra)}'.encode()).hexdigest()[:10]}"
        return {
            "id": identity,
            "object": "event",
            "type": kind,
            "created": created,
            "livemode": False,
            "data": {"object": {"id": subject, "object": "dispute", "status": status, **extra}},
        }

    def post(
        self, event: Mapping[str, Any] | bytes, *, secret: str = SECRET, age_s: int = 0, path: str = WEBHOOK_PATH
    ) -> TestResponse:
        body = event if isinstance(event, bytes) else json.dumps(event).encode()
        return self.post_signed(body, sign(body, secret, age_s=age_s), path=path)

    def post_signed(self, body: bytes, header: str, *, path: str = WEBHOOK_PATH) -> TestResponse:
        app = cast(Flask, self.apps["stripe_webhook"])
        return app.test_client().post(path, data=body, headers={"Stripe-Signature": header})

    # What the queue does

    def deliver_message(self, message: Message, attempt: int = 1) -> int:
        import base64

        data = base64.b64encode(json.dumps(message.body).encode()).decode()
        envelope = {
            "subscription": f"projects/test/subscriptions/{message.topic}",
            "message": {"data": data, "attributes": message.attributes, "messageId": "1"},
            "deliveryAttempt": attempt,
        }
        return self._call(message.topic, json.dumps(envelope).encode(), {})

    def deliver_task(self, task: Task, retry: int = 0) -> int:
        headers = {"X-CloudTasks-TaskRetryCount": str(retry), "X-CloudTasks-QueueName": task.queue}
        headers |= attribute_headers(task.attributes)
        return self._call(task.function, json.dumps(task.body).encode(), headers)

    def _call(self, function: str, body: bytes, headers: dict[str, str]) -> int:
        client = cast(Flask, self.apps[function]).test_client()
        response = client.post("/", data=body, content_type="application/json", headers=headers)
        self.answers.append((function, response.status_code))
        return response.status_code

    def pump(self, *, only: Callable[[Message | Task], bool] = lambda sent: True, limit: int = 500) -> int:
        """Deliver everything due until nothing is left; what fails is dropped, for the sweeper to find."""
        delivered = 0
        while delivered < limit:
            message = next((item for item in self.out.messages if only(item)), None)
            if message is not None:
                self.out.messages.remove(message)
                self.deliver_message(message)
            else:
                task = next((item for item in self.out.tasks if only(item) and self._is_due(item)), None)
                if task is None:
                    return delivered
                self.out.tasks.remove(task)
                self.deliver_task(task)
            delivered += 1
        raise AssertionError(f"still not quiet after {limit} deliveries")

    def _is_due(self, task: Task) -> bool:
        return task.schedule_at is None or task.schedule_at <= self.clock.now()

    def sweep(self) -> dict[str, int]:
        response = cast(Flask, self.apps["sweep"]).test_client().post("/")
        assert response.status_code == 200
        return cast("dict[str, int]", response.get_json())

    def advance(self, **duration: float) -> None:
        self.manual.advance(timedelta(**duration).total_seconds())

    # What a test looks at

    def case(self, subject: str = "du_1") -> Case:
        found = self.find(subject)
        assert found is not None, f"no case about {subject}"
        return found

    def find(self, subject: str = "du_1") -> Case | None:
        record = self.store.read(ORG, case_id(ORG, Subject(kind="dispute", id=subject)))
        return record.case if record else None

    def id_of(self, kind: str, subject: str = "du_1") -> str:
        return next(action.id for action in self.case(subject).actions if action.kind == kind)

    def states(self, subject: str = "du_1") -> dict[str, str]:
        return {action.kind.value: action.state.value for action in self.case(subject).actions}

    def to_approval(self, subject: str = "du_1") -> Case:
        """A case whose brief waits for people."""
        assert self.post(self.event("test.created", subject)).status_code == 200
        self.pump()
        case = self.case(subject)
        assert case.state is State.AWAITING_APPROVAL, (case.state, case.state_reason)
        return case


def sign(body: bytes, secret: str = SECRET, *, age_s: int = 0) -> str:
    timestamp = int(time.time()) - age_s
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"
