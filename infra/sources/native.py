"""The engine's module, imported only in child processes: the parent must not carry the engine in its memory."""

from __future__ import annotations

try:
    # The package around this module adds 0.2 s of imports to every child, and nothing that a child uses.
    import _duckdb as duckdb
except ImportError:
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
