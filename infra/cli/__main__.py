"""`python -m infra.cli` is `manthan`."""

from __future__ import annotations

from infra.cli.main import main

if __name__ == "__main__":
    main()
