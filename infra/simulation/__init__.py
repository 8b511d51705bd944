"""Deterministic simulation: the real steps against a world in which everything goes wrong, from one seed.

`campaign.py` runs many seeds, `run.py` one of them; `audit/` judges what came of it and imports none of the code it
judges. docs/reliability.md says what this proves and what it does not.
"""
