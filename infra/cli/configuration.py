"""What `manthan doctor` looks at where Google Cloud is configured: each thing is asked once, and nothing is changed."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from infra.cli.diagnosis import Diagnosis
from shared.errors import InvalidInput, ManthanError, Retryable

if TYPE_CHECKING:
    from infra.settings import Settings

_ANSWERS_WITHIN_S: Final = 10.0


def diagnose_configuration(environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Compares the settings with what can be reached. Nothing at all unless MANTHAN_RUNTIME says google."""
    from infra.settings import FUNCTIONS, load

    try:
        settings = load(environment)
    except (InvalidInput, Retryable) as error:
        yield Diagnosis("settings", False, str(error), "set what is named; docs/settings.md has the whole table")
        return
    if settings.runtime == "local":
        yield Diagnosis("settings", True, "the embedded default (MANTHAN_RUNTIME=local)")
        return
    ready = [function for function in FUNCTIONS if not _lacks(settings, function)]
    yield _whole(settings, ready)
    if settings.project is None:
        return
    yield _asked(
        "firestore", lambda: _firestore(settings), "create the database, and give this account roles/datastore.user"
    )
    yield from _pubsub(settings)
    if settings.location is not None:
        yield from _queues(settings)
    if settings.stripe_write_key is not None:
        fix = "set MANTHAN_STRIPE_WRITE_KEY to a live restricted key of the right account"
        yield _asked("stripe key", lambda: _stripe(settings), fix)
    if settings.audience is not None:
        fix = "let the function reach this address (egress), or set MANTHAN_TOKEN_KEYS_URL right"
        yield _asked("token keys", lambda: _keys(settings), fix)


def _lacks(settings: Settings, function: str) -> str | None:
    try:
        settings.check(function)
    except InvalidInput as error:
        return str(error)
    return None


def _whole(settings: Settings, ready: list[str]) -> Diagnosis:
    """One process has one function's settings: they must suffice for at least one."""
    if ready:
        return Diagnosis("settings", True, f"complete for {', '.join(ready)}")
    from infra.settings import FUNCTIONS

    nearest = min((str(_lacks(settings, function)) for function in FUNCTIONS), key=len)
    return Diagnosis("settings", False, nearest, "set what is named; docs/settings.md has the whole table")


def _asked(name: str, ask: Callable[[], str], fix: str) -> Diagnosis:
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError

    try:
        return Diagnosis(name, True, ask())
    except (ManthanError, GoogleAPIError, GoogleAuthError, OSError, ValueError) as error:
        # The kind of a foreign error, not its text: that may hold what must not be shown.
        told = str(error) if isinstance(error, ManthanError) else type(error).__name__
        return Diagnosis(name, False, told, fix)


def _firestore(settings: Settings) -> str:
    from infra.google.composition import GoogleComposition

    composition = GoogleComposition(settings)
    try:
        composition.stores.switch.effects_stopped("nobody")
    finally:
        composition.close()
    return f"database {settings.database} of {settings.project} answers"


def _pubsub(settings: Settings) -> Iterator[Diagnosis]:
    from infra.google.calls import CALL_TIMEOUT_S
    from infra.google.pubsub import connect_publisher
    from infra.google.resources import TOPICS

    client = connect_publisher(settings.pubsub_emulator)

    def look(topic: str) -> str:
        name = f"projects/{settings.project}/topics/{settings.prefix}{topic}"
        found = list(client.list_topic_subscriptions(request={"topic": name}, timeout=CALL_TIMEOUT_S))
        if not found:
            raise InvalidInput(
                f"the topic {settings.prefix}{topic} has no subscription: what is published there is lost"
            )
        return f"{name} has {len(found)} subscription{'s' if len(found) > 1 else ''}"

    for topic in TOPICS:
        fix = f"create the topic {settings.prefix}{topic} and its push subscription (terraform apply)"
        yield _asked(f"topic {topic}", partial(look, topic), fix)


def _queues(settings: Settings) -> Iterator[Diagnosis]:
    from google.cloud import tasks_v2

    from infra.google.calls import CALL_TIMEOUT_S
    from infra.google.resources import queues
    from infra.google.tasks import connect_tasks

    client = connect_tasks(settings.cloud_tasks_emulator)

    def look(queue: str) -> str:
        name = f"projects/{settings.project}/locations/{settings.location}/queues/{settings.prefix}{queue}"
        found = client.get_queue(name=name, timeout=CALL_TIMEOUT_S)
        if found.state != tasks_v2.Queue.State.RUNNING:
            raise InvalidInput(f"{name} is {tasks_v2.Queue.State(found.state).name}: no task of it is attempted")
        return f"{name} runs"

    for queue in queues():
        fix = f"create or resume the queue {settings.prefix}{queue.name} in {settings.location} (terraform apply)"
        yield _asked(f"queue {queue.name}", partial(look, queue.name), fix)


def _stripe(settings: Settings) -> str:
    import stripe

    key = settings.stripe_write_key
    assert key is not None
    own = settings.stripe_url
    client = stripe.StripeClient(
        key.get_secret_value(), base_addresses={"api": own} if own is not None else {}, max_network_retries=0
    )
    try:
        client.v1.disputes.list({"limit": 1})
    except stripe.StripeError as error:
        raise InvalidInput(f"Stripe does not take the key ({type(error).__name__})") from None
    return f"Stripe takes the key, which {'is live' if '_live_' in key.get_secret_value() else 'is for tests'}"


def _keys(settings: Settings) -> str:
    with urllib.request.urlopen(settings.token_keys_url, timeout=_ANSWERS_WITHIN_S):
        return f"{settings.token_keys_url} answers"
