package probe

import (
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// TestDrop: a drop belongs to the handler's call that runs on its goroutine. Without such a call, or without a viewer, nothing is logged.
func TestDrop(t *testing.T) {
	if !joints.KnowsGoroutines {
		t.Skip("needs joints: the probe does not know goroutines here")
	}
	s := newSource(0)
	p := New(Options{})
	inf := mustInform(t, p, "things", cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	var calls atomic.Int64
	drop := func() {
		p.Drop("generation")
		other := make(chan struct{})
		go func() { defer close(other); p.Drop("of another goroutine") }()
		<-other
		calls.Add(1)
	}
	if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { drop() }, UpdateFunc: func(_, _ any) { drop() }, DeleteFunc: func(any) { drop() },
	}); err != nil {
		t.Fatal(err)
	}
	run(t, inf)
	s.set(0)
	eventually(t, "it is handled without a viewer", func() bool { return calls.Load() == 1 })
	if p.head() != 0 {
		t.Error("something was logged without a viewer")
	}
	r, _ := attach(t, p)
	p.Drop("of no call")
	for i, change := range []func(){func() { s.set(0) }, func() { s.set(1) }, func() { s.remove(0) }} {
		change() // one after the other: the queue puts changes of one object together
		eventually(t, "it is handled", func() bool { return r.count("Handled") == i+1 })
	}
	sameLines(t, "drops", linesOf(r, "PredicateDropped"), []string{
		"PredicateDropped ns0/o00000 li1 m0 Updated rv2 srv generation f=false",
		"PredicateDropped ns1/o00001 li1 m0 Added rv3 srv generation f=false",
		"PredicateDropped ns0/o00000 li1 m0 Deleted rv4 srv generation f=false",
	})
	noLayerOff(t, p)
}
