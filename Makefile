# informerscope: `make run` builds and serves it, `make test` proves it.

GO      ?= go
ARGS    ?=
# How many random schedules make soak and make soak-informer play, and from which seed on.
SEEDS   ?= 100000
FROM    ?= 1
# For how many minutes make stress begins new rounds, how many it plays at most, and what go test runs in each.
MINUTES ?= 15
ROUNDS  ?= 1000
STRESS  ?= ./...
# Of make dist: the version (git's, if it is not given), where the archives will lie (for krew), for which platforms (all), and whether
# informerscope-sim has archives too, which takes ten minutes for each of Linux' and macOS' platforms.
VERSION  ?=
DIST_URL ?=
DIST_PLATFORMS ?=
DIST_SIM ?= true
# Of make film. LANG is the language only where the command line says it: each shell has one too.
STORY  ?= ring
SIZE   ?= 1920x1080
FORMAT ?= mp4
RECORDING ?=
AT     ?= 0
FILM_LANG := $(if $(filter command,$(origin LANG)),$(LANG),en)
# The race detector needs cgo and a C compiler; without one the tests still run, and say so.
CC_FOUND := $(shell command -v $${CC:-cc} 2>/dev/null || command -v gcc 2>/dev/null)
RACE    := $(if $(CC_FOUND),-race,)
# Where the page's program goes, and how it is built (-strict, -plain; see tools/wasmpage).
PAGE    ?= web
WASM_FLAGS ?=
WORK    := $(if $(filter web,$(PAGE)),bin/_page,$(PAGE)/_page)
# A go.work in a directory above is about other modules.
export GOWORK := off
BUNDLE_SRC := $(shell find web -path web/bundle -prune -o \( -name '*.js' -o -name '*.css' -o -name '*.html' -o -name '*.svg' \) -print) \
  tools/standalone/bundle.go tools/standalone/page.go tools/standalone/go.sum
WASM_SRC := $(shell find core wasm stories tools/wasmpage -name '*.go' -not -name '*_test.go' 2>/dev/null) stories/stories.json go.mod go.sum

SHELL := bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: always help run sim test-sim wasm packed build standalone test verify judges check check-page check-rest fetch-page fetch unit modules unit-long race \
  e2e e2e-some toolchains toolchains-all reliability pictures pictures-check film probe-releases probe-public probe-foreign probe-rules sim-foreign flat \
  layouts slidev site dist dist-test soak-day stress stress-rounds stress-short bench releases soak soak-informer clean

# Runs checks and tests, counts them, and prints the table of a tier: tools/testrun.
T := $(CURDIR)/bin/testrun
# By another name: make runs a recipe that names $(MAKE) even under make -n.
MAKE_PROGRAM := $(MAKE)

help: ## list what can be made
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The program of `informerscope sim` is found on PATH; it is built when it is asked for.
run: wasm $(if $(filter sim,$(ARGS)),sim) ## build everything and serve it; flags of the server through ARGS="..."
	PATH="$(CURDIR)/bin:$$PATH" $(GO) run ./server $(ARGS)

sim: bin/informerscope-sim ## build the served cluster, Kubernetes in one process: ten minutes the first time

bin/informerscope-sim: $(shell find sim core/cluster/levers core/cluster/simcluster core/lab/selection probe -name '*.go' -not -name '*_test.go' 2>/dev/null) sim/go.mod sim/go.sum sim/build.sh
	GO="$(GO)" ./sim/build.sh

wasm: $(PAGE)/informerscope.wasm.gz $(PAGE)/wasm_exec.js $(if $(filter web,$(PAGE)),web/bundle/index.html.gz) ## build what the page loads

# tools/wasmpage builds it small and without chance, with exactly this toolchain; another toolchain makes it build again.
$(PAGE)/informerscope.wasm.gz: $(WASM_SRC) $(WORK)/toolchain
	@rm -f $(PAGE)/informerscope.wasm.br
	$(GO) run ./tools/wasmpage $(WASM_FLAGS) -work $(WORK) -o $(PAGE)

# It comes from the toolchain that built the program, and with it.
$(PAGE)/wasm_exec.js: $(PAGE)/informerscope.wasm.gz
	@[ -e $@ ] || $(GO) run ./tools/wasmpage $(WASM_FLAGS) -work $(WORK) -o $(PAGE)

# The page as few packed files. The bundler is a Go module of its own: the server does not have it.
web/bundle/index.html.gz: $(BUNDLE_SRC) web/wasm_exec.js
	cd tools/standalone && $(GO) run . -bundle

# The program as brotli takes a minute, so that only what is given away has it.
packed: wasm web/informerscope.wasm.br
web/informerscope.wasm.br: web/informerscope.wasm.gz
	cd tools/standalone && $(GO) run . -brotli

$(WORK)/toolchain: always
	@mkdir -p $(@D); is="$$($(GO) version) $$($(GO) env GOROOT)" && if [ "$$(cat $@ 2>/dev/null)" != "$$is" ]; then echo "$$is" > $@; fi

build: packed ## build the server with the page inside: bin/informerscope
	$(GO) build -trimpath -o bin/informerscope ./server

standalone: wasm ## one HTML file that needs no server: bin/informerscope.html
	cd tools/standalone && $(GO) run . -o ../../bin/informerscope.html

site: wasm ## a folder for any static host, under any path: bin/site (simulated cluster, recordings, stories)
	$(GO) run ./tools/site -o bin/site

dist: packed ## archives for people without Go, checksums, krew's manifest: bin/dist (VERSION=v1.2.3 DIST_URL=https://… DIST_SIM=false)
	rm -rf bin/dist
	$(GO) run ./tools/dist -go $(GO) -o bin/dist -version "$(VERSION)" -url "$(DIST_URL)" -platforms "$(DIST_PLATFORMS)" -sim="$(DIST_SIM)"

dist-test: packed $(T) ## make every archive but those of informerscope-sim and look at it, and make one again elsewhere and from nothing: the same bytes
	@$(T) go 'all archives but those of informerscope-sim' -- $(GO) test ./tools/dist -count=1 -timeout 60m -run TestAllArchives -dist.all

# make check vets each module, so that its tests need not.
TEST := $(GO) test -vet=off

# What the three tiers run, in this order. A step is a target whose tests and checks run by $(T) go and $(T) check, which count
# them; NAME=check is a target that is one check by itself; A+B runs at the same time. To hook in a step, add a line here.
# make test is the module of the page and the server; it leaves out the tests that call testing.Short, most of the browser's, and the race detector.
# make verify has all of make test, and runs with make judges every test in the repository: tools/testrun/ledger.txt names those that it leaves to
# make judges.
TEST_STEPS   := wasm=check
TEST_STEPS   += check-page+fetch-page=check
TEST_STEPS   += unit
TEST_STEPS   += e2e-some
VERIFY_STEPS := wasm=check
VERIFY_STEPS += check-page+fetch=check
VERIFY_STEPS += check-rest
VERIFY_STEPS += unit
VERIFY_STEPS += modules+packed=check
VERIFY_STEPS += unit-long
VERIFY_STEPS += test-sim
VERIFY_STEPS += e2e
JUDGES_STEPS := wasm=check
JUDGES_STEPS += toolchains-all
JUDGES_STEPS += dist-test
JUDGES_STEPS += pictures-check
JUDGES_STEPS += releases
JUDGES_STEPS += race
JUDGES_STEPS += reliability
JUDGES_STEPS += layouts
JUDGES_STEPS += slidev
JUDGES_STEPS += probe-releases
JUDGES_STEPS += probe-public
JUDGES_STEPS += probe-foreign
JUDGES_STEPS += probe-rules
JUDGES_STEPS += sim-foreign
JUDGES_STEPS += soak-day
JUDGES_STEPS += flat
JUDGES_STEPS += stress-short

test: $(T) ## the page and the server: checks, unit tests, the page in Chromium, live from a simulated API server
	@$(T) tier test -limit 10m -make '$(MAKE_PROGRAM)' $(TEST_STEPS)

test-sim: sim $(T) ## the served cluster: its program is built, which takes ten minutes the first time, and tried
	@failed=0; \
	  $(T) check 'vet sim' -C sim -- $(GO) vet ./... || failed=1; \
	  $(T) go sim -C sim -- $(TEST) -timeout 20m ./... || failed=1; \
	  exit $$failed

verify: export UNIT_RACE := $(RACE)
verify: $(T) ## what decides whether a change lands: make test with the race detector, the other modules, the long unit tests, every browser and cluster test
	@$(T) tier verify -limit 42m -ledger tools/testrun/ledger.txt -make '$(MAKE_PROGRAM)' $(VERIFY_STEPS)

judges: $(T) ## what takes too long for make verify; run it too before a larger change is called done
	@$(T) tier judges -ledger tools/testrun/ledger.txt -make '$(MAKE_PROGRAM)' $(JUDGES_STEPS)

$(T): $(wildcard tools/testrun/*.go) go.mod
	$(GO) build -o $@ ./tools/testrun

check: check-page check-rest ## before a commit: form, go vet of every module, order of maps, lines over 160 columns, English, workflows, go mod tidy, govulncheck where it can

check-page: $(T)
	@$(T) check gofmt -- bash -c 'out=$$(git ls-files -co --exclude-standard "*.go" | xargs -r ls -d 2>/dev/null | xargs -r gofmt -l) && test -z "$$out" || \
	  { echo "not gofmt-ed:"; echo "$$out"; exit 1; }'
	@$(T) check 'vet' -- $(GO) vet ./...
	@$(T) check 'lines' -- bash -c 'git ls-files -co --exclude-standard "*.go" "*.js" "*.ts" "*.css" "*.html" | xargs ls -d 2>/dev/null | \
	  LC_ALL=C xargs awk -f tools/columns.awk'
	@$(T) check 'English' -- $(GO) run ./tools/prose -go $(GO)
	@$(T) check 'workflows' -C tools/linters -- $(GO) tool actionlint -shellcheck= -pyflakes= $(sort $(abspath $(wildcard .github/workflows/*.yml)))
	@$(T) check 'vet e2e' -C e2e -- $(GO) vet ./...
	@$(T) check 'vet tools/standalone' -C tools/standalone -- $(GO) vet ./...

check-rest: $(T)
	@GOOS=js GOARCH=wasm $(T) check 'vet for js/wasm' -- $(GO) vet ./core/... ./wasm/...
	@GOOS=js GOARCH=wasm $(T) check 'vet for js/wasm, steady' -- $(GO) vet -tags steady ./wasm
	@$(GO) build -o bin/maporder ./tools/maporder
	@GOOS=js GOARCH=wasm $(T) check 'order of maps' -- bash -c '$(GO) vet -vettool=$(CURDIR)/bin/maporder $$($(GO) list -deps ./wasm | grep ^informerscope/)'
	@$(T) check 'vet probe' -C probe -- $(GO) vet $(RACE) ./...
	@$(T) check 'vet probe/metrics' -C probe/metrics -- $(GO) vet $(RACE) ./...
	@$(T) check 'vet probe/controllerruntime' -C probe/controllerruntime -- $(GO) vet ./...
	@$(T) check 'vet simtest' -C simtest -- $(GO) vet ./...
	@$(T) check 'go mod tidy' -- env GO=$(GO) ./tools/tidy.sh
	@$(T) check 'govulncheck' -- $(GO) run ./tools/vulncheck -go $(GO) . e2e tools/standalone

# What has to come over the network first; beside the checks, which need none of it.
fetch-page:
	cd e2e && $(GO) mod download
	cd tools/standalone && $(GO) mod download
	cd tools/linters && $(GO) mod download
	$(GO) run ./tools/webcheck
	./e2e/install-chromium.sh

fetch: fetch-page
	cd probe && $(GO) mod download
	cd probe/metrics && $(GO) mod download
	cd probe/controllerruntime && $(GO) mod download
	cd simtest && $(GO) mod download
	cd sim && $(GO) mod download
	./e2e/install-browsers.sh

# Virtual time, folds and schedules gain nothing from the race detector and are up to ten times slower with it: in make verify what serves connections, hands
# over between goroutines or holds a lock runs with it, and make race runs the rest too. What its tests import is compiled once more for it, which takes
# minutes for client-go's clients of all resources: core/client/factory, and the modules that have them, are left to make race.
RACED := ./server/... ./core/client/restwatch ./core/client/workqueue ./core/informer ./core/lab/... ./core/log/trace ./core/page/audience ./core/page/command ./core/wire/... ./core/words/vclock
UNIT_RACE ?=
# The packages with tests that make test leaves out or cuts short. Of them the server runs with the race detector.
LONG       := $(shell grep -rl --include='*_test.go' 'testing\.Short()' core server tools | xargs -n 1 dirname | sort -u | sed 's,^,./,')
LONG_RACED := $(filter-out ./server/internal/soak,$(filter ./server%,$(LONG)))
# unit-long runs all tests of these packages. So make verify leaves them out of unit, but for those that only unit runs with the race detector.
UNIT_LEAVES ?=
verify: export UNIT_LEAVES := $(LONG)
# The packages named in a first list that a second one has not, as import paths.
leave_out = $(filter-out $(if $(strip $(2)),$(shell $(GO) list $(2))),$(shell $(GO) list $(1)))
# A test that hangs in the random schedules is found by their own watchdog; the limits are for a slow machine.
unit: wasm $(T) ## the quick unit tests of the page and the server; what did not change comes from go's cache
	@failed=0; \
	  $(T) go 'unit, where goroutines meet' -- $(TEST) $(UNIT_RACE) -short -timeout 20m \
	    $(call leave_out,$(RACED),$(filter $(LONG_RACED),$(UNIT_LEAVES))) || failed=1; \
	  $(T) go unit -show 'random schedules in' -- $(TEST) -short -timeout 20m $(call leave_out,./...,$(RACED) $(UNIT_LEAVES)) || failed=1; \
	  $(T) go standalone -C tools/standalone -- $(TEST) ./... || failed=1; \
	  exit $$failed

# Of these, probe and probe/metrics share what the race detector has compiled.
modules: $(T) ## the modules that others link: probe, probe/metrics, with the race detector, probe/controllerruntime and simtest
	@[ -n "$(RACE)" ] || echo "no C compiler found: running without the race detector (install gcc to have it)"
	@failed=0; \
	  for module in probe probe/metrics; do $(T) go $$module -C $$module -- $(TEST) $(RACE) -timeout 20m ./... || failed=1; done; \
	  for module in probe/controllerruntime simtest; do $(T) go $$module -C $$module -- $(TEST) -timeout 20m ./... || failed=1; done; \
	  exit $$failed

unit-long: packed $(T) ## the unit tests that take long, and thousands of random schedules against client-go
	@failed=0; \
	  $(T) go 'unit, long' -show 'random schedules in|compared with client-go|schedules of the whole system' -- \
	    $(TEST) -timeout 40m $(filter-out $(LONG_RACED),$(LONG)) || failed=1; \
	  $(T) go 'unit, long, with the race detector' -- $(TEST) $(RACE) -timeout 15m $(LONG_RACED) || failed=1; \
	  exit $$failed

race: wasm $(T) ## every quick unit test with the race detector
	@failed=0; \
	  for module in . probe/controllerruntime simtest; do \
	    $(T) go "$$module, with the race detector" -C $$module -- $(TEST) $(RACE) -short -timeout 40m ./... || failed=1; \
	  done; \
	  exit $$failed

# The page's pictures are judged on a machine that does little else: these two folders first, then the others, three at a time. A test has few frames a
# second (e2e/browser), and takes a third of a processor. Up to four tests that fail run again by themselves; the table names those that pass then.
PAGE_FOLDERS := ./page ./stage
# The longest of the others begin first, and the one that waits most: at the end one of them would run by itself.
FIRST := ./relay ./tools ./stories ./cluster
e2e: wasm sim $(T) ## a real etcd and kube-apiserver, the server, and the page in real browsers
	./e2e/install-browsers.sh
	@failed=0; \
	  $(T) go 'e2e, page' -C e2e -again 4 -- $(TEST) -count=1 -timeout 40m -p 2 -parallel 4 $(PAGE_FOLDERS) || failed=1; \
	  $(T) go e2e -C e2e -again 4 -- $(TEST) -count=1 -timeout 40m -p 3 -parallel 4 $$(cd e2e && $(GO) list $(FIRST) ./... | grep -vxF $(PAGE_FOLDERS:./%=-e informerscope/e2e/%)) || failed=1; \
	  exit $$failed

# One live pipeline from a simulated API server, one walk through the page, a story and a recording. A real control plane would have to be compiled.
SOME := TestSimulatedPipeline|TestSimulated|TestStageShowsState|TestStories|TestARecordingIsToldAsAStory|TestWords
e2e-some: wasm $(T) ## the page in Chromium: a live pipeline from a simulated API server, a walk, a story, a recording
	./e2e/install-chromium.sh
	@$(T) go 'e2e, some' -C e2e -again 4 -- $(TEST) -count=1 -short -timeout 20m -run '^($(SOME))$$' ./cluster ./page ./stage ./stories

toolchains: wasm sim $(T) ## the page as other toolchains build it, opened: one that the go command fetches, one with unknown sources
	./e2e/install-chromium.sh
	@$(T) go toolchains -C e2e -show 'page built by|left out: ' -- $(GO) test -count=1 -timeout 30m -run '^TestToolchains$$' ./tools -toolchains=some

toolchains-all: wasm sim $(T) ## the same with the newest Go release too, and with each thing unknown that may be
	./e2e/install-chromium.sh
	@$(T) go 'all toolchains' -C e2e -show 'page built by|left out: ' -- $(GO) test -count=1 -timeout 60m -run '^TestToolchains$$' ./tools -toolchains=all

reliability: wasm sim $(T) ## everything of docs/dev/reliability.md broken, also what takes minutes
	./e2e/install-chromium.sh
	@$(T) go reliability -C e2e -show 'the page says|well again after|is lost' -- $(GO) test -count=1 -timeout 60m -run '^TestReliability' ./relay -reliability

IN_LAYOUTS := TestEveryLayoutTellsTheTruth|TestPicture|TestTwoReleasesScreens|TestLinkIsExact
layouts: wasm $(T) ## the page in every layout, and every story in each, in both languages and at three paces: what it says is drawn, and true
	./e2e/install-chromium.sh
	@failed=0; \
	  $(T) go 'stories in each layout' -C e2e -- $(GO) test -count=1 -timeout 120m -parallel 5 -run '^TestEveryStory(InEveryLayout|AtEveryPace)$$' \
	    ./stories -layouts.all || failed=1; \
	  $(T) go 'the page in each layout' -C e2e -- $(GO) test -count=1 -timeout 60m -parallel 5 -run '^($(IN_LAYOUTS))$$' ./page -layouts.all || failed=1; \
	  exit $$failed

slidev: wasm $(T) ## the stage in a deck of Slidev
	./e2e/install-chromium.sh
	@$(T) go slidev -C e2e -- $(GO) test -count=1 -timeout 20m -run '^TestSlidevDrivesTheStage$$' ./tools -slides.slidev

flat: wasm $(T) ## an hour of virtual time in each layout, after which the page and its worker hold no more than before
	./e2e/install-chromium.sh
	@$(T) go flat -C e2e -show 'nodes' -- $(GO) test -count=1 -timeout 120m -run '^TestLongRunsAreFlat$$' ./page -flat=1h -layouts.all

probe-releases: wasm sim $(T) ## a probe in a controller with each release of client-go between the oldest and the newest that it is for, and in controller-runtime
	./e2e/install-chromium.sh
	@$(T) go 'probe with each release' -C e2e -- $(GO) test -count=1 -timeout 120m -run '^TestProbe(Releases|InControllerRuntime)$$' ./probe -probe.releases

probe-public: $(T) ## the probe without private parts of client-go: its tests, and those of its two modules, with the tag informerscope_public
	@failed=0; \
	  for module in probe probe/metrics probe/controllerruntime; do \
	    $(T) check "vet $$module, public" -C $$module -- $(GO) vet -tags informerscope_public ./... || failed=1; \
	    $(T) go "$$module, public" -C $$module -- $(TEST) $(RACE) -count=1 -timeout 20m -tags informerscope_public ./... || failed=1; \
	  done; \
	  exit $$failed

probe-foreign: wasm sim $(T) ## controllers of Kubernetes, MetalLB and KubeRay, fetched, built with the lines of docs/dev/controllers.md, and watched at work; and faults that the doctor finds
	./e2e/install-chromium.sh
	@$(T) go 'probe in controllers of others' -C e2e -show 'built in|informers, of|frames, entries' -- $(GO) test -count=1 -timeout 90m -run '^(TestForeignControllers|TestEachFaultIsFoundFirst)$$' ./probe -foreign

SIM_FOREIGN := TestControllerRuntimeOnSimtest|TestLaboratoryDecidesAsTheReleasedCode
sim-foreign: sim $(T) ## programs of others on the served cluster: suites on envtest, helm, two kubectls, a client in JavaScript, a measured load; controller-runtime on simtest
	@failed=0; \
	  $(T) go 'the served cluster, killed and attacked for long' -C sim -- $(GO) test -count=1 -timeout 60m -run '^Test(Kills|Attacks)$$' ./tests -sim.long -sim.kills=200 || failed=1; \
	  $(T) go 'programs of others on the served cluster' -C sim -show 'judged: ' -- $(GO) test -count=1 -timeout 120m ./judges -foreign || failed=1; \
	  $(T) go 'programs of others on simtest' -C e2e -- $(GO) test -count=1 -timeout 90m -run '^($(SIM_FOREIGN))$$' ./cluster -foreign || failed=1; \
	  exit $$failed

# Prometheus' own tool, without the service discovery of every cloud.
PROMTOOL := $(CURDIR)/bin/promtool
$(PROMTOOL):
	GOBIN=$(@D) $(GO) install -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool@v0.316.0

probe-rules: $(T) $(PROMTOOL) ## the probe's alerts, dashboard and metrics, as Prometheus reads them
	@INFORMERSCOPE_PROMTOOL=$(PROMTOOL) $(T) go 'probe rules' -C probe/metrics -- $(GO) test -count=1 -timeout 20m ./...

pictures: wasm ## the pictures of docs/img, from the page at exact moments of its time
	./e2e/install-pictures.sh
	cd e2e && $(GO) run ./pictures

pictures-check: wasm $(T) ## the same again, compared with docs/img
	./e2e/install-pictures.sh
	@$(T) check pictures -C e2e -- $(GO) run ./pictures -check

film: wasm ## a film of a story in presenter mode: bin/film (STORY=ring LANG=zh SIZE=1920x1080 FORMAT=mp4, gif or webp), or of a ride (RECORDING=file AT=ms)
	./e2e/install-pictures.sh
	cd e2e && $(GO) run ./film -story '$(STORY)' -lang '$(FILM_LANG)' -size '$(SIZE)' -format '$(FORMAT)' \
	  -recording '$(abspath $(RECORDING))' -at '$(AT)'

bench: packed ## ours beside client-go, the relay beside kubectl proxy, the page's frames (PAGE_ARGS="-minutes 10"), an audience (HALL_ARGS), a probe
	./e2e/install-chromium.sh
	cd e2e && $(GO) run ./bench $(ARGS)
	cd e2e && $(GO) run ./benchrelay $(RELAY_ARGS)
	cd e2e && $(GO) run ./benchpage $(PAGE_ARGS)
	cd e2e && $(GO) run ./benchhall $(HALL_ARGS)
	cd probe && $(GO) test -run '^$$' -bench Event -benchtime 20000x -count 3 .
	cd probe && $(GO) test -run '^$$' -bench Second -benchtime 6x -count 3 .

releases: $(T) ## ask older releases of client-go again, and compare their answers; RELEASES_UPDATE=1 records it, RELEASES_SEEDS=n random schedules more
	@T=$(T) GO=$(GO) RELEASES_UPDATE=$(RELEASES_UPDATE) RELEASES_SEEDS=$(RELEASES_SEEDS) RELEASES_FROM=$(RELEASES_FROM) ./e2e/releases/releases.sh

soak: ## the whole system on virtual time with faults from seeds, as many as one likes: SEEDS=n FROM=seed
	$(GO) test ./server/internal/soak -run '^TestSoak$$' -count=1 -timeout 0 -v -soak.seeds=$(SEEDS) -soak.from=$(FROM)

soak-informer: ## random schedules against client-go, as many as one likes: SEEDS=n FROM=seed
	$(GO) test ./core/informer/conformance -run 'TestRandom' -count=1 -timeout 0 -v -conformance.seeds=$(SEEDS) -conformance.from=$(FROM)

# From seeds that no other day has played: as many schedules as make soak-informer, and a tenth as many of the whole system.
soak-day: $(T)
	@$(T) go 'random schedules of the day' -show 'random schedules in|compared with client-go' -- $(GO) test ./core/informer/conformance -run 'TestRandom' -count=1 -timeout 0 \
	  -conformance.seeds=$(SEEDS) -conformance.from=$$(( $$(date +%s) / 86400 * 1000000 ))
	@$(T) go 'whole system of the day' -show 'schedules of the whole system' -- $(GO) test ./server/internal/soak -run '^TestSoak$$' -count=1 -timeout 0 \
	  -soak.seeds=$$(( $(SEEDS) / 10 )) -soak.from=$$(( $$(date +%s) / 86400 * 1000000 ))

stress: $(T) ## every test again and again beside four busy processes: MINUTES=n ROUNDS=n STRESS="-run Store ./core/informer"
	@$(T) tier stress -make '$(MAKE_PROGRAM)' stress-rounds

# The busy processes end when the shell that starts them ends, for whatever reason. Every other round has the race detector.
stress-rounds stress-short: wasm $(T)
	@for i in 1 2 3 4; do (while kill -0 $$$$ 2>/dev/null; do :; done) & done; \
	  failed=0; end=$$(($$(date +%s) + 60 * $(MINUTES))); \
	  for ((round = 1; round <= $(ROUNDS) && (round == 1 || $$(date +%s) < end); round++)); do \
	    GOTRACEBACK=all CONFORMANCE_SEEDS=240 SOAK_SEEDS=20 $(T) go "round $$round" -- $(GO) test $$([ $$((round % 2)) = 0 ] || echo $(RACE)) \
	      -count=1 -cpu 1,2,4 -shuffle on -timeout 40m $(STRESS) || failed=1; \
	  done; exit $$failed
# Only what serves connections and hands over between goroutines: folds, schedules and virtual time do not depend on how busy a machine is.
stress-short: ROUNDS := 2
stress-short: STRESS := -short $(RACED)

clean: ## remove what was built
	rm -rf bin web/bundle web/informerscope.wasm* web/wasm_exec.js e2e/artifacts
