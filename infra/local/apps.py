"""The functions' own WSGI apps, as the functions framework builds them: the code path of production."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import functions_framework

from infra.bootstrap import Composition, composed_as
from infra.local.carriers import WsgiApp
from shared.errors import NotFound

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


def function_source(name: str) -> Path:
    """The source file of a function, found without importing it. Raises NotFound."""
    package = find_spec("functions")
    for folder in package.submodule_search_locations or () if package else ():
        source = Path(folder) / name / "main.py"
        if source.is_file():
            return source
    raise NotFound(f"there is no function {name}")


def load_app(composition: Composition, name: str) -> WsgiApp:
    """One function as a WSGI app. Its module is executed anew, so that it gets this composition's ports."""
    with composed_as(composition):
        create_app: Any = functions_framework.create_app  # the framework carries no types
        app: WsgiApp = create_app(target=name, source=str(function_source(name)), signature_type="http")
    return app


def load_apps(composition: Composition) -> dict[str, WsgiApp]:
    """Every function of the pipeline by name."""
    return {name: load_app(composition, name) for name in FUNCTIONS}
