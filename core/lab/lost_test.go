package lab

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/selection"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"

	"informerscope/core/log/trace/tracetest"
)

// simulatedPods asks a simulated cluster for its pods, and returns resourceVersions by key.
func simulatedPods(t *testing.T, cluster *simcluster.Cluster) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	cluster.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://simulated.cluster/api/v1/pods", nil))
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d, %v: %s", w.Code, err, w.Body)
	}
	pods := map[string]string{}
	for i := range list.Items {
		pods[list.Items[i].Namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
	}
	return pods
}

// TestNothingIsLostToAFault applies every fault to a simulated cluster, one after the other and all together, in old releases and new, while the cluster
// changes. Afterwards each store holds what the cluster has, version by version, and each handler last received the same.
func TestNothingIsLostToAFault(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	type step struct {
		name string
		on   bool // it stays on for a while
	}
	broken := map[string][]step{
		"cut": {{name: "cut"}}, "refused": {{name: "refuse", on: true}}, "410": {{name: "410"}}, "429": {{name: "429"}}, "500": {{name: "500"}},
		"compacted": {{name: "compact"}}, "restarted": {{name: "restart"}}, "no bookmarks": {{name: "nobookmarks", on: true}},
		"delayed":              {{name: "delay", on: true}},
		"compacted while away": {{name: "refuse", on: true}, {name: "compact"}},
		"restarted while away": {{name: "refuse", on: true}, {name: "restart"}},
		"everything": {{name: "delay", on: true}, {name: "nobookmarks", on: true}, {name: "cut"}, {name: "500"}, {name: "refuse", on: true},
			{name: "compact"},
			{name: "429"}, {name: "restart"}, {name: "410"}},
	}
	for name, steps := range broken {
		all := releases.Names()
		if len(steps) == 1 {
			all = []string{all[0], all[len(all)-1]}
		}
		for _, release := range all {
			t.Run(name+"/"+release, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, rec := start(t, selection.Change{Release: &release, Rate: ptr(30.0)})
					pass(5 * time.Second)
					for _, s := range steps {
						args := FaultArgs{Millis: 300}
						if s.on {
							args.On = ptr(true)
						}
						if _, err := l.Informer(0).Fault(s.name, args); err != nil {
							t.Fatal(err)
						}
						pass(2 * time.Second)
					}
					pass(10 * time.Second)
					for _, s := range slices.Backward(steps) {
						if s.on {
							if _, err := l.Informer(0).Fault(s.name, FaultArgs{On: ptr(false)}); err != nil {
								t.Fatal(err)
							}
						}
					}
					pass(20 * time.Second)
					if _, err := l.Cluster("rate", ClusterArgs{}); err != nil { // let it become idle
						t.Fatal(err)
					}
					pass(3 * time.Minute)
					if s := state(rec); s.Reflector.Phase != "watching" {
						t.Errorf("the Reflector is %s: %s", s.Reflector.Phase, s.Reflector.LastError)
					}
					head, _ := rec.Head()
					var events []event.Entry
					for e := range rec.Events(rec.First(), head) {
						events = append(events, *e)
					}
					if words := tracetest.DescribeLost(events, 0, simulatedPods(t, l.src.cluster)); words != "" {
						t.Error(words)
					}
				})
			})
		}
	}
}
