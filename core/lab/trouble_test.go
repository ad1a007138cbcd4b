package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"

	"informerscope/core/ask/analysis"
	"informerscope/core/client/restwatch"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/faults"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
)

// emptyPods answers a LIST, WATCH or WatchList without pods; a watch ends with hold.
func emptyPods(w http.ResponseWriter, r *http.Request, hold <-chan struct{}) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") == "" {
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}`)
		return
	}
	_, _ = io.WriteString(w,
		`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
	w.(http.Flusher).Flush()
	select {
	case <-r.Context().Done():
	case <-hold:
		panic(http.ErrAbortHandler)
	}
}

const teamContexts = `{"current":"team","selected":"","contexts":[
	{"name":"team","cluster":"prod","server":"prod:6443","user":"jane","namespace":"team-a"},
	{"name":"admin","cluster":"dev","server":"dev:6443","user":"root","namespace":""}]}`

func liveLab(t *testing.T, h http.HandlerFunc) (*Lab, *trace.Recorder) {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Dial: labtest.Relay(t, h)})
	t.Cleanup(l.Close)
	return l, rec
}

func TestTheContextsNamespaceIsTheDefault(t *testing.T) {
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/contexts" {
			_, _ = io.WriteString(w, teamContexts)
			return
		}
		emptyPods(w, r, nil)
	})
	live, sim, team, admin := ptr("live"), ptr("sim"), ptr("team"), ptr("admin")
	for _, step := range []struct {
		what   string
		change selection.Change
		want   string
		path   string
	}{
		{"the first time", selection.Change{Source: live, Context: team}, "team-a", "/api/v1/namespaces/team-a/pods"},
		{"another release", selection.Change{Release: ptr("1.31")}, "team-a", "/api/v1/namespaces/team-a/pods"},
		{"all, said so", selection.Change{Namespace: ptr("")}, "", "/api/v1/pods"},
		{"it stays", selection.Change{Release: ptr("1.37")}, "", "/api/v1/pods"},
		{"the same context again", selection.Change{Source: live, Context: team}, "", "/api/v1/pods"},
		{"a context without one", selection.Change{Context: admin}, "", "/api/v1/pods"},
		{"back", selection.Change{Context: team}, "team-a", "/api/v1/namespaces/team-a/pods"},
		{"a resource without namespaces", selection.Change{Resource: ptr("nodes")}, "team-a", "/api/v1/nodes"},
		{"and with them", selection.Change{Resource: ptr("pods")}, "team-a", "/api/v1/namespaces/team-a/pods"},
		{"the simulated cluster", selection.Change{Source: sim, Objects: ptr(5)}, "", ""},
		{"named", selection.Change{Source: live, Context: team, Namespace: ptr("team-b")}, "team-b", "/api/v1/namespaces/team-b/pods"},
	} {
		sel, err := l.Select(t.Context(), step.change)
		if err != nil || sel.Namespace != step.want {
			t.Errorf("%s: namespace %q, want %q (%v)", step.what, sel.Namespace, step.want, err)
		}
		s := labtest.WaitUntil(t, rec, step.what, func(s *fold.State) bool { return s.Reflector.LastRequest != "" })
		if path, _, _ := strings.Cut(s.Reflector.LastRequest, "?"); step.path != "" && path != step.path {
			t.Errorf("%s: asked for %s, want %s", step.what, path, step.path)
		}
		switch {
		case sel.Source == "sim":
			if s.Source.Cluster != "" || s.Source.User != "" || s.Source.Namespace != "" {
				t.Errorf("%s: %+v", step.what, s.Source)
			}
		case sel.Context == "team":
			if s.Source.Cluster != "prod" || s.Source.User != "jane" || s.Source.Server != "prod:6443" || s.Source.Namespace != "team-a" {
				t.Errorf("%s: %+v", step.what, s.Source)
			}
		}
	}
}

func TestForbiddenOffersTheContextsNamespace(t *testing.T) {
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case strings.HasSuffix(r.URL.Path, "/namespaces/team-a"):
			labtest.Status(w, 403, `namespaces "team-a" is forbidden`)
		case strings.HasSuffix(r.URL.Path, "/namespaces/team-a/pods"):
			emptyPods(w, r, nil)
		case strings.HasSuffix(r.URL.Path, "/nodes"):
			labtest.Status(w, 403, `nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope`)
		default:
			labtest.Status(w, 403, `pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope`)
		}
	})
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("team"), Namespace: ptr("")}); err != nil {
		t.Fatal(err)
	}
	s := labtest.WaitUntil(t, rec, "forbidden", func(s *fold.State) bool { return s.Source.Cause == "forbidden" })
	for _, says := range []string{`User "jane"`, "list and watch pods", `"team-a"`, "ClusterRole"} {
		if !strings.Contains(s.Source.Trouble, says) {
			t.Errorf("%q does not say %q", s.Source.Trouble, says)
		}
	}
	if s.Source.Offer == nil || s.Source.Offer.Namespace != "team-a" {
		t.Errorf("offer %+v", s.Source.Offer)
	}
	// Retrying a refused first list is not a relist.
	s = labtest.WaitUntil(t, rec, "a second try", func(s *fold.State) bool { return s.Reflector.Lists+s.Reflector.Watches > 2 })
	if s.Reflector.Relists != 0 {
		t.Errorf("%d relists before the first list", s.Reflector.Relists)
	}
	head, _ := rec.Head()
	for e := range rec.Events(1, head) {
		if m, ok := analysis.Marks(e); ok && m.Kind == "relist" {
			t.Errorf("a relist is marked: %+v", m)
		}
	}
	if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("nodes")}); err != nil {
		t.Fatal(err)
	}
	s = labtest.WaitUntil(t, rec, "nodes", func(s *fold.State) bool { return s.Source.Cause == "forbidden" })
	if s.Source.Offer != nil || !strings.Contains(s.Source.Trouble, "nodes have no namespaces") {
		t.Errorf("of nodes: %+v", s.Source)
	}
	if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("pods"), Namespace: ptr("team-a")}); err != nil {
		t.Fatal(err)
	}
	s = labtest.WaitUntil(t, rec, "what was offered", func(s *fold.State) bool { return s.Queue.Synced })
	if s.Source.Trouble != "" || s.Source.Cause != "" || s.Source.Offer != nil || s.Reflector.LastError != "" {
		t.Errorf("%+v, last error %q", s.Source, s.Reflector.LastError)
	}
}

func TestANamespaceThatDoesNotExist(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	var created atomic.Bool
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case strings.HasSuffix(r.URL.Path, "/namespaces/nowhere"):
			if created.Load() {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"nowhere"}}`)
				return
			}
			labtest.Status(w, 404, `namespaces "nowhere" not found`)
		default:
			emptyPods(w, r, nil)
		}
	})
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("team"), Namespace: ptr("nowhere")}); err != nil {
		t.Fatal(err)
	}
	s := labtest.WaitUntil(t, rec, "said", func(s *fold.State) bool { return s.Queue.Synced && s.Source.Cause == "namespace-missing" })
	if !strings.Contains(s.Source.Trouble, `"nowhere" does not exist`) {
		t.Errorf("%q", s.Source.Trouble)
	}
	created.Store(true)
	labtest.WaitUntil(t, rec, "created", func(s *fold.State) bool { return s.Source.Trouble == "" })
	created.Store(false)
	labtest.WaitUntil(t, rec, "deleted under the watch", func(s *fold.State) bool { return s.Source.Cause == "namespace-missing" })

	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("sim"), Namespace: ptr("team-b"), Objects: ptr(5), Rate: ptr(0.0)}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "of the simulated cluster", func(s *fold.State) bool { return s.Source.Cause == "namespace-missing" })
	if _, err := l.Cluster("create", ClusterArgs{Namespace: "team-b", Name: "web"}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "created there", func(s *fold.State) bool { return s.Source.Cause == "" && s.Indexer.Count > 0 })
}

// TestALateAnswerIsNotAboutTheNextSource: the answer of the first context's cluster arrives while another source is watched.
func TestALateAnswerIsNotAboutTheNextSource(t *testing.T) {
	late := make(chan struct{})
	asked := make(chan struct{}, 100)
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case strings.HasPrefix(r.URL.Path, "/clusters/team/"):
			asked <- struct{}{}
			<-late // even if the request was cancelled
			w.Header().Set("X-Informerscope-Cause", "dns")
			labtest.Status(w, 503, "the name team.example has no address")
		default:
			emptyPods(w, r, nil)
		}
	})
	var early []func(relayclient.Trouble)
	keep := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		early = append(early, l.exp.report(0))
		over, generation := l.exp, l.exp.generation
		early = append(early, func(found relayclient.Trouble) { l.troubles.noteRequests(generation, 0, found); _ = over })
	}
	for _, step := range []selection.Change{
		{Source: ptr("live"), Context: ptr("team")},
		{Source: ptr("sim"), Objects: ptr(5), Rate: ptr(0.0)},
		{Source: ptr("live"), Context: ptr("team")},
		{Source: ptr("live"), Context: ptr("admin")},
	} {
		if step.Context != nil && *step.Context == "team" {
			go func() { _, _ = l.Resources(context.Background()) }()
		}
		if _, err := l.Select(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		keep()
		if step.Context != nil && *step.Context == "team" {
			<-asked
			go func() { _, _ = l.Resources(context.Background()) }() // a request of the page's own
			<-asked
		}
	}
	close(late)
	for _, say := range early[:len(early)-2] {
		say(relayclient.Trouble{Words: "an old context's", Cause: "dns"})
	}
	s := labtest.WaitUntil(t, rec, "well", func(s *fold.State) bool { return s.Queue.Synced })
	head, _ := rec.Head()
	for e := range rec.Events(1, head) {
		if e.Kind == event.KindTrouble {
			t.Errorf("said over the new source: %q", e.Trouble().Explanation)
		}
	}
	if s.Source.Trouble != "" || s.Source.Context != "admin" {
		t.Errorf("%+v", s.Source)
	}
}

// TestAReleaseSwitchIsNoBrokenWatch: the old informer's watch ends by cancellation, and the new log does not contain it.
func TestAReleaseSwitchIsNoBrokenWatch(t *testing.T) {
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/contexts" {
			_, _ = io.WriteString(w, teamContexts)
			return
		}
		emptyPods(w, r, nil)
	})
	for i, release := range []string{"1.37", "1.31", "1.35", "1.31,1.37", "1.33"} {
		change := selection.Change{Release: &release}
		if i == 0 {
			change.Source, change.Context = ptr("live"), ptr("admin")
		}
		if _, err := l.Select(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		s := labtest.WaitUntil(t, rec, release, func(s *fold.State) bool {
			lanes := s.Lanes
			if lanes == nil {
				lanes = []*fold.State{s}
			}
			for _, lane := range lanes {
				if !lane.Queue.Synced || lane.Reflector.Phase != "watching" {
					return false
				}
			}
			return true
		})
		if r := s.Reflector; r.Relists != 0 || r.LastError != "" || r.Why != "first list" || s.Source.Trouble != "" {
			t.Errorf("release %s: %d relists, why %q, last error %q, %q", release, r.Relists, r.Why, r.LastError, s.Source.Trouble)
		}
		head, _ := rec.Head()
		for e := range rec.Events(1, head) {
			if m, ok := analysis.Marks(e); ok && (m.Kind == "relist" || m.Kind == "error" || m.Kind == "trouble") {
				t.Errorf("release %s: %+v", release, m)
			}
		}
	}
}

// TestWhyAStreamBroke: the relay ends a watch whose API server froze, and reports why when asked. The informer sees the error that it would have seen with a
// connection of its own.
func TestWhyAStreamBroke(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"frozen": {"http2: client connection lost", nil},
		"reset":  {"read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", syscall.ECONNRESET},
		"eof":    {"unexpected EOF", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			hold := make(chan struct{})
			dial := labtest.Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/trouble" {
					if r.URL.Query().Get("context") != "a/b c" {
						t.Errorf("asked about %q", r.URL.RawQuery)
					}
					_ = json.NewEncoder(w).Encode(map[string]any{"last": map[string]any{"cause": name,
						"words": "The API server has stopped answering.", "error": tt.text, "ageMillis": 10}})
					return
				}
				emptyPods(w, r, hold)
			}))
			src := liveSource(dial, "a/b c", clock.RealClock{}, faults.New(clock.RealClock{}, func(faults.Strike) {}))
			defer src.stop()
			var mu sync.Mutex
			var said relayclient.Trouble
			client, _ := src.informers()
			c := client(restwatch.Hooks{}, event.Selection{}, func(found relayclient.Trouble) {
				mu.Lock()
				defer mu.Unlock()
				said = found
			})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, src.base.JoinPath("api/v1/pods").String()+"?watch=true", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.HTTP.Transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			close(hold)
			_, err = io.ReadAll(resp.Body)
			if err == nil || err.Error() != tt.text || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("the informer sees %v", err)
			}
			if tt.want != nil && !utilnet.IsProbableEOF(err) {
				t.Errorf("of %q client-go's Reflector makes the end of a watch, and of what is seen here (%T) a frame that cannot be decoded",
					tt.text, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if said.Cause != name || !strings.Contains(said.Words, "stopped answering") {
				t.Errorf("said %+v", said)
			}
		})
	}
}

// TestWhatIsWaitedFor: an answer does not arrive, and the relay reports why.
func TestWhatIsWaitedFor(t *testing.T) {
	done := make(chan struct{})
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case "/trouble":
			_, _ = io.WriteString(w, `{"cause":"exec-waiting","words":"Waiting for aws for 4 s now."}`)
		default:
			select {
			case <-done:
			case <-r.Context().Done():
				return
			}
			emptyPods(w, r, nil)
		}
	})
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("admin")}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "waiting", func(s *fold.State) bool {
		return s.Source.Cause == "exec-waiting" && strings.Contains(s.Source.Trouble, "aws")
	})
	close(done)
	labtest.WaitUntil(t, rec, "well", func(s *fold.State) bool { return s.Source.Cause == "" && s.Queue.Synced })
}

// TestASilentRelay: the connection stays open but nothing arrives any more, as when the server's process is stopped.
func TestASilentRelay(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes the time that a silent relay is given")
	}
	dial := labtest.Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/contexts" {
			_, _ = io.WriteString(w, teamContexts)
			return
		}
		emptyPods(w, r, nil)
	}))
	var stopped atomic.Bool
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Dial: relayclient.NewLink("x", clock.RealClock{}, func(ctx context.Context, _ string) (net.Conn, error) {
		if stopped.Load() { // the kernel accepts the connection, and no process answers
			<-ctx.Done()
			return nil, ctx.Err()
		}
		conn, err := dial(ctx)
		return &mutedConn{Conn: conn, muted: &stopped, closed: make(chan struct{})}, err
	}).Dial})
	defer l.Close()
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("admin")}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "well", func(s *fold.State) bool { return s.Queue.Synced })
	began := time.Now()
	stopped.Store(true)
	s := labtest.WaitUntil(t, rec, "silent", func(s *fold.State) bool { return s.Source.Cause == "relay-silent" })
	if took := time.Since(began); took > 15*time.Second || !strings.Contains(s.Source.Trouble, "no sign of life") {
		t.Errorf("after %s: %q", took, s.Source.Trouble)
	}
	stopped.Store(false)
	labtest.WaitUntil(t, rec, "back", func(s *fold.State) bool { return s.Source.Cause == "" && s.Reflector.Phase == "watching" })
}

// mutedConn is a connection from which nothing arrives while it is muted.
type mutedConn struct {
	net.Conn
	muted  *atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (c *mutedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.muted.Load() {
		<-c.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *mutedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func TestNamespacesSayWhyTheyAreNotKnown(t *testing.T) {
	for reason, answer := range map[string]http.HandlerFunc{
		"forbidden": func(w http.ResponseWriter, _ *http.Request) { labtest.Status(w, 403, "namespaces is forbidden") },
		"not-served": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Informerscope-Rule", "resources")
			w.WriteHeader(403)
			_, _ = io.WriteString(w,
				`{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"refused by the relay","details":{"causes":[{"reason":"informerscope/rule","message":"resources"}]}}`)
		},
		"unreachable": func(w http.ResponseWriter, _ *http.Request) { labtest.Status(w, 503, "no") },
		"": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}`)
		},
	} {
		l, _ := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/contexts":
				_, _ = io.WriteString(w, teamContexts)
			case strings.HasSuffix(r.URL.Path, "/namespaces"):
				answer(w, r)
			default:
				emptyPods(w, r, nil)
			}
		})
		if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("admin")}); err != nil {
			t.Fatal(err)
		}
		got, err := l.Namespaces(t.Context())
		if err != nil || got.Reason != reason || (got.Error == "") != (reason == "") || got.Items == nil ||
			len(got.Items) != map[bool]int{true: 1}[reason == ""] {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
		if reason == "not-served" && (strings.Contains(got.Error, "credentials") || !strings.Contains(got.Error, "--resources")) {
			t.Errorf("the person is blamed: %q", got.Error)
		}
	}
}

func TestResourcesSayWhatCannotBeWatched(t *testing.T) {
	l, _ := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case "/rules":
			_, _ = io.WriteString(w,
				`{"all":false,"groups":["g.io"],"names":["pods"],"carriers":["tokens.g.io"],"carrierGroups":["h.io"],"carrierWords":["password"],"secrets":false}`)
		case "/clusters/admin/api":
			_, _ = io.WriteString(w, `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[{"version":"v1","resources":[
				{"resource":"bindings","responseKind":{"kind":"Binding"},"scope":"Namespaced","verbs":["create"]},
				{"resource":"services","responseKind":{"kind":"Service"},"scope":"Namespaced","verbs":["list","watch"]},
				{"resource":"secrets","responseKind":{"kind":"Secret"},"scope":"Namespaced","verbs":["list","watch"]},
				{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["list","watch"]}]}]}]}`)
		case "/clusters/admin/apis":
			_, _ = io.WriteString(w, `{"kind":"APIGroupDiscoveryList","items":[
				{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
				{"metadata":{"name":"h.io"},"versions":[{"version":"v1","resources":[{"resource":"bars","responseKind":{"kind":"Bar"},"scope":"Cluster","verbs":["list","watch"]}]}]},
				{"metadata":{"name":"i.io"},"versions":[{"version":"v1","resources":[{"resource":"foopasswords","responseKind":{"kind":"P"},"scope":"Cluster","verbs":["list","watch"]}]}]},
				{"metadata":{"name":"g.io"},"versions":[{"version":"v2","resources":[{"resource":"tokens","responseKind":{"kind":"Token"},"scope":"Cluster","verbs":["list","watch"]},
					{"resource":"foos","responseKind":{"kind":"Foo"},"scope":"Cluster","verbs":["list","watch"]}]}]}]}`)
		default:
			emptyPods(w, r, nil)
		}
	})
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("admin")}); err != nil {
		t.Fatal(err)
	}
	found, err := l.Resources(t.Context())
	if err == nil || !strings.Contains(err.Error(), "metrics.k8s.io") {
		t.Errorf("%v", err)
	}
	want := map[string]string{"/v1/bindings": "only create", "/v1/services": "--resources", "/v1/secrets": "Secrets", "/v1/pods": "",
		"metrics.k8s.io/v1beta1/": "v1beta1.metrics.k8s.io", "g.io/v2/tokens": "credentials", "h.io/v1/bars": "credentials",
		"i.io/v1/foopasswords": "credentials", "g.io/v2/foos": ""}
	for _, r := range found {
		name := fmt.Sprintf("%s/%s/%s", r.Group, r.Version, r.Resource)
		says, known := want[name]
		if !known || !strings.Contains(r.Unwatchable, says) || (says == "") != (r.Unwatchable == "") {
			t.Errorf("%s: %q, want %q in it", name, r.Unwatchable, says)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not among them: %v", want)
	}
	// With a namespace chosen, a custom resource without namespaces is requested without one.
	sel, err := l.Select(t.Context(), selection.Change{Resource: ptr("foos.v2.g.io"), Namespace: ptr("team-a")})
	if err != nil || !sel.ClusterScoped || sel.WatchedNamespace() != "" {
		t.Errorf("%+v, %v", sel, err)
	}
	if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("v1beta1.metrics.k8s.io")}); err == nil {
		t.Log("a group that is down can be chosen by name")
	}
}
