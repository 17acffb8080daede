# Everything starts from Python 3.11 and make; the rest is set up here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help

.PHONY: help
help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("sidecarctl needs Python 3.11 or newer, this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group dev
	touch $@

.PHONY: setup
setup: $(VENV)/ready  ## make the virtual environment

.PHONY: test
test: setup      ## format, lint, types, layers, tests and coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --cov --cov-report=term

.PHONY: format
format: setup    ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: clean
clean:           ## remove what was built
	rm -rf $(VENV) build dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

.PHONY: corpus
corpus: setup    ## DIR=...: try the promises of inject and uninject on every manifest below a folder
	$(BIN)/python -m tests.corpus $(DIR)
