package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPersistentMap compares a pmap and its clones with plain maps under random writes.
func TestPersistentMap(t *testing.T) {
	type pair struct {
		m     pmap[int]
		epoch uint64
		model map[string]int
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all := []*pair{{epoch: newEpoch(), model: map[string]int{}}}
	for step := range 60000 {
		p := all[rng.IntN(len(all))]
		key := fmt.Sprintf("k%d", rng.IntN(3000))
		switch x := rng.IntN(100); {
		case x < 60:
			p.m.set(p.epoch, key, step)
			p.model[key] = step
		case x < 99:
			had := p.m.delete(p.epoch, key)
			if _, want := p.model[key]; had != want {
				t.Fatalf("delete(%s) = %v, want %v", key, had, want)
			}
			delete(p.model, key)
		case len(all) < 12:
			c := &pair{m: p.m, model: map[string]int{}}
			for k, v := range p.model {
				c.model[k] = v
			}
			p.epoch, c.epoch = newEpoch(), newEpoch()
			all = append(all, c)
		}
	}
	for i, p := range all {
		if p.m.n != len(p.model) {
			t.Errorf("map %d has %d entries, want %d", i, p.m.n, len(p.model))
		}
		seen := 0
		p.m.each(func(k string, v int) bool {
			seen++
			if p.model[k] != v {
				t.Errorf("map %d: %s = %d, want %d", i, k, v, p.model[k])
			}
			return true
		})
		if seen != len(p.model) {
			t.Errorf("map %d: each gave %d entries, want %d", i, seen, len(p.model))
		}
		for k, v := range p.model {
			if got, ok := p.m.get(k); !ok || got != v {
				t.Errorf("map %d: get(%s) = %d, %v, want %d", i, k, got, ok, v)
			}
		}
	}
}

func TestPersistentDeque(t *testing.T) {
	type pair struct {
		d     deque[int]
		epoch uint64
		model []int
	}
	rng := rand.New(rand.NewPCG(3, 4))
	all := []*pair{{epoch: newEpoch()}}
	for step := range 40000 {
		p := all[rng.IntN(len(all))]
		switch x := rng.IntN(100); {
		case x < 70:
			p.d.push(p.epoch, step)
			p.model = append(p.model, step)
		case x < 99:
			k := rng.IntN(5)
			if rng.IntN(200) == 0 {
				k = 1 << 20
			}
			p.d.drop(k)
			p.model = p.model[min(k, len(p.model)):]
		case len(all) < 12:
			c := &pair{d: p.d.clone(), model: slices.Clone(p.model)}
			p.epoch, c.epoch = newEpoch(), newEpoch()
			all = append(all, c)
		}
	}
	for i, p := range all {
		if p.d.n != len(p.model) {
			t.Fatalf("deque %d has %d, want %d", i, p.d.n, len(p.model))
		}
		for j, v := range p.model {
			if *p.d.at(j) != v {
				t.Fatalf("deque %d at %d: %d, want %d", i, j, *p.d.at(j), v)
			}
		}
	}
}

func TestKeyQueueSkipsTakenKeys(t *testing.T) {
	var q keyQueue[int]
	epoch := newEpoch()
	for i, k := range []string{"a", "b", "c"} {
		q.set(epoch, k, i)
	}
	if v, ok := q.take(epoch, "b"); !ok || v != 1 {
		t.Fatalf("take(b) = %d, %v", v, ok)
	}
	q.set(epoch, "b", 9) // again, at the tail
	q.set(epoch, "a", 7) // in place
	var got []string
	q.each(func(k string, v int) bool { got = append(got, fmt.Sprint(k, v)); return true })
	equal(t, "order", got, []string{"a7", "c2", "b9"})
	if h, _ := q.head(); h != "a" {
		t.Errorf("head %s", h)
	}
	if _, ok := q.take(epoch, "x"); ok {
		t.Error("took what is not there")
	}
	for _, k := range []string{"a", "b", "c"} {
		q.take(epoch, k)
	}
	if _, ok := q.head(); ok || q.len() != 0 {
		t.Error("not empty")
	}
}
