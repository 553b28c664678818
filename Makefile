# A fresh machine needs Python >= 3.11, make, and one of: make verify, make test.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
unexport PYTHONDONTWRITEBYTECODE  # many tests start a python of their own; without bytecode each compiles the package again
.PHONY: help verify baseline library course test test-lint test-wheel test-nightly test-flower test-arrays test-browser coverage format bench speed guard mutation notebook docs clean FORCE

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

verify: $(VENV)/.installed ## check every claim of the paper, into results/
	$(BIN)/ratecert verify --out results

baseline: verify ## keep verdicts and checks of a whole run in docs/results.json
	$(BIN)/python -m tools.records baseline results/results.json docs/results.json

library: $(VENV)/.installed ## try every statement of the library, and keep the verdicts
	$(BIN)/ratecert verify library --out results/library
	$(BIN)/python -m tools.records library results/library/results.json ratecert/report/verdicts.json

course: $(VENV)/.installed-dev ## run the notebooks whose code has changed, and keep their outputs
	$(BIN)/python -m tools.course

test: $(VENV)/.installed-dev ## lint, format, types, import rule, the wheel, tests
	@mkdir -p build  # types and the wheel beside the tests: neither keeps two cores busy
	@$(MAKE) test-lint test-wheel >build/checks.log 2>&1 & beside=$$!; \
	$(BIN)/pytest -n auto --dist worksteal; tests=$$?; \
	wait $$beside; checks=$$?; cat build/checks.log; exit $$((tests > 0 || checks > 0))

test-lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test-wheel: $(VENV)/.installed-dev
	bash tests/wheel/check.sh $(BIN)/python

test-nightly: $(VENV)/.installed-dev ## all tests, those too that take too long for every change and are marked so
	$(BIN)/pytest -n auto -m "not browser"

test-flower: .venv-flower/.installed ## devices on Flower's engine, in .venv-flower
	.venv-flower/bin/python -c 'import flwr, ray'
	.venv-flower/bin/python -m pytest tests/flower

test-arrays: .venv-jax/.installed ## compiled steps against numpy's, in .venv-jax
	.venv-jax/bin/python -c 'import jax'
	.venv-jax/bin/python -m pytest -m "" tests/engines/test_jit.py

test-browser: .venv-browser/.installed ## the pages in a real browser, in .venv-browser; Chromium has to be installed
	@.venv-browser/bin/python tests/oracles/chromium.py
	.venv-browser/bin/python -m pytest -m browser tests/browser

coverage: $(VENV)/.installed-dev ## the tests again, with the lines that they run (tracing takes half as long again)
	$(BIN)/pytest -n auto --cov

format: $(VENV)/.installed-dev ## rewrite the sources in the house format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(VENV)/.installed ## measure speed against C, into build/bench.json
	$(BIN)/python -m benchmarks

speed: $(VENV)/.installed ## measure, and keep the run in docs/bench.json
	$(BIN)/python -m benchmarks --out docs/bench.json

notebook: $(VENV)/.installed-notebooks ## open the course in the browser
	PYTHONPATH=$(CURDIR) $(BIN)/jupyter lab notebooks

docs: $(VENV)/.installed-docs ## build the site into build/docs
	$(BIN)/sphinx-build -W --keep-going -b html docs build/docs

guard: $(VENV)/.installed-dev ## put wrong lines in, one at a time: does a test notice? (a quarter of an hour)
	$(BIN)/python tests/mutation/places.py --out tests/mutation/score.json

mutation: $(VENV)/.installed-dev ## put a random sample of wrong lines into solvers/ and theory/ (hours)
	$(BIN)/python tests/mutation/sample.py theory
	$(BIN)/python tests/mutation/sample.py solvers

clean: ## remove everything the other targets made, .venv included
	rm -rf $(VENV) .venv-flower .venv-jax .venv-browser build results dist docs/course/*.ipynb .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

# The environment. A stamp is written only after its install has succeeded, and it lives inside .venv,
# so it goes when .venv goes.

$(VENV)/.installed: pyproject.toml $(BIN)/python
	$(PIP) install -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(BIN)/python
	$(PIP) install -e '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-notebooks: pyproject.toml $(BIN)/python
	$(PIP) install -e '.[notebooks]'
	@touch $@

$(VENV)/.installed-docs: pyproject.toml $(BIN)/python
	$(PIP) install -e '.[docs]'
	@touch $@

# Environments of their own, because Flower, JAX and Playwright bring libraries that nothing else needs.
.venv-flower/.installed .venv-jax/.installed .venv-browser/.installed: .venv-%/.installed: pyproject.toml
	$(require_python)
	rm -rf .venv-$*
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip --disable-pip-version-check -q install -e '.[$*]' 'pytest>=8.3'
	@touch $@

$(BIN)/python:
	$(require_python)
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)

# Broken means: no python that starts, one that is too old, no pip, or an environment made for another
# folder (its commands would run that folder's code). A broken .venv is made again.
define is_sound
import importlib.util as u, os, sys; \
sound = sys.version_info >= (3, 11) and u.find_spec("pip") and \
os.path.abspath("$(VENV)") in open("$(BIN)/activate").read(); \
print("yes" if sound else "no")
endef
ifneq ($(shell $(BIN)/python -c '$(is_sound)' 2>/dev/null),yes)
$(BIN)/python $(VENV)/.installed $(VENV)/.installed-dev $(VENV)/.installed-notebooks \
$(VENV)/.installed-docs: FORCE
endif

python_found = $(shell $(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11), sys.version.split()[0])' 2>/dev/null)
require_python = $(if $(filter True,$(python_found)),,$(error ratecert needs Python 3.11 or newer, but \
$(PYTHON) is $(or $(word 2,$(python_found)),not found); name another one with PYTHON=python3.11))
