"""The commands that run worlds on a local cloud, and `manthan doctor` where Google Cloud is configured."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.cli.configuration import diagnose_configuration
from infra.cli.diagnosis import Diagnosis
from infra.cli.output import Exit
from infra.cloud.cloud import LOCATION
from infra.cloud.provision import provide_messages, provide_queues
from infra.fakes.cloud_tasks import Emulator, RunningEmulator
from infra.fakes.emulators import FIRESTORE, PUBSUB
from infra.fakes.stripe.process import StripeDouble
from infra.google.pubsub import connect_publisher
from tests.cli.conftest import document, run
from tests.cli.test_dev import Dev, children, command_of, dev, is_gone, until
from tests.unit.settings.test_settings import WHOLE

pytestmark = [pytest.mark.xdist_group("cloud"), pytest.mark.timeout(300)]

WARNING = "radar.early_fraud_warning.created"


def cases_of(running: Dev) -> list[dict[str, Any]]:
    return list(document(run("cases", "list", "--data", str(running.data), "--json"))["cases"])


def test_dev_serves_every_function_in_its_own_process_and_a_kill_leaves_nothing_behind(
    firestore_emulator: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pub/Sub's emulator is its own, to see that Java ends, too.
    monkeypatch.setenv(FIRESTORE.host_variable, firestore_emulator)
    monkeypatch.delenv(PUBSUB.host_variable, raising=False)
    with dev(elsewhere, "--cloud", "--world", "larkspur", "--jump") as running:
        started = [pid for pid in children(running.process.pid) if "warden" not in command_of(pid)]
        commands = [command_of(pid) for pid in started]
        for name in running.ready["functions"]:
            assert any(f"--target {name} " in command for command in commands), name
        assert any("pubsub" in command for command in commands)
        sent = run("trigger", WARNING, "--world", "larkspur", "--data", str(running.data), "--json")
        assert sent.exit_code == Exit.FINE, sent.output
        assert until(lambda: [case["state"] for case in cases_of(running)] == ["resolved"]), running.told
        (case,) = cases_of(running)
        assert run("audit", "verify", case["case_id"], "--data", str(running.data)).exit_code == Exit.FINE
        assert run("effects", "status", "--data", str(running.data)).exit_code == Exit.FINE
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        assert until(lambda: all(is_gone(pid) for pid in started))


def test_without_an_emulator_the_command_says_what_to_do_and_ends_with_3(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (FIRESTORE, PUBSUB):
        monkeypatch.delenv(kind.host_variable, raising=False)
    monkeypatch.setenv(PUBSUB.jar_variable, str(elsewhere / "none.jar"))
    result = run("demo", "larkspur", "--cloud", "--json")
    assert result.exit_code == Exit.ENVIRONMENT
    assert document(result)["error"]["code"] == "emulator_missing"
    assert PUBSUB.jar_variable in document(result)["error"]["message"]


def test_an_emulator_that_is_pointed_to_and_does_not_answer_is_named(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FIRESTORE.host_variable, "127.0.0.1:1")
    result = run("eval", "larkspur", "--cloud", "--json")
    assert result.exit_code == Exit.ENVIRONMENT
    assert FIRESTORE.host_variable in document(result)["error"]["message"]


def test_what_the_emulators_cannot_keep_is_refused() -> None:
    assert run("dev", "--cloud", "--persist", "somewhere").exit_code == Exit.USAGE
    assert run("demo", "--cloud", "--keep").exit_code == Exit.USAGE


# Doctor


@dataclass
class Deployment:
    """What a configuration names: topics and queues on emulators, a Stripe, keys."""

    settings: dict[str, str]
    tasks: Emulator
    pubsub: str
    project: str

    def checks(self, **changed: str) -> dict[str, Diagnosis]:
        return {check.name: check for check in diagnose_configuration({**self.settings, **changed})}


@pytest.fixture
def deployment(firestore_host: None, pubsub_emulator: str, fresh_project: str, tmp_path: Path) -> Iterator[Deployment]:
    parent = f"projects/{fresh_project}/locations/{LOCATION}"
    with (
        RunningEmulator() as tasks,
        StripeDouble.start(db=tmp_path / "stripe.db", write_key="sk_test_marked") as stripe,
    ):
        provide_queues(tasks.emulator, parent)
        provide_messages(pubsub_emulator, fresh_project, lambda function: f"http://127.0.0.1:1/{function}")
        settings = {
            **WHOLE,
            "MANTHAN_PROJECT": fresh_project,
            "MANTHAN_LOCATION": LOCATION,
            "MANTHAN_STRIPE_WRITE_KEY": "sk_test_marked",
            "MANTHAN_STRIPE_URL": stripe.url,
            "MANTHAN_TOKEN_KEYS_URL": tasks.certs_url,
            "MANTHAN_CLOUD_TASKS_EMULATOR": tasks.address,
            PUBSUB.host_variable: pubsub_emulator,
            FIRESTORE.host_variable: os.environ[FIRESTORE.host_variable],
        }
        yield Deployment(settings, tasks.emulator, pubsub_emulator, fresh_project)


def test_doctor_finds_everything_that_a_whole_configuration_names(deployment: Deployment) -> None:
    checks = deployment.checks()
    assert [check for check in checks.values() if not check.ok] == []
    topics = {f"topic {name}" for name in ("triage", "synthesize", "policy_check", "dead_letter")}
    queues = {f"queue {name}" for name in ("specialists", "watchdogs", "actions")}
    assert set(checks) == {"settings", "firestore", "stripe key", "token keys"} | topics | queues


def test_doctor_says_what_cannot_be_reached_and_what_to_do(deployment: Deployment) -> None:
    name = f"projects/{deployment.project}"
    connect_publisher(deployment.pubsub).delete_topic(topic=f"{name}/topics/triage")
    deployment.tasks.set_paused(f"{name}/locations/{LOCATION}/queues/actions", True)
    checks = deployment.checks(
        MANTHAN_STRIPE_WRITE_KEY="sk_test_wrong", MANTHAN_TOKEN_KEYS_URL="http://127.0.0.1:1/keys"
    )
    wrong = {name: check for name, check in checks.items() if not check.ok}
    assert set(wrong) == {"topic triage", "queue actions", "stripe key", "token keys"}
    assert all(check.fix for check in wrong.values())
    assert "PAUSED" in wrong["queue actions"].detail
    assert "sk_test" not in str(checks)


def test_doctor_names_what_is_not_set_and_asks_nobody_without_a_project() -> None:
    (check,) = diagnose_configuration({"MANTHAN_RUNTIME": "google"})
    assert not check.ok
    assert "MANTHAN_PROJECT is not set" in check.detail


def test_doctor_takes_the_settings_of_the_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MANTHAN_RUNTIME", "gogle")
    ended = run("doctor", "--data", str(tmp_path / "data"), "--json")
    assert ended.exit_code == Exit.ENVIRONMENT
    assert "MANTHAN_RUNTIME" in next(c["detail"] for c in document(ended)["checks"] if c["name"] == "settings")
