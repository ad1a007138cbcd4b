package conformance

import (
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer"
	"informerscope/core/informer/conformance/play"
)

// testGhost deletes an object that a handler changed. Its key stays in the index, until a relist replaces the store. An object that no handler changed
// leaves the index when it is deleted.
func testGhost(t *testing.T) {
	runBoth(t, `
a handler changed a: the store has [ns/a ns/b], the index map[web:[ns/a ns/b]]
both are deleted: the store has [], the index map[web:[ns/a]]
a new one: the store has [ns/c], the index map[web:[ns/a ns/c]]
a relist: the store has [ns/c], the index map[web:[ns/c]]`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a", "b")
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		i := run(t, lib.Shared(play.Options{Source: c, Indexers: map[string]play.IndexFunc{"app": func(o any) ([]string, error) {
			return []string{o.(metav1.Object).GetLabels()["app"]}, nil
		}}}), listener{add: func(o any) {
			if keyOf(o) == "ns/a" {
				o.(metav1.Object).GetLabels()["app"] = "mine"
			}
		}})
		tell := func(what string) {
			sleepAndSettle(2 * time.Second)
			v := i.View()
			slices.Sort(v.Keys)
			say("%s: the store has %v, the index %v", what, v.Keys, v.Indices["app"])
		}
		tell("a handler changed a")
		c.remove("a")
		c.remove("b")
		tell("both are deleted")
		c.put("c")
		tell("a new one")
		expired := apierrors.NewResourceExpired("too old resource version").Status()
		c.streams[0].Error(&expired)
		tell("a relist")
	})
}

// remove deletes an object.
func (c *small) remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv++
	o := c.objects[name].DeepCopy()
	o.ResourceVersion = strconv.Itoa(c.rv)
	delete(c.objects, name)
	for _, w := range c.streams {
		w.Delete(o.DeepCopy())
	}
}

// TestAMutatedObjectStaysInItsIndex: an index entry of an object that somebody mutated outlives an update with another value, and the object itself. ByIndex
// then returns the wrong object, or nil. A store that is replaced as a whole has no such entry. The story ghost says so.
func TestAMutatedObjectStaysInItsIndex(t *testing.T) {
	byApp := func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil }
	pod := func(app string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", Labels: map[string]string{"app": app}}}
	}
	type indexer interface {
		Add(any) error
		Update(any) error
		Delete(any) error
		Replace([]any, string) error
		ByIndex(name, value string) ([]any, error)
	}
	for name, s := range map[string]indexer{
		"client-go": cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"app": byApp}),
		"ours":      informer.NewIndexer(informer.MetaNamespaceKeyFunc, informer.Indexers{"app": byApp}),
	} {
		t.Run(name, func(t *testing.T) {
			under := func(app string) []any {
				t.Helper()
				found, err := s.ByIndex("app", app)
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			held := pod("cart")
			must(s.Add(held))
			held.Labels["app"] = "mine" // what a handler must not do
			must(s.Update(pod("shop")))
			if found := under("cart"); len(found) != 1 || found[0].(*corev1.Pod).Labels["app"] != "shop" {
				t.Errorf("under cart: %v", found)
			}
			must(s.Delete(pod("shop")))
			if found := under("cart"); len(found) != 1 || found[0] != nil {
				t.Errorf("under cart, after the deletion: %v", found)
			}
			must(s.Replace([]any{pod("shop")}, "9"))
			if found := under("cart"); len(found) != 0 {
				t.Errorf("under cart, after a replacement: %v", found)
			}
			held = pod("cart")
			must(s.Update(held))
			written := held.DeepCopy()
			written.Labels["app"] = "mine"
			must(s.Delete(held))
			if found := under("cart"); len(found) != 0 {
				t.Errorf("under cart, after a copy was changed: %v", found)
			}
		})
	}
}
