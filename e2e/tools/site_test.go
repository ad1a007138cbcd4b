package tools_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// sitePath is the path of the site on its host.
const sitePath = "/some/deep/path/"

// menuText is the text of the open menu, and needsServer whether it says that a live cluster needs a server.
const (
	menuText    = `document.querySelector(".pop")?.textContent`
	needsServer = "/A live cluster needs informerscope/.test(" + menuText + ")"
)

// staticHost makes the static site with `make site` and serves it as a plain file host does: under a path, without any header of ours, and without
// the type of WebAssembly. It returns the host's address. A request for a missing file fails the test.
func staticHost(t *testing.T) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", "site")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make site: %v\n%s", err, proc.Tail(out, 40))
	}
	files := http.FileServer(http.Dir(filepath.Join(root, "bin", "site")))
	var mu sync.Mutex
	var missed []string
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, sitePath)
		if !ok || r.Method != http.MethodGet || r.Header.Get("Upgrade") != "" {
			mu.Lock()
			missed = append(missed, r.Method+" "+r.URL.Path)
			mu.Unlock()
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(name, ".wasm") {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		r.URL.Path = "/" + name
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		host.Close()
		mu.Lock()
		defer mu.Unlock()
		if len(missed) > 0 {
			t.Errorf("the page asked its host for %q", missed)
		}
	})
	return host.URL
}

// TestSite opens the static site as its visitors do, on a host that sends no headers of ours. Browsers trust one of its addresses (https, or this
// machine) and not the other. One has a token left from another server. The simulated cluster runs, a recording is dropped, a story is played, and
// nothing mentions a relay.
func TestSite(t *testing.T) {
	host := staticHost(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(host, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("trusted", func(t *testing.T) {
		b := browser.StartForTest(t)
		visitFirst(t, b, host+sitePath)
		openSite(t, b, host, "&token=of-somebody-elses-server")
	})
	t.Run("not trusted", func(t *testing.T) {
		dir, err := layout.Artifacts(t.Name())
		if err != nil {
			t.Fatal(err)
		}
		b, err := browser.Start(t.Context(), browser.Options{ArtifactDir: dir, Flags: map[string]any{"host-resolver-rules": "MAP site.example 127.0.0.1"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		openSite(t, b, "http://site.example:"+port, "")
	})
}

// visitFirst opens an address without a scene for the first time, and takes the card's way to a cluster: its words and the menu say that no server runs.
func visitFirst(t *testing.T, b *browser.Browser, address string) {
	page := b.OpenForTest(t, address, 1280, 720)
	const way = `document.querySelector("dialog.first:modal [data-do=cluster]")`
	if err := page.WaitFor(harness.Timeout(t, time.Minute), `/what it takes/.test(`+way+`?.textContent)`, "document.body.innerText"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.queue.synced")
	harness.Shot(t, page, "0-first-visit")
	if err := page.Click(harness.Timeout(t, 30*time.Second), way); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "!"+way+" && "+needsServer, menuText); err != nil {
		t.Fatal(err)
	}
	page.ExpectClean(t)
	page.Close()
}

func openSite(t *testing.T, b *browser.Browser, host, more string) {
	page := b.OpenForTest(t, host+sitePath+"#source=sim&seed=7&objects=300&lang=en"+more, 1280, 720)
	s := harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count >= 300 && s.reflector.phase === 'watching'")
	if s.Source.Kind != "sim" {
		t.Errorf("source %q", s.Source.Kind)
	}
	if trusted := more != ""; harness.EvalIn[bool](t, page, "isSecureContext") != trusted || harness.EvalIn[bool](t, page, "crossOriginIsolated") {
		t.Error("the browser trusts the page otherwise than this test takes for granted")
	}
	// The policy applies without a header.
	if blocked := harness.EvalIn[bool](t, page, `fetch("data:,x").then(() => false, () => true)`); !blocked {
		t.Error("the page may fetch from elsewhere")
	}

	// The menu of sources explains how to watch live clusters, and offers none.
	if err := page.Click(harness.Timeout(t, 30*time.Second), "document.querySelector('.src')"); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(harness.Timeout(t, 30*time.Second), needsServer, menuText); err != nil {
		t.Fatal(err)
	}
	if rows, bad := harness.EvalIn[int](t, page, `document.querySelectorAll(".pop [role=option]").length`),
		harness.EvalIn[int](t, page, `document.querySelectorAll(".pop .bad").length`); rows != 1 || bad != 0 {
		t.Errorf("the menu offers %d sources and shows %d errors", rows, bad)
	}
	harness.Shot(t, page, "1-sources")
	if err := page.Keys(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
		t.Fatal(err)
	}

	harness.Call(t, page, "fault('410')")
	harness.Await(t, page, time.Minute, "s.reflector.relists > 0 && s.reflector.phase === 'watching' && s.queue.synced")
	text := harness.EvalIn[string](t, page, "informerscope.record().then((f) => f.text)")
	file := filepath.Join(t.TempDir(), "whole.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := page.Drop(harness.Timeout(t, 30*time.Second), file, browser.Point{X: 640, Y: 380}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.source.kind === 'file' && s.indexer.count > 0")
	harness.Shot(t, page, "2-recording")

	if steps := harness.EvalIn[int](t, page, "informerscope.story('ring').then((s) => s.steps)"); steps < 2 {
		t.Errorf("the story has %d steps", steps)
	}
	if err := page.WaitFor(harness.Timeout(t, time.Minute), `document.querySelector(".storybar")?.dataset.step === "1"`,
		`document.querySelector(".storybar")?.outerHTML`); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.source.kind === 'sim' && s.queue.synced")
	harness.Shot(t, page, "3-story")
	page.ExpectClean(t, `data:,x`) // the browser reports that it refused this
}
