package conformance

import (
	"fmt"
	"reflect"
	"sort"

	"k8s.io/apimachinery/pkg/util/sets"

	"informerscope/core/informer"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Compare implements play.Witness: it compares the fold of our log with a snapshot of the informer.
func (s *ourInformer) Compare(step string) (broken []string, events int) {
	if s.rec == nil {
		return nil, 0
	}
	var head uint64
	in := s.SharedIndexInformer.(informer.Snapshotter).SnapshotAt(func() { head, _ = s.rec.Head() })
	s.rec.Read(s.follow.Seq()+1, head, func(e *event.Entry) bool { s.follow.Apply(e); return true })
	events = int(head)
	f := s.follow
	st := f.State()
	same := func(part string, folded, inside any) {
		if !reflect.DeepEqual(folded, inside) {
			broken = append(broken, fmt.Sprintf("after %q the fold differs from what is inside: %s: folded %v, inside %v", step, part, folded, inside))
		}
	}
	same("synced", st.Synced, in.Synced)
	same("phase", st.Reflector.Phase, in.Reflector.Phase)
	same("reflector RV", st.Reflector.ResourceVersion, in.Reflector.ResourceVersion)
	same("unavailable", st.Reflector.Unavailable, in.Reflector.Unavailable)
	if in.Queue.Kind != "" {
		same("queue kind", st.Queue.Kind, in.Queue.Kind)
	}
	same("queue synced", st.Queue.Synced, in.Queue.Synced)
	same("queue closed", st.Queue.Closed, in.Queue.Closed)
	same("initial population", st.Queue.InitialPopulation, in.Queue.InitialPopulation)
	same("queue length", f.QueueLen(0), len(in.Queue.Items)+len(in.Queue.Keys))
	same("store RV", st.Indexer.ResourceVersion, in.Store.ResourceVersion)
	same("objects", f.Objects(0).Len(), len(in.Store.Objects))
	for k, o := range in.Store.Objects {
		if c, ok := f.Objects(0).Get(k); !ok || c.Obj != o {
			same("object "+k, c.Obj, o)
		}
	}
	folded, inside := map[string]map[string][]string{}, map[string]map[string][]string{}
	for _, name := range f.IndexNames(0) {
		folded[name] = map[string][]string{}
		x := f.Index(0, name)
		x.Range(func(v string, _ int) bool {
			var keys []string
			x.Keys(v, func(k string) bool { keys = append(keys, k); return true })
			sort.Strings(keys)
			folded[name][v] = keys
			return true
		})
	}
	for name, values := range in.Store.Indices {
		inside[name] = map[string][]string{}
		for v, keys := range values {
			inside[name][v] = sets.List(keys)
		}
	}
	same("indices", folded, inside)
	if in.Stopped {
		return broken, events // a stop leaves the listeners in the fold
	}
	var there []fold.Listener
	for _, l := range st.Listeners {
		if !l.Removed {
			there = append(there, l)
		}
	}
	if len(there) != len(in.Listeners) {
		same("listeners", len(there), len(in.Listeners))
		return broken, events
	}
	sort.Slice(in.Listeners, func(i, j int) bool { return in.Listeners[i].ID < in.Listeners[j].ID })
	for i, l := range there {
		same("listener", informer.ListenerSnapshot{ID: l.ID, Name: l.Name, Pending: l.Ring, Capacity: l.Capacity, Waiting: l.Waiting, Delivered: l.Delivered,
			Handled: l.Handled, Handling: l.Handling != nil, Synced: l.Synced, Syncing: l.Syncing}, in.Listeners[i])
	}
	return broken, events
}
