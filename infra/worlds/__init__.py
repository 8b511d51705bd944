"""Worlds: a merchant's connected systems at one moment, as a folder. Demo worlds ship beside this module."""

from infra.worlds.expectations import Expectation, load_expectations
from infra.worlds.loader import find_world, load_world, shipped_worlds
from infra.worlds.model import World

__all__ = ["Expectation", "World", "find_world", "load_expectations", "load_world", "shipped_worlds"]
