# quizapp: two commands to know, `make serve` and `make test`. `make help` lists the rest.
PYTHON ?= python3
PORT ?= 5000
QUIZAPP_DATA ?= var
# Which build of torch: cpu or cuda. Empty: the one that is installed, else cpu.
TORCH ?=
# Handed on to pytest, for instance: make test ARGS="tests/unit -x"
ARGS ?=

BIN := .venv/bin
export PORT QUIZAPP_DATA

.DEFAULT_GOAL := help
.PHONY: help serve test test-sandbox security-page soak apparmor check bench bench-peers format lock clean run-environment dev-environment bundle

help: ## List these commands
	@echo "Usage: make COMMAND [PORT=5000] [QUIZAPP_DATA=var] [PYTHON=python3] [TORCH=cpu|cuda]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: run-environment ## Start the product at http://127.0.0.1:5000 (PORT, QUIZAPP_DATA); Ctrl-C ends it
	@exec $(BIN)/quizapp serve

test: dev-environment ## Run the whole test suite (ARGS="tests/unit -x" for a part of it)
	$(BIN)/pytest -n 2 --dist loadfile $(ARGS)

test-sandbox: dev-environment ## Run the sandbox's tests at every level, as both users (as root; else as you)
	$(BIN)/python scripts/test_sandbox.py --check

security-page: dev-environment ## Write docs/security.md from what those tests and the doctor find (as root)
	$(BIN)/python scripts/test_sandbox.py --page

soak: dev-environment ## Grade 5,000 honest and 500 hostile answers; compare memory, descriptors, processes
	QUIZAPP_SOAK=5000,500 $(BIN)/pytest -q -s tests/scale/test_soak.py

apparmor: ## On Ubuntu 23.10 and later: let quizapp's sandbox use user namespaces (asks for your password)
	sudo install -m 644 deploy/apparmor-profile /etc/apparmor.d/quizapp
	sudo apparmor_parser --replace /etc/apparmor.d/quizapp

check: dev-environment ## Format, lint, types, import directions, content, and the editor's bundle
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy scripts benchmarks
	$(BIN)/lint-imports
	$(BIN)/quizapp check --all
	@$(MAKE) --no-print-directory bundle

bench: run-environment ## Time a verdict against its floor and other graders: about four minutes
	@$(BIN)/python -m benchmarks

bench-peers: run-environment ## Install nbgrader, otter-grader and pytest in build/peers-venv, and compare with them
	@$(BIN)/python -m benchmarks.peers.install
	@$(BIN)/python -m benchmarks --peers

format: dev-environment ## Put the code into the one form that `make check` asks for
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Keeps the versions that are locked, as far as pyproject.toml allows; UPGRADE=1 takes the newest of all. The
# locking tool has a folder of its own, since the environment is made from what it writes.
lock: ## Write the lock files again from pyproject.toml (UPGRADE=1: with newer versions)
	@test -x build/uv/bin/uv || { $(PYTHON) -m venv build/uv && build/uv/bin/pip install --quiet uv; }
	$(LOCK) --output-file requirements.lock
	$(LOCK) --constraint requirements.lock --extra dev --output-file requirements-dev.lock
	$(subst pyproject.toml,benchmarks/peers/requirements.in,$(LOCK)) --constraint requirements.lock --no-annotate \
	  --output-file benchmarks/peers/requirements.lock

LOCK = UV_CUSTOM_COMPILE_COMMAND="make lock" build/uv/bin/uv pip compile --quiet pyproject.toml --universal \
	--python-version 3.11 --generate-hashes --no-emit-package torch --constraint requirements-torch.txt $(if $(UPGRADE),--upgrade)

clean: ## Remove the environment and all that was built; what you have in QUIZAPP_DATA stays
	rm -rf .venv build dist frontend/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment is made once, and again when a lock or pyproject.toml has changed. A .venv that runs is used
# as it is, so PYTHON matters only the first time; `make clean` before changing it.
define environment
	@if $(BIN)/python -c '' 2>/dev/null; then python=$(BIN)/python; else \
	  python='$(PYTHON)'; \
	  if ! command -v "$$python" >/dev/null 2>&1; then \
	    echo "$$python was not found. quizapp needs Python 3.11 or newer with venv." >&2; \
	    echo "On Debian and Ubuntu: sudo apt install python3 python3-venv" >&2; exit 1; fi; \
	  if ! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "$$python is $$("$$python" -V 2>&1). quizapp needs Python 3.11 or newer." >&2; \
	    echo "If you have one under another name: make serve PYTHON=python3.12" >&2; exit 1; fi; \
	fi; \
	"$$python" scripts/make_environment.py $(1) --torch '$(TORCH)'
endef

run-environment: ## Make the environment of the commands, for quizapp check and quizapp grade, and start nothing
	$(call environment,run)

dev-environment:
	$(call environment,dev)

# Only this needs Node: the product and its tests use the bundle that is committed.
bundle:
	@if command -v npm >/dev/null 2>&1; then $(MAKE) --no-print-directory bundle-with-node; \
	elif [ "$${CI:-}" = true ]; then echo "npm was not found, so nobody has compared the editor's bundle with its source." >&2; exit 1; \
	else echo "Skipped: the editor's bundle was not compared with its source. That needs Node.js and npm (Debian: sudo apt install npm)."; fi

.PHONY: bundle-with-node
bundle-with-node: frontend/node_modules/.package-lock.json
	npm --prefix frontend run --silent check

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	npm --prefix frontend ci --no-audit --no-fund
	@touch $@
