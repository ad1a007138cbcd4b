package conformance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer"
)

// TestAMutatedObjectStaysInItsIndex: an index entry of an object that somebody mutated outlives an update with another value, and the object itself. ByIndex
// then returns the wrong object, or nil. The story mutate says so.
func TestAMutatedObjectStaysInItsIndex(t *testing.T) {
	byApp := func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil }
	pod := func(app string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", Labels: map[string]string{"app": app}}}
	}
	type indexer interface {
		Add(any) error
		Update(any) error
		Delete(any) error
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
			do := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			held := pod("cart")
			do(s.Add(held))
			held.Labels["app"] = "mine" // what a handler must not do
			do(s.Update(pod("shop")))
			if found := under("cart"); len(found) != 1 || found[0].(*corev1.Pod).Labels["app"] != "shop" {
				t.Errorf("under cart: %v", found)
			}
			do(s.Delete(pod("shop")))
			if found := under("cart"); len(found) != 1 || found[0] != nil {
				t.Errorf("under cart, after the deletion: %v", found)
			}
		})
	}
}
