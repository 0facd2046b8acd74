# Needs Python >= 3.11, git and make; everything else goes into .venv.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:

# Without bytecode every Python compiles all it imports again: a second for each process a test starts. git ignores it.
export PYTHONDONTWRITEBYTECODE :=

VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv

# One stamp per content of the locks and of what the assets are built from, this folder's path and the interpreter: a change makes the stamp's name new,
# and so the environment is brought up to date; otherwise a target starts at once.
ASSETS := package.json package-lock.json .npmrc hatch_build.py src/pabal/platform/web/static/icons.txt
INPUTS := requirements.lock requirements-dev.lock requirements-build.lock requirements-uv.lock pyproject.toml Makefile $(ASSETS)
HASH := $(shell { cat $(INPUTS); echo "$(CURDIR)"; } | cksum | cut -d' ' -f1)
READY := $(VENV)/.ready-$(HASH)
READY_DEV := $(VENV)/.ready-dev-$(HASH)

COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links
SYNC := $(UV) pip sync --quiet --python $(BIN)/python --require-hashes
INSTALL := $(UV) pip install --quiet --python $(BIN)/python --no-deps --build-constraints requirements-build.lock --editable .
# one line a step: the first start takes a minute, and nobody should have to guess what it does
TELL_SYNC = echo "Installing $$(grep -c '==' $(1)) packages …"
TELL_INSTALL := echo "Building the console's files …"

PYTEST := $(BIN)/pytest -n 2 --dist=loadgroup --durations=10 --durations-min=1
TESTS ?= tests
ARGS ?=
APP ?=
SEED ?= 1
# bash and some systems have variables of these names, so only the command line counts.
CHAOS_SECONDS := $(if $(filter command line,$(origin SECONDS)),$(SECONDS),$(if $(APP),45,60))
BENCH_NAME := $(if $(filter command line,$(origin NAME)),$(NAME))

.PHONY: help run demo test test-quick check bench chaos acceptance format lock clean

help: ## this list
	@echo "make <target>, with Python >= 3.11, git and make installed:"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1 \2/p' Makefile | while read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

run: $(READY) ## start everything in one process; ARGS="--port 9000" for more
	@exec $(BIN)/pabal up $(ARGS)

demo: $(READY) ## the same with an organisation to look at, messages to simulated phones, and a clock you can move
	@exec $(BIN)/pabal up --demo $(ARGS)

test: $(READY_DEV) ## all tests, both parts; TESTS=tests/engine and ARGS="-k lane" narrow them
	@tools/browser.sh
	@tools/pgbouncer.sh
	@tools/bubblewrap.sh
	@tools/nexrender.sh
	@tools/gemini.sh
	@$(PYTEST) $(TESTS) $(ARGS)

test-quick: $(READY_DEV) ## the first part, which tells most and takes little: for all day
	@tools/pgbouncer.sh
	@tools/bubblewrap.sh
	@$(PYTEST) -m "not slow" $(TESTS) $(ARGS)

check: $(READY_DEV) ## format, lint, types, layers, security, the rules of the house, and that every test can be read
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy --strict src
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src
	@$(BIN)/pytest -q tests/architecture
	@$(BIN)/pytest --collect-only -qq tests > /dev/null || $(BIN)/pytest --collect-only -qq tests

bench: $(READY_DEV) ## measure; NAME=queue for one of them
	@exec $(BIN)/python -m bench $(BENCH_NAME) $(ARGS)

chaos: $(READY_DEV) ## kill, stop and restart, then check the histories; SECONDS=60 SEED=1 APP=messaging
	@exec $(BIN)/python -m chaos$(if $(APP),.$(APP)) --seconds $(CHAOS_SECONDS) --seed $(SEED) $(ARGS)

acceptance: $(READY_DEV) ## how many lines of docs/requirements are proven; APP=messaging, ARGS=--list
	@exec $(BIN)/python -m tools.acceptance $(if $(APP),--app $(APP)) $(ARGS)

format: $(READY_DEV) ## put the code in its one form and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: $(UV) ## resolve the dependencies anew; ARGS=--upgrade for newer ones
	@$(COMPILE) --extra broker pyproject.toml --output-file requirements.lock $(ARGS)
	@$(COMPILE) --extra broker --group dev pyproject.toml --output-file requirements-dev.lock $(ARGS)
	@$(COMPILE) --group build --output-file requirements-build.lock $(ARGS)
	@$(COMPILE) --group uv --output-file requirements-uv.lock $(ARGS)

clean: ## remove the environment and all caches
	@rm -rf $(VENV) src/pabal/platform/web/static/vendor .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV):
	@tools/venv.sh $(VENV) requirements-uv.lock

# The development lock holds all of the other one, so it makes both stamps.
$(READY_DEV):
	@tools/venv.sh $(VENV) requirements-uv.lock
	@$(call TELL_SYNC,requirements-dev.lock)
	@$(SYNC) requirements-dev.lock
	@$(TELL_INSTALL)
	@$(INSTALL)
	@rm -f $(VENV)/.ready-*
	@touch $(READY) $(READY_DEV)

$(READY):
	@tools/venv.sh $(VENV) requirements-uv.lock
	@$(call TELL_SYNC,requirements.lock)
	@$(SYNC) requirements.lock
	@$(TELL_INSTALL)
	@$(INSTALL)
	@rm -f $(VENV)/.ready-*
	@touch $(READY)
