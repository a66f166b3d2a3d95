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
BENCH_ARGS ?=
REPRODUCE_ARGS ?=
SETUP_ARGS ?=

# The package is installed, not linked: what is tested is what a user gets. It is built in the
# environment itself, where the build folder is kept, so that a reinstall compiles only what changed.
# What it needs is installed apart from it, in isolation: some of it comes as source and may not find
# in this environment what it is built with.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALL_PACKAGE := $(INSTALL) --no-build-isolation --no-deps --config-settings=build-dir=$(VENV)/meson \
	$(addprefix --config-settings=setup-args=,$(SETUP_ARGS))
SOURCES := pyproject.toml meson.build README.md LICENSE $(shell find src -type f -not -name '*.pyc')

PYTEST := $(BIN)/python -m pytest -c pyproject.toml -q -n $(JOBS) --dist=worksteal
# What depends most on how sums are rounded, and what reads or writes memory in native code.
KERNEL_TESTS := tests/engine tests/problems tests/path tests/estimators
NATIVE_TESTS := tests/kernels tests/engine tests/regions

# Threads inside BLAS only get in the way of the loop and of parallel tests.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
unexport PYTHONPATH
# For the tools that call other tools: meson calls cython, cython-lint calls pycodestyle.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two pips must not work in one environment at the same time.
.NOTPARALLEL:
.PHONY: help demo test test-second test-kernels sanitize sanitized lint format walk bench reproduce docs wheel check-wheel clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1	/' | expand -t 22

demo: $(VENV)/needs-plot,cli $(VENV)/package ## follow a path on toy data: numbers on the screen, pictures in build/demo
	$(BIN)/weightpath demo --out $(OUT)/demo

test: $(VENV)/needs-test $(VENV)/package ## run the tests (PYTEST_ARGS="--slow --data=DIR" for all of them)
	$(PYTEST) $(TESTS) $(PYTEST_ARGS)

test-second: $(VENV)/needs-test $(VENV)/needs-browser $(VENV)/needs-docs $(VENV)/package ## run the tests that start processes, clusters, browsers or benchmarks
	$(PYTEST) $(TESTS) --second-stage $(PYTEST_ARGS)

# KERNELS="Haswell SkylakeX" names them; by default all that the processor can run besides its own.
test-kernels: $(VENV)/needs-test $(VENV)/package ## run the tests of the engine with every other BLAS kernel
	@kernels="$(KERNELS)"; \
	if [ -z "$$kernels" ]; then kernels=$$($(BIN)/python tools/blas_kernels.py) || exit 1; fi; \
	failed=""; \
	for kernel in $$kernels; do \
		echo "OPENBLAS_CORETYPE=$$kernel"; \
		OPENBLAS_CORETYPE=$$kernel $(PYTEST) $(KERNEL_TESTS) $(PYTEST_ARGS) || failed="$$failed $$kernel"; \
	done; \
	if [ -n "$$failed" ]; then echo "Tests failed with the BLAS kernels:$$failed" >&2; exit 1; fi

# In an environment of its own, for GCC on Linux; a finding ends the process that runs the test.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
sanitize: ## run the tests of native code with AddressSanitizer and UBSan
	@CFLAGS="$(SANITIZERS) -O1 -g -fno-omit-frame-pointer" LDFLAGS="$(SANITIZERS)" \
		$(MAKE) --no-print-directory VENV=.venv-sanitize SETUP_ARGS=-Dstrip=false sanitized

# Python is not instrumented: the runtime comes first by LD_PRELOAD, and the C++ library beside it, so
# that exceptions of other packages find their way. What Python keeps until the end is no leak. Its
# own allocator would hide an overrun between two objects of one block.
sanitized: $(VENV)/needs-test $(VENV)/package
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) libstdc++.so.6" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(PYTEST) $(NATIVE_TESTS) $(PYTEST_ARGS)

# Types of the packages that the code uses are read from the packages themselves.
lint: $(VENV)/needs-lint $(VENV)/needs-test ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint src
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

format: $(VENV)/needs-lint ## rewrite the Python files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

walk: $(VENV)/needs-test $(VENV)/package ## count the functions, files and layer borders of fit, reweight, curve and model_at
	$(BIN)/python tools/walk.py

bench: $(VENV)/needs-all $(VENV)/package ## run the benchmarks, results in build/bench
	$(BIN)/python -m benchmarks --full --out $(OUT)/bench $(BENCH_ARGS)

# REPRODUCE_ARGS="--data DIR --quick" says where the real data are, or asks for a small part.
reproduce: $(VENV)/needs-all $(VENV)/package ## run the paper's experiments, report in build/reproduction
	$(BIN)/python -m reproduction all --out $(OUT)/reproduction $(REPRODUCE_ARGS)

docs: $(VENV)/needs-docs $(VENV)/package ## build the documentation, in build/docs, and check its links
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs $(OUT)/docs
	$(BIN)/python tools/check_links.py $(OUT)/docs
	@echo "Open $(OUT)/docs/index.html"

# Another Python: make check-wheel PYTHON=python3.13; OLDEST=1 takes the oldest dependencies that are admitted.
OLDEST :=
RELEASE_PYTHON = $(abspath $(shell command -v "$(PYTHON)"))
wheel: $(VENV)/needs-release ## build a wheel with a portable tag, in build/wheel
	$(BIN)/python tools/check_wheel.py --only-build --python "$(RELEASE_PYTHON)" --out $(OUT)/wheel

check-wheel: $(VENV)/needs-release ## build a wheel and run the tests with it where there is no compiler
	$(BIN)/python tools/check_wheel.py --python "$(RELEASE_PYTHON)" --out $(OUT)/wheel $(if $(OLDEST),--oldest) -- $(TESTS) $(PYTEST_ARGS)

clean: ## remove the environment and everything built
	rm -rf $(VENV) .venv-sanitize .venv-ci $(OUT) dist docs/gallery docs/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests docs examples benchmarks reproduction -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# A stamp for the package, and one for each set of extras, e.g. needs-plot,cli.
$(VENV)/package: $(VENV)/ready $(SOURCES)
	@echo "Building weightpath and installing it into $(VENV)"
	@$(INSTALL_PACKAGE) .
	@touch "$@"

$(VENV)/needs-%: $(VENV)/ready pyproject.toml tools/requirements.py
	@echo "Installing what weightpath[$*] needs into $(VENV)"
	@$(BIN)/python tools/requirements.py "$*" > "$(VENV)/requirements-$*.txt"
	@$(INSTALL) -r "$(VENV)/requirements-$*.txt"
	@touch "$@"

$(VENV)/ready: pyproject.toml tools/requirements.py
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "weightpath needs Python 3.11 or newer; '$(or $(PYTHON),python3)' is missing or too old." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Making $(VENV)"; "$(PYTHON)" -m venv $(VENV); }
	@$(BIN)/python tools/requirements.py build > $(VENV)/requirements-build.txt
	@$(INSTALL) -r $(VENV)/requirements-build.txt
	@touch "$@"
