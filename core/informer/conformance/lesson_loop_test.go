package conformance

import (
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// annotate sets an annotation of an object. As with an API server, an update that changes nothing makes no version.
func (c *small) annotate(name, key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects[name].Annotations[key] == value {
		return
	}
	o := c.objects[name].DeepCopy()
	metav1.SetMetaDataAnnotation(&o.ObjectMeta, key, value)
	c.rv++
	o.ResourceVersion = strconv.Itoa(c.rv)
	c.objects[name] = o
	for _, w := range c.streams {
		w.Modify(o.DeepCopy())
	}
}

// testLoop runs a controller whose reconcile writes. If each write differs, one change causes reconciles without end. If it does not, one more reconcile
// follows a write and finds nothing to do.
func testLoop(t *testing.T) {
	runBoth(t, `
it writes what it saw: 2 reconciles, 1 version made, 1 OnUpdate
one change from outside: 1 reconcile, 0 versions made, 1 OnUpdate
it writes the time too, and one change: over 200 reconciles in a second true, as many versions true, as many OnUpdates true, 0 keys failed
it writes what differs again: after a second 0 reconciles`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		q := queue(t, mine)
		var updates, reconciles atomic.Int64
		i := newSharedInformer(t, mine, c, listener{
			add: func(o any) { q.Add(keyOf(o)) },
			update: func(o any) {
				updates.Add(1)
				q.Add(keyOf(o))
			},
		})
		var always atomic.Bool
		go func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				reconciles.Add(1)
				app := i.View().Objects[0].(metav1.Object).GetLabels()["app"]
				<-time.After(4 * time.Millisecond)
				c.annotate("a", "seen", app)
				if always.Load() {
					c.annotate("a", "at", time.Now().Format(time.RFC3339Nano))
				}
				q.Forget(key)
				q.Done(key)
			}
		}()
		versions := func() int {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.rv
		}
		made := versions()
		count := func() (r, v, u int) {
			<-time.After(time.Second)
			synctest.Wait()
			r, v, u = int(reconciles.Swap(0)), versions()-made, int(updates.Swap(0))
			made = versions()
			return r, v, u
		}
		r, v, u := count()
		say("it writes what it saw: %d reconciles, %d version made, %d OnUpdate", r, v, u)
		c.annotate("a", "x", "1")
		r, v, u = count()
		say("one change from outside: %d reconcile, %d versions made, %d OnUpdate", r, v-1, u)
		always.Store(true)
		c.annotate("a", "x", "2")
		r, v, u = count()
		near := func(n int) bool { return n >= r-1 && n <= r+1 }
		say("it writes the time too, and one change: over 200 reconciles in a second %v, as many versions %v, as many OnUpdates %v, %d keys failed",
			r > 200, near(v), near(u), q.NumRequeues("ns/a"))
		always.Store(false)
		count()
		r, _, _ = count()
		say("it writes what differs again: after a second %d reconciles", r)
		q.ShutDown()
		synctest.Wait()
	})
}
