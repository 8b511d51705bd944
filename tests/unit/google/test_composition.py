"""Google Cloud, composed: each function gets what it needs and nothing else, and loads no library it does not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.google.composition import GoogleComposition
from infra.google.identity import TokenCallers
from infra.local.apps import FUNCTIONS
from infra.local.clock import SystemClock
from infra.settings import load
from shared.errors import InvalidInput, NotFound
from shared.ports.queue import Message, Retry, Task
from shared.steps.context import NotGiven, Ports
from tests.unit.settings.test_settings import EMULATORS, WHOLE

ROOT = Path(__file__).parents[3]
MESSAGE = Message("triage", {"org": "acme"})
TASK = Task("actions", "t1", "act", {"org": "acme"}, 60.0, Retry(1, 1.0, 1.0, 1.0))


@pytest.fixture
def composition(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> GoogleComposition:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", EMULATORS["FIRESTORE_EMULATOR_HOST"])
    return GoogleComposition(load({**WHOLE, **EMULATORS, "MANTHAN_OUTBOX": str(tmp_path)}))


@pytest.fixture
def ports(composition: GoogleComposition) -> dict[str, Ports]:
    return {name: composition.ports(name) for name in FUNCTIONS}


def given(ports: dict[str, Ports], name: str) -> set[str]:
    return {function for function, each in ports.items() if getattr(each, name) is not None}


def test_sources_effects_and_drawing_are_each_given_to_one_function_alone(ports: dict[str, Ports]) -> None:
    assert given(ports, "sources") == {"specialist"}
    assert given(ports, "effects") == {"act"}
    assert given(ports, "render") == {"synthesize"}


def test_everybody_but_the_webhook_verifies_its_callers(ports: dict[str, Ports]) -> None:
    assert given(ports, "callers") == set(FUNCTIONS) - {"stripe_webhook"}
    assert isinstance(ports["act"].callers, TokenCallers)


@pytest.mark.parametrize(
    ("function", "publishes", "enqueues"), [("stripe_webhook", True, False), ("dead_letter", False, False)]
)
def test_a_function_that_only_receives_has_no_transport(
    ports: dict[str, Ports], function: str, publishes: bool, enqueues: bool
) -> None:
    if not publishes:
        with pytest.raises(NotGiven, match=f"{function} may not publish"):
            ports[function].messages.publish(MESSAGE)
    if not enqueues:
        with pytest.raises(NotGiven, match=f"{function} may not enqueue"):
            ports[function].tasks.enqueue(TASK)


def test_clients_are_made_once(composition: GoogleComposition) -> None:
    one, other = composition.ports("triage"), composition.ports("act")
    assert (one.store, one.messages, one.tasks) == (other.store, other.messages, other.tasks)


def test_nobody_is_provably_dead(ports: dict[str, Ports]) -> None:
    workers = ports["act"].workers
    assert not workers.provably_dead("another")
    assert not workers.provably_dead(workers.this())


def test_the_clock_is_the_real_one(composition: GoogleComposition) -> None:
    assert isinstance(composition.clock, SystemClock)


def test_the_webhook_has_one_endpoint_with_every_live_secret(composition: GoogleComposition) -> None:
    assert composition.endpoint("/").secrets == {"current": "whsec_marked"}
    with pytest.raises(NotFound):
        composition.endpoint("/elsewhere")


def test_a_function_that_lacks_a_setting_gets_no_ports() -> None:
    with pytest.raises(InvalidInput, match="act cannot run: MANTHAN_STRIPE_WRITE_KEY is not set"):
        GoogleComposition(load({**WHOLE, "MANTHAN_STRIPE_WRITE_KEY": ""})).ports("act")


def _of_process(function: str, code: str, **changed: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **WHOLE, **EMULATORS, **changed}
    program = f"import functions.{function}.main as main, json, sys\n{code}"
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=90)


HEAVY = (
    "google.cloud.tasks_v2",
    "google.pubsub_v1",
    "stripe",
    "duckdb",
    "sqlglot",
    "fpdf",
    "shared.playbooks.disputes",
)
NEEDED = {
    "stripe_webhook": {"google.pubsub_v1"},
    "policy_check": {"google.pubsub_v1", "google.cloud.tasks_v2", "shared.playbooks.disputes"},
    "dead_letter": set[str](),
}


@pytest.mark.parametrize("function", sorted(NEEDED))
def test_a_function_loads_only_the_libraries_that_it_needs(function: str) -> None:
    code = f"main._ports(); print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    ended = _of_process(function, code)
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(ended.stdout)) == NEEDED[function]


def test_a_deployed_function_does_not_start_with_settings_it_cannot_run_with() -> None:
    ended = _of_process("act", "print('started')", MANTHAN_STRIPE_WRITE_KEY="")
    assert ended.returncode != 0
    assert "act cannot run: MANTHAN_STRIPE_WRITE_KEY is not set" in ended.stderr
    assert "marked" not in ended.stderr
