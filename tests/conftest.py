"""Hypothesis without a time limit per example: these tests also run on busy machines."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
