# Two commands do it all: `make demo` shows the tool at work, `make test` proves it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
DATA ?= examples/memories.jsonl

.PHONY: setup demo test check types lint generated clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m compileall -q agent_memory_cli
	touch $@

demo: setup
	BIN=$(BIN) DATA=$(DATA) sh examples/demo.sh

test: setup
	$(BIN)/python -m pytest -n 2

check: lint types test

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/generate.py --check

types: setup
	$(BIN)/mypy

generated: setup
	$(BIN)/python scripts/generate.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
