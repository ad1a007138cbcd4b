package stage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestStageFiles saves, exports and shares with the menu as a person does, reads the files natively, and opens them in the page again.
func TestStageFiles(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&lang=en", 1280, 720)
	harness.Await(t, p, 20*time.Second, "s.seq > 5200")
	harness.Pause(t, p)
	// Intercepts what the page gives the browser to save.
	harness.EvalIn[bool](t, p, `(() => { const old = URL.createObjectURL.bind(URL); URL.createObjectURL = (b) => { globalThis.__saved = b; return old(b); }; return true; })()`)
	saved := func(words string) string {
		t.Helper()
		harness.EvalIn[bool](t, p, "(globalThis.__saved = null, true)")
		harness.Use(t, p, harness.Control{Do: []string{"click stage.find('button', /^share/)", "click stage.seek('.pop button', /^" + words + "/)",
			"wait globalThis.__saved"}})
		return harness.EvalIn[string](t, p, `(async () => {
			const bytes = new Uint8Array(await __saved.arrayBuffer());
			const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) : new Response(bytes);
			return plain.text();
		})()`)
	}
	text := saved("save the recording")
	header, events, warning, err := tracetest.Read(strings.NewReader(text), tracefile.ReadOptions{})
	if err != nil || warning != nil {
		t.Fatalf("what was saved cannot be read: %v, %v", err, warning)
	}
	if len(events) < 1000 {
		t.Errorf("the file of %+v has %d events", header, len(events))
	}
	var chrome struct {
		TraceEvents []json.RawMessage `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(saved("export for Perfetto")), &chrome); err != nil || len(chrome.TraceEvents) < 100 {
		t.Errorf("the export has %d trace events, %v", len(chrome.TraceEvents), err)
	}
	whole := saved("save it with whole objects")
	if header.Objects != tracefile.Names || strings.Contains(text, `"spec":`) || !strings.Contains(whole, `"spec":`) {
		t.Errorf("the recording holds %q of its objects, and with whole ones %d bytes", header.Objects, len(whole))
	}
	// A token must never be in a file.
	token := srv.URL[strings.Index(srv.URL, "token=")+len("token="):]
	if strings.Contains(text, token) {
		t.Error("the recording holds the token")
	}
	before := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	harness.Call(t, p, "load(%s)", harness.Quote(text))
	harness.Await(t, p, 20*time.Second, "s.source.kind === 'file' && s.view.head >= %d", before.Seq)
	harness.Call(t, p, "seek(%d)", before.Seq)
	again := harness.Await(t, p, 10*time.Second, "s.seq === %d", before.Seq)
	if again.Indexer.Count != before.Indexer.Count || again.Reflector.ResourceVersion != before.Reflector.ResourceVersion {
		t.Errorf("in the file event %d has %d objects at %s, before there were %d at %s", before.Seq, again.Indexer.Count, again.Reflector.ResourceVersion,
			before.Indexer.Count, before.Reflector.ResourceVersion)
	}
	harness.Use(t, p, harness.Control{Do: []string{"click " + button("event back")}, Want: fmt.Sprintf("s.seq === %d", before.Seq-1)})
	harness.Shot(t, p, "replayed")
	harness.ExpectWell(t, p)
	// A damaged file loads up to the damage.
	harness.Call(t, p, "load(%s)", harness.Quote(text[:len(text)*2/3]))
	harness.Await(t, p, 20*time.Second, "s.source.kind === 'file' && s.view.head > 100 && s.view.head < %d", events[len(events)-1].Seq)
	p.ExpectClean(t)
}
