package conformance

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/informer/conformance/play"
)

// counter is a handler that counts its calls.
type counter struct{ initial, calls *int }

func (c counter) OnAdd(_ any, initial bool) {
	if initial {
		*c.initial++
	}
	*c.calls++
}

func (c counter) OnUpdate(any, any) { *c.calls++ }
func (c counter) OnDelete(any)      { *c.calls++ }

// testLeaked checks that each AddEventHandler adds a handler: it gets the whole store, then every change, and keeps goroutines. RemoveEventHandler ends that.
func testLeaked(t *testing.T) {
	runBoth(t, `
6 handlers more: 18 initial OnAdds, 0 LISTs more
a hundred changes: 600 calls
all removed, a hundred changes: 0 calls, 0 goroutines more`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a", "b", "d")
		i := newSharedInformer(t, mine, c, listener{})
		sleepAndSettle(time.Second)
		lists, before := c.listCount(), listenerGoroutines()
		var initial, calls [6]int
		var registrations []play.Registration
		for n := range initial {
			r, err := i.AddHandler(counter{&initial[n], &calls[n]}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			registrations = append(registrations, r)
		}
		sleepAndSettle(time.Second)
		say("6 handlers more: %d initial OnAdds, %d LISTs more", sum(initial), c.listCount()-lists)
		// The story speaks of client-go's pop and run; core/informer does the work of both in one goroutine.
		if more := listenerGoroutines() - before; !mine && more != 2*len(registrations) {
			t.Errorf("%d handlers more run in %d goroutines more", len(registrations), more)
		}
		change := func() int {
			before := sum(calls)
			for range 100 {
				c.put("a")
				synctest.Wait()
			}
			return sum(calls) - before
		}
		say("a hundred changes: %d calls", change())
		for _, r := range registrations {
			if err := i.Remove(r, false); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		say("all removed, a hundred changes: %d calls, %d goroutines more", change(), listenerGoroutines()-before)
	})
}

func sum(ns [6]int) (all int) {
	for _, n := range ns {
		all += n
	}
	return all
}

// listenerGoroutines returns how many goroutines run a method of a processorListener, of either library.
func listenerGoroutines() (n int) {
	text := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		frames, _, _ := strings.Cut(stack, "\ncreated by ")
		if strings.Contains(frames, ".(*processorListener).") {
			n++
		}
	}
	return n
}
