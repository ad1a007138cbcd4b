package fold

import (
	"fmt"
	"runtime"
	"testing"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
	"informerscope/core/words/releases"
)

// alike returns 2^n keys with the same hash.
func alike(n int) []string {
	keys := []string{""}
	state := uint32(2166136261)
	fnv := func(h uint32, s string) uint32 {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint32(s[i])) * 16777619
		}
		return h
	}
	for range n {
		seen := map[uint32]string{}
		for i := 0; ; i++ {
			block := fmt.Sprintf("%08x", i)
			h := fnv(state, block)
			if other, ok := seen[h]; ok {
				for _, k := range keys {
					keys = append(keys, k+block)
				}
				for j := range len(keys) / 2 {
					keys[j] += other
				}
				state = h
				break
			}
			seen[h] = block
		}
	}
	return keys
}

// TestAFoldIsBounded: an endless log of objects, queue entries and keys that are never removed leaves a fold of bounded size. Its work for an event does not
// grow either.
func TestAFoldIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	f := NewFold()
	put := func(kind event.Kind, key string) {
		f.Apply(&event.Entry{Event: event.New(kind, event.Members{Key: key})})
	}
	for i := range persistent.MaxKept + 2 {
		key := fmt.Sprint("ns/", i)
		put(event.KindStoreAdded, key)
		put(event.KindQueued, key)
		put(event.KindWorkAdded, key)
	}
	l := &f.lanes[0]
	objects, line, work := l.store.objects.Len(), l.queue.line.Len(), l.work.fifo.Len()
	if max(objects, line, work) != persistent.MaxKept || min(objects, line, work) != persistent.MaxKept {
		t.Errorf("%d objects, %d deltas and %d keys are kept, not %d", objects, line, work, persistent.MaxKept)
	}

	f = NewFold()
	l = &f.lanes[0]
	for _, key := range alike(8) {
		put(event.KindStoreAdded, key)
	}
	if n := l.store.objects.Len(); n < 2 || n > 64 {
		t.Errorf("of 256 keys with one hash %d are kept", n)
	}
	f.Clone().Baseline()

	// The deltas of one key, in a release that keeps them together.
	f = NewFold()
	f.lanes[0].setRelease(releases.V131)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.TotalAlloc
	for range maxDeltas + 10 {
		put(event.KindQueued, "ns/a")
	}
	runtime.ReadMemStats(&m)
	if d, _ := f.lanes[0].queue.keys.Get("ns/a"); len(d.list) != maxDeltas || m.TotalAlloc-before > 256<<20 {
		t.Errorf("%d deltas, %d bytes allocated", len(d.list), m.TotalAlloc-before)
	}
	// A clone has its own list.
	g := f.Clone()
	f.Apply(&event.Entry{Event: event.Popped{Key: "ns/a"}.Event()})
	put(event.KindQueued, "ns/b")
	h := f.Clone()
	put(event.KindQueued, "ns/b")
	h.Apply(&event.Entry{Event: event.Queued{Key: "ns/b", RV: "h"}.Event()})
	put(event.KindQueued, "ns/b")
	if a, b, c := f.lanes[0].queue, g.lanes[0].queue, h.lanes[0].queue; a.len() != 1 || b.len() != 1 || c.len() != 1 {
		t.Errorf("%d, %d, %d keys", a.len(), b.len(), c.len())
	} else if a, _ := a.keys.Get("ns/b"); len(a.list) != 3 || a.list[1].rv != "" {
		t.Errorf("deltas %+v", a.list)
	} else if c, _ := c.keys.Get("ns/b"); len(c.list) != 2 || c.list[1].rv != "h" {
		t.Errorf("deltas of the clone %+v", c.list)
	}
}
