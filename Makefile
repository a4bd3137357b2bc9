# `make run` and `make test` do all the set-up themselves, on a machine that has Python 3.11 or newer.
# uv is used where there is one; without it, venv and pip do the same.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := run
.PHONY: run test lint unit site bench clean

## run: grade the reference simulator by what it can grade, and write build/report/
run: $(VENV)/.installed
	$(BIN)/session-tck run --report-dir build/report

## test: everything else that CI runs
test: lint unit

lint: $(VENV)/.developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/session-tck check
	$(BIN)/session-tck check docs/specification.md --all-rules --strict
	$(BIN)/session-tck check docs README.md CHANGELOG.md --strict
	$(BIN)/session-tck lock docs/specification.md --features features/scenarios --check

unit: $(VENV)/.developed
	$(BIN)/pytest --durations=30

## site: the conformance matrix of this project's own engines, in build/matrix/site
site: $(VENV)/.installed
	.ci/site

## bench: the figures of benchmarks/, as ratios taken in one run
bench: $(VENV)/.developed
	$(BIN)/python benchmarks/bench_run.py
	$(BIN)/python benchmarks/bench_transports.py
	$(BIN)/python benchmarks/bench_fuzz.py
	$(BIN)/python benchmarks/bench_fuzz_kills.py 40 20
	$(BIN)/python benchmarks/bench_cluster.py
	$(BIN)/python benchmarks/bench_check.py
	$(BIN)/python benchmarks/bench_docker_api.py
	$(BIN)/python benchmarks/bench_containers.py --area ISOLATE
	$(BIN)/python benchmarks/bench_language_server.py
	$(BIN)/python benchmarks/bench_rendering.py
	$(BIN)/python benchmarks/bench_matrix.py
	$(BIN)/python benchmarks/bench_peers.py

clean:
	rm -rf build dist $(VENV)

$(VENV)/bin/python:
ifdef UV
	$(UV) venv --quiet --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv $(VENV)
endif

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
ifdef UV
	$(UV) pip install --quiet --python $(BIN)/python --editable .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
endif
	touch $@

$(VENV)/.developed: pyproject.toml | $(VENV)/bin/python
ifdef UV
	$(UV) pip install --quiet --python $(BIN)/python --group dev --editable .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable .
endif
	touch $@ $(VENV)/.installed
