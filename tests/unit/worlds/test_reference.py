"""infra/worlds/README.md is the whole format: what it says of the code is so, and its example runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.cli.trial import tried
from infra.worlds.expectations import Expectation
from infra.worlds.leaks import leaks
from infra.worlds.reference import KINDS, README, written
from shared.playbooks.disputes import policy_rules
from shared.playbooks.disputes.policy_rules.reading import Parameters

_FILE = re.compile(r"^```\w+ (tern/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parameters() -> dict[str, Parameters]:
    """The parameters of every rule kind, as the modules that read them say."""
    found: dict[str, Parameters] = {}
    for path in Path(str(policy_rules.__file__)).parent.glob("*.py"):
        module = __import__(f"{policy_rules.__name__}.{path.stem}", fromlist=["*"])
        if hasattr(module, "KIND"):
            found[module.KIND] = module._PARAMETERS
    return found


def test_the_reference_is_what_the_code_says() -> None:
    text = README.read_text(encoding="utf-8")
    assert written(text) == text


def test_every_kind_of_rule_has_a_page_and_is_listed() -> None:
    index = (KINDS.parent / "policies.md").read_text(encoding="utf-8")
    assert {path.stem for path in KINDS.glob("*.md")} == set(parameters())
    assert set(re.findall(r"\(policies/(\w+)\.md\)", index)) == set(parameters())


@pytest.mark.parametrize("kind", sorted(parameters()))
def test_a_page_names_every_parameter_of_its_kind(kind: str) -> None:
    named = set(re.findall(r"`(\w+)`", (KINDS / f"{kind}.md").read_text(encoding="utf-8")))
    assert set(parameters()[kind]) - named == set()


def test_every_key_of_an_expectation_is_explained() -> None:
    _, _, section = README.read_text(encoding="utf-8").partition("### expect.yaml")
    assert [name for name in Expectation.model_fields if f"`{name}`" not in section] == []


def test_the_example_runs_as_it_stands_and_passes(tmp_path: Path) -> None:
    files = _FILE.findall(README.read_text(encoding="utf-8"))
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert len(files) == 8
    assert leaks(tmp_path / "tern") == ()
    trial = tried(tmp_path / "tern")
    assert [(case.failures, case.not_checked) for case in trial.judged] == [((), ())]
