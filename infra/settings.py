"""Every setting there is, in one table: docs/settings.md is printed from it, and nothing else reads the environment.

Settings are read once, when a process starts. What is wrong with them is said then, all of it, by the names of the
variables, and never with a value: it could be a secret.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from infra.google.keys import GOOGLE_KEYS
from infra.secret_values import Reveal, secret_value
from shared.errors import InvalidInput

PREFIX: Final = "MANTHAN_"
FUNCTIONS: Final = (
    "stripe_webhook",
    "triage",
    "specialist",
    "synthesize",
    "policy_check",
    "act",
    "sweep",
    "dead_letter",
)
COMMAND_LINE: Final = "cli"
"""What people use: it sends what functions send, and serves nobody."""
PUBLISHERS: Final = (*FUNCTIONS[:-1], COMMAND_LINE)
SENDERS: Final = (*FUNCTIONS[1:-1], COMMAND_LINE)
"""Whoever hands tasks over: all that drive a case on."""
CALLED: Final = FUNCTIONS[1:]
"""Functions that only transports of ours may call; Stripe proves itself with a signature."""
_EVERYBODY: Final = (*FUNCTIONS, COMMAND_LINE)


def _object(value: object) -> object:
    """A JSON object, from the text of a variable."""
    try:
        held = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        held = None
    if not isinstance(held, Mapping):
        raise ValueError('must be a JSON object such as {"name": "value"}')
    return held


def _names(value: object) -> object:
    """Names separated by commas."""
    return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value


def _setting(
    default: Any, meaning: str, *, needed_by: tuple[str, ...] = (), used_by: tuple[str, ...] = (), **more: Any
) -> Any:
    """One row of the table. `needed_by`: on Google Cloud these functions do not start without it."""
    known: dict[str, Any] = {"needed_by": list(needed_by), "used_by": list(used_by)}
    return Field(default=default, description=meaning, json_schema_extra=known, **more)


Secrets = Annotated[dict[str, SecretStr], NoDecode, BeforeValidator(_object)]
Addresses = Annotated[dict[str, str], NoDecode, BeforeValidator(_object)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)]


class Settings(BaseSettings):
    """The settings of one process."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    runtime: Literal["local", "google"] = _setting(
        "local", "What stands behind the ports: this machine, or Google Cloud.", used_by=_EVERYBODY
    )
    data: Path = _setting(
        Path(".manthan"), "Local only: the folder of the database, the outbox and the sources.", used_by=_EVERYBODY
    )
    project: str | None = _setting(None, "The Google Cloud project.", needed_by=_EVERYBODY)
    database: str = _setting("(default)", "The Firestore database.", used_by=_EVERYBODY)
    location: str | None = _setting(None, "The region of the task queues.", needed_by=SENDERS)
    prefix: str = _setting("", "What the names of this deployment's topics and queues begin with.", used_by=PUBLISHERS)
    function_urls: Addresses = _setting(
        {}, "Where tasks are sent: the URLs of `specialist` and `act`, as a JSON object.", needed_by=SENDERS
    )
    tasks_account: str | None = _setting(
        None, "The service account that tasks call these functions as.", needed_by=SENDERS
    )
    audience: str | None = _setting(None, "This function's own URL, as its callers' tokens name it.", needed_by=CALLED)
    callers: Names = _setting(
        (), "The service accounts that may call this function, separated by commas.", needed_by=CALLED
    )
    webhook_secrets: Secrets = _setting(
        {},
        "The live signing secrets of the webhook endpoint by name, as a JSON object; two while one is exchanged.",
        needed_by=("stripe_webhook",),
    )
    stripe_write_key: SecretStr | None = _setting(
        None, "The Stripe key that may write refunds, evidence and credit notes.", needed_by=("act",)
    )
    sources: Path | None = _setting(
        None,
        "The folder with the connected systems of each org as <org>.duckdb, e.g. a mounted bucket.",
        needed_by=("specialist",),
    )
    outbox: Path | None = _setting(
        None, "The folder for mails, notes and briefs of services that are not connected.", needed_by=("act",)
    )
    stripe_url: str | None = _setting(None, "A Stripe double instead of Stripe. Emulators only.", used_by=("act",))
    token_keys_url: str = _setting(
        GOOGLE_KEYS, "Where the keys are that verify callers' tokens. Another one: emulators only.", used_by=CALLED
    )
    traces: str | None = _setting(
        None, "Where spans go: `google` for Cloud Trace, a collector's address; unset for none.", used_by=_EVERYBODY
    )
    logs: Literal["text", "json"] = _setting(
        "text", "`json`: records for Cloud Logging on stdout. Else warnings as plain lines.", used_by=_EVERYBODY
    )
    clock: Path | None = _setting(
        None, "A file that says what time it is in a world. Emulators only.", used_by=_EVERYBODY
    )
    cloud_tasks_emulator: str | None = _setting(
        None, "host:port of a Cloud Tasks emulator, instead of the service.", used_by=SENDERS
    )
    pubsub_emulator: str | None = _setting(
        None,
        "host:port of a Pub/Sub emulator, by the name that Google's own clients know.",
        used_by=PUBLISHERS,
        validation_alias="PUBSUB_EMULATOR_HOST",
    )
    firestore_emulator: str | None = _setting(
        None,
        "host:port of a Firestore emulator, by the name that Google's own clients know.",
        used_by=_EVERYBODY,
        validation_alias="FIRESTORE_EMULATOR_HOST",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What `load` hands over, and nothing that it has not looked at."""
        return (init_settings,)

    @property
    def emulated(self) -> bool:
        """Whether all of Google Cloud is emulators."""
        return None not in (self.firestore_emulator, self.pubsub_emulator, self.cloud_tasks_emulator)

    def check(self, function: str) -> None:
        """Raises InvalidInput unless this function can run with these settings; the message says all that is wrong."""
        problems = list(self._dangers()) if self.runtime == "google" else []
        if self.runtime == "google":
            problems += [
                f"{variable(name)} is not set: {field.description}"
                for name, field in fields().items()
                if function in needed_by(field) and not getattr(self, name)
            ]
            if function in SENDERS and self.function_urls and {"specialist", "act"} - set(self.function_urls):
                problems.append(f"{variable('function_urls')} must name the URLs of specialist and act")
        if problems:
            raise InvalidInput(f"{function} cannot run: {'; '.join(problems)}")

    def _dangers(self) -> list[str]:
        """What must never be set where real money is moved, and a deployment that is half emulated."""
        emulators = (self.firestore_emulator, self.pubsub_emulator, self.cloud_tasks_emulator)
        problems = []
        if any(emulators) and not self.emulated:
            named = ", ".join(map(variable, ("firestore_emulator", "pubsub_emulator", "cloud_tasks_emulator")))
            problems.append(f"{named}: set all three or none")
        if not self.emulated:
            odd = {"clock": self.clock, "stripe_url": self.stripe_url}
            odd["token_keys_url"] = None if self.token_keys_url == GOOGLE_KEYS else self.token_keys_url
            problems += [f"{variable(name)} is refused without emulators" for name, value in odd.items() if value]
        return problems


def fields() -> dict[str, FieldInfo]:
    """Every setting by its name in code."""
    return dict(Settings.model_fields)


def variable(name: str) -> str:
    """The environment variable of a setting."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else PREFIX + name.upper()


def is_secret(field: FieldInfo) -> bool:
    """Whether the setting holds a secret: then it may also come from a file or by reference."""
    return "SecretStr" in str(field.annotation)


def needed_by(field: FieldInfo) -> tuple[str, ...]:
    """The functions that do not start without the setting on Google Cloud."""
    return _known(field, "needed_by")


def used_by(field: FieldInfo) -> tuple[str, ...]:
    """The functions that use the setting, if it is given."""
    return _known(field, "needed_by") + _known(field, "used_by")


def _known(field: FieldInfo, what: str) -> tuple[str, ...]:
    known = field.json_schema_extra
    found: Any = known.get(what) if isinstance(known, dict) else None
    return tuple(found or ())


class _Given(EnvSettingsSource):
    """The variables of one environment, instead of those of the process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._given = environment
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._given.items() if value != ""}


def load(environment: Mapping[str, str] = os.environ, *, reveal: Callable[[], Reveal] | None = None) -> Settings:
    """The settings of this environment, secrets included; an empty variable counts as none.

    `reveal` makes the reader of references, when the first one is met (default: Secret Manager's). Raises InvalidInput
    with all that is wrong, and Retryable while a reference cannot be read.
    """
    given = dict(environment)
    reader = _Reader(reveal or _secret_manager)
    for name, field in fields().items():
        if is_secret(field):
            value = secret_value(environment, variable(name), reader)
            if value is not None:
                given[variable(name)] = value
    try:
        return Settings.model_validate(_Given(given)())
    except ValidationError as error:
        raise InvalidInput("; ".join(_told(item["loc"], item["msg"]) for item in error.errors())) from None


def _told(where: tuple[int | str, ...], what: str) -> str:
    name = str(where[0])
    return f"{variable(name) if name in fields() else name} {what.removeprefix('Value error, ')}"


class _Reader:
    """Reads references, with a reader that is made when the first one comes."""

    def __init__(self, make: Callable[[], Reveal]) -> None:
        self._make = make
        self._made: Reveal | None = None

    def __call__(self, reference: str) -> str:
        self._made = self._made or self._make()
        return self._made(reference)


def _secret_manager() -> Reveal:
    from infra.google.secrets import SecretManager

    return SecretManager().reveal
