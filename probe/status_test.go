package probe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func bare() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
}

// TestInformerErrors: an informer that is not seen is an error, and works.
func TestInformerErrors(t *testing.T) {
	p := New(Options{})
	if inf, err := p.Informer("pods", nil); inf != nil || err == nil {
		t.Errorf("nil: %v, %v", inf, err)
	}
	if _, err := p.Informer("", bare()); err == nil {
		t.Error("an informer without a name is seen")
	}
	for i := range maxLanes {
		if _, err := p.Informer(fmt.Sprint("r", i), bare()); err != nil {
			t.Fatal(err)
		}
	}
	one := bare()
	if inf, err := p.Informer("more", one); inf != one || err == nil {
		t.Errorf("beyond the limit: %v, %v", inf, err)
	}
	f := &generated{informers: map[reflect.Type]cache.SharedIndexInformer{}, source: newSource(0)}
	f.informer()
	if n, err := p.Factory(f); n != 0 || err == nil {
		t.Errorf("a factory beyond the limit: %d, %v", n, err)
	}
	if s := p.Status(); len(s.Informers) != maxLanes || s.LeftOut != 2 {
		t.Errorf("%d informers, %d left out", len(s.Informers), s.LeftOut)
	}
}

// TestStatus: a program learns without a request what its probe sees.
func TestStatus(t *testing.T) {
	p := New(Options{Objects: []string{"pods", "pod"}})
	if _, err := p.Informer("pods", bare()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Informer("nodes", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, nil)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pods", "others"} {
		defer NewQueue[string](p, QueueOptions{})(name, nil).ShutDown()
	}
	s := p.Status()
	if len(s.Informers) != 2 || s.Informers[0].Name != "pods" || s.Informers[0].Queue != "pods" || len(s.Informers[0].LayersOff) != 0 {
		t.Fatalf("%+v", s)
	}
	if s.Informers[1].LayersOff["store"] == "" {
		t.Error("the store of an informer without Indexers is not off")
	}
	if !reflect.DeepEqual(s.UnmatchedObjects, []string{"pod"}) || !reflect.DeepEqual(s.UnmatchedQueues, []string{"others"}) {
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
