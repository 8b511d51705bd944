"""Seeing what happens: structured logs, spans of one trace per case, and the ports that say what they do."""

from __future__ import annotations

from infra.telemetry.watch import Watch

__all__ = ["Watch"]
