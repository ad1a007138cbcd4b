package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/log/fold"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// recordingOf is a recording of a quiet informer whose store holds some objects, one of which changes while it is recorded.
func recordingOf(t *testing.T, resource, request string, store []event.Item, changing string) string {
	t.Helper()
	sel := event.Selection{Source: "probe", Version: "v1", Resource: resource, Kind: "Pod", Releases: []string{"1.37"}}
	text := func(x any) string {
		out, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	selected := event.Entry{Seq: 1, Event: event.Selected{Selection: text(sel)}.Event()}
	f := fold.NewFold()
	f.Apply(&selected)
	state := f.WholeState(0)
	state.Running, state.Synced, state.Release = true, true, "1.37"
	state.Reflector = fold.Reflector{Phase: "watching", Verb: "WATCH", ResourceVersion: "9999", LastRequest: request}
	events := []*event.Entry{&selected,
		{Seq: 2, At: time.Millisecond, Event: event.Restored{State: text(state), Items: store, StoreRV: "9999"}.Event()},
		{Seq: 3, At: time.Second, Event: event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: changing, RV: "10001"}.Event()}}
	var out bytes.Buffer
	if err := tracefile.WriteFile(&out, tracefile.Header{Selection: sel}, slices.Values(events)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestASecondOpinion compares the store of a process with a plain list of a simulated cluster.
func TestASecondOpinion(t *testing.T) {
	cluster := simcluster.New(simcluster.Options{Seed: 7, Objects: 20, Still: true})
	var asked []string
	var mu sync.Mutex
	refusal := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.RequestURI())
		code := refusal
		mu.Unlock()
		if code != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"conversion webhook for example.org/v1 failed: no endpoints","code":%d}`
			fmt.Fprintf(w, status, code)
			return
		}
		cluster.ServeHTTP(w, r)
	}))
	defer api.Close()
	resp, err := http.Get(api.URL + "/api/v1/pods")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	list, err := object.ParseList(body)
	if err != nil || len(list.Items) < 10 {
		t.Fatal(err, len(list.Items))
	}
	var same []event.Item
	for _, o := range list.Items {
		same = append(same, event.Item{Key: o.GetNamespace() + "/" + o.GetName(), RV: o.GetResourceVersion()})
	}
	older := slices.Clone(same)
	older[2].RV = "1"
	const first, request = "GET /api/v1/pods?limit=500", "/api/v1/pods?allowWatchBookmarks=true&resourceVersion=9999&watch=true"
	for _, tc := range []struct {
		name, resource, request string
		store                   []event.Item
		changing                string
		refusal                 int
		status                  int
		want, lists             string
	}{
		{"the same", "pods", request, same, "default/elsewhere", 0, 0, "a plain list has %d objects, version %v; the store differs in 0\n", first},
		{"older", "pods", request, older, "default/elsewhere", 0, 1, "only in the cluster: 0; in another version: 1 (" + same[2].Key, first},
		{"older, and it moves", "pods", request, older, same[2].Key, 0, 0, "differs in 0; not compared, because they changed meanwhile: 1", first},
		{"fewer", "pods", request, same[3:], "default/elsewhere", 0, 1, "only in the cluster: 3; in another version: 0 (", first},
		{"a ghost", "pods", request, append(slices.Clone(same), event.Item{Key: "shop/ghost", RV: "8000"}), "default/elsewhere", 0, 1,
			"Only in the store: 1; only in the cluster: 0; in another version: 0 (shop/ghost)", first},
		{"a selector", "pods", "/api/v1/namespaces/shop/pods?labelSelector=a%3Db&watch=true", nil, "shop/x", 0, 0, "a plain list has 0 objects",
			"GET /api/v1/namespaces/shop/pods?limit=500&labelSelector=a%3Db"},
		{"Secrets", "secrets", "/api/v1/namespaces/shop/secrets?watch=true", nil, "shop/x", 0, 0, "not listed: Secrets never are", ""},
		{"Secrets by a detour", "pods", "/api/v1/namespaces/shop/secrets/?watch=true", nil, "shop/x", 0, 0, "not listed", ""},
		{"Secrets, escaped", "pods", "/api/v1/%73ecrets?watch=true", nil, "shop/x", 0, 0, "not listed", ""},
		{"no list", "pods", "/api/v1/namespaces/shop/pods/a/proxy/restart?watch=true", nil, "shop/x", 0, 0, "not listed", ""},
		{"elsewhere", "pods", "http://elsewhere/api/v1/pods?watch=true", nil, "shop/x", 0, 0, "not listed", ""},
		{"refused", "pods", request, same, "default/elsewhere", 500, 1, "conversion webhook for example.org/v1 failed", first},
	} {
		t.Run(tc.name, func(t *testing.T) {
			recording := recordingOf(t, tc.resource, tc.request, tc.store, tc.changing)
			probe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-ndjson")
				_, _ = io.WriteString(w, recording)
			}))
			defer probe.Close()
			mu.Lock()
			asked, refusal = nil, tc.refusal
			mu.Unlock()
			out, status, err := examine(t, probe.URL, "--seconds=1", "--context=kind-kind", "--kubeconfig", kubeconfig(t, api.URL))
			want := tc.want
			if strings.Contains(want, "%d") {
				want = fmt.Sprintf(want, len(same), list.ResourceVersion)
			}
			if status != tc.status || !strings.Contains(strings.Join(strings.Fields(out), " "), strings.TrimSpace(want)) {
				t.Errorf("status %d, %v: %s\nwant %d, %s", status, err, out, tc.status, want)
			}
			if got := strings.Join(asked, "\n"); got != tc.lists {
				t.Errorf("the cluster was asked %s, want %s", got, tc.lists)
			}
		})
	}
	if _, status, err := examine(t, write0600(t, "x.trace", healthy()), "--context=kind-kind"); status != 2 || !strings.Contains(err.Error(), "give the URL") {
		t.Errorf("a recording beside a cluster: status %d, %v", status, err)
	}
	if _, status, err := examine(t, "http://127.0.0.1:1", "--context=nowhere", "--kubeconfig", kubeconfig(t, api.URL)); status != 2 ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an unknown context: status %d, %v", status, err)
	}
}
