# Every target works alone on a machine with Python >= 3.11, pip and make: `make help`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PAGES := bench-living bench-uses bench-monitoring bench-river bench-prompt bench-scaling comparison papers

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # one pip at a time in one environment
.PHONY: help demo quick test check format bench-core $(PAGES) soak gallery constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-demo ## a stream is learned and watched, and what goes wrong in it is found
	@$(BIN)/python -m okpca demo

# Two workers of one BLAS thread each: on two cores, more threads only fight.
PYTEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

quick: $(VENV)/.installed-test ## run what a change usually breaks: a minute on two cores
	$(PYTEST) -m "not slow and not long and not thorough" --few

# Lines are counted in the same run, but only while some of the tests run, since counting
# takes as long as running. Without its compiler numba's leaves are Python: only then
# do their lines count, and an index beyond an array is an error.
LEAVES := --few -m "leaves and not slow and not long" --cov=okpca._core.compiled --cov-append
test: $(VENV)/.installed-test ## run everything; then some again, with leaves without the compiler
	$(PYTEST) --cov --count-few --cov-report= --cov-fail-under=0
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(LEAVES) $$(grep -rl 'mark\.leaves' tests --include='*.py')

check: $(VENV)/.installed-dev ## lint, format, types, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev ## rewrite the code in the project's style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench-core: $(VENV)/.installed-demo ## print the speed ratios that the README quotes
	@$(BIN)/python benchmarks/core.py

# What a page shows is measured anew, and the page written: one rule, below, for all of them.
bench-living: $(VENV)/.installed-demo ## rerun what docs/living.md shows and write it anew
bench-uses: $(VENV)/.installed-bench ## rerun what docs/uses.md shows and write it anew
bench-monitoring: $(VENV)/.installed-demo ## rerun what docs/monitoring.md shows and write it anew
bench-river: $(VENV)/.installed-bench ## rerun what docs/river.md shows and write it anew
bench-prompt: $(VENV)/.installed-test ## rerun what docs/prompt.md shows and write it anew
bench-scaling: $(VENV)/.installed-bench ## rerun what docs/scaling.md shows and write it anew
comparison: $(VENV)/.installed-demo ## compare all rules and write docs/comparison.md anew
# Twenty to forty minutes on two cores, as busy as they are. What was measured is kept: make papers ARGS="--section kashima --fresh"
papers: $(VENV)/.installed-test ## repeat the papers' experiments and write docs/papers.md anew

$(PAGES):
	@$(BIN)/python -m benchmarks.$(@:bench-%=%) --write docs/$(@:bench-%=%).md $(ARGS)

soak: $(VENV)/.installed-demo ## ten minutes of hard use, at random and seeded; fails if anything breaks
	@$(BIN)/python -m benchmarks.soak

gallery: $(VENV)/.installed-demo ## draw every display of okpca.plots and write docs/gallery.md anew
	@$(BIN)/python -m benchmarks.gallery

clean: ## remove caches and outputs (keeps .venv)
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf okpca-demo
	rm -f .coverage .coverage.*
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------- the environment

# Most modules are never imported, and the others are compiled when they are, if that may be kept.
LATER := $(if $(PYTHONDONTWRITEBYTECODE),,--no-compile)
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check $(LATER)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "okpca needs Python >= 3.11, and '$(PYTHON)' is not: make PYTHON=/path/to/python3.11 ..." >&2; \
	    exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing okpca[$*] into $(VENV) ..." >&2
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[$*]'
	@touch $@ $(if $(filter dev,$*),$(VENV)/.installed-test) # dev has all of test

constraints: | $(BIN)/pip ## renew constraints.txt: the newest versions that work together
	@set -e; fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	$(BIN)/python -m venv "$$fresh"; \
	"$$fresh/bin/python" $(PIP_INSTALL) -e '.[dev,demo]'; \
	{ echo '# Exact versions for `pip install -c`; written by `make constraints`.'; \
	  "$$fresh/bin/python" -m pip freeze --exclude-editable | LC_ALL=C sort -f; \
	} > "$$fresh/constraints.txt"; \
	cp "$$fresh/constraints.txt" constraints.txt
