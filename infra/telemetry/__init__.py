"""Seeing what happens: structured logs, spans of one trace per case, and the ports that say what they do."""

from __future__ import annotations

from infra.telemetry.watching import Watch, watch, watch_of

__all__ = ["Watch", "watch", "watch_of"]
