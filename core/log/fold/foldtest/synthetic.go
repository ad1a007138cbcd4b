package foldtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// synthetic generates consistent logs, as an informer would write them, together with plain models of what they describe.
type synthetic struct {
	rng    *rand.Rand
	delta  bool
	Events []event.Entry
	at     time.Duration
	rv     int

	line    []string            // RealFIFO: "op key"
	keys    []string            // DeltaFIFO
	deltas  map[string][]string // those of a DeltaFIFO
	store   map[string]string   // key → rv
	node    map[string]string   // key → value in the index "node"
	objects map[string]*Obj
	waiting bool // at nextCh
	ring    int
	handled int
	work    []string
	busy    map[string]bool
	dirty   map[string]bool
}

func NewSynthetic(seed uint64, delta bool) *synthetic {
	s := &synthetic{rng: rand.New(rand.NewPCG(seed, 1)), delta: delta, deltas: map[string][]string{}, store: map[string]string{},
		node: map[string]string{}, objects: map[string]*Obj{}, busy: map[string]bool{}, dirty: map[string]bool{}}
	release := "1.37"
	if delta {
		release = "1.31"
	}
	s.Emit(SelectionEvent(release))
	s.Emit(event.ListenerAdded{Listener: 1, Name: "one", Capacity: 1024}.Event())
	return s
}

func (s *synthetic) Emit(e event.Event) {
	s.at += time.Duration(s.rng.IntN(3000)) * time.Microsecond
	s.Events = append(s.Events, event.Entry{Seq: uint64(len(s.Events) + 1), At: s.at, Event: e})
}

func (s *synthetic) Step() {
	key := fmt.Sprintf("ns/p%d", s.rng.IntN(300))
	s.rv++
	rv := fmt.Sprint(s.rv)
	switch x := s.rng.IntN(100); {
	case x < 30: // something is queued
		op := []event.Op{event.OpAdded, event.OpUpdated, event.OpDeleted}[s.rng.IntN(3)]
		o := &Obj{Name: key, RV: rv}
		s.objects[key] = o
		e := event.Queued{Op: op, Key: key, RV: rv, Obj: o}
		if s.delta {
			if len(s.deltas[key]) == 0 {
				s.keys = append(s.keys, key)
			}
			s.deltas[key] = append(s.deltas[key], op.String())
			e.Length = len(s.keys)
		} else {
			s.line = append(s.line, op.String()+" "+key)
			e.Length = len(s.line)
		}
		s.Emit(e.Event())
		if d := s.deltas[key]; s.delta && len(d) >= 2 && op == event.OpDeleted && d[len(d)-2] == "Deleted" {
			s.deltas[key] = d[:len(d)-1]
			s.Emit(event.Merged{Key: key, Deltas: len(d) - 1, KeptOlder: s.rng.IntN(2) == 0}.Event())
		}
	case x < 45: // a batch is popped
		if s.delta && len(s.keys) > 0 {
			k := s.keys[0]
			s.keys = s.keys[1:]
			n := len(s.deltas[k])
			delete(s.deltas, k)
			s.Emit(event.Popped{Key: k, Deltas: n, Length: len(s.keys), Locked: true}.Event())
			s.Emit(event.Processed{Deltas: n}.Event())
		} else if len(s.line) > 0 {
			n := 1 + s.rng.IntN(min(8, len(s.line)))
			s.line = s.line[n:]
			s.Emit(event.Popped{Deltas: n, Length: len(s.line)}.Event())
			s.Emit(event.Processed{Deltas: n}.Event())
		}
	case x < 60: // the store changes
		node := fmt.Sprintf("n%d", s.rng.IntN(20))
		e := event.Stored{Kind: event.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv, Obj: s.objects[key],
			Indexed: []event.IndexValues{{Index: "node", Values: []string{node}}}}
		if o := s.objects[key]; o == nil {
			e.Obj = nil
		}
		if _, ok := s.store[key]; !ok {
			e.Kind = event.KindStoreAdded
		}
		s.store[key], s.node[key] = rv, node
		s.Emit(e.Event())
	case x < 68:
		if _, ok := s.store[key]; ok {
			delete(s.store, key)
			delete(s.node, key)
			s.Emit(event.StoreDeleted{Key: key, RV: rv, StoreRV: rv}.Event())
		}
	case x < 69 && s.rng.IntN(20) == 0: // a list replaces everything
		clear(s.store)
		clear(s.node)
		e := event.StoreReplaced{StoreRV: rv}
		for i := range s.rng.IntN(200) {
			k := fmt.Sprintf("ns/p%d", i)
			s.store[k], s.node[k] = rv, "n0"
			e.Items = append(e.Items, event.Item{Key: k, RV: rv, Obj: &Obj{Name: k, RV: rv},
				Indexed: []event.IndexValues{{Index: "node", Values: []string{"n0"}}}})
		}
		s.Emit(e.Event())
	case x < 80: // the listener
		e := event.Accepted{Listener: 1, Key: key, Capacity: 1024}
		if s.waiting {
			s.ring++
			e.InRing = true
		}
		s.waiting = true
		e.Ring = s.ring
		s.Emit(e.Event())
	case x < 88:
		if s.waiting {
			if s.waiting = s.ring > 0; s.waiting {
				s.ring--
			}
			s.handled++
			s.Emit(event.Delivered{Listener: 1, Key: key, Ring: s.ring, Waiting: s.waiting}.Event())
			s.Emit(event.Handling{Listener: 1, Key: key}.Event())
			s.Emit(event.Handled{Listener: 1, Key: key, Took: time.Duration(s.rng.IntN(1000))}.Event())
		}
	case x < 94: // the work queue
		switch {
		case s.busy[key] && s.dirty[key], slices.Contains(s.work, key):
			s.Emit(event.Work{Kind: event.KindWorkDeduplicated, Key: key}.Event())
		case s.busy[key]:
			s.dirty[key] = true
			s.Emit(event.Work{Kind: event.KindWorkMarkedDirty, Key: key}.Event())
		default:
			s.work = append(s.work, key)
			s.Emit(event.Work{Kind: event.KindWorkAdded, Key: key, N: len(s.work)}.Event())
		}
	case x < 97:
		if len(s.work) > 0 {
			k := s.work[0]
			s.work = s.work[1:]
			s.busy[k] = true
			s.Emit(event.Work{Kind: event.KindWorkTaken, Key: k, Worker: 1, N: len(s.work)}.Event())
		}
	default:
		for k := range s.busy {
			delete(s.busy, k)
			again := s.dirty[k]
			if again {
				delete(s.dirty, k)
				s.work = append(s.work, k)
			}
			s.Emit(event.Work{Kind: event.KindWorkDone, Key: k, Worker: 1, Flag: again, N: len(s.work)}.Event())
			break
		}
	}
}

func (s *synthetic) Check(t *testing.T, f *fold.Fold) {
	t.Helper()
	var want []string
	if s.delta {
		for _, k := range s.keys {
			line := k + ":"
			for _, d := range s.deltas[k] {
				line += " " + d
			}
			want = append(want, line)
		}
	} else {
		want = slices.Clone(s.line)
	}
	Equal(t, "queue", append([]string{}, QueueKeys(f, 0)...), append([]string{}, want...))
	store := map[string]string{}
	f.Objects(0).Range(func(c *fold.Cell) bool { store[c.Key] = c.RV; return true })
	Equal(t, "store", store, s.store)
	index := map[string][]string{}
	for k, n := range s.node {
		index[n] = append(index[n], k)
	}
	got := map[string][]string{}
	x := f.Index(0, "node")
	x.Range(func(v string, _ int) bool {
		x.Keys(v, func(k string) bool { got[v] = append(got[v], k); return true })
		return true
	})
	for _, m := range []map[string][]string{index, got} {
		for _, v := range m {
			sort.Strings(v)
		}
	}
	Equal(t, "index", got, index)
	st := f.WholeState(0)
	l := st.Listeners[0]
	if l.Ring != s.ring || l.Waiting != s.waiting || l.Handled != s.handled {
		t.Errorf("listener %+v, want ring %d, waiting %v, handled %d", l, s.ring, s.waiting, s.handled)
	}
	if st.Workqueue != nil {
		Equal(t, "workqueue", st.Workqueue.Queue, append([]string{}, s.work...))
		if len(st.Workqueue.Processing) != len(s.busy) || st.Workqueue.ReAdded != len(s.dirty) {
			t.Errorf("processing %v, re-added %d; want %v, %v", st.Workqueue.Processing, st.Workqueue.ReAdded, s.busy, s.dirty)
		}
	}
}
