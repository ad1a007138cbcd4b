package workqueue

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
)

// A client-go queue or limiter can be used where one of ours is wanted, and the other way round.
var (
	_ clientgo.TypedInterface[string]             = (*Typed[string])(nil)
	_ clientgo.TypedDelayingInterface[string]     = (*TypedDelayingQueue[string])(nil)
	_ clientgo.TypedRateLimitingInterface[string] = (*TypedRateLimitingQueue[string])(nil)
	_ clientgo.TypedRateLimiter[string]           = TypedRateLimiter[string](nil)
	_ TypedRateLimitingInterface[string]          = clientgo.TypedRateLimitingInterface[string](nil)
)

// pair holds two queues that are compared: ours and client-go's.
type pair struct {
	t            *testing.T
	ours, theirs TypedRateLimitingInterface[string]
	history      []string
}

// do calls f with both queues and compares the results, then the state of the queues.
func (p *pair) do(what string, f func(q TypedRateLimitingInterface[string]) string) string {
	p.t.Helper()
	p.history = append(p.history, what)
	ours := f(p.ours)
	theirs := f(p.theirs)
	synctest.Wait()
	if ours != theirs {
		p.fail(fmt.Sprintf("%s: ours returned %s, client-go's %s", what, ours, theirs))
	}
	if o, th := p.ours.Len(), p.theirs.Len(); o != th {
		p.fail(fmt.Sprintf("after %s: Len of ours is %d, of client-go's %d", what, o, th))
	}
	if o, th := p.ours.ShuttingDown(), p.theirs.ShuttingDown(); o != th {
		p.fail(fmt.Sprintf("after %s: ShuttingDown of ours is %v, of client-go's %v", what, o, th))
	}
	return ours
}

func (p *pair) fail(message string) {
	p.t.Helper()
	p.t.Fatalf("%s; the last steps: %v", message, p.history[max(0, len(p.history)-20):])
}

func get(q TypedRateLimitingInterface[string]) string {
	key, shutdown := q.Get()
	return fmt.Sprintf("%s %v", key, shutdown)
}

// TestSameAsClientGo makes the same random calls to our queue and to client-go's, at the same (fake) time.
func TestSameAsClientGo(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { compareOnce(t, seed) })
		})
	}
}

func compareOnce(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &pair{t: t,
		ours:   NewTypedRateLimitingQueue[string](nil),
		theirs: clientgo.NewTypedRateLimitingQueue(clientgo.DefaultTypedControllerRateLimiter[string]()),
	}
	defer p.theirs.ShutDown()
	defer p.ours.ShutDown()
	var taken []string
	takeOne := func() {
		var key string
		var shutdown bool
		fmt.Sscan(p.do("Get", get), &key, &shutdown)
		taken = append(taken, key)
	}
	nothing := func(f func(q TypedRateLimitingInterface[string])) func(q TypedRateLimitingInterface[string]) string {
		return func(q TypedRateLimitingInterface[string]) string { f(q); return "" }
	}
	for range 600 {
		key := keyNumber(r.IntN(12))
		switch r.IntN(10) {
		case 0, 1:
			p.do("Add "+key, nothing(func(q TypedRateLimitingInterface[string]) { q.Add(key) }))
		case 2, 3:
			// Few different delays, so that many keys are due at the same time.
			d := time.Duration(r.IntN(8)-1) * 10 * time.Millisecond
			p.do(fmt.Sprintf("AddAfter %s %v", key, d), nothing(func(q TypedRateLimitingInterface[string]) { q.AddAfter(key, d) }))
		case 4:
			p.do("AddRateLimited "+key, nothing(func(q TypedRateLimitingInterface[string]) { q.AddRateLimited(key) }))
		case 5:
			if r.IntN(4) == 0 {
				p.do("Forget "+key, nothing(func(q TypedRateLimitingInterface[string]) { q.Forget(key) }))
			}
			p.do("NumRequeues "+key, func(q TypedRateLimitingInterface[string]) string { return fmt.Sprint(q.NumRequeues(key)) })
		case 6, 7:
			if p.ours.Len() > 0 {
				takeOne()
			}
		case 8:
			if len(taken) > 0 {
				i := r.IntN(len(taken))
				k := taken[i]
				taken = append(taken[:i], taken[i+1:]...)
				p.do("Done "+k, nothing(func(q TypedRateLimitingInterface[string]) { q.Done(k) }))
			} else if r.IntN(5) == 0 {
				p.do("Done of an untaken "+key, nothing(func(q TypedRateLimitingInterface[string]) { q.Done(key) }))
			}
		case 9:
			advance(time.Duration(r.IntN(30)) * time.Millisecond)
			synctest.Wait()
			p.do("time", nothing(func(TypedRateLimitingInterface[string]) {}))
		}
	}
	// Let the waiting keys fall due, then empty both queues in the same order.
	if seed%2 == 0 {
		advance(2000 * time.Second)
		synctest.Wait()
	}
	if seed%4 < 2 {
		p.do("ShutDown", nothing(func(q TypedRateLimitingInterface[string]) { q.ShutDown() }))
		p.do("Add after ShutDown", nothing(func(q TypedRateLimitingInterface[string]) {
			q.Add("late")
			q.AddAfter("late", 1)
			q.AddRateLimited("late")
		}))
	}
	for p.ours.Len() > 0 {
		takeOne()
	}
	for _, k := range taken {
		p.do("Done "+k, nothing(func(q TypedRateLimitingInterface[string]) { q.Done(k) }))
	}
	for p.ours.Len() > 0 {
		takeOne()
	}
	if p.ours.ShuttingDown() {
		p.do("Get at the end", get)
	}
}

// TestDrainSameAsClientGo compares when ShutDownWithDrain returns.
func TestDrainSameAsClientGo(t *testing.T) {
	type queue = TypedRateLimitingInterface[string]
	for _, c := range []struct {
		name          string
		before, after func(queue)
	}{
		{"empty", func(queue) {}, func(queue) {}},
		{"only queued", func(q queue) { q.Add("a") }, func(queue) {}},
		{"only waiting", func(q queue) { q.AddAfter("a", time.Minute) }, func(queue) {}},
		{"processing", func(q queue) { q.Add("a"); q.Get() }, func(q queue) { q.Done("a") }},
		{"processing and dirty", func(q queue) { q.Add("a"); q.Get(); q.Add("a") }, func(q queue) { q.Done("a") }},
		{"one of two done", func(q queue) { q.Add("a"); q.Add("b"); q.Get(); q.Get() }, func(q queue) { q.Done("a") }},
		{"ShutDown meanwhile", func(q queue) { q.Add("a"); q.Get() }, func(q queue) { q.ShutDown() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			see := func(build func() queue) (seen string) {
				synctest.Test(t, func(t *testing.T) {
					q := build()
					c.before(q)
					drained := make(chan struct{})
					go func() {
						q.ShutDownWithDrain()
						close(drained)
					}()
					look := func() {
						synctest.Wait()
						select {
						case <-drained:
							seen += fmt.Sprintf("drained, len %d; ", q.Len())
						default:
							seen += fmt.Sprintf("draining, len %d; ", q.Len())
						}
					}
					look()
					c.after(q)
					look()
					q.ShutDown()
					look()
				})
				return seen
			}
			ours := see(func() queue { return NewTypedRateLimitingQueue[string](nil) })
			theirs := see(func() queue {
				return clientgo.NewTypedRateLimitingQueue(clientgo.DefaultTypedControllerRateLimiter[string]())
			})
			if ours != theirs {
				t.Errorf("\n     ours: %s\nclient-go: %s", ours, theirs)
			}
		})
	}
}
