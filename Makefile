# One command each, on a machine with Python 3.11+, make and a package index:
#   make demo   load the example conversation, ask it questions, print a table
#   make test   everything that needs no network beyond the index
#   make bench  quality and speed, and a page of both (bench-full: hours, beside the peers)
# PYTHON picks the interpreter, VENV the folder of the environment, ARGS is passed on.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
BENCH := $(BIN)/python -m benchmarks

.PHONY: demo test test-real check fix docs bench bench-full clean
.NOTPARALLEL:

demo: $(VENV)/.ready-demo
	@$(BIN)/python examples/demo.py $(ARGS)

test: $(VENV)/.ready-dev
	$(PYTEST) -n 2 -m "not real" $(ARGS)

test-real: $(VENV)/.ready-dev
	$(BIN)/python tests/real_suites.py $(ARGS)

check: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.ready-dev
	$(BIN)/python docs/build.py

# Minutes: ours beside the plain rankers, without and with static vectors, and how fast at two sizes.
bench: $(VENV)/.ready-bench
	$(BENCH).peers mnemopi all
	$(BENCH).peers plain all
	$(BENCH).peers mnemopi all --embedder static
	$(BENCH).peers plain all --embedder static
	$(BENCH).quality.harm
	$(BENCH).quality.belief
	$(BENCH).speed --n 1000,10000 $(ARGS)
	$(BENCH).report

# Hours: every set with every embedder beside the peers, one pool, what each part is worth, and how fast at all sizes.
bench-full: $(VENV)/.ready-bench
	for embedder in none static minilm e5; do $(BENCH).peers all all --embedder $$embedder --limit 3600 || exit 1; done
	for embedder in none static; do \
	  $(BENCH).peers all locomo_dev --embedder $$embedder --haystack pool --limit 3600 || exit 1; \
	  $(BENCH).peers all longmemeval_s_turn_dev --embedder $$embedder --haystack pool --limit 3600 || exit 1; \
	  $(BENCH).quality.harm --embedder $$embedder --peers all || exit 1; \
	  $(BENCH).peers.speed --embedder $$embedder --n 1000,10000 || exit 1; \
	done
	$(BENCH).quality.belief
	$(BENCH).quality.fit belief
	$(BENCH).quality.fit ablate
	$(BENCH).quality.framed
	$(BENCH).speed $(ARGS)
	$(BENCH).report --markdown docs/benchmarks.md

clean:
	rm -rf $(VENV) .demo .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Stamp files: installed again only when pyproject.toml changes. Compiled at once, so that the first start is none of
# compiling, also where PYTHONDONTWRITEBYTECODE is set.

$(VENV)/.ready-demo: pyproject.toml | $(VENV)/.ready-pip
	$(BIN)/python -m pip install --quiet --editable '.[static]'
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.ready-dev: pyproject.toml | $(VENV)/.ready-pip
	$(BIN)/python -m pip install --quiet --editable '.[static]' --group dev
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.ready-bench: pyproject.toml | $(VENV)/.ready-pip
	$(BIN)/python -m pip install --quiet --editable '.[static]' --group bench
	@$(BIN)/python -m compileall -q src
	@touch $@

# A system Python may come without ensurepip; its own pip (22.3+) can fill the environment then.
# Dependency groups need pip 25.1, so the environment's own pip is brought up to date.
$(VENV)/.ready-pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "mnemopi needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --quiet --python $(VENV) install pip; }
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@
