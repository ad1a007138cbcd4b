package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/trace"
	"informerscope/core/trace/tracetest"
	"informerscope/e2e/browser"
)

// TestStageFiles saves, exports and shares with the menu as a person does, reads the files natively, and opens them in the page again.
func TestStageFiles(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	p := openStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&lang=en", 1280, 720)
	await(t, p, 20*time.Second, "s.seq > 5200")
	call(t, p, "pause()")
	// Intercepts what the page gives the browser to save.
	evalIn[bool](t, p, `(() => { const old = URL.createObjectURL.bind(URL); URL.createObjectURL = (b) => { globalThis.__saved = b; return old(b); }; return true; })()`)
	saved := func(words string) string {
		t.Helper()
		evalIn[bool](t, p, "(globalThis.__saved = null, true)")
		use(t, p, control{do: []string{"click stage.find('button', /^share/)", "click stage.seek('.pop button', /^" + words + "/)", "wait globalThis.__saved"}})
		return evalIn[string](t, p, `(async () => {
			const bytes = new Uint8Array(await __saved.arrayBuffer());
			const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) : new Response(bytes);
			return plain.text();
		})()`)
	}
	text := saved("save the recording")
	header, events, warning, err := tracetest.Read(strings.NewReader(text), trace.ReadOptions{})
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
	// A token must never be in a file.
	token := srv.url[strings.Index(srv.url, "token=")+len("token="):]
	if strings.Contains(text, token) {
		t.Error("the recording holds the token")
	}
	before := await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	call(t, p, "load(%s)", quoted(text))
	await(t, p, 20*time.Second, "s.source.kind === 'file' && s.view.head >= %d", before.Seq)
	call(t, p, "seek(%d)", before.Seq)
	again := await(t, p, 10*time.Second, "s.seq === %d", before.Seq)
	if again.Indexer.Count != before.Indexer.Count || again.Reflector.ResourceVersion != before.Reflector.ResourceVersion {
		t.Errorf("in the file event %d has %d objects at %s, before there were %d at %s", before.Seq, again.Indexer.Count, again.Reflector.ResourceVersion,
			before.Indexer.Count, before.Reflector.ResourceVersion)
	}
	use(t, p, control{do: []string{"click " + button("event back")}, want: fmt.Sprintf("s.seq === %d", before.Seq-1)})
	shot(t, p, "replayed")
	expectWell(t, p)
	// A damaged file loads up to the damage.
	call(t, p, "load(%s)", quoted(text[:len(text)*2/3]))
	await(t, p, 20*time.Second, "s.source.kind === 'file' && s.view.head > 100 && s.view.head < %d", events[len(events)-1].Seq)
	p.ExpectClean(t)
}
