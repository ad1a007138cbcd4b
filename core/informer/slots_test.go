package informer

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"
)

// TestSlotTables compares the store's tables with Go's maps through random adds and removes.
func TestSlotTables(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var set idSet
	var table slotTable
	want := map[int]bool{}
	hashOf := func(id int) uint32 { return uint32(id) * 7 % 64 } // many collisions
	for range 20_000 {
		id := rng.Intn(600)
		if rng.Intn(2000) == 0 {
			for id := range want {
				set.remove(id)
				table.remove(hashOf(id), id)
				delete(want, id)
			}
		}
		if rng.Intn(2) == 0 {
			if set.add(id) == want[id] {
				t.Fatalf("add(%d) returned the wrong result, it was there: %v", id, want[id])
			}
			if !want[id] {
				table.put(hashOf(id), id)
			}
			want[id] = true
		} else {
			if set.remove(id) != want[id] {
				t.Fatalf("remove(%d) returned the wrong result, it was there: %v", id, want[id])
			}
			if want[id] {
				table.remove(hashOf(id), id)
			}
			delete(want, id)
		}
	}
	if set.len() != len(want) || table.n != len(want) {
		t.Errorf("%d in the set, %d in the table, want %d", set.len(), table.n, len(want))
	}
	var got, inTable []int
	set.each(func(id int) { got = append(got, id) })
	for _, e := range table.entries {
		if e != 0 {
			inTable = append(inTable, int(uint32(e))-1)
		}
	}
	all := slices.Sorted(maps.Keys(want))
	slices.Sort(got)
	slices.Sort(inTable)
	if !slices.Equal(got, all) || !slices.Equal(inTable, all) {
		t.Errorf("the set has %v, the table %v, want %v", got, inTable, all)
	}
}

// TestStoreShrinks checks that a store that was large frees its slots, and finds everything afterwards.
func TestStoreShrinks(t *testing.T) {
	s := newCache(MetaNamespaceKeyFunc, Indexers{"app": func(o any) ([]string, error) { return []string{o.(*object).Labels["app"]}, nil }})
	const n = 10_000
	for i := range n {
		_ = s.Add(objWithApp(fmt.Sprint("o", i), "1", fmt.Sprint("app", i%7)))
	}
	before := s.List()
	for i := range n - 70 {
		_ = s.Delete(objWithApp(fmt.Sprint("o", i), "2", fmt.Sprint("app", i%7)))
	}
	if len(before) != n {
		t.Errorf("%d objects in the earlier List, want %d", len(before), n)
	}
	if slots := len(s.storage.refs); slots > n/2 {
		t.Errorf("%d slots for 70 objects", slots)
	}
	if got := len(s.List()); got != 70 {
		t.Errorf("%d objects, want 70", got)
	}
	for v := range 7 {
		objs, err := s.ByIndex("app", fmt.Sprint("app", v))
		if err != nil || len(objs) != 10 {
			t.Fatalf("%d objects under app%d, %v; want 10", len(objs), v, err)
		}
		for _, o := range objs {
			if got := o.(*object).Labels["app"]; got != fmt.Sprint("app", v) {
				t.Errorf("%s under app%d", got, v)
			}
		}
	}
	for i := n - 70; i < n; i++ {
		if _, exists, _ := s.GetByKey(fmt.Sprint("ns/o", i)); !exists {
			t.Errorf("o%d is missing", i)
		}
	}
}

// TestChangedInPlace checks that an object that is changed in place leaves its key in the index under the old value, as in client-go. Deleting
// the object, or adding it again, does not remove the key either.
func TestChangedInPlace(t *testing.T) {
	index := func(o any) ([]string, error) { return []string{o.(*object).Labels["app"]}, nil }
	s := newCache(MetaNamespaceKeyFunc, Indexers{"app": index})
	o := objWithApp("a", "1", "x")
	_ = s.Add(o)
	o.Labels["app"] = "y"
	_ = s.Delete(o)
	keys, err := s.IndexKeys("app", "x")
	if err != nil || !slices.Equal(keys, []string{"ns/a"}) {
		t.Errorf("keys %v, %v; want the one left behind", keys, err)
	}
	if objs, err := s.ByIndex("app", "x"); err != nil || len(objs) != 1 || objs[0] != nil {
		t.Errorf("objects %v, %v; want one nil", objs, err)
	}
	if _, exists, _ := s.GetByKey("ns/a"); exists || len(s.List()) != 0 || len(s.ListKeys()) != 0 {
		t.Error("the deleted object is still there")
	}
	for i := range 100 { // other keys must not take its slot
		_ = s.Add(objWithApp(fmt.Sprint("b", i), "1", "z"))
	}
	back := objWithApp("a", "2", "z")
	_ = s.Add(back)
	if objs, err := s.ByIndex("app", "x"); err != nil || len(objs) != 1 || objs[0] != any(back) {
		t.Errorf("objects %v, %v; want the one that came back", objs, err)
	}
	_ = s.Replace([]any{objWithApp("c", "3", "z")}, "3")
	if values := s.ListIndexFuncValues("app"); !slices.Equal(values, []string{"z"}) {
		t.Errorf("values %v after a Replace, want z alone", values)
	}
}
