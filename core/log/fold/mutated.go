package fold

import (
	"cmp"
	"encoding/json"
	"slices"

	"informerscope/core/words/event"
)

// Change is what a handler wrote into an object that it received.
type Change struct {
	Label    string `json:"label"`
	OldValue string `json:"was"` // empty if the object had no such label
	Value    string `json:"is"`
}

// Mutation is a change that a handler made to a shared object in the store, without the API server.
type Mutation struct {
	Key      string `json:"key"`
	RV       string `json:"rv"`
	Listener int32  `json:"listener"` // its handler made the change
	Label    string `json:"label"`
	OldValue string `json:"was"` // empty if the object had no such label
	Value    string `json:"is"`
	// Stale are the indices that still list the object under values that their functions no longer return for it, sorted.
	Stale    []string `json:"stale"`
	AtMillis float64  `json:"atMillis"`
}

// Met is a call in which a handler received an object that another handler had mutated.
type Met struct {
	Key      string  `json:"key"`
	RV       string  `json:"rv"`
	Role     string  `json:"as" web:"old|object"` // the old object of an update, or the event's own object
	Label    string  `json:"label"`
	Value    string  `json:"is"`
	AtMillis float64 `json:"atMillis"`
}

// applyChange applies KindMutated and KindMet.
func (l *lane) applyChange(epoch uint64, e *event.Entry) {
	li := l.listener(e.Listener())
	if e.Kind == event.KindMet {
		if li != nil {
			li.meet(e)
		}
		return
	}
	mutated := e.Mutated()
	var change Change
	if json.Unmarshal([]byte(mutated.Change), &change) != nil {
		return
	}
	if li != nil {
		li.mutations++
	}
	c, held := l.store.objects.Get(mutated.Key)
	if !mutated.Stored || !held || c.RV != mutated.RV {
		return // the store has another object by now: only a handler that received this one sees the change
	}
	l.store.mutate(epoch, c, e, change)
}

// meet notes that the handler received an object that another handler had mutated.
func (l *listener) meet(e *event.Entry) {
	met := e.Met()
	var change Change
	if json.Unmarshal([]byte(met.Change), &change) != nil {
		return
	}
	l.lastMet = Met{Key: met.Key, RV: met.RV, Role: "object", Label: change.Label, Value: change.Value, AtMillis: Millis(e.At)}
	if met.AsOld {
		l.metOld++
		l.lastMet.Role = "old"
	} else {
		l.metCount++
	}
}

// mutate changes an object but not its index entries, as happens in client-go.
func (s *store) mutate(epoch uint64, c *Cell, e *event.Entry, change Change) {
	mutated := e.Mutated()
	m := &Mutation{Key: mutated.Key, RV: mutated.RV, Listener: mutated.Listener,
		Label: change.Label, OldValue: change.OldValue, Value: change.Value, Stale: []string{}, AtMillis: Millis(e.At)}
	for _, filed := range c.Indexed {
		gives := slices.IndexFunc(mutated.Indexed, func(x event.IndexValues) bool { return x.Index == filed.Index })
		if gives >= 0 && !slices.Equal(mutated.Indexed[gives].Values, filed.Values) {
			m.Stale = append(m.Stale, filed.Index)
		}
	}
	slices.Sort(m.Stale)
	s.weight.Sub(event.Weigh(c.Obj))
	n := *c
	n.Obj, n.Mutation, n.Seq = mutated.Obj, m, e.Seq
	s.objects.Set(epoch, n.Key, &n)
	s.mutatedObjects.Set(epoch, n.Key, m)
	s.weight.Add(event.Weigh(n.Obj))
}

// mutations returns the newest mutations of objects in the store, newest first.
func (s *store) mutations(most int) []Mutation {
	out := make([]Mutation, 0, min(s.mutatedObjects.Len(), most))
	s.mutatedObjects.Each(func(_ string, m *Mutation) bool {
		out = append(out, *m)
		return true
	})
	slices.SortFunc(out, func(a, b Mutation) int { return cmp.Or(cmp.Compare(b.AtMillis, a.AtMillis), cmp.Compare(a.Key, b.Key)) })
	return out[:min(len(out), most)]
}

// restoreMutations takes over a State's mutations; the mutated objects are already in the store.
func (s *store) restoreMutations(epoch uint64, list []Mutation) {
	for i := range list {
		m := list[i]
		if c, ok := s.objects.Get(m.Key); ok {
			if m.Stale == nil {
				m.Stale = []string{}
			}
			n := *c
			n.Mutation = &m
			s.objects.Set(epoch, m.Key, &n)
			s.mutatedObjects.Set(epoch, m.Key, &m)
		}
	}
}
