# Everything starts from Python 3.11 and make; the rest is set up here.
PYTHON ?= python3
# Counting lines nearly doubles the time of the tests: continuous integration does it for everybody.
COVERAGE ?= $(CI)
VENV := .venv
BIN := $(VENV)/bin
QUICKSTART := samples/quickstart
SHOP := samples/shop/plain

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
test: setup      ## format, lint, types, layers, the everyday tests; with CI=1 or COVERAGE=1 also their coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -m "not slow and not cluster" $(if $(COVERAGE),--cov --cov-report=term)

.PHONY: test-slow
test-slow: setup ## the slow tests, and every property on many more examples
	$(BIN)/pytest -m "(slow or hypothesis) and not cluster" --hypothesis-profile=thorough

.PHONY: test-pythons
test-pythons:    ## the everyday tests with each other Python that pyproject.toml claims
	@tests/tools/pythons $(MAKE)

.PHONY: test-everyday
test-everyday: setup
	$(BIN)/pytest -m "not slow and not cluster"

APISERVER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sidecarctl-tests/kube-apiserver

.PHONY: test-cluster
test-cluster: setup  ## tests against a real kube-apiserver, which is built from Go modules at the first time (minutes)
	tests/cluster/require
	tests/cluster/server/build-apiserver $(APISERVER)
	$(BIN)/pytest -n 0 -m cluster tests/cluster

.PHONY: bench-cluster
bench-cluster: setup  ## measure push against a real kube-apiserver: 1,000 pods in 10 waves (minutes)
	tests/cluster/require
	tests/cluster/server/build-apiserver $(APISERVER)
	$(BIN)/python -m tests.cluster

.PHONY: demo
demo: setup      ## show what injection makes of a sample
	@echo '# A Deployment and the SidecarSet that gives its pods a log agent. What would run in the pods?'
	@echo '$$ sidecarctl inject -s $(QUICKSTART)/sidecarset.yaml $(QUICKSTART)/deployment.yaml --diff'
	@$(BIN)/sidecarctl inject -s $(QUICKSTART)/sidecarset.yaml $(QUICKSTART)/deployment.yaml --diff
	@echo
	@echo '# A whole shop with four sets: the diff of each workload is kept back, the report is shown.'
	@echo '$$ sidecarctl inject -s $(SHOP)/sidecarsets $(SHOP)/apps -d build/shop'
	@$(BIN)/sidecarctl inject -s $(SHOP)/sidecarsets $(SHOP)/apps -d build/shop
	@echo
	@echo '# Next, see what came out in build/shop, have it taken out again, or try your own manifests:'
	@echo '#   $(BIN)/sidecarctl uninject -s $(SHOP)/sidecarsets build/shop --diff'
	@echo '#   $(BIN)/sidecarctl inject --help'

.PHONY: bench
bench: setup     ## measure speed, memory and start-up from the installed wheel; prints a table
	$(BIN)/python -m benchmarks

.PHONY: pictures
pictures: setup  ## make the pictures of the README from samples; needs Chromium
	$(BIN)/python -m tests.pages.pictures

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

SECONDS ?= 60
FINDINGS := build/fuzz

.PHONY: fuzz
fuzz: setup      ## SECONDS=60: fuzz readers, edits, inject, diffs and all commands, each for so long; see build/fuzz
	$(BIN)/python -m pip install --quiet atheris
	mkdir -p $(FINDINGS)
	$(BIN)/python -m tests.fuzz.commands $(SECONDS)
	for target in read inject patch lines line_places line_edits line_shapes; do \
		$(BIN)/python -m tests.fuzz $$target $(FINDINGS) $(SECONDS) \
			|| { echo "fuzz: $$target broke; see $(FINDINGS)/$$target-*" >&2; exit 1; }; \
	done
