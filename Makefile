# Everything runs in the project's own environment, .venv, which is made on first use. Nothing needs
# to be activated; a Python from 3.11 on, pip, make and a C compiler are enough.

# The first interpreter that is new enough; `make PYTHON=/path/to/python3.12` overrides.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

VENV := .venv
BIN := $(VENV)/bin
OUT := build
JOBS ?= 2
TESTS ?= tests
PYTEST_ARGS ?=

# The package is installed, not linked: what is tested is what a user gets. The build folder is kept
# in the environment, so that a reinstall compiles only what changed.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALL_PACKAGE := $(INSTALL) --no-build-isolation --config-settings=build-dir=$(VENV)/meson
SOURCES := pyproject.toml meson.build README.md LICENSE $(shell find src -type f -not -name '*.pyc')

# Threads inside BLAS only get in the way of the loop and of parallel tests.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
unexport PYTHONPATH
# For the tools that call other tools: meson calls cython, cython-lint calls pycodestyle.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint format bench docs clean

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1	/' | expand -t 16

demo: $(VENV)/installed-plot,cli ## follow a path on toy data: numbers on the screen, pictures in build/demo
	$(BIN)/weightpath demo --out $(OUT)/demo

test: $(VENV)/installed-test ## run the tests (PYTEST_ARGS="--slow --data=DIR" for all of them)
	$(BIN)/python -m pytest -c pyproject.toml -q -n $(JOBS) $(TESTS) $(PYTEST_ARGS)

lint: $(VENV)/installed-lint ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint src
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

format: $(VENV)/installed-lint ## rewrite the Python files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-all ## run the benchmarks, results in build/bench
	$(BIN)/weightpath bench --full --out $(OUT)/bench

docs: $(VENV)/installed-docs ## build the documentation, in build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs $(OUT)/docs
	@echo "Open $(OUT)/docs/index.html"

clean: ## remove the environment and everything built
	rm -rf $(VENV) $(OUT) dist docs/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# One stamp for each set of extras, e.g. installed-plot,cli.
$(VENV)/installed-%: $(VENV)/ready $(SOURCES)
	@echo "Installing weightpath[$*] into $(VENV)"
	@$(INSTALL_PACKAGE) ".[$*]"
	@touch "$@"

# The build requirements, read from pyproject.toml; ninja, which meson-python asks for by itself in
# an isolated build, is named here.
$(VENV)/ready: pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "weightpath needs Python 3.11 or newer; '$(or $(PYTHON),python3)' is missing or too old." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Making $(VENV)"; "$(PYTHON)" -m venv $(VENV); }
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "ninja", sep="\n")' \
		> $(VENV)/build-requirements.txt
	@$(INSTALL) -r $(VENV)/build-requirements.txt
	@touch "$@"
