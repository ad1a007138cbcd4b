package conformance

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	clientqueue "k8s.io/client-go/util/workqueue"

	"informerscope/core/client/workqueue"
)

// defaultQueue is a queue with the limiter that controllers use by default.
func defaultQueue(t *testing.T, mine bool) workqueue.TypedRateLimitingInterface[string] {
	var q workqueue.TypedRateLimitingInterface[string]
	if mine {
		q = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	} else {
		q = clientqueue.NewTypedRateLimitingQueue(clientqueue.DefaultTypedControllerRateLimiter[string]())
	}
	t.Cleanup(q.ShutDown)
	return q
}

// testRateLimited starts a controller of 5,000 objects whose handler calls Add, and one whose handler calls AddRateLimited. A minute later comes one more.
func testRateLimited(t *testing.T) {
	runBoth(t, `
Add: 5000 keys in the first second, 5000 after a minute; a new object waits for 0s
AddRateLimited: 110 keys in the first second, 700 after a minute; a new object waits for 7m10.1s, comes as key 5001, and nothing has failed`,
		func(t *testing.T, mine bool, say func(string, ...any)) {
			for _, limited := range []bool{false, true} {
				c := newSmall()
				for n := range 5000 {
					c.put(fmt.Sprintf("o%d", n))
				}
				q := defaultQueue(t, mine)
				call := q.Add
				if limited {
					call = q.AddRateLimited
				}
				newSharedInformer(t, mine, c, listener{add: func(o any) { call(keyOf(o)) }})
				var taken atomic.Int64
				came := make(chan int64, 1) // the new object: as which key
				go func() {
					for {
						key, shutdown := q.Get()
						if shutdown {
							return
						}
						if n := taken.Add(1); key == "ns/new" {
							came <- n
						}
						q.Forget(key)
						q.Done(key)
					}
				}()
				<-time.After(time.Second + 50*time.Millisecond)
				synctest.Wait()
				first := taken.Load()
				<-time.After(59 * time.Second)
				synctest.Wait()
				second := taken.Load()
				made := time.Now()
				c.put("new")
				place := <-came
				waited := time.Since(made).Round(100 * time.Millisecond)
				if limited {
					say("AddRateLimited: %d keys in the first second, %d after a minute; a new object waits for %v, comes as key %d, and nothing has failed",
						first, second, waited, place)
				} else {
					say("Add: %d keys in the first second, %d after a minute; a new object waits for %v", first, second, waited)
				}
				q.ShutDown()
				synctest.Wait()
			}
		})
}
