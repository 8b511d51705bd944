"""The emulators themselves: found, started, answering, and missed aloud where they are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.fakes.emulators import FIRESTORE, PUBSUB, Emulator, EmulatorMissing, Kind, answers, command, find_jar

KINDS = pytest.mark.parametrize("kind", [FIRESTORE, PUBSUB], ids=["firestore", "pubsub"])


def test_the_firestore_emulator_of_the_run_answers(firestore_emulator: str) -> None:
    assert answers(firestore_emulator)


def test_the_pubsub_emulator_of_the_run_answers(pubsub_emulator: str) -> None:
    assert answers(pubsub_emulator)


def test_a_stopped_emulator_leaves_nothing_running(firestore_emulator: str, tmp_path: Path) -> None:
    with Emulator.start(FIRESTORE, tmp_path / "said.log") as emulator:
        assert answers(emulator.address)
    assert not answers(emulator.address)


@KINDS
def test_without_java_the_message_says_what_to_install(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(EmulatorMissing, match="Java"):
        command(kind, 1, {"PATH": str(tmp_path)})


@KINDS
def test_without_a_jar_the_message_names_the_variable_that_points_to_one(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(EmulatorMissing, match=kind.jar_variable):
        find_jar(kind, {"PATH": str(tmp_path)})


@KINDS
def test_a_jar_that_is_pointed_to_is_taken(kind: Kind, tmp_path: Path) -> None:
    jar = tmp_path / "emulator.jar"
    jar.touch()
    assert find_jar(kind, {"PATH": "", kind.jar_variable: str(jar)}) == jar


@KINDS
def test_a_pointer_to_nothing_is_not_passed_over(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(EmulatorMissing, match="not a file"):
        find_jar(kind, {kind.jar_variable: str(tmp_path / "nowhere.jar")})
