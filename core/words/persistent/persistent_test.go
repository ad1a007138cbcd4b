package persistent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPersistentMap compares a pmap and its clones with plain maps under random writes.
func TestPersistentMap(t *testing.T) {
	type pair struct {
		m     Map[int]
		epoch uint64
		model map[string]int
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all := []*pair{{epoch: NewEpoch(), model: map[string]int{}}}
	for step := range 60000 {
		p := all[rng.IntN(len(all))]
		key := fmt.Sprintf("k%d", rng.IntN(3000))
		switch x := rng.IntN(100); {
		case x < 60:
			p.m.Set(p.epoch, key, step)
			p.model[key] = step
		case x < 99:
			found := p.m.Delete(p.epoch, key)
			if _, want := p.model[key]; found != want {
				t.Fatalf("delete(%s) = %v, want %v", key, found, want)
			}
			delete(p.model, key)
		case len(all) < 12:
			c := &pair{m: p.m, model: map[string]int{}}
			for k, v := range p.model {
				c.model[k] = v
			}
			p.epoch, c.epoch = NewEpoch(), NewEpoch()
			all = append(all, c)
		}
	}
	for i, p := range all {
		if p.m.n != len(p.model) {
			t.Errorf("map %d has %d entries, want %d", i, p.m.n, len(p.model))
		}
		seen := 0
		p.m.Each(func(k string, v int) bool {
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
			if got, ok := p.m.Get(k); !ok || got != v {
				t.Errorf("map %d: get(%s) = %d, %v, want %d", i, k, got, ok, v)
			}
		}
	}
}

func TestPersistentDeque(t *testing.T) {
	type pair struct {
		d     Deque[int]
		epoch uint64
		model []int
	}
	rng := rand.New(rand.NewPCG(3, 4))
	all := []*pair{{epoch: NewEpoch()}}
	for step := range 40000 {
		p := all[rng.IntN(len(all))]
		switch x := rng.IntN(100); {
		case x < 70:
			p.d.Push(p.epoch, step)
			p.model = append(p.model, step)
		case x < 99:
			k := rng.IntN(5)
			if rng.IntN(200) == 0 {
				k = 1 << 20
			}
			p.d.Drop(k)
			p.model = p.model[min(k, len(p.model)):]
		case len(all) < 12:
			c := &pair{d: p.d.Clone(), model: slices.Clone(p.model)}
			p.epoch, c.epoch = NewEpoch(), NewEpoch()
			all = append(all, c)
		}
	}
	for i, p := range all {
		if p.d.n != len(p.model) {
			t.Fatalf("deque %d has %d, want %d", i, p.d.n, len(p.model))
		}
		for j, v := range p.model {
			if *p.d.At(j) != v {
				t.Fatalf("deque %d at %d: %d, want %d", i, j, *p.d.At(j), v)
			}
		}
	}
}

func TestKeyQueueSkipsTakenKeys(t *testing.T) {
	var q KeyQueue[int]
	epoch := NewEpoch()
	for i, k := range []string{"a", "b", "c"} {
		q.Set(epoch, k, i)
	}
	if v, ok := q.Take(epoch, "b"); !ok || v != 1 {
		t.Fatalf("take(b) = %d, %v", v, ok)
	}
	q.Set(epoch, "b", 9) // again, at the tail
	q.Set(epoch, "a", 7) // in place
	var got []string
	q.Each(func(k string, v int) bool { got = append(got, fmt.Sprint(k, v)); return true })
	if want := []string{"a7", "c2", "b9"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if h, _ := q.head(); h != "a" {
		t.Errorf("head %s", h)
	}
	if _, ok := q.Take(epoch, "x"); ok {
		t.Error("took what is not there")
	}
	for _, k := range []string{"a", "b", "c"} {
		q.Take(epoch, k)
	}
	if _, ok := q.head(); ok || q.Len() != 0 {
		t.Error("not empty")
	}
}

// TestAKeyQueueStaysSmall: keys that come and go behind a first one leave no places.
func TestAKeyQueueStaysSmall(t *testing.T) {
	var q KeyQueue[int]
	q.Set(1, "first", 1)
	for range 10_000 {
		q.Set(1, "another", 1)
		q.Take(1, "another")
	}
	if head, _ := q.head(); q.order.n > 2*dequeChunk || head != "first" {
		t.Errorf("%d places for one key, %s", q.order.n, head)
	}
}
