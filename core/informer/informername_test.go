package informer

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/tools/cache"
)

// identity is an informer identity of either library.
type identity interface {
	Reserved() bool
	Name() string
	GroupVersionResource() schema.GroupVersionResource
}

// TestInformerNames makes the same calls to both registries and compares the results of each.
func TestInformerNames(t *testing.T) {
	pods, nodes := schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	type names struct {
		create   func(string) (any, error)
		resource func(n any, gvr schema.GroupVersionResource) identity
		release  func(n any)
		name     func(n any) string
		reset    func()
	}
	run := func(r names) (log []string) {
		say := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
		var ids []identity
		take := func(n any, gvr schema.GroupVersionResource) {
			ids = append(ids, r.resource(n, gvr))
		}
		all := func() {
			for _, id := range ids {
				say("%s %s %v", id.Name(), id.GroupVersionResource(), id.Reserved())
			}
		}
		_, err := r.create("")
		say("empty: %v", err)
		a, err := r.create("a")
		say("a: %v %s", err, r.name(a))
		_, err = r.create("a")
		say("a again: %v", err)
		take(a, pods)
		take(a, pods) // the first call has reserved it
		take(a, nodes)
		take(nil, pods)
		all()
		r.release(a)
		all()
		take(a, pods) // too late
		b, err := r.create("a")
		say("a released: %v", err)
		take(b, pods)
		all()
		r.release(a) // a second release
		all()
		_, err = r.create("a")
		say("a released twice: %v", err)
		r.release(nil)
		say("nil: %q", r.name(nil))
		r.reset()
		all()
		c, err := r.create("a")
		say("after reset: %v", err)
		r.release(c)
		return log
	}
	got := run(names{
		create: func(s string) (any, error) { return NewInformerName(s) },
		resource: func(n any, gvr schema.GroupVersionResource) identity {
			name, _ := n.(*InformerName)
			return name.WithResource(gvr)
		},
		release: func(n any) { name, _ := n.(*InformerName); name.Release() },
		name:    func(n any) string { name, _ := n.(*InformerName); return name.Name() },
		reset:   ResetInformerNamesForTesting,
	})
	want := run(names{
		create: func(s string) (any, error) { return clientgo.NewInformerName(s) },
		resource: func(n any, gvr schema.GroupVersionResource) identity {
			name, _ := n.(*clientgo.InformerName)
			return name.WithResource(gvr)
		},
		release: func(n any) { name, _ := n.(*clientgo.InformerName); name.Release() },
		name:    func(n any) string { name, _ := n.(*clientgo.InformerName); return name.Name() },
		reset:   clientgo.ResetInformerNamesForTesting,
	})
	equal(t, "informer names", got, want)
	if !slices.Contains(want, "a  /v1, Resource=pods true") && !slices.Contains(want, "a /v1, Resource=pods true") {
		t.Errorf("nothing was ever reserved: %q", want)
	}
}
