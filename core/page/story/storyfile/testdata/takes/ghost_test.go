package take

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestPodsOf: what it returns may be changed. It finds the entry that stays in the index when a pod of the store was changed: under another label's pod, and
// under none.
func TestPodsOf(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"app": func(obj any) ([]string, error) {
		return []string{obj.(*corev1.Pod).Labels["app"]}, nil
	}})
	pod := func(app string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", Labels: map[string]string{"app": app}}}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(app string, want int, good bool) {
		t.Helper()
		if pods, err := podsOf(indexer, app); len(pods) != want || (err == nil) != good {
			t.Errorf("under %s: %v, %v", app, pods, err)
		}
	}
	must(indexer.Add(pod("cart")))
	pods, err := podsOf(indexer, "cart")
	if err != nil || len(pods) != 1 {
		t.Fatal(pods, err)
	}
	pods[0].Labels["app"] = "mine" // a copy
	check("cart", 1, true)
	must(indexer.Update(pod("shop")))
	check("cart", 0, true)
	check("shop", 1, true)

	stored, _, err := indexer.GetByKey("ns/web")
	must(err)
	stored.(*corev1.Pod).Labels["app"] = "mine"
	check("shop", 0, false) // the pod itself
	must(indexer.Update(pod("cart")))
	check("cart", 1, true)
	check("shop", 0, false) // the pod, with another label
	must(indexer.Delete(pod("cart")))
	check("cart", 0, true)
	check("shop", 0, false) // nil
}
