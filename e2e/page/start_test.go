package page_test

import (
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/web"
)

// entry is the module that begins when all modules have come.
const entry = "/app.js"

// host serves the page's files and counts how often each is asked for. The entry comes last, when all files of `before` were asked for.
type host struct {
	*httptest.Server
	files   fs.FS
	missing string // what it does not have

	mu     sync.Mutex
	before map[string]bool
	all    chan struct{} // closed when before is empty
	asked  map[string]int
	late   []string // asked for afterwards
}

// startHost starts a host without one of the page's files.
func startHost(t *testing.T, missing string) *host {
	t.Helper()
	if _, err := harness.BuildServer(); err != nil { // and the page's program
		t.Fatal(err)
	}
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{files: web.Bundle(os.DirFS(filepath.Join(root, "web"))), missing: missing, all: make(chan struct{}), asked: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		h.note(path)
		if path == entry {
			select {
			case <-h.all:
			case <-time.After(30 * time.Second):
				h.mu.Lock()
				t.Errorf("the browser asks for these only when the page's modules have come: %q", slices.Sorted(maps.Keys(h.before)))
				h.mu.Unlock()
			}
		}
		if path == missing {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", web.Policy)
		http.FileServerFS(h.files).ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *host) note(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[path]++
	if len(h.before) == 0 {
		h.late = append(h.late, path)
	} else if delete(h.before, path); len(h.before) == 0 {
		close(h.all)
	}
}

// open opens the page, whose entry comes after the files.
func (h *host) open(t *testing.T, before ...string) *browser.Page {
	t.Helper()
	h.before = map[string]bool{}
	for _, path := range before {
		h.before[path] = true
	}
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := p.Navigate(harness.Timeout(t, 2*time.Minute), h.URL+"/#source=sim&seed=7&objects=60&lang=en"); err != nil {
		t.Fatal(err)
	}
	return p
}

// maxRequests is how many requests a cold load may make.
const maxRequests = 15

// TestStart opens the page as it is bundled. It holds the page's first module back until the browser has asked for the program and the worker, and for every
// other module. It asks for each file once.
func TestStart(t *testing.T) {
	t.Parallel()
	h := startHost(t, "")
	document, err := fs.ReadFile(h.files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	before := []string{entry, "/worker.js", "/informerscope.wasm"}
	for _, m := range regexp.MustCompile(`"modulepreload" href="([^"]+)"`).FindAllStringSubmatch(string(document), -1) {
		before = append(before, "/"+m[1])
	}
	if len(before) != 5 { // two modules, of which one was there
		t.Fatalf("before the page's first module the browser asks for %q", before)
	}
	p := h.open(t, before...)
	harness.Await(t, p, time.Minute, "s.queue.synced")
	p.ExpectClean(t)
	for _, line := range p.Console() {
		if strings.Contains(line, "preload") {
			t.Errorf("the console says %s", line)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.asked) > maxRequests {
		t.Errorf("a cold load makes %d requests: %v", len(h.asked), h.asked)
	}
	for path, n := range h.asked {
		if n != 1 {
			t.Errorf("the browser asks for %s %d times", path, n)
		}
	}
	for _, path := range h.late {
		if strings.HasSuffix(path, ".js") {
			t.Errorf("%s is a module of which index.html says nothing", path)
		}
	}
}

// TestStartFails leaves out what the page asks for before it listens. It still says what is missing.
func TestStartFails(t *testing.T) {
	t.Parallel()
	for missing, words := range map[string]string{
		"/informerscope.wasm": "make wasm", "/worker.js": "worker.js",
	} {
		t.Run(missing[1:], func(t *testing.T) {
			p := startHost(t, missing).open(t, missing)
			harness.WaitUntil(t, p, harness.Dialog)
			harness.Settle(t, p)
			if said := harness.EvalIn[string](t, p, harness.Dialog+".textContent"); !strings.Contains(said, words) {
				t.Errorf("the page says %q, want %q in it", said, words)
			}
			harness.Shot(t, p, missing[1:])
		})
	}
}
