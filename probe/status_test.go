package probe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

func bare() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
}

// TestInformerErrors: an informer that is not seen is an error, and works.
func TestInformerErrors(t *testing.T) {
	p := New(Options{})
	if inf, err := p.Informer(gvr("pods"), nil); inf != nil || err == nil {
		t.Errorf("nil: %v, %v", inf, err)
	}
	for _, resource := range []schema.GroupVersionResource{{}, {Version: "v1"}, {Resource: "Pods"}, {Resource: "pods,nodes"}, {Resource: "pods/status"},
		{Resource: "my pods"}, {Resource: "deployments.apps"}, {Resource: "pods", Group: "-"}, {Resource: "pods", Group: "a/v1"},
		{Resource: "pods", Version: "v1\n"}} {
		if inf, err := p.Informer(resource, bare()); err == nil || len(p.informers()) > 0 || inf == nil {
			t.Errorf("an informer of %#v is seen", resource)
		}
	}
	for i := range maxLanes {
		if _, err := p.Informer(gvr(fmt.Sprint("r", i)), bare()); err != nil {
			t.Fatal(err)
		}
	}
	one := bare()
	if inf, err := p.Informer(gvr("more"), one); inf != one || err == nil {
		t.Errorf("beyond the limit: %v, %v", inf, err)
	}
	f := &generated{informers: map[reflect.Type]cache.SharedIndexInformer{}, source: newSource(0)}
	f.informer()
	if seen, err := p.Factory(f); len(seen) != 0 || err == nil {
		t.Errorf("a factory beyond the limit: %v, %v", seen, err)
	}
	left := 2
	if !joints.Available { // the factory's is not counted
		left = 1
	}
	if s := p.Status(); len(s.Informers) != maxLanes || s.LeftOut != left {
		t.Errorf("%d informers, %d left out", len(s.Informers), s.LeftOut)
	}
}

// TestStatus: a program learns without a request what its probe sees.
func TestStatus(t *testing.T) {
	needsJoints(t, "an index function")
	p := New(Options{Objects: []schema.GroupVersionResource{gvr("pods"), gvr("pod")}})
	if _, err := p.Informer(gvr("pods"), bare()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Informer(gvr("nodes"), cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, nil)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pods", "others", "pod"} {
		defer NewQueue[string](p, QueueOptions{})(name, nil).ShutDown()
	}
	defer NewQueue[string](p, QueueOptions{Informer: gvr("deploymnets.apps")})("x", nil).ShutDown()
	s := p.Status()
	if len(s.Informers) != 2 || s.Informers[0].Name != "pods" || s.Informers[0].Queue != "pods" || len(s.Informers[0].LayersOff) != 0 {
		t.Fatalf("%+v", s)
	}
	if s.Informers[1].LayersOff["store"] == "" {
		t.Error("the store of an informer without Indexers is not off")
	}
	want := []string{`Options.Objects names "pod", which no informer is called; the informers are nodes, pods`,
		`the work queue "others" has no informer: none is called "others"; the informers are nodes, pods; name one in QueueOptions.Informer`,
		`the work queue "pod" is not shown: pods has another one`,
		`the work queue "x" has no informer: none is called "deploymnets.apps"; the informers are nodes, pods; name one in QueueOptions.Informer`,
		`nodes: store is not seen: the informer was made with nil Indexers; make it with cache.Indexers{}`}
	if err := s.Err(); err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("the errors are\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	if err := s.Informers[0].Err(); err != nil {
		t.Error(err)
	}
	if !reflect.DeepEqual(s.UnmatchedObjects, []string{"pod"}) || !reflect.DeepEqual(s.UnmatchedQueues, []string{"others", "pod", "x"}) {
		t.Errorf("%+v", s)
	}
}

// TestClose: a closed probe ends its recordings, admits no client, and leaves the informers running.
func TestClose(t *testing.T) {
	s := newSource(1)
	p, inf := newInformer(t, s, new(atomic.Int64))
	run(t, inf)
	r, end := attach(t, p)
	p.Close()
	if n := goroutinesOfTheProbe(t); n != 0 {
		t.Errorf("%d goroutines of the probe run", n)
	}
	if p.ring != nil || p.attached.Load() {
		t.Error("it still records")
	}
	end()
	if len(r.all()) == 0 {
		t.Error("there was no recording")
	}
	srv := httptest.NewServer(p.Handler())
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/trace?seconds=1")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusGone {
		t.Errorf("a client after the end gets %s", resp.Status)
	}
	s.set(0)
	eventually(t, "the informer runs", func() bool { return storeOf(inf)["ns0/o00000"] == "2" })
	p.Close()
}
