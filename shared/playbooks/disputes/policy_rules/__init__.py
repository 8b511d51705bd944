"""The machine-readable rules of merchant policies, one module per kind: what each means and which values we can follow.

An unknown kind, parameter or value is never guessed: the page is quoted as prose, and a person decides.
"""
