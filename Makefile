# Everything a person types. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.synced
UV_VERSION := 0.13.9

.DEFAULT_GOAL := help
.PHONY: help setup check format test demo dev bench soak clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Install uv into .venv and everything the lock file names, bytecode compiled
	@$(BIN)/python -m compileall -q shared functions infra

$(STAMP): pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] < (3, 14) else "Manthan needs Python 3.11, 3.12 or 3.13; set PYTHON=/path/to/python3.x (found %d.%d)" % sys.version_info[:2])'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@echo "setting up .venv from uv.lock ..." >&2
	@VIRTUAL_ENV=$(abspath $(VENV)) UV_PROJECT_ENVIRONMENT=$(abspath $(VENV)) $(BIN)/uv sync --frozen --quiet --compile-bytecode
	@touch $@

demo: setup ## Settle a chargeback from the first event to the last payment, on this machine alone
	@$(BIN)/manthan demo aperture

dev: setup ## Serve the functions on local ports, a Stripe double beside them, until you stop it
	@$(BIN)/manthan dev

test: setup ## Run the tests and hold the core's branch coverage at 95 %
	@$(BIN)/pytest -n auto --dist loadgroup --cov --cov-report=term --cov-fail-under=95 -m "not soak"

check: setup ## Format, lint, strict types, import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: setup ## Format and fix what can be fixed mechanically
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup ## Measure what orchestration costs beside a floor of bare transactions
	@$(BIN)/manthan bench

soak: setup ## Run what takes longer than CI allows: a hundred thousand simulated cases, every crash of every flow
	@$(BIN)/pytest -n auto --dist loadgroup -m soak

clean: ## Remove the environment and local data
	rm -rf $(VENV) .manthan .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
