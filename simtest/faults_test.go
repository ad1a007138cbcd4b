package simtest

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
)

// requestLog has the lists and watches of a client.
type requestLog struct {
	http.RoundTripper
	mu    sync.Mutex
	lists int // WatchLists too
	all   int
}

func (l *requestLog) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/configmaps") && r.Method == http.MethodGet {
		l.mu.Lock()
		l.all++
		if q := r.URL.Query(); !q.Has("watch") || q.Has("sendInitialEvents") {
			l.lists++
		}
		l.mu.Unlock()
	}
	return l.RoundTripper.RoundTrip(r)
}

func (l *requestLog) counts() (lists, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists, l.all
}

// world is a cluster with an informer of ConfigMaps that is synced, and a user who writes.
type world struct {
	t      *testing.T
	c      *Cluster
	user   kubernetes.Interface
	lister corelisters.ConfigMapLister
	log    *requestLog
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := Start(t, Options{Seed: 7})
	w := &world{t: t, c: c, user: kubernetes.NewForConfigOrDie(c.UserConfig()), log: &requestLog{}}
	config := rest.CopyConfig(c.Config())
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		w.log.RoundTripper = next
		return w.log
	})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	w.lister = factory.Core().V1().ConfigMaps().Lister()
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	time.Sleep(time.Second) // client-go lists again after a shorter watch that brought nothing
	return w
}

func (w *world) create(name string) {
	w.t.Helper()
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := w.user.CoreV1().ConfigMaps("default").Create(w.t.Context(), m, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// expect compares the informer's store, when nothing moves any more, with these names.
func (w *world) expect(when string, names ...string) {
	w.t.Helper()
	synctest.Wait()
	var got []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := w.lister.ConfigMaps("default").Get(name); err == nil {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, names) {
		w.t.Errorf("%s the store has %v, not %v", when, got, names)
	}
}

func TestHoldWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.create("a")
		w.expect("before the hold", "a")
		release := w.c.HoldWatch("configmaps")
		second := w.c.HoldWatch("configmaps")
		w.create("b")
		time.Sleep(time.Minute)
		w.expect("during the hold", "a")
		release()
		release()
		w.expect("during the second hold", "a")
		second()
		w.expect("after the hold", "a", "b")
		if lists, _ := w.log.counts(); lists != 1 {
			t.Errorf("the informer listed %d times", lists)
		}
	})
}

func TestCutWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		_, before := w.log.counts()
		release := w.c.HoldWatch("configmaps")
		w.create("a")
		synctest.Wait() // the watch waits with the event
		w.c.CutWatches()
		release()
		time.Sleep(time.Minute)
		w.expect("after the cut", "a")
		if lists, all := w.log.counts(); lists != 1 || all <= before {
			t.Errorf("the informer listed %d times, and sent %d requests after the cut", lists, all-before)
		}
	})
}

func TestCompact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		release := w.c.HoldWatch("configmaps")
		w.create("a")
		w.c.Compact()
		w.c.CutWatches()
		release()
		time.Sleep(time.Minute)
		w.expect("after the compaction", "a")
		if lists, _ := w.log.counts(); lists != 2 {
			t.Errorf("the informer listed %d times, not again because of the 410", lists)
		}
	})
}

func TestLagBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.create("a")
		w.create("b")
		w.expect("before the lag", "a", "b")
		w.c.LagBehind(1)
		w.create("c")
		old, err := w.user.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			t.Fatal(err)
		}
		exists := func(name string) bool {
			return slices.ContainsFunc(old.Items, func(m corev1.ConfigMap) bool { return m.Name == name })
		}
		if !exists("a") || exists("b") || exists("c") {
			t.Errorf("a list from the cache, which is one version behind, has %v", old.Items)
		}
		time.Sleep(time.Minute)
		w.expect("during the lag", "a", "b")
		w.c.LagBehind(0)
		time.Sleep(time.Minute)
		w.expect("after the lag", "a", "b", "c")
	})
}

func TestUnknownResource(t *testing.T) {
	f := runFake(t, func(f *fakeT) { Start(f, Options{}).HoldWatch("pod") })
	if !strings.Contains(f.text.String(), `no resource "pod", but`) {
		t.Errorf("a hold of an unknown resource says %q", &f.text)
	}
}
