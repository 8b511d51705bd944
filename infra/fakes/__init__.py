"""Doubles of the outside world that behave like the real thing: processes of their own, with durable state."""
