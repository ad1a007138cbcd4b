# informerscope: `make run` builds and serves it, `make test` proves it.

GO      ?= go
ARGS    ?=
GOROOT  := $(shell $(GO) env GOROOT)
# The race detector needs cgo and a C compiler; without one the tests still run, and say so.
CC_FOUND := $(shell command -v $${CC:-cc} 2>/dev/null || command -v gcc 2>/dev/null)
RACE    := $(if $(CC_FOUND),-race,)
WASM_SRC := $(shell find core wasm -name '*.go' -not -name '*_test.go' 2>/dev/null) go.mod go.sum

.DEFAULT_GOAL := help
.PHONY: help run wasm build test check unit e2e bench clean

help: ## list what can be made
	@awk -F':.*## ' '/^[a-z0-9]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: wasm ## build everything and serve it; flags of the server through ARGS="..."
	$(GO) run ./server $(ARGS)

wasm: web/informerscope.wasm web/wasm_exec.js ## build what the page loads

# The page is downloaded, so it is built small: without what its browser does (wasm/slim), and with inlining only where it
# is fast because of it. Together that is a quarter of the download.
WASM_HOT := runtime internal/runtime/... internal/bytealg unicode/utf8 sync/... internal/sync \
  informerscope/core/informer informerscope/core/object
WASM_FLAGS := -trimpath -ldflags='-s -w' -gcflags=all=-l $(foreach p,$(WASM_HOT),-gcflags=$(p)=)

web/informerscope.wasm: $(WASM_SRC)
	$(GO) run ./wasm/slim bin/_slim
	GOOS=js GOARCH=wasm $(GO) build -overlay bin/_slim/overlay.json $(WASM_FLAGS) -o $@ ./wasm

web/wasm_exec.js: $(GOROOT)/lib/wasm/wasm_exec.js
	cp $< $@ && chmod 644 $@

build: wasm ## build the server with the page inside: bin/informerscope
	$(GO) build -trimpath -o bin/informerscope ./server

test: check unit e2e ## everything: checks, unit tests, a real control plane, a real browser

check: ## gofmt and go vet, for this machine and for js/wasm
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs -r gofmt -l); \
	  if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./core/... ./wasm/...
	cd e2e && $(GO) vet ./...

unit: wasm ## unit tests, with the race detector where there is a C compiler
	@[ -n "$(RACE)" ] || echo "no C compiler found: running without the race detector (install gcc to have it)"
	$(GO) test $(RACE) ./...

e2e: wasm ## a real etcd and kube-apiserver, the server, and the page in a real browser
	./e2e/install-chromium.sh
	cd e2e && $(GO) test -count=1 -timeout 40m ./...

bench: wasm ## ours beside client-go, in one run, as ratios
	./e2e/install-chromium.sh
	cd e2e && $(GO) run ./bench $(ARGS)

clean: ## remove what was built
	rm -rf bin web/informerscope.wasm web/wasm_exec.js e2e/artifacts
