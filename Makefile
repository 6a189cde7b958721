# gosched: `make demo` and `make test` set up everything they need in .venv.
#   make PYTHON=/path/to/python test    the same on another interpreter, in a venv of its own

PYTHON ?= python3
# Seconds that all stress tests share in one run.
STRESS_SECONDS ?= 20
# Schedules of the interleaving explorer in one run, over all programs.
SCHEDULES ?= 1200
# Of the tests that take long.
SLOW ?= slow
# Processes that share the tests of `make test`; 0: it runs them itself.
WORKERS ?= 2
# What says the same on every Python and with every kind of stacks, or does not run Python.
SAME := $(addprefix --ignore tests/,bench demo docs lab top tsan web)
export STRESS_SECONDS SCHEDULES

TAG := $(shell $(PYTHON) -c 'import sys, sysconfig; print("%d.%d%s" % (*sys.version_info[:2], "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))')
DEFAULT_TAG := $(shell python3 -c 'import sys, sysconfig; print("%d.%d%s" % (*sys.version_info[:2], "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))')
VENV := $(if $(filter $(TAG),$(DEFAULT_TAG)),.venv,.venv-$(TAG))
RUN := $(VENV)/bin/python
DIST_VENV := .venv-dist-$(TAG)
CORE := $(wildcard src/gosched/core/*.py src/gosched/core/*.pxd src/gosched/core/*.pyx src/gosched/core/*.h) setup.py pyproject.toml

.PHONY: help setup demo test test-slow test-all test-pure test-stacks test-versions test-freethreaded stress explore lint docs bench bench-report dist test-dist clean

help:
	@sed -n 's/^#   *//p; s/^\([a-z-]*\):.*##/\1:/p' Makefile

$(VENV)/.tools: requirements/test.txt
	@echo "gosched: setting up $(VENV) for Python $(TAG) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --no-compile --disable-pip-version-check -c requirements/test.txt Cython setuptools 2>&1 | grep -v '^WARNING: Location' || true
	@$(RUN) -c 'import Cython, setuptools'
	@touch $@

$(VENV)/.requirements: $(VENV)/.tools
	@$(RUN) -m pip install --quiet --no-compile --disable-pip-version-check -r requirements/test.txt 2>&1 | grep -v '^WARNING: Location' || true
	@$(RUN) -c 'import pytest, greenlet'
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(CORE)
	@echo "gosched: building the compiled core for Python $(TAG) (a minute or two)"
	@$(RUN) tools/build.py
	@touch $@

# What the tests need is fetched while the core is compiled.
setup: ## the .venv, with everything built
	@$(MAKE) --silent --no-print-directory -j2 $(VENV)/.requirements $(VENV)/.built

demo: setup ## what it does, in less than a minute, with figures measured on the spot
	@$(RUN) -m gosched demo

test: setup ## the tests, with a short exploration; not the slow ones, and no stress
	@$(RUN) -m pytest -n $(WORKERS) --dist loadfile -m "not stress and not slow" --ignore tests/explorer/test_races.py --ignore tests/explorer/test_told.py

test-slow: setup ## the tests that take long
	@$(RUN) -m pytest -m "$(SLOW)"

lint: setup ## ruff and mypy
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

explore: setup ## every schedule that CI explores, and the proof of every race line
	@SCHEDULES=40000 $(RUN) -m pytest -o faulthandler_timeout=0 -m explore tests/explorer

stress: setup ## real threads for STRESS_SECONDS
	@$(RUN) -m pytest -m stress

test-pure: setup ## the tests on the pure build; not the slow ones
	@GOSCHED_PURE=1 $(RUN) -m pytest -m "not stress and not explore and not slow and not browser"

test-stacks: setup ## the tests with the stacks that are not the default; not the slow ones
	@GOSCHED_STACKS=$$($(RUN) tools/other_stacks.py) $(RUN) -m pytest -m "not stress and not explore and not slow and not browser" $(SAME) --ignore tests/fidelity

test-versions: setup ## the tests of what depends on the interpreter: for `make PYTHON=…`
	@$(RUN) -m pytest -m "not stress and not explore and not slow and not browser" $(SAME)

test-freethreaded: ## the tests and the stress on a free-threaded Python: python3.14t, or FREETHREADED=/path
	@python=$${FREETHREADED:-$$(command -v python3.14t)}; \
	 if [ -z "$$python" ]; then echo "test-freethreaded: no python3.14t on PATH; give FREETHREADED=/path/to/python3.14t" >&2; exit 2; fi; \
	 $(MAKE) --no-print-directory PYTHON=$$python test && $(MAKE) --no-print-directory PYTHON=$$python test-slow && $(MAKE) --no-print-directory PYTHON=$$python test-stacks && $(MAKE) --no-print-directory PYTHON=$$python stress

test-all: test test-slow lint explore stress test-pure test-stacks test-freethreaded ## what CI runs

docs: setup ## the documentation as a site, in build/site; a warning is an error (needs requirements/docs.txt, installed here)
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements/docs.txt 2>&1 | grep -v '^WARNING: Location' || true
	@$(RUN) -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/site
	@echo "build/site/index.html"

bench: setup ## cases × runtimes, as ratios (needs requirements/bench.txt, installed here)
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements/bench.txt 2>&1 | grep -v '^WARNING: Location' || true
	@$(RUN) -m gosched bench $(BENCH)

bench-report: setup ## the benchmarks as report.html and report.md, with plots, in REPORT (build/bench)
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements/bench.txt 2>&1 | grep -v '^WARNING: Location' || true
	@$(RUN) -m gosched bench --repeat 3 --report $(or $(REPORT),build/bench) $(BENCH)

$(DIST_VENV)/.requirements: requirements/dist.txt
	@$(PYTHON) -m venv $(DIST_VENV)
	@$(DIST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/dist.txt 2>&1 | grep -v '^WARNING: Location' || true
	@$(DIST_VENV)/bin/python -c 'import build, twine'
	@touch $@

dist: $(DIST_VENV)/.requirements ## an sdist and a wheel for this Python, in dist/ (docs/releasing.md)
	@rm -rf dist
	@$(DIST_VENV)/bin/python -m build --quiet --outdir dist .; status=$$?; rm -rf src/gosched.egg-info; exit $$status
	@$(DIST_VENV)/bin/python -m twine check --strict dist/*

test-dist: ## what `make dist` makes, in new venvs, compiled and pure; DIST="--python PATH --python PATH"
	@$(PYTHON) tools/check_dist.py $(or $(DIST),--python $(PYTHON))

clean:
	@rm -rf build dist .venv .venv-* src/gosched.egg-info src/gosched/core/*.so
