# Holotype. `make help` lists what there is; `make check` is what must pass before a push.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
# Every build and every test carries the same tags, so that what is tested is what is shipped.
TAGS := sqlite_fts5
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# A checkout that belongs to another user has no readable history: build without its stamp instead of failing.
STAMP := $(shell git rev-parse HEAD >/dev/null 2>&1 || echo -buildvcs=false)

# What test runs, in this order.
SUITES := unit arch fuzz-smoke e2e

# Minutes each suite may take once it is compiled.
UNIT_MINUTES := 5
ARCH_MINUTES := 3
E2E_MINUTES := 8
# Packages under tests/ that run at once: they wait for processes and for each other's answers as much as they compute.
E2E_AT_ONCE := 3
FUZZ_MINUTES := 8

# What fuzz and soak spend: seconds a fuzz target, rounds of the race detector.
FUZZ_SECONDS ?= 100
# What fuzzed programs are built with: what lets the engine see which inputs reach new code.
FUZZ_BUILD := -fuzz .
# Seconds a target may take beyond that: to start, and to go through what is kept of it.
FUZZ_PATIENCE := 60
SOAK_ROUNDS ?= 20
# How often soak disturbs a PostgreSQL server under writers, of each kind.
STORE_ROUNDS ?= 60
# How often soak kills a process that writes, and how often it cuts the power under one.
KILL_ROUNDS ?= 200
CUT_ROUNDS ?= 30
# On how many states of rules, callers and servers soak compares the surfaces, and how many lists it asks for while
# everything changes.
STATES ?= 100000
LISTS ?= 100000

BIN := bin/holotype
LISTEN ?= 127.0.0.1:4280
# More arguments of `serve`: make run ARGS="--mcp-config ~/.config/client/mcp.json"
ARGS ?=

# What C is compiled with for tests. SQLite takes a third of the time that it takes with all optimisations, which
# everything else waits for; soak tests what is shipped.
TEST_CFLAGS := -O1

# One compilation serves every suite, and no test runs without the race detector.
TEST = CGO_CFLAGS='$(TEST_CFLAGS)' $(GO) test -tags $(TAGS) -race
HOLOTYPE := $(GO) run -tags $(TAGS) ./cmd/holotype

# The race detector makes every process that it watches wait a second at its end, for goroutines that are left;
# the tests start hundreds. A race that it has seen is reported, and ends the process with a status of its own, all
# the same.
export GORACE ?= atexit_sleep_ms=10

# Packages are found, never listed: a new one is tested without a line here.
UNIT_PACKAGES = $$($(GO) list -tags $(TAGS) ./... | grep -v '/tests/')
# What takes longest begins first, so that nothing long is left alone at the end.
E2E_FIRST := ./tests/outsidercheck ./tests/openapi ./tests/faults ./tests/cli
E2E_PACKAGES = $(E2E_FIRST) $$($(GO) list -tags $(TAGS) ./tests/... | grep -v -e '/tests/arch$$' -e '/tests/generators$$' -e '/tests/pages$$' -e '/tests/packages$$')
CONCURRENT_PACKAGES := ./capabilities/... ./projection/... ./internal/...
# The packages whose tests know -update.
GOLDEN_PACKAGES = $$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"' . | xargs -r -n1 dirname | sort -u)
# The folders under tests/ that bring npm packages of their own.
NODE_LOCKS := $(shell find tests -name package-lock.json -not -path '*/node_modules/*' -not -path 'tests/generators/*' -not -path 'tests/pages/*' -not -path 'tests/packages/*' 2>/dev/null)
NODE_MODULES := $(NODE_LOCKS:package-lock.json=node_modules/.package-lock.json)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/' | \
		while IFS=$$'\t' read -r name text; do printf '  %-16s %s\n' "$$name" "$$text"; done

.PHONY: run
run: build ## build, then serve on http://127.0.0.1:4280 (LISTEN=host:port, ARGS="..." for more)
	$(BIN) serve $(if $(filter --listen --listen=%,$(ARGS)),,--listen $(LISTEN)) $(ARGS)

.PHONY: build
build: ## build bin/holotype
	$(GO) build -tags $(TAGS) $(STAMP) -o $(BIN) ./cmd/holotype

# What a release is: SQLite is C, and the program runs where no library of C is. CC names the compiler of another machine,
# as in `make static GOARCH=arm64 CC=aarch64-linux-gnu-gcc`. No extension of SQLite is loaded, which a static program cannot.
.PHONY: static
static: ## build BIN as one static program for Linux
	CGO_ENABLED=1 $(GO) build -trimpath -tags '$(TAGS) netgo osusergo sqlite_omit_load_extension' $(STAMP) \
		-ldflags '-s -w -linkmode external -extldflags "-static"' -o $(BIN) ./cmd/holotype

# Every suite runs, whatever became of the one before: one run says everything that is wrong. The clients of the
# end-to-end tests come over the network while the first suites compile; what does not come is asked for again, and
# said, by the suite that needs it.
.PHONY: test
test: ## run everything CI runs, having installed what it needs; every suite, then say which failed
	@failed=(); \
	$(MAKE) --no-print-directory -j 2 clients >/dev/null 2>&1 & coming=$$!; \
	for suite in $(SUITES); do \
		[[ $$suite != e2e ]] || wait $$coming || true; \
		$(MAKE) --no-print-directory $$suite || failed+=("$$suite"); \
	done; \
	if (($${#failed[@]} > 0)); then echo "failed: $${failed[*]}" >&2; exit 1; fi

.PHONY: clients
clients: $(NODE_MODULES) ## install the npm packages of the end-to-end tests

.PHONY: unit
unit: ## run the tests beside the code
	@packages="$(UNIT_PACKAGES)"; $(TEST) -timeout $(UNIT_MINUTES)m $$packages

.PHONY: arch
arch: ## run the rules of the tree: imports, names, files
	$(TEST) -timeout $(ARCH_MINUTES)m ./tests/arch

.PHONY: e2e
e2e: $(NODE_MODULES) ## run what crosses packages and processes, under tests/
	@command -v node >/dev/null || { echo 'node is missing: the end-to-end tests drive real clients with it; .ci/run installs it on Debian' >&2; exit 1; }
	@packages="$(E2E_PACKAGES)"; $(TEST) -p $(E2E_AT_ONCE) -timeout $(E2E_MINUTES)m $$packages

# npm leaves this file when it is done; the lock decides what it installed.
%/node_modules/.package-lock.json: %/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is missing: it installs the clients of $*; .ci/run installs it on Debian' >&2; exit 1; }
	cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Not part of test: compiling two generators and a validator takes minutes from empty caches.
.PHONY: generators
generators: tests/generators/node_modules/.package-lock.json ## generate clients from the OpenAPI document, call a live server, validate every exchange
	$(TEST) -timeout 20m ./tests/generators

# Not part of test: it needs a browser.
.PHONY: pages
pages: tests/pages/node_modules/.package-lock.json ## open every kind of page in Chromium, light and dark, wide and narrow, and have axe judge it
	$(TEST) -timeout 20m ./tests/pages

# Not part of test: it compiles goreleaser and two releases. On Debian it needs systemd, ruby, file, dpkg,
# gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static.
.PHONY: packages
packages: tests/packages/node_modules/.package-lock.json ## make a snapshot of a release, judge its parts, unpack and run them
	$(GO) test -tags $(TAGS) -timeout 40m ./tests/packages

.PHONY: race
race: ## repeat the tests of the concurrent packages under the race detector
	$(TEST) -count 5 -timeout $(UNIT_MINUTES)m $(CONCURRENT_PACKAGES)

.PHONY: check
check: test lint ## what must pass before a push: test and lint

.PHONY: lint
lint: ## run golangci-lint with .golangci.yml
	$(GO) run $(GOLANGCI) run ./...

.PHONY: fmt
fmt: ## format the Go source
	$(GO) run $(GOLANGCI) fmt ./...

.PHONY: generate
generate: ## write every generated file
	$(HOLOTYPE) generate comments
	$(HOLOTYPE) generate
	$(HOLOTYPE) generate vectors
	cd tests/outsider && $(GO) run . generate comments && $(GO) run . generate

# Not part of test: the tests of codegen and of the outsider hold the same files, in the compilation that they share.
.PHONY: generate-check
generate-check: ## fail when a generated file is not what generate would write
	$(HOLOTYPE) generate comments --check
	$(HOLOTYPE) generate --check
	$(HOLOTYPE) generate vectors --check
	cd tests/outsider && $(GO) run . generate comments --check && $(GO) run . generate --check

.PHONY: update
update: $(NODE_MODULES) ## accept new goldens (then read the diff); cards come from generate
	@for package in $(GOLDEN_PACKAGES); do \
		echo "goldens of $$package"; \
		$(GO) test -tags $(TAGS) -timeout $(E2E_MINUTES)m "$$package" -update || exit 1; \
	done

# Swagger UI as its package brings it. It is unpacked and not installed: what it would run then asks a server of others.
SWAGGER_UI := 5.35.0

.PHONY: vendor-ui
vendor-ui: ## fetch Swagger UI into web/swagger, which is committed
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	npm pack --silent --pack-destination "$$dir" swagger-ui-dist@$(SWAGGER_UI) >/dev/null; \
	tar -xzf "$$dir"/swagger-ui-dist-*.tgz -C "$$dir"; \
	cp "$$dir"/package/LICENSE "$$dir"/package/NOTICE web/swagger/; \
	cp "$$dir"/package/swagger-ui-bundle.js.LICENSE.txt web/swagger/THIRD_PARTY.txt; \
	(cd "$$dir"/package && sha256sum swagger-ui-bundle.js swagger-ui.css) >web/swagger/SHA256SUMS; \
	for file in swagger-ui-bundle.js swagger-ui.css; do gzip -9nc "$$dir/package/$$file" >"web/swagger/$$file.gz"; done

.PHONY: bench
bench: ## print the table of speeds, as ratios measured in one run
	$(GO) run -tags $(TAGS) ./tests/bench

# One instrumented program a package serves all its targets. What it finds interesting is kept where the go
# command keeps it, so that the next run goes on from there.
# The end of the time is reported as a failure when a worker is busy then (golang/go#75804): that one, without a
# failing input, is none. Making a new input small takes the engine up to a minute, in which it tries nothing.
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZ_SECONDS; their seeds run in every test
	@packages=$$(grep -rlE --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -r -n1 dirname | sort -u); \
	test -n "$$packages" || { echo 'no fuzz target was found' >&2; exit 1; }; \
	export programs=$$(mktemp -d) kept='$(FUZZ_KEPT)'; trap 'rm -rf "$$programs"' EXIT; \
	kept=$${kept:-$$($(GO) env GOCACHE)/fuzz}; \
	CGO_CFLAGS='$(TEST_CFLAGS)' $(GO) test -c -tags $(TAGS) $(FUZZ_BUILD) -ldflags '-s -w' -o "$$programs/" $$packages; \
	$(GO) list -tags $(TAGS) -f '{{.Dir}} {{.ImportPath}}' $$packages | while read -r dir path; do \
		(cd "$$dir" && "$$programs/$${path##*/}.test" -test.list '^Fuzz') | sed "s|^|$$dir $$path |"; \
	done | xargs -P "$$(getconf _NPROCESSORS_ONLN)" -n 3 bash -c "$$fuzz_target" _

# One fuzz target: the folder of its package, the package's path, its name. One at a time keeps one processor busy.
define fuzz_target
echo "$${2#*/*/*/} $$3"
out=$$(cd "$$1" && timeout -k 10 $$(($(FUZZ_SECONDS) + $(FUZZ_PATIENCE))) "$$programs/$${2##*/}.test" -test.run '^$$' -test.fuzz "^$$3\$$" -test.parallel 1 \
	-test.fuzztime $(FUZZ_SECONDS)s -test.fuzzminimizetime 10x -test.fuzzcachedir "$$kept/$$2" 2>&1 </dev/null) && exit 0
case "$$out" in
*'Failing input'*) ;;
*'context deadline exceeded'*) exit 0 ;;
esac
printf '%s\nfailed: %s %s\n' "$$out" "$$2" "$$3" >&2
exit 1
endef
export fuzz_target

# It begins with the seeds alone, so that every run tries as much, and links what unit has compiled: two seconds are too
# short for what the engine learns from programs compiled for it, which takes minutes.
.PHONY: fuzz-smoke
fuzz-smoke: ## run every fuzz target for two seconds
	@kept=$$(mktemp -d); trap 'rm -rf "$$kept"' EXIT; \
	timeout $(FUZZ_MINUTES)m $(MAKE) --no-print-directory fuzz FUZZ_SECONDS=2 FUZZ_BUILD=-race FUZZ_KEPT="$$kept" || \
		{ status=$$?; (($$status != 124)) || echo "fuzz-smoke took more than $(FUZZ_MINUTES) minutes" >&2; exit $$status; }

.PHONY: census
census: build ## ask live MCP servers from npm, of pinned versions, directly and behind Holotype, and write docs/census.md (ARGS="-only NAME" prints one)
	@command -v npm >/dev/null || { echo 'npm is missing: it installs the servers; .ci/run installs it on Debian' >&2; exit 1; }
	nice -n 10 $(GO) run -tags $(TAGS) ./tests/census -holotype $(BIN) $(or $(ARGS),-docs docs)

# The name that it had.
.PHONY: corpus
corpus: census

# For gremlins every change is a compilation and a run of the tests of its package, so a package takes minutes and the module
# days. A sample takes as many changes of each package, and compiles them together; those that no test of the package notices
# are put to the packages that use it.
MUTANTS ?= ./internal/rawjson ./internal/wire
MUTANTS_SAMPLE ?=
MUTANTS_SEED ?= 1
# How many percent must be noticed.
MUTANTS_AT_LEAST ?= 80
# What soak draws changes of, and how many of each package.
SOAK_MUTANTS ?= ./capabilities/... ./projection/... ./codegen/...
SOAK_MUTANTS_SAMPLE ?= 20
GREMLINS := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

.PHONY: mutate
mutate: ## change packages one place at a time, and say which changes no test notices (MUTANTS="./PACKAGE ..." MUTANTS_SAMPLE=8 MUTANTS_SEED=1)
ifeq ($(MUTANTS_SAMPLE),)
	@for package in $(MUTANTS); do \
		echo "$$package"; \
		nice -n 10 $(GO) run $(GREMLINS) unleash --tags $(TAGS) --workers 1 --timeout-coefficient 20 --threshold-efficacy $(MUTANTS_AT_LEAST) "$$package" || exit 1; \
	done
else
	nice -n 10 $(GO) run -tags $(TAGS) ./tests/mutate -tags $(TAGS) -users -at-least $(MUTANTS_AT_LEAST) -sample $(MUTANTS_SAMPLE) -seed $(MUTANTS_SEED) $(MUTANTS)
endif

.PHONY: soak
soak: TEST_CFLAGS := -g -O2
soak: fuzz generators ## run every fuzz target for a while, then many rounds of the race detector
	$(TEST) -count $(SOAK_ROUNDS) -timeout 60m $(CONCURRENT_PACKAGES)
	CGO_CFLAGS='$(TEST_CFLAGS)' $(GO) test -tags "$(TAGS) soak" -race -run TestSlowForLong -timeout 10m ./tests/faults
	HOLOTYPE_RACE_PROGRAMS=1 $(TEST) -timeout 30m ./tests/cli ./tests/clients
	HOLOTYPE_PARITY_SOAK=1 HOLOTYPE_READERS_SOAK=1 $(TEST) -timeout 30m ./tests/parity ./tests/openapi
	HOLOTYPE_CONFORMANCE_SOAK=1 $(TEST) -run 'OwnPacks|EveryRule|ClientTwins' -timeout 30m ./tests/conformance
	HOLOTYPE_WITHOUT_C=1 $(TEST) -timeout 30m ./tests/outsidercheck
	HOLOTYPE_SWEEP=whole $(TEST) -timeout 30m ./tests/sweep
	HOLOTYPE_CENSUS=1 $(TEST) -run TestEveryServer -timeout 60m ./tests/census
	HOLOTYPE_MODEL_SOAK=1 $(TEST) -timeout 90m ./tests/model
	HOLOTYPE_KILL_ROUNDS=$(KILL_ROUNDS) $(TEST) -run TestKilledWhileItWrites -timeout 30m ./internal/store
	STORE_ROUNDS=$(CUT_ROUNDS) $(TEST) -timeout 30m ./internal/store/storetest/powercut
	STORE_ROUNDS=$(STORE_ROUNDS) $(TEST) -timeout 60m ./internal/store/postgres
	HOLOTYPE_STATES=$(STATES) CGO_CFLAGS='$(TEST_CFLAGS)' $(GO) test -tags $(TAGS) -run TestListedIsCallableOnEverySurface -timeout 120m .
	HOLOTYPE_LISTS=$(LISTS) $(TEST) -run TestNobodyGetsTheListOfSomebodyElse -timeout 120m .
	$(MAKE) mutate MUTANTS='$(SOAK_MUTANTS)' MUTANTS_SAMPLE=$(SOAK_MUTANTS_SAMPLE)

.PHONY: clean
clean: ## remove what was built and installed here
	rm -rf bin web/client/dist
	find tests web -name node_modules -type d -prune -exec rm -rf {} +
