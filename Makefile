# Every target but help makes .venv by itself from the hashed requirements; a stamp per file says when it is up to date.

PYTHON ?= $(firstword $(foreach v,3 3.14 3.13 3.12 3.11,\
	$(shell python$(v) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo python$(v))))

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check --quiet install
# These files name every package, so pip need not look up what each one requires; older versions of pip fail on its extras.
HASHED := $(PIP) --no-deps --require-hashes

LOCK := env CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
	--no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# The tests start Python many times; each start would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all gssapi coverage soak chaos lint check docs rehearse bench pictures cluster generate lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/run.stamp ## a small shop's names, published into zone files on this machine
	@$(BIN)/python -m extdns demo

# Four workers on two cores, because tests mostly wait.
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses=4 --dist=worksteal

test: $(VENV)/dev.stamp ## the tests that need nothing but Python
	@$(PYTEST)

test-all: $(VENV)/dev.stamp ## all tests, with real servers, shells, browsers and packaging (tests/slow)
	@$(PYTEST) tests

gssapi: $(VENV)/gssapi.stamp ## what the tests of Kerberos need besides programs (a C compiler, Debian: libkrb5-dev, python3-dev)

coverage: $(VENV)/dev.stamp ## the tests of `make test` with branch coverage, which doubles their CPU time
	@$(PYTEST) --cov --cov-report=
	@echo "branch coverage: $$($(BIN)/coverage report --format=total) %"

SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
soak: $(VENV)/dev.stamp ## a million steps of the engine's state machine (SEED=number: those of before)
	@echo "SEED=$(SEED)"
	@$(BIN)/python -m pytest --quiet --hypothesis-profile=soak --hypothesis-seed=$(SEED) tests/unit/engine/test_machine.py

SECONDS := 600
PROVIDER := aws
chaos: $(VENV)/dev.stamp ## the whole program amid faults and kills (SECONDS=, SEED=, PROVIDER=aws|google|azure|cloudflare|aws-sd)
	@CHAOS_SECONDS=$(SECONDS) CHAOS_SEED=$(SEED) $(BIN)/python -m pytest --quiet tests/slow/chaos/test_chaos.py $(if $(PROVIDER),-k "[$(PROVIDER)]")

lint: $(VENV)/dev.stamp ## format, ruff, import contracts, mypy, pyright
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/mypy
	@$(BIN)/pyright

check: lint test ## lint, then test (CI: .ci/run)

docs: $(VENV)/dev.stamp ## the documentation as a site, with search, in build/docs
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --conf-dir docs/site --doctree-dir build/doctrees . build/docs
	@echo 'Open build/docs/index.html'

rehearse: $(BIN)/python ## the files of a release in dist/, installed and tried
	@PYTHON=$(abspath $(BIN)/python) .ci/release build

pictures: $(VENV)/dev.stamp ## the pictures in README, from a real run in Chromium
	@$(BIN)/python -m tests.slow.browser.pictures

bench: $(VENV)/dev.stamp ## CPU, memory and calls, with manifests, a live cluster, Route 53 and BIND
	@$(BIN)/python -m tests.bench

cluster: $(VENV)/dev.stamp ## a Kubernetes control plane of your own until Ctrl-C; prints its kubeconfig (needs Go)
	@$(BIN)/python -m tests.kubernetes

generate: $(VENV)/dev.stamp ## the reference pages, schemas and chart files that are made from the code
	@$(BIN)/python -m tools.generate

lock: $(VENV)/dev.stamp ## pin and hash what pyproject.toml asks for (UPGRADE=1: the newest of each)
	@$(LOCK) $(if $(UPGRADE),--upgrade) --extra azure --output-file requirements.txt pyproject.toml
	@$(LOCK) $(if $(UPGRADE),--upgrade) --constraint requirements.txt --extra dev --output-file requirements-dev.txt pyproject.toml
	@$(LOCK) $(if $(UPGRADE),--upgrade) --constraint requirements-dev.txt --all-build-deps --only-build-deps \
		--output-file requirements-build.txt pyproject.toml
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["gssapi"])' \
		| $(LOCK) $(if $(UPGRADE),--upgrade) --constraint requirements-dev.txt --output-file requirements-gssapi.txt -
	@echo pip-audit | $(LOCK) $(if $(UPGRADE),--upgrade) --output-file requirements-audit.txt -

clean: ## remove what the targets above made
	@rm -rf $(VENV) .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .demo build dist

$(BIN)/python:
	@$(if $(PYTHON),:,echo 'extdns needs Python 3.11 or newer; none was found. Name one with: make PYTHON=/path/to/python3' >&2; exit 1)
	@echo "Creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements.txt requirements-build.txt pyproject.toml | $(BIN)/python
	@echo 'Installing extdns into $(VENV)'
	@$(HASHED) -r requirements.txt -r requirements-build.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	@echo 'Installing development tools into $(VENV)'
	@$(HASHED) -r requirements-dev.txt
	@touch $@

$(VENV)/gssapi.stamp: requirements-gssapi.txt $(VENV)/dev.stamp
	@echo 'Compiling gssapi into $(VENV)'
	@$(HASHED) --no-build-isolation -r requirements-gssapi.txt
	@touch $@
