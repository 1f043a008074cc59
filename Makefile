# Ergon: every target says in one line what it does and can be repeated. `make build`, `make one` and `make debug` install nothing
# and say what is missing; all others install it first (tools/setup.sh). The build itself is CMake's (CMakePresets.json).
#
#   make build    the command, release build; leaves it at build/ergon
#   make one      one test or suite, TEST=Suite.Name (patterns allowed), PRESET=release unless another is given
#   make debug    the same under the debugger, from a debug build; without TEST the command is built with symbols
#   make run      build, then the demonstration of tools/demo.sh
#   make test     all tests and checks: formatting, include order, sanitizers, threads, tests
#   make test-long  pages of benchmarks that take minutes each, and damaged input files
#   make python   the Python package and its tests; leaves it in build/release/python
#   make mutate   mutants of the sources against the tests (SEED=, COUNT=; docs/mutation-testing.md)
#   make pictures the pictures of README.md, anew
#   make bench    the engine against a bare loop, measured in one run
#   make performance  the same into the tables of docs/performance.md
#   make alone    every file of src and app compiled by itself (FILES='src/scenario/*', SHARE=20: one of twenty; all: minutes)
#   make tidy     clang-tidy over src/, warnings as errors
#   make sanitize the tests with address and undefined-behaviour sanitizers only
#   make threads  what uses threads, with the thread sanitizer only
#   make format   rewrite all sources with clang-format
#   make clean    remove build/

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
SOURCE_FOLDERS := src app tests bench benchmarks examples python
# Every C++ file of the project, separated by NUL so that xargs takes any name.
LIST_SOURCES = find $(SOURCE_FOLDERS) -type f \( -name '*.cpp' -o -name '*.hpp' \) -print0

# $(call build_preset,<preset>,<target>): configure (silent unless it fails), then compile the target and what it needs.
define build_preset
mkdir -p build/$(1)
cmake --preset $(1) > build/$(1)/configure.log 2>&1 || { cat build/$(1)/configure.log >&2; exit 1; }
cmake --build build/$(1) --parallel $(JOBS) --target $(2)
endef

build_preset_line = mkdir -p build/$(1) && cmake --preset $(1) > build/$(1)/configure.log && cmake --build build/$(1) --parallel $(JOBS) --target $(2)

.PHONY: setup check-setup setup-test build-only one debug docs-check build run test test-long python mutate pictures sanitize threads bench performance format format-check includes alone tidy clean help

help:
	@sed -n 's/^#   \(make \)/\1/p' Makefile

setup:
	@tools/setup.sh

setup-test: setup
	@tools/setup.sh test

check-setup:
	@tools/setup.sh --check

build: check-setup build-only

build-only:
	@echo "== build: the command, release, in build/release"
	@$(call build_preset,release,ergon)
	@ln -sfn release/app/ergon build/ergon

run: setup build-only
	@echo "== run: the demonstration, tools/demo.sh"
	@tools/demo.sh

# The release tests come last: what this target prints last is ctest's own summary.
test: setup-test build-only format-check includes docs-check threads sanitize
	@echo "== test: release build of all tests, and their run"
	@$(call build_preset,release,all)
	@$(MAKE) alone SHARE=20
	@ctest --test-dir build/release --output-on-failure --no-tests=error --parallel $(JOBS) --label-exclude minutes

pictures: setup-test build-only
	@echo "== pictures: report pages in a browser, to docs/images"
	@web/build.sh --dev
	@node tools/pictures.mjs

test-long: setup
	@echo "== test-long: tables of the benchmarks and damaged input files, minutes each, release"
	@$(call build_preset,release,golden_test property_test fmi_test)
	@ctest --test-dir build/release --output-on-failure --no-tests=error --parallel $(JOBS) --label-regex minutes

one: check-setup
	@[[ -n "$(TEST)" ]] || { echo "make one TEST=Suite.Name: which test? Patterns such as 'Engine*' are allowed." >&2; exit 2; }
	@tools/one_test.sh $(or $(PRESET),release) '$(TEST)'

debug: check-setup
	@echo "== debug: build without optimisation, with symbols, in build/debug"
	@if [[ -n "$(TEST)" ]]; then ERGON_DEBUGGER=$(or $(DEBUGGER),gdb) tools/one_test.sh debug '$(TEST)'; \
	  else $(call build_preset_line,debug,ergon); echo "The command: build/debug/app/ergon"; fi

python: setup-test
	@echo "== python: the package ergon, in build/release/python, and its tests"
	@$(call build_preset,release,ergon_python ergon)
	@ctest --test-dir build/release --output-on-failure --no-tests=error --tests-regex '^python\.'

mutate: setup
	@tools/setup.sh mutate
	@echo "== mutate: $(or $(COUNT),60) mutants of HEAD, in build/mutate"
	@tools/mutate.py --count $(or $(COUNT),60) $(if $(SEED),--seed "$(SEED)")

sanitize: setup
	@echo "== sanitize: build and test with address and undefined-behaviour sanitizers, in build/sanitize"
	@$(call build_preset,sanitize,all)
	@ctest --test-dir build/sanitize --output-on-failure --no-tests=error --parallel $(JOBS) --label-exclude minutes

threads: setup
	@echo "== threads: build and test what uses threads with the thread sanitizer, in build/thread-sanitize"
	@$(call build_preset,thread-sanitize,threads_test)
	@ctest --test-dir build/thread-sanitize --output-on-failure --no-tests=error --parallel $(JOBS)

bench: setup
	@echo "== bench: the engine against a bare loop, build/release/bench/overhead"
	@$(call build_preset,release,overhead fmus companion)
	@build/release/bench/overhead
	@build/release/bench/fmus
	@build/release/bench/companion benchmarks/lim-oscillator/f-s.toml 7 bond.coupling.feedthrough=refresh simulation.stop_time=1000

performance: setup
	@echo "== performance: measured figures into docs/performance.md"
	@$(call build_preset,release,overhead)
	@tools/performance_page.sh build/release/bench/overhead docs/performance.md

format: setup
	@echo "== format: clang-format over $(SOURCE_FOLDERS)"
	@$(LIST_SOURCES) | xargs -0 -r clang-format -i

format-check: setup
	@echo "== format-check: clang-format must have nothing to change (make format repairs it)"
	@$(LIST_SOURCES) | xargs -0 -r clang-format --dry-run -Werror

includes:
	@echo "== includes: every #include follows the dependency order of CMakeLists.txt; installed headers are public ones"
	@tools/check_includes_test.sh
	@tools/check_includes.sh
	@python3 tools/check_public_headers_test.py
	@python3 tools/check_public_headers.py

docs-check:
	@echo "== docs-check: links, names and words of the documents and messages"
	@python3 tools/check_docs_test.py
	@python3 tools/check_docs.py

alone: setup
	@echo "== alone: files compiled one by one, without unity builds and precompiled headers"
	@cmake --preset release -B build/alone -DERGON_PRECOMPILED_HEADERS=OFF -DCMAKE_UNITY_BUILD=OFF > /dev/null
	@tools/compile_alone.py --jobs $(JOBS) --share $(or $(SHARE),1) build/alone $(FILES)

tidy: setup
	@tools/setup.sh tidy
	@echo "== tidy: clang-tidy over src/, warnings as errors"
	@cmake --preset release -B build/tidy -DERGON_PRECOMPILED_HEADERS=OFF -DCMAKE_UNITY_BUILD=OFF > /dev/null  # file by file, without headers of g++
	@find src -name '*.cpp' ! -name '*_test.cpp' -print0 | xargs -0 -r -n 1 -P $(JOBS) clang-tidy -p build/tidy --quiet 2> >(grep -v 'warnings generated' >&2)

clean:
	@echo "== clean: removing build/"
	@rm -rf build
