"""The protocols the core asks for. They are the only places where anything can wait or fail."""

from __future__ import annotations

from shared.ports.callers import Callers
from shared.ports.clock import Clock, Entropy
from shared.ports.directory import Directory, Member, Org, Role
from shared.ports.effects import Effects, Switch
from shared.ports.queue import Message, Messages, Retry, Task, Tasks
from shared.ports.sources import Sources
from shared.ports.store import CaseStore, Claims, Inbox
from shared.ports.telemetry import Telemetry, Work
from shared.ports.trace import Trace
from shared.ports.workers import Workers

__all__ = [
    "Callers",
    "CaseStore",
    "Claims",
    "Clock",
    "Directory",
    "Effects",
    "Entropy",
    "Inbox",
    "Member",
    "Message",
    "Messages",
    "Org",
    "Retry",
    "Role",
    "Sources",
    "Switch",
    "Task",
    "Tasks",
    "Telemetry",
    "Trace",
    "Work",
    "Workers",
]
