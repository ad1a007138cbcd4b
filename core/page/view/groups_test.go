package view_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"informerscope/core/words/event"
)

// TestGroupsThatAreGoneAreForgotten: a label whose values churn leaves nothing behind. Frames and memory are as large as the existing groups, and each cell
// shows its own group.
func TestGroupsThatAreGoneAreForgotten(t *testing.T) {
	x := newTale(t, "1.37")
	x.emit(event.IndexersAdded{Names: "hash"}.Event())
	x.v.GroupBy("hash")
	p := &page{t: t}
	rng := rand.New(rand.NewPCG(1, 1))
	const objects = 20
	put := func(kind event.Kind, i int, value string) {
		x.emit(event.Stored{Kind: kind, Key: fmt.Sprint("ns/pod-", i), StoreRV: "9",
			Indexed: []event.IndexValues{{Index: "hash", Values: []string{value}}}}.Event())
	}
	for i := range objects {
		put(event.KindStoreAdded, i, "first")
	}
	most := 0
	for n := range 1500 {
		put(event.KindStoreUpdated, rng.IntN(objects), fmt.Sprint("hash-", n))
		if rng.IntN(8) == 0 && p.take(x.v) {
			p.check(x.rec, "hash")
			most = max(most, len(p.groups))
		}
	}
	if most > 5*objects {
		t.Errorf("%d objects in %d groups", objects, most)
	}

	// Many groups at once, and then few.
	for i := range 3000 {
		put(event.KindStoreAdded, 1000+i, fmt.Sprint("many-", i))
	}
	for p.take(x.v) {
	}
	p.check(x.rec, "hash")
	for i := range 3000 {
		x.emit(event.StoreDeleted{Key: fmt.Sprint("ns/pod-", 1000+i), StoreRV: "9"}.Event())
	}
	for range 3 {
		p.take(x.v)
		p.check(x.rec, "hash")
	}
	if len(p.groups) > 5*objects {
		t.Errorf("%d objects in %d groups after there were many", objects, len(p.groups))
	}
}

// TestObjectsWithoutAValueAreCounted: objects without a value in an index have a group of their own, with its count, even without an index.
func TestObjectsWithoutAValueAreCounted(t *testing.T) {
	x := newTale(t, "1.37")
	for _, key := range []string{"a", "b", "c"} {
		x.emit(event.Stored{Kind: event.KindStoreAdded, Key: key, RV: "1"}.Event())
	}
	if f := string(x.v.Frame()); !strings.Contains(f, `"list":[["(none)",3]]`) {
		t.Errorf("groups of objects without a value: %s", f)
	}
}
