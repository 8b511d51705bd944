"""Settings: one table, read once, wrong ones named by their variables, secrets nowhere but in their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.bootstrap import from_settings
from infra.google.composition import GoogleComposition
from infra.local.apps import FUNCTIONS
from infra.local.composition import LocalComposition
from infra.settings import FUNCTIONS as KNOWN
from infra.settings import fields, is_secret, load, needed_by, variable
from infra.settings_page import page
from shared.errors import InvalidInput, Retryable

SECRET = "sk_live_marked_4711"
EMULATORS = {
    "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1",
    "PUBSUB_EMULATOR_HOST": "127.0.0.1:2",
    "MANTHAN_CLOUD_TASKS_EMULATOR": "127.0.0.1:3",
}
WHOLE = {
    "MANTHAN_RUNTIME": "google",
    "MANTHAN_PROJECT": "acme",
    "MANTHAN_LOCATION": "europe-west1",
    "MANTHAN_FUNCTION_URLS": '{"specialist": "https://s.test/", "act": "https://a.test/"}',
    "MANTHAN_TASKS_ACCOUNT": "tasks@acme.test",
    "MANTHAN_AUDIENCE": "https://f.test/",
    "MANTHAN_CALLERS": "tasks@acme.test, push@acme.test",
    "MANTHAN_WEBHOOK_SECRETS": '{"current": "whsec_marked"}',
    "MANTHAN_STRIPE_WRITE_KEY": SECRET,
    "MANTHAN_SOURCES": "/mnt/sources",
    "MANTHAN_OUTBOX": "/mnt/outbox",
}


def refused(environment: dict[str, str], function: str) -> str:
    with pytest.raises(InvalidInput) as error:
        load(environment).check(function)
    return str(error.value)


def test_nothing_set_is_the_embedded_default() -> None:
    settings = load({})
    assert (settings.runtime, settings.data) == ("local", Path(".manthan"))
    for function in FUNCTIONS:
        settings.check(function)


@pytest.mark.parametrize("function", [*FUNCTIONS, "cli"])
def test_a_whole_configuration_runs_every_function(function: str) -> None:
    load(WHOLE).check(function)


@pytest.mark.parametrize("function", [*FUNCTIONS, "cli"])
def test_what_a_function_lacks_is_named_all_at_once(function: str) -> None:
    told = refused({"MANTHAN_RUNTIME": "google"}, function)
    for name, field in fields().items():
        assert (variable(name) in told) == (function in needed_by(field)), name


def test_the_functions_of_the_table_are_those_that_are_served() -> None:
    assert set(KNOWN) == set(FUNCTIONS)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("MANTHAN_RUNTIME", "gogle", "MANTHAN_RUNTIME"),
        ("MANTHAN_WEBHOOK_SECRETS", "whsec_marked", "MANTHAN_WEBHOOK_SECRETS must be a JSON object"),
        ("MANTHAN_WEBHOOK_SECRETS", '["whsec_marked"]', "MANTHAN_WEBHOOK_SECRETS must be a JSON object"),
        ("MANTHAN_WEBHOOK_SECRETS", '{"current": 4711}', "MANTHAN_WEBHOOK_SECRETS"),
        ("MANTHAN_FUNCTION_URLS", "{", "MANTHAN_FUNCTION_URLS must be a JSON object"),
    ],
)
def test_a_wrong_value_is_named_by_its_variable_and_not_repeated(name: str, value: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as error:
        load({**WHOLE, name: value})
    assert "marked" not in str(error.value)
    assert "4711" not in str(error.value)


def test_urls_without_one_that_tasks_need_are_refused() -> None:
    assert "specialist and act" in refused({**WHOLE, "MANTHAN_FUNCTION_URLS": '{"act": "https://a.test/"}'}, "triage")


def test_secrets_are_not_printed() -> None:
    settings = load(WHOLE)
    assert "marked" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert settings.stripe_write_key is not None
    assert settings.stripe_write_key.get_secret_value() == SECRET


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(SECRET + "\n")
    given = {name: value for name, value in WHOLE.items() if name != "MANTHAN_STRIPE_WRITE_KEY"}
    settings = load({**given, "MANTHAN_STRIPE_WRITE_KEY_FILE": str(file)})
    assert settings.stripe_write_key is not None
    assert settings.stripe_write_key.get_secret_value() == SECRET


def test_a_secret_given_twice_or_in_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="MANTHAN_STRIPE_WRITE_KEY_FILE are both set"):
        load({**WHOLE, "MANTHAN_STRIPE_WRITE_KEY_FILE": str(tmp_path / "key")})
    with pytest.raises(InvalidInput, match=r"MANTHAN_WEBHOOK_SECRETS_FILE: .* cannot be read"):
        load({"MANTHAN_WEBHOOK_SECRETS_FILE": str(tmp_path / "none")})


def test_references_are_revealed_alone_or_within_a_json_object() -> None:
    held = {"sm://projects/p/secrets/key/versions/1": SECRET, "sm://projects/p/secrets/hook/versions/2": "whsec_b"}
    settings = load(
        {
            **WHOLE,
            "MANTHAN_STRIPE_WRITE_KEY": "sm://projects/p/secrets/key/versions/1",
            "MANTHAN_WEBHOOK_SECRETS": '{"old": "whsec_a", "new": "sm://projects/p/secrets/hook/versions/2"}',
        },
        reveal=lambda: held.__getitem__,
    )
    assert settings.stripe_write_key is not None
    assert settings.stripe_write_key.get_secret_value() == SECRET
    secrets = {name: value.get_secret_value() for name, value in settings.webhook_secrets.items()}
    assert secrets == {"old": "whsec_a", "new": "whsec_b"}


def test_a_reference_that_cannot_be_read_names_its_variable_and_passes_when_it_may() -> None:
    def gone(reference: str) -> str:
        raise InvalidInput("it does not exist")

    def away(reference: str) -> str:
        raise Retryable("not now")

    given = {**WHOLE, "MANTHAN_STRIPE_WRITE_KEY": "sm://projects/p/secrets/key/versions/1"}
    with pytest.raises(InvalidInput, match="MANTHAN_STRIPE_WRITE_KEY: it does not exist"):
        load(given, reveal=lambda: gone)
    with pytest.raises(Retryable):
        load(given, reveal=lambda: away)


def test_nobody_asks_for_a_reader_without_a_reference() -> None:
    def reader() -> None:
        raise AssertionError("no reference was given")

    load(WHOLE, reveal=reader)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MANTHAN_CLOCK", "/tmp/clock.json"),
        ("MANTHAN_STRIPE_URL", "http://127.0.0.1:9"),
        ("MANTHAN_TOKEN_KEYS_URL", "http://127.0.0.1:9"),
    ],
)
def test_what_belongs_to_a_simulation_is_refused_without_emulators(name: str, value: str) -> None:
    assert f"{name} is refused without emulators" in refused({**WHOLE, name: value}, "act")
    load({**WHOLE, **EMULATORS, name: value}).check("act")


@pytest.mark.parametrize("left_out", sorted(EMULATORS))
def test_a_deployment_is_never_half_emulated(left_out: str) -> None:
    some = {name: value for name, value in EMULATORS.items() if name != left_out}
    assert "set all three or none" in refused({**WHOLE, **some}, "triage")


def test_the_runtime_is_a_setting(tmp_path: Path) -> None:
    assert isinstance(from_settings(load(WHOLE)), GoogleComposition)
    local = from_settings(load({"MANTHAN_DATA": str(tmp_path), "MANTHAN_STRIPE_WRITE_KEY": SECRET}))
    assert isinstance(local, LocalComposition)
    with local:
        assert (local.settings.data, local.settings.stripe_write_key) == (tmp_path, SECRET)


def test_every_setting_says_what_it_means_and_who_uses_it() -> None:
    for name, field in fields().items():
        known = field.json_schema_extra
        assert field.description, name
        assert isinstance(known, dict)
        assert known["needed_by"] or known["used_by"], name


def test_secrets_are_marked_as_such() -> None:
    secret = {name for name, field in fields().items() if is_secret(field)}
    assert secret == {"webhook_secrets", "stripe_write_key"}


def test_the_page_about_settings_is_up_to_date() -> None:
    kept = Path(__file__).parents[3] / "docs" / "settings.md"
    assert kept.read_text(encoding="utf-8") == page()
