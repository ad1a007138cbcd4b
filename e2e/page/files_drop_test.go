package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestDroppedFiles drops files on the page as a person does, from outside the browser: a recording, a truncated one, and other files.
func TestDroppedFiles(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.seq > 2000")
	harness.Pause(t, p)
	before := harness.Await(t, p, time.Minute, "s.view.mode === 'paused'")
	text := harness.EvalIn[string](t, p, "informerscope.record().then((f) => f.text)")
	dir := t.TempDir()
	drop := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
			t.Fatal(err)
		}
	}
	says := func(pattern string) {
		t.Helper()
		if err := p.WaitFor(harness.Timeout(t, 30*time.Second), pattern+`.test(document.querySelector(".toast")?.textContent)`,
			`document.querySelector(".toast")?.textContent`); err != nil {
			t.Fatal(err)
		}
		if harness.EvalIn[bool](t, p, `!!document.querySelector(".drop")`) {
			t.Error("the cover that invites a drop is still there")
		}
	}

	for name, text := range map[string]string{
		"notes.txt": "hello", "empty.jsonl": "", "other.json": `{"kind":"List","items":[]}`,
		"binary.jsonl": "\x00\x01\x02\xff", "header.jsonl": `{"format":"somebody-elses","version":9}` + "\n",
	} {
		drop(name, text)
		says(`/` + strings.ReplaceAll(name, ".", `\.`) + `/`)
		if s := harness.Await(t, p, 10*time.Second, "s.seq === %d", before.Seq); s.Source.Kind != "sim" {
			t.Errorf("%s, which is no recording, took the cluster away: source %s", name, s.Source.Kind)
		}
	}
	drop("notes.txt", "hello")
	says(`/not a trace file/`)
	harness.Shot(t, p, "1-no-recording")

	drop("whole.jsonl", text)
	says(`/events/`)
	harness.Await(t, p, time.Minute, "s.source.kind === 'file' && s.view.head >= %d", before.Seq)
	harness.Call(t, p, "seek(%d)", before.Seq)
	again := harness.Await(t, p, time.Minute, "s.seq === %d", before.Seq)
	if again.Indexer.Count != before.Indexer.Count || again.Reflector.ResourceVersion != before.Reflector.ResourceVersion {
		t.Errorf("the recording stands at %d objects, rv %s; it was recorded at %d, rv %s", again.Indexer.Count, again.Reflector.ResourceVersion,
			before.Indexer.Count, before.Reflector.ResourceVersion)
	}

	// A file cut in the middle of a line has the events before it.
	torn := text[:len(text)*3/5]
	if strings.HasSuffix(torn, "\n") {
		torn = torn[:len(torn)-5]
	}
	_, events, damage, err := tracetest.Read(strings.NewReader(torn), tracefile.ReadOptions{})
	if err != nil || damage == nil || len(events) < 100 {
		t.Fatalf("the torn file natively: %d events, damage %v, %v", len(events), damage, err)
	}
	drop("torn.jsonl", torn)
	says(`/torn\.jsonl.*damaged|damaged.*torn\.jsonl/`)
	harness.Await(t, p, time.Minute, "s.source.kind === 'file' && s.view.head === %d", events[len(events)-1].Seq)
	harness.Shot(t, p, "2-torn")

	// Text from elsewhere that is dragged over the page is not a file, and changes nothing.
	harness.EvalIn[bool](t, p, `(() => { const data = new DataTransfer(); data.setData("text/plain", "x"); for (const kind of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data})); return true; })()`)
	if harness.EvalIn[bool](t, p, `!!document.querySelector(".drop")`) {
		t.Error("a text that is dragged over the page is invited as a file")
	}
	p.ExpectClean(t)
}
