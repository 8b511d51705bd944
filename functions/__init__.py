"""The deployed functions. Each `main.py` decodes its transport's envelope, calls one step and maps the outcome."""
