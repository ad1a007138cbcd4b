package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/internal/joints"
)

// canary is a value of an object, which no metric may have.
const canary = "canary-77"

// apiServer answers for things of one resource: a list of n, then a watch that gets what events sends, and ends with an ERROR event when it
// gets one.
type apiServer struct {
	n      int
	events chan string
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") == "" {
		var items []string
		for i := range a.n {
			items = append(items, fmt.Sprintf(`{"metadata":{"name":"o%d","namespace":"ns","resourceVersion":"%d","labels":{"x":"`+canary+`"}}}`, i, i+1))
		}
		fmt.Fprintf(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
			a.n, strings.Join(items, ","))
		return
	}
	if r.URL.Query().Get("sendInitialEvents") != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		return
	}
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-a.events:
			fmt.Fprintln(w, e)
			_ = http.NewResponseController(w).Flush()
			if strings.Contains(e, "ERROR") {
				return
			}
		}
	}
}

// running is an informer with a probe, whose second handler can be held back.
type running struct {
	p      *probe.Probe
	api    *apiServer
	hold   sync.Mutex
	calls  atomic.Int64
	scrape func() string
}

func start(t *testing.T, objects int) *running {
	t.Helper()
	r := &running{p: probe.New(probe.Options{}), api: &apiServer{n: objects, events: make(chan string)}}
	srv := httptest.NewServer(r.api)
	client, err := metadata.NewForConfig(r.p.WrapConfig(&rest.Config{Host: srv.URL}))
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewCollector(r.p))
	out := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}
	ctx, cancel := context.WithCancel(context.Background())
	inf := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return client.Resource(resource).List(ctx, o) },
		WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return client.Resource(resource).Watch(ctx, o) },
	}, &metav1.PartialObjectMetadata{}, 0, nil)
	slow := func(any) {
		r.hold.Lock()
		defer r.hold.Unlock()
		r.calls.Add(1)
	}
	for _, h := range []cache.ResourceEventHandlerFuncs{{AddFunc: func(any) {}}, {AddFunc: slow}} {
		if _, err := inf.AddEventHandler(h); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.p.Informer(resource, inf); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		inf.Run(ctx.Done())
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		srv.CloseClientConnections()
		srv.Close()
		out.Close()
	})
	cache.WaitForCacheSync(ctx.Done(), inf.HasSynced)
	r.scrape = func() string {
		t.Helper()
		resp, err := http.Get(out.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b bytes.Buffer
		if _, err := b.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, err, b.String())
		}
		return b.String()
	}
	return r
}

// value is that of one series, of which a part of the labels is given; -1 where there is none.
func value(t *testing.T, text, series string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^informerscope_probe_` + series + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not after a minute: %s", what)
		}
	}
}

// What is exported of a running informer is what is so: without a viewer, while a handler is held back, and after a relist.
func TestCollector(t *testing.T) {
	if !joints.Available {
		t.Skip("needs joints: a handler's ring and calls")
	}
	const objects = 1500
	r := start(t, objects)
	eventually(t, "all is handled", func() bool { return r.calls.Load() == objects })
	get := func(series string) float64 { return value(t, r.scrape(), series) }
	r.hold.Lock()
	held := true
	defer func() {
		if held {
			r.hold.Unlock()
		}
	}()
	for i := range 1200 {
		r.api.events <- fmt.Sprintf(`{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n%d","namespace":"ns",`+
			`"resourceVersion":"%d"}}}`, i, objects+1+i)
	}
	// An informer keeps the handlers that it got before the probe in a map: which of them is the first is left to chance.
	slow, free := "2", "1"
	line := func(name, listener string) string { return name + `\{.*listener="` + listener + `".*\}` }
	eventually(t, "a ring has grown", func() bool {
		if get(line("listener_ring_length", free)) > get(line("listener_ring_length", slow)) {
			slow, free = free, slow
		}
		return get(line("listener_ring_capacity", slow)) == 2048
	})
	// One is in the handler, and two at most in channels and at nextCh.
	eventually(t, "the rest waits", func() bool { return get(line("listener_ring_length", slow)) >= 1197 })
	if n := get(line("listener_ring_length", free)); n > 3 {
		t.Errorf("%v wait for the handler that is free", n)
	}
	r.hold.Unlock()
	held = false
	eventually(t, "all is handled again", func() bool { return get(line("handler_duration_seconds_count", slow)) == objects+1200 })
	text := r.scrape()
	for series, want := range map[string]float64{
		`store_objects\{informer="things.example.com"\}`:                            objects + 1200,
		`informer_synced\{informer="things.example.com"\}`:                          1,
		line("listener_ring_capacity", free):                                        1024,
		line("listener_ring_length", slow):                                          0,
		`handler_duration_seconds_bucket\{.*listener="` + slow + `",le="\+Inf"\}`:   objects + 1200,
		line("handler_panics_total", slow):                                          0,
		`lists_total\{cause="first",informer="things.example.com"\}`:                1,
		`lists_total\{cause="error-event",informer="things.example.com"\}`:          0,
		`listeners\{informer="things.example.com"\}`:                                2,
		`listeners_left_out\{informer="things.example.com"\}`:                       0,
		`watch_failures_total\{cause="error-event",informer="things.example.com"\}`: 0,
		`handler_duration_seconds_bucket\{.*listener="` + free + `",le="0.25"\}`:    objects + 1200,
		`handler_duration_seconds_bucket\{.*listener="` + free + `",le="0.5"\}`:     objects + 1200,
		`handler_duration_seconds_bucket\{.*listener="` + slow + `",le="60"\}`:      objects + 1200,
	} {
		if got := value(t, text, series); got != want {
			t.Errorf("%s is %v, not %v", series, got, want)
		}
	}
	if s := value(t, text, `cache_staleness_seconds\{informer="things.example.com"\}`); s < 0 || s > 60 {
		t.Errorf("%v s since the API server was heard", s)
	}
	if problems, err := promlint.New(strings.NewReader(text)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	if strings.Contains(text, canary) || strings.Contains(text, "ns/") {
		t.Error("a value of an object is in it")
	}

	r.api.events <- `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`
	eventually(t, "it has listed again", func() bool { return get(`lists_total\{cause="error-event",informer="things.example.com"\}`) == 1 })
	if n := get(`watch_failures_total\{cause="error-event",informer="things.example.com"\}`); n != 1 {
		t.Errorf("%v watches failed", n)
	}
	if path, ok := promtool(t); ok {
		cmd := exec.Command(path, "check", "metrics")
		cmd.Stdin = strings.NewReader(r.scrape())
		if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("promtool check metrics: %v\n%s", err, out)
		}
	}
}

// promtool is Prometheus' own, from the path or INFORMERSCOPE_PROMTOOL.
func promtool(t *testing.T) (path string, ok bool) {
	t.Helper()
	if path = os.Getenv("INFORMERSCOPE_PROMTOOL"); path != "" {
		return path, true
	}
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not installed: what it checks is left out here, and checked by make judges")
	}
	return path, err == nil
}

// The rules are such that Prometheus takes them, and they alert when they should.
func TestRules(t *testing.T) {
	path, ok := promtool(t)
	if !ok {
		t.Skip("make judges runs it: promtool is not installed")
	}
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	// A rule that does not alert is found out: with the ring's alert turned round the test fails.
	rules, err := os.ReadFile("rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("rules_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"rules.yaml": bytes.Replace(rules, []byte("[10m]) > 0"), []byte("[10m]) < 0"), 1), "rules_test.yaml": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path, "test", "rules", "rules_test.yaml")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a rule that is wrong passed:\n%s", out)
	}
}

// Rules and dashboard ask for nothing that is not exported.
func TestNamesAreExported(t *testing.T) {
	if !joints.Available {
		t.Skip("needs joints: a handler's ring and calls")
	}
	text := start(t, 1).scrape()
	name := regexp.MustCompile(`informerscope_probe_[a-z_]+`)
	for _, file := range []string{"rules.yaml", "rules_test.yaml", "dashboard.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := name.FindAllString(string(b), -1)
		if len(found) < 5 {
			t.Errorf("%s has %d names", file, len(found))
		}
		for _, n := range found {
			if !strings.Contains(text, n+"{") {
				t.Errorf("%s has %s, which is not exported", file, n)
			}
		}
	}
	b, _ := os.ReadFile("dashboard.json")
	var d struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(b, &d); err != nil || len(d.Panels) == 0 {
		t.Error(err, len(d.Panels))
	}
	exprs := []string{}
	for _, p := range d.Panels {
		for _, x := range p.Targets {
			exprs = append(exprs, strings.NewReplacer("$job", ".*", "$informer", ".*").Replace(x.Expr))
		}
	}
	path, ok := promtool(t)
	if !ok {
		return
	}
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, e := range exprs {
		rules += fmt.Sprintf("  - record: dashboard:x%d\n    expr: %q\n", i, e)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("what the dashboard asks: %v\n%s", err, out)
	}
}
