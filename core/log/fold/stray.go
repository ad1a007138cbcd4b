package fold

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"informerscope/core/words/event"
)

// maxStrays bounds the stray entries of a lane. Beyond it an index loses an entry as if its object had not been mutated.
const maxStrays = 4096

// Stray is an index entry that a mutated object left behind. client-go computes an object's old index values from the object in the store. So it does not
// find the entry of an object that a handler mutated, when that object changes or goes.
type Stray struct {
	Index string `json:"index"`
	Value string `json:"value"`
	Key   string `json:"key"`
	// Gone: the store has no object with this key, so ByIndex returns nil for it; otherwise ByIndex returns an object with another value.
	Gone     bool    `json:"gone"`
	AtMillis float64 `json:"atMillis"`
}

func (x *Stray) id() string { return strings.Join([]string{x.Index, x.Value, x.Key}, "\x00") }

// leaveIndices removes the key of an object from the indices when it changes or goes. The entries that a mutation made stale stay, as strays; enter makes
// them ordinary entries again if the next object has their value.
func (s *store) leaveIndices(epoch uint64, old *Cell, at time.Duration) {
	if old.Mutation == nil || len(old.Mutation.Stale) == 0 {
		s.unindex(epoch, old.Key, old.Indexed)
		return
	}
	for i := range old.Indexed {
		in := &old.Indexed[i]
		if !slices.Contains(old.Mutation.Stale, in.Index) || s.strays.Len()+len(in.Values) > maxStrays {
			s.unindex(epoch, old.Key, old.Indexed[i:i+1])
			continue
		}
		for _, v := range in.Values {
			x := &Stray{Index: in.Index, Value: v, Key: old.Key, AtMillis: Millis(at)}
			s.strays.Set(epoch, x.id(), x)
		}
	}
}

// settleStray makes an entry an ordinary one, because an object has its value, or because it is removed.
func (s *store) settleStray(epoch uint64, index, value, key string) {
	if s.strays.Len() > 0 {
		s.strays.Delete(epoch, (&Stray{Index: index, Value: value, Key: key}).id())
	}
}

// strayList returns the newest strays, newest first.
func (s *store) strayList(most int) []Stray {
	out := make([]Stray, 0, min(s.strays.Len(), most))
	s.strays.Each(func(_ string, x *Stray) bool {
		n := *x
		n.Gone = !s.objects.Has(n.Key)
		out = append(out, n)
		return true
	})
	slices.SortFunc(out, func(a, b Stray) int {
		return cmp.Or(cmp.Compare(b.AtMillis, a.AtMillis), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Key, b.Key))
	})
	return out[:min(len(out), most)]
}

// restoreStrays takes over a State's strays. Their indices exist.
func (s *store) restoreStrays(epoch uint64, list []Stray) {
	for _, x := range list[:min(len(list), maxStrays)] {
		s.enter(epoch, x.Key, []event.IndexValues{{Index: x.Index, Values: []string{x.Value}}})
		s.strays.Set(epoch, x.id(), &x)
	}
}

// reenterStrays puts the strays back into indices that were emptied.
func (s *store) reenterStrays(epoch uint64) {
	if s.strays.Len() > 0 {
		s.restoreStrays(epoch, s.strayList(maxStrays))
	}
}

// keepStale returns values with those that the stale indices had before.
func keepStale(stale []string, before, values []event.IndexValues) []event.IndexValues {
	out := slices.Clone(values)
	for i := range out {
		if !slices.Contains(stale, out[i].Index) {
			continue
		}
		if place := slices.IndexFunc(before, func(x event.IndexValues) bool { return x.Index == out[i].Index }); place >= 0 {
			out[i] = before[place]
		}
	}
	return out
}
