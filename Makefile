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
test: setup      ## format, lint, types, layers, the everyday tests; COVERAGE=1: their coverage; CI=1: properties only in test-slow
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -m "not slow and not cluster$(if $(CI), and not hypothesis)" $(if $(COVERAGE),--cov --cov-report=term)

.PHONY: test-slow
test-slow: setup ## the slow tests, and every property on many more examples
	$(BIN)/pytest -m "(slow or hypothesis) and not cluster" --hypothesis-profile=thorough

.PHONY: test-pythons
test-pythons:    ## with each other Python that pyproject.toml claims, the everyday tests that may differ there
	@tests/tools/pythons $(MAKE)

.PHONY: test-lowest test-newest
test-lowest: setup  ## the everyday tests with the lowest versions of dependencies that pyproject.toml allows
	tests/release/everyday lowest
test-newest: setup  ## the everyday tests with the newest versions of dependencies that pyproject.toml allows
	tests/release/everyday newest

.PHONY: test-everyday
test-everyday: setup
	$(BIN)/pytest -m "not slow and not cluster" $(TESTS)

APISERVER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sidecarctl-tests/kube-apiserver

.PHONY: test-cluster
test-cluster: setup  ## tests against a real kube-apiserver, which is built from Go modules at the first time (minutes)
	tests/cluster/require
	tests/cluster/server/build-apiserver $(APISERVER)
	$(BIN)/pytest -m cluster tests/cluster

.PHONY: record-pods
record-pods: setup  ## record the pods of tests/engine/api/recorded_pods again, with Kubernetes' controllers (minutes at the first time)
	tests/cluster/require
	tests/cluster/server/build-apiserver $(APISERVER)
	tests/cluster/server/build-controllers $(dir $(APISERVER))controllers
	$(BIN)/python -m tests.cluster.recording

.PHONY: bench-cluster
bench-cluster: setup  ## measure push against a real kube-apiserver: 2,000 pods in five namespaces (minutes)
	tests/cluster/require
	tests/cluster/server/build-apiserver $(APISERVER)
	$(BIN)/python -m tests.cluster

.PHONY: release-check
release-check: setup  ## build twice and compare; the README's examples with the lowest and the newest dependencies
	tests/release/check $(BIN)/python

.PHONY: demo
demo: setup      ## show what injection makes of a sample
	@echo '# A Deployment and the SidecarSet that gives its pods a log agent. What would run in the pods?'
	@echo '$$ sidecarctl inject -s $(QUICKSTART)/sidecarset.yaml $(QUICKSTART)/deployment.yaml --diff'
	@$(BIN)/sidecarctl inject -s $(QUICKSTART)/sidecarset.yaml $(QUICKSTART)/deployment.yaml --diff
	@echo
	@echo '# A whole shop with three sets: the diff of each workload is kept back, the report is shown.'
	@echo '$$ sidecarctl inject -s $(SHOP)/sidecarsets $(SHOP)/apps -d build/shop'
	@$(BIN)/sidecarctl inject -s $(SHOP)/sidecarsets $(SHOP)/apps -d build/shop
	@echo
	@echo '# Next, see what came out in build/shop, have it taken out again, or try your own manifests:'
	@echo '#   $(BIN)/sidecarctl uninject -s $(SHOP)/sidecarsets build/shop --diff'
	@echo '#   $(BIN)/sidecarctl inject --help'

.PHONY: bench
bench: setup     ## DIR=...: measure speed, memory and start-up from the installed wheel, or the commands over a folder
	$(BIN)/python -m benchmarks $(DIR)

.PHONY: pictures
pictures: setup  ## make the pictures of the README; needs Chromium
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
# Manifests that are mutated: those of the tests, or real ones.
SEEDS ?= tests/manifests
FINDINGS := build/fuzz

.PHONY: fuzz
fuzz: setup      ## SECONDS=60 SEEDS=DIR: fuzz readers, edits, inject, diffs and all commands, each for so long
	$(BIN)/python -m pip install --quiet atheris
	mkdir -p $(FINDINGS)
	$(BIN)/python -m tests.fuzz.commands $(SECONDS)
	for target in read inject patch edits proof alike nulls look; do \
		$(BIN)/python -m tests.fuzz $$target $(FINDINGS) $(SECONDS) $(SEEDS) \
			|| { echo "fuzz: $$target broke; see $(FINDINGS)/$$target-*" >&2; exit 1; }; \
	done
