"""A world on stage: its systems, a Stripe that behaves like Stripe, and the whole pipeline, on one machine."""

from __future__ import annotations

from infra.stage.stage import SECRET_NAME, Stage

__all__ = ["SECRET_NAME", "Stage"]
