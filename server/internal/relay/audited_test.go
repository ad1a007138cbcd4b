package relay

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"informerscope/server/internal/audit"
	"informerscope/server/internal/testkit"
)

// TestAudit: each request of a viewer has lines with the viewer and the resource, refused ones too. No line has a token or a body.
func TestAudit(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "true" {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, `{"type":"ADDED","object":`+annotated+"}\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, annotated)
	})
	out := new(testkit.Log)
	var log *audit.Log
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) {
		log = audit.New(out, c.Clusters.Scrubber().Line, func(err error) { t.Error(err) })
		c.Audit = log
	})
	entries := func() []audit.Entry {
		var all []audit.Entry
		for line := range strings.Lines(out.String()) {
			var e audit.Entry
			if strings.HasSuffix(line, "\n") {
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				all = append(all, e)
			}
		}
		return all
	}
	// until waits for the entry that match accepts, and returns it without what differs from run to run.
	until := func(match func(audit.Entry) bool) audit.Entry {
		t.Helper()
		for end := time.Now().Add(patience); ; runtime.Gosched() {
			for _, e := range entries() {
				if match(e) {
					if e.Viewer == 0 || e.Request == 0 || e.Began.IsZero() || !strings.Contains(e.Remote, "127.0.0.1:") {
						t.Errorf("the entry does not identify the viewer: %+v", e)
					}
					e.Viewer, e.Request, e.Began, e.Time, e.Ended, e.Millis, e.Remote = 0, 0, time.Time{}, time.Time{}, nil, 0, ""
					return e
				}
			}
			if time.Now().After(end) {
				t.Fatalf("no such line in\n%s", out)
			}
		}
	}
	watch := f.get("/clusters/kind/api/v1/namespaces/default/pods?watch=true")
	line, err := bufio.NewReader(watch.Body).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	matches := func(verb, stage string) func(audit.Entry) bool {
		return func(e audit.Entry) bool { return e.Verb == verb && e.Stage == stage }
	}
	want := audit.Entry{Stage: audit.Started, Context: "kind", Verb: "watch", Version: "v1", Resource: "pods", Namespace: "default", Status: 200}
	if got := until(matches("watch", audit.Started)); got != want {
		t.Errorf("the watch begins: %+v", got)
	}
	_ = watch.Body.Close()
	want.Stage, want.Bytes = audit.Complete, int64(len(line))
	if got := until(matches("watch", audit.Complete)); got != want {
		t.Errorf("the watch ends: %+v", got)
	}
	_, body := f.body("/clusters/kind/apis/apps/v1/namespaces/a/deployments/b")
	if got := until(matches("get", audit.Complete)); got != (audit.Entry{Stage: audit.Complete, Context: "kind", Verb: "get", Group: "apps", Version: "v1",
		Resource:  "deployments",
		Namespace: "a", Name: "b", Status: 200, Bytes: int64(len(body))}) {
		t.Errorf("a GET: %+v", got)
	}
	_, _ = f.body("/clusters/kind/apis/apps/v1")
	if got := until(matches("discovery", audit.Complete)); got.Group != "apps" || got.Resource != "" || got.Status != 200 {
		t.Errorf("discovery: %+v", got)
	}
	// Refused requests, and requests for an unknown context.
	_, body = f.body("/clusters/kind/api/v1/namespaces/x/secrets/" + upstream)
	refused := audit.Entry{Stage: audit.Complete, Context: "kind", Verb: "get", Version: "v1", Resource: "secrets", Namespace: "x",
		Name: "[redacted]", Rule: "secrets", Status: 403, Bytes: int64(len(body))}
	if got := until(func(e audit.Entry) bool { return e.Rule != "" }); got != refused {
		t.Errorf("a refusal: %+v", got)
	}
	_, _ = f.body("/clusters/prod/api/v1/nodes")
	if got := until(func(e audit.Entry) bool { return e.Context == "prod" }); got.Resource != "nodes" || got.Verb != "list" || got.Status < 400 {
		t.Errorf("an unknown context: %+v", got)
	}
	_, _ = f.body("/contexts")
	if got := until(func(e audit.Entry) bool { return e.Own == "/contexts" }); got.Status != 200 || got.Verb != "" {
		t.Errorf("the relay's own: %+v", got)
	}
	if err := f.relay.Close(); err != nil {
		t.Error(err)
	}
	if lost := log.Close(patience); lost != 0 {
		t.Errorf("%d lines are lost", lost)
	}
	for _, e := range entries() {
		if e.Viewer != entries()[0].Viewer {
			t.Errorf("one connection is two viewers:\n%s", out)
		}
	}
	if text := out.String(); strings.Contains(text, token) || strings.Contains(text, upstream) || strings.Contains(text, "hunter2") {
		t.Errorf("the audit log has a token or a body:\n%s", text)
	}
}
