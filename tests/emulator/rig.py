"""The pipeline on a bench, as in tests.support.rig, over Firestore: the same functions, other stores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from infra.google.firestore import FirestoreStores
from infra.local.composition import WEBHOOK_PATH
from shared.steps.context import Ports
from tests.support.playbook import ScriptedPlaybook
from tests.support.rig import ORG, Rig

_PORTS = ("store", "inbox", "claims", "switch", "trace")


class FirestoreRig(Rig):
    """One org, a scripted playbook and scripted effects, on a Firestore of its own."""

    def __init__(self, folder: Path, opened: FirestoreStores, playbook: Any = None) -> None:
        super().__init__(folder, playbook or ScriptedPlaybook())
        self.opened = opened
        opened.directory.put_org(self.directory.org(ORG))
        opened.directory.register_endpoint(WEBHOOK_PATH, "current", None, ORG)

    def given(self, function: str) -> Ports:
        ours: dict[str, Any] = {name: getattr(self.opened, name) for name in _PORTS}
        playbooks = {self.playbook.name: self.playbook}
        directory = self.opened.directory_of(function)
        return replace(super().given(function), directory=directory, playbooks=playbooks, **ours)
