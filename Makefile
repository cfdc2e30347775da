# Everything needed to try, test and document veracity. Needs only make and Python 3.11 or newer;
# the rest is installed into .venv, at the versions in constraints.txt. What pip installs must have the
# hashes in constraints.lock, on systems that it covers; HASHES=no leaves them out.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

EXAMPLE := src/veracity/datasets/example

# Twice quiet: errors only. Build constraints pin the build backend, which -c does not reach.
# What has a hash is checked by it; the package itself has none, so it cannot be required of all.
CONSTRAINTS := $(VENV)/constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --quiet \
	--no-require-hashes -c $(CONSTRAINTS) --build-constraint $(CONSTRAINTS)

# A stamp file records that a step was done; it is redone when the files that define it change.
VENV_STAMP    := $(VENV)/.stamp-venv
PACKAGE_STAMP := $(VENV)/.stamp-package
DEV_STAMP     := $(VENV)/.stamp-dev
BENCH_STAMP   := $(VENV)/.stamp-bench
FUZZ_STAMP    := $(VENV)/.stamp-fuzz

# Programs that pip does not bring: name, package, what to do without, and where they may be.
ENSURE_POSTGRESQL := @sh scripts/ensure-program.sh PostgreSQL postgresql skip initdb "/usr/lib/postgresql/*/bin/initdb"
ENSURE_CHROMIUM   := @sh scripts/ensure-program.sh Chromium chromium skip chromium chromium-browser google-chrome
ENSURE_JAVA       := @sh scripts/ensure-program.sh Java openjdk-17-jre-headless skip java "$(JAVA_HOME)/bin/java"
ENSURE_WRK        := @sh scripts/ensure-program.sh wrk wrk fail wrk

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Every target with a line of help; none is a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\#.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## Show this list
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile \
		| while IFS='|' read -r target text; do printf '  %-18s %s\n' "$$target" "$$text"; done

demo: $(PACKAGE_STAMP) ## Install the package and run it on the shipped example
	$(BIN)/veracity discover $(EXAMPLE)/claims.csv --truth $(EXAMPLE)/truth.csv \
		-o demo-output --overwrite
	@echo
	@echo "To look at items and sources one by one: $(BIN)/veracity serve demo-output"

# Bytecode is kept, whatever the environment says: hundreds of processes would compile it again.
test: export PYTHONDONTWRITEBYTECODE =
test: $(DEV_STAMP) ## Run the tests, doctests included
	$(ENSURE_POSTGRESQL)
	$(ENSURE_CHROMIUM)
	$(ENSURE_JAVA)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=30

lint: $(DEV_STAMP) ## Check style, formatting, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The variable hides the theme's notice about the future of MkDocs; the version is pinned anyway.
docs: $(DEV_STAMP) ## Build the documentation into site/; any warning fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

picture: $(PACKAGE_STAMP) ## Draw docs/images/discover.svg anew
	$(BIN)/python scripts/terminal_picture.py

trust-pictures: $(DEV_STAMP) ## Draw the pictures of docs/concepts/trust.md anew
	$(BIN)/python scripts/trust_pictures.py

screenshots: $(DEV_STAMP) ## Take the pictures of report and explorer anew
	$(ENSURE_CHROMIUM)
	$(BIN)/python scripts/screenshots.py

bench-ingest: $(BENCH_STAMP) ## Measure how fast claims are read and encoded
	$(BIN)/python benchmarks/ingest.py

bench-kernel: $(BENCH_STAMP) ## Measure one pass over the claims, beside torch and numpy
	$(BIN)/python benchmarks/kernel.py

bench-fit: $(BENCH_STAMP) ## Measure whole fits, beside crowd-kit
	$(BIN)/python benchmarks/fit.py

bench-profile: $(BENCH_STAMP) ## Show where the time of a fit goes, as figures and a picture
	$(BIN)/python benchmarks/profile_fit.py

bench-crowd: $(BENCH_STAMP) ## Measure the crowd methods, beside crowd-kit's
	$(BIN)/python benchmarks/crowd.py

bench-intervals: $(BENCH_STAMP) ## Count how often intervals hold the rates of drawn sources
	$(BIN)/python benchmarks/intervals.py

bench-paper: $(BENCH_STAMP) ## Measure accuracy on the paper's data, beside its table
	$(BIN)/python benchmarks/paper.py

bench-recurrent: $(BENCH_STAMP) ## Measure the recurrent reliability function beside the feed-forward one
	$(BIN)/python benchmarks/recurrent.py

bench-methods: $(BENCH_STAMP) ## Measure an iteration of every method, beside crowd-kit
	$(BIN)/python benchmarks/methods.py

bench-unseen: $(DEV_STAMP) $(BENCH_STAMP) ## Judge all methods on public sets, perturbed copies and made worlds
	$(BIN)/python benchmarks/unseen.py --jobs 2

bench-guarantee: $(BENCH_STAMP) ## Count how often guaranteed lists keep their promise, and how long they are
	$(BIN)/python benchmarks/guarantee.py

bench-guarantee-labels: $(BENCH_STAMP) ## The same when the model learns from the audited labels
	$(BIN)/python benchmarks/guarantee.py --labels --draws 200 --jobs 2

bench-labels: $(DEV_STAMP) $(BENCH_STAMP) ## Judge what labels are worth on public sets
	$(BIN)/python benchmarks/labels.py --jobs 2

bench-startup: $(PACKAGE_STAMP) ## Measure how long import, --help and discover on the example take, beside bare Python
	$(BIN)/python benchmarks/startup.py

bench-numbers: $(BENCH_STAMP) ## Judge methods for numbers on public sets and drawn sensors
	$(BIN)/python benchmarks/number_methods.py

bench-spammers: $(BENCH_STAMP) ## Count how often planted spammers are named, and good workers by mistake
	$(BIN)/python benchmarks/spammers.py

bench-ordered: $(BENCH_STAMP) ## Compare ordered values with other ways to judge levels
	$(BIN)/python benchmarks/ordered.py

bench-changing: $(BENCH_STAMP) ## Judge values that change on drawn histories
	$(BIN)/python benchmarks/changing.py

bench-juries: $(DEV_STAMP) $(BENCH_STAMP) ## Judge juries of language models on public panels
	$(BIN)/python benchmarks/juries.py

bench-hierarchy: $(DEV_STAMP) $(BENCH_STAMP) ## Judge values within values on drawn trees and birthplaces
	$(BIN)/python benchmarks/hierarchy.py

bench-jobs: $(DEV_STAMP) ## Do twelve jobs on tables with planted truth, without and with labels
	$(BIN)/python benchmarks/jobs.py
	$(BIN)/python benchmarks/jobs.py --labels 60

bench-stream: $(BENCH_STAMP) ## Measure how close updates come to whole fits, and what they cost
	$(BIN)/python benchmarks/stream.py

bench-service: $(BENCH_STAMP) ## Measure how fast the service answers, beside a trivial route
	$(ENSURE_WRK)
	$(BIN)/python benchmarks/service.py

bench-spark: $(BENCH_STAMP) ## Measure a pass on Spark: time, the driver's memory, bytes sent
	$(ENSURE_JAVA)
	$(BIN)/python benchmarks/spark.py

bench-scale: $(BENCH_STAMP) ## Measure whole runs from 10 thousand to 100 million claims; goes on where it was cut short
	$(BIN)/python benchmarks/scale.py --claims 1e4,1e5,1e6,1e7,1e8 --models grbm,vote --memory 4GB \
		--in-memory 1e7 --peers --most-of-peers 1e7 --limit 36000 --json build/scale.json --page

bench-exchange: $(BENCH_STAMP) ## Exchange gradients of up to ten million sources between processes
	$(BIN)/python benchmarks/exchange.py

bench-cost: $(BENCH_STAMP) ## Measure what each stage costs, and how that grows
	$(BIN)/python benchmarks/cost.py

bench-growth: $(BENCH_STAMP) ## Measure how costs grow along seven axes; fail where they grow too fast
	$(BIN)/python benchmarks/growth.py

bench-connections: $(PACKAGE_STAMP) ## Ask a service all kinds of things on 200 connections; fail if it fails or loses a mark
	$(BIN)/python benchmarks/connections.py

KILLS ?= 20
torture: $(DEV_STAMP) ## Let every change of a file fail, and kill every action at KILLS=20 random moments
	FAULTS=1000 KILLS=$(KILLS) $(BIN)/python -m pytest tests/faults

MINUTES ?= 30
fuzz: $(DEV_STAMP) ## Try all models on hostile tables for MINUTES=30; what fails is kept for the tests
	$(BIN)/python -m tests.fuzz.campaign --minutes $(MINUTES)

fuzz-readers: $(DEV_STAMP) $(FUZZ_STAMP) ## Try all readers on damaged files for MINUTES=30; what fails is kept
	$(BIN)/python -m tests.fuzz_readers.campaign --minutes $(MINUTES)

sbom: $(DEV_STAMP) ## Write the bill of materials of the environment to dist/sbom.json
	mkdir -p dist
	$(BIN)/cyclonedx-py environment --output-reproducible --of JSON -o dist/sbom.json $(BIN)/python

audit: $(DEV_STAMP) ## Look for known weaknesses of what is installed, where the database can be reached
	$(BIN)/python scripts/audit.py

lock: $(DEV_STAMP) ## Write constraints.lock anew after a change of constraints.txt, from the index INDEX=URL
	$(BIN)/python -m scripts.lock --index "$(INDEX)"

learn-constants: $(BENCH_STAMP) ## Learn the constants of plausibilities across sets, and judge them unseen
	$(BIN)/python scripts/learn_constants.py --data --page

ablation: $(BENCH_STAMP) ## Show what each part of the default is worth, on the public data sets
	$(BIN)/python benchmarks/ablation.py

scoreboard: $(BENCH_STAMP) ## Run all methods on all data sets, and make the page and picture of it
	$(BIN)/python scripts/scoreboard_page.py

clean: ## Remove the environment, caches and everything built
	rm -rf $(VENV) build dist site demo-output
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

define CHECK_PYTHON
@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "veracity needs Python 3.11 or newer, but '$(PYTHON)' was not found." >&2; \
		echo "Install it, or name another interpreter: make PYTHON=python3.12 ..." >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "veracity needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another interpreter: make PYTHON=python3.12 ..." >&2; exit 1; }
endef

$(VENV_STAMP): constraints.txt constraints.lock
	$(CHECK_PYTHON)
	@echo "Preparing $(VENV)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python scripts/locked_systems.py $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --quiet --upgrade \
		-r $(VENV)/pip.txt
	@touch $@

$(PACKAGE_STAMP): $(VENV_STAMP) pyproject.toml constraints.txt
	@echo "Installing the package"
	@$(PIP_INSTALL) -e '.[service]'
	@touch $@

$(DEV_STAMP): $(PACKAGE_STAMP) pyproject.toml constraints.txt
	@echo "Installing the tools for tests, linting and documentation (takes a minute the first time)"
	@$(PIP_INSTALL) --group dev
	@touch $@

$(BENCH_STAMP): $(PACKAGE_STAMP) pyproject.toml constraints.txt
	@echo "Installing what the benchmarks compare with"
	@$(PIP_INSTALL) --group bench
	@touch $@

$(FUZZ_STAMP): $(PACKAGE_STAMP) pyproject.toml constraints.txt
	@echo "Installing what guides the fuzz"
	@$(PIP_INSTALL) --group fuzz
	@touch $@
