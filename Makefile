# informerscope: `make run` builds and serves it, `make test` proves it.

GO      ?= go
ARGS    ?=
# How many random schedules make soak plays, and from which seed on.
SEEDS   ?= 100000
FROM    ?= 1
GOROOT  := $(shell $(GO) env GOROOT)
# The race detector needs cgo and a C compiler; without one the tests still run, and say so.
CC_FOUND := $(shell command -v $${CC:-cc} 2>/dev/null || command -v gcc 2>/dev/null)
RACE    := $(if $(CC_FOUND),-race,)
WASM_SRC := $(shell find core wasm -name '*.go' -not -name '*_test.go' 2>/dev/null) go.mod go.sum

SHELL := bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run wasm build standalone test check unit e2e bench soak clean

help: ## list what can be made
	@awk -F':.*## ' '/^[a-z0-9]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: wasm ## build everything and serve it; flags of the server through ARGS="..."
	$(GO) run ./server $(ARGS)

wasm: web/informerscope.wasm web/wasm_exec.js ## build what the page loads

# The page is downloaded, so it is built small: without what its browser does (wasm/slim), and with inlining only where it
# is fast because of it. Together that is a third of the download.
WASM_HOT := runtime internal/runtime/... internal/bytealg unicode/utf8 sync/... internal/sync \
  informerscope/... github.com/tidwall/... encoding/json bytes strconv syscall/js github.com/hack-pad/...
WASM_FLAGS := -trimpath -ldflags='-s -w' -gcflags=all=-l $(foreach p,$(WASM_HOT),-gcflags=$(p)=)

web/informerscope.wasm: $(WASM_SRC)
	$(GO) run ./wasm/slim bin/_slim
	GOOS=js GOARCH=wasm $(GO) build -overlay bin/_slim/overlay.json -modfile bin/_slim/go.mod -tags steady $(WASM_FLAGS) -o $@ ./wasm
	@if grep -q 'behind a shut door of wasm/slim' $@; then rm $@; echo "what slim takes to be unreachable is linked into the page"; exit 1; fi

web/wasm_exec.js: $(GOROOT)/lib/wasm/wasm_exec.js
	cp $< $@ && chmod 644 $@

build: wasm ## build the server with the page inside: bin/informerscope
	$(GO) build -trimpath -o bin/informerscope ./server

standalone: wasm ## one HTML file that needs no server: bin/informerscope.html
	cd tools/standalone && $(GO) run . -o ../../bin/informerscope.html

test: check unit e2e ## everything: checks, unit tests, a real control plane, a real browser

check: ## gofmt and go vet, for this machine and for js/wasm
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs -r gofmt -l); \
	  if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./core/... ./wasm/...
	GOOS=js GOARCH=wasm $(GO) vet -tags steady ./wasm
	cd e2e && $(GO) vet ./...
	cd tools/standalone && $(GO) vet ./...

unit: wasm ## unit tests, with the race detector where there is a C compiler
	@[ -n "$(RACE)" ] || echo "no C compiler found: running without the race detector (install gcc to have it)"
	$(GO) test $(RACE) ./...
	$(GO) test ./core/informer/conformance -run TestRandom -count=1 -v | grep -E 'random|^(ok|FAIL)'
	cd tools/standalone && $(GO) test ./...

e2e: wasm ## a real etcd and kube-apiserver, the server, and the page in a real browser
	./e2e/install-chromium.sh
	cd e2e && $(GO) test -count=1 -timeout 75m ./...

bench: wasm ## ours beside client-go as ratios, and the page's frames under load (PAGE_ARGS="-minutes 10" for its memory)
	./e2e/install-chromium.sh
	cd e2e && $(GO) run ./bench $(ARGS)
	cd e2e && $(GO) run ./benchpage $(PAGE_ARGS)

soak: ## random schedules against client-go, as many as one likes: SEEDS=n FROM=seed
	$(GO) test ./core/informer/conformance -run 'TestRandom' -count=1 -timeout 0 -v -conformance.seeds=$(SEEDS) -conformance.from=$(FROM)

clean: ## remove what was built
	rm -rf bin web/informerscope.wasm web/wasm_exec.js e2e/artifacts
