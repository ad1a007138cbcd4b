package tools_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// standalone makes the one-file page and returns the address that opens it from disk.
func standalone(t *testing.T) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	// It is opened from a directory with nothing else in it, as from a USB stick.
	file := filepath.Join(dir, "alone", "informerscope.html")
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		dir  string
		args []string
	}{
		{root, []string{"make", "wasm"}},
		{filepath.Join(root, "tools", "standalone"), []string{"go", "run", ".", "-o", file}},
	} {
		cmd := exec.Command(step.args[0], step.args[1:]...)
		cmd.Dir = step.dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", step.args, err, proc.Tail(out, 40))
		}
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// TestStandalone opens the one-file page from disk, without a server: it runs the simulated cluster, and plays a recording.
func TestStandalone(t *testing.T) {
	file := standalone(t)
	b := browser.StartForTest(t)
	visitFirst(t, b, file)
	page := b.OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.WatchLoading); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), file+"#source=sim&seed=7&objects=500"); err != nil {
		t.Fatal(err)
	}
	s := harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count >= 500 && s.reflector.phase === 'watching'")
	if s.Source.Kind != "sim" || s.Queue.Kind != "RealFIFO" {
		t.Errorf("source %q with a %s, want sim with a RealFIFO", s.Source.Kind, s.Queue.Kind)
	}
	harness.Shot(t, page, "1-from-disk")
	harness.ExpectFits(t, page)
	if said := harness.EvalIn[[]string](t, page, "globalThis.__loading"); len(said) < 2 {
		t.Errorf("while the page loaded its progress bar said %q, want it to move", said)
	}
	if fetched := harness.EvalIn[[]string](t, page, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !/^(data|blob):/.test(n))`); len(
		fetched) > 0 {
		t.Errorf("the page that is one file fetched %q", fetched)
	}

	harness.Call(t, page, "fault('410')")
	harness.Await(t, page, time.Minute, "s.reflector.relists > 0 && s.reflector.phase === 'watching' && s.queue.synced")
	harness.Pause(t, page)
	paused := harness.Await(t, page, time.Minute, "s.view.mode === 'paused'")
	if hash := harness.EvalIn[string](t, page, `new Promise((done) => setTimeout(() => done(location.hash), 600))`); !strings.Contains(hash, "at=") {
		t.Errorf("paused at %d the address says %q, want the moment in it", paused.Seq, hash)
	}

	harness.Call(t, page, "load((await informerscope.record()).text)")
	loaded := harness.Await(t, page, time.Minute, "s.source.kind === 'file' && s.indexer.count > 0")
	if loaded.Seq < paused.Seq {
		t.Errorf("the recording ends at event %d, it was made after %d", loaded.Seq, paused.Seq)
	}
	harness.Shot(t, page, "2-recording")
	page.ExpectClean(t)
}
