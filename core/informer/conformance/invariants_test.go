package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// invariants checks what must hold of our informer whatever client-go does.
// The trouble is over, and there has been time enough.
func (w *world) invariants() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if w.snap == nil { // a plain informer has none; its handler is the witness
		for _, l := range w.listeners {
			w.saw(l)
		}
		return
	}
	inside := w.snap.Snapshot()
	if !inside.Synced {
		w.out.breaks("after the last fault has healed the informer has not synced")
	}
	for key, o := range w.c.objs {
		if w.poisoned(key) {
			continue
		}
		got, ok := inside.Store.Objects[key]
		if !ok {
			w.out.breaks("the store lacks %s", key)
		} else if rv := got.(metav1.Object).GetResourceVersion(); rv != o.ResourceVersion {
			w.out.breaks("the store has %s at %s, the cluster at %s", key, rv, o.ResourceVersion)
		}
	}
	for key := range inside.Store.Objects {
		if _, ok := w.c.objs[key]; !ok && !w.poisoned(key) {
			w.out.breaks("the store has %s, the cluster does not", key)
		}
	}
	for _, l := range w.listeners {
		if !l.frozen && l.filter == "" {
			w.saw(l)
		}
	}
}

// poisoned says whether the transform ever failed for an object. That loses
// events for good, deletions too, as it does in client-go.
func (w *world) poisoned(key string) bool {
	return w.s.shape == "fail" && slices.ContainsFunc(w.c.hist, func(h change) bool { return h.key == key && h.obj.Labels[poison] != "" })
}

// saw checks one listener's calls against the cluster's history: what it was
// told of an object is a subsequence of what happened to it, its last word is
// the truth, and nothing was called gone that had not been.
func (w *world) saw(l *listener) {
	states := map[string][]change{}
	for _, h := range w.c.hist {
		states[h.key] = append(states[h.key], h)
	}
	type known struct {
		rev     int
		present bool
		answer  string // which of the server's answers brought it
	}
	view := map[string]known{}
	for _, c := range l.calls {
		k := view[c.key]
		exists := slices.ContainsFunc(states[c.key], func(h change) bool { return h.rev == c.rev })
		foreign := len(states[c.key]) == 0 // put on the stream by a fault
		switch c.kind {
		case "add", "update":
			if !exists && !foreign {
				w.out.breaks("%s: %s: the object never was at %d", l.name, c.text, c.rev)
			}
			if c.rev < k.rev && !foreign {
				w.out.breaks("%s: %s: it had seen %d before", l.name, c.text, k.rev)
			}
			// The second of two objects with one key in a list is one more add, if the list is one delta.
			again := c.kind == "add" && k.answer == c.answer && w.era == informer.Era137
			if (c.kind == "add") == k.present && !again {
				w.out.breaks("%s: %s: present before: %v", l.name, c.text, k.present)
			}
			view[c.key] = known{c.rev, true, c.answer}
		case "delete":
			view[c.key] = known{max(c.rev, k.rev), false, ""}
		case "tombstone":
			if !k.present {
				w.out.breaks("%s: %s: it did not know the object", l.name, c.text)
			}
			gone := foreign
			for _, h := range states[c.key] {
				// A WatchList whose transform fails for an object does not have it.
				if h.rev > k.rev && (h.kind == watch.Deleted || w.s.shape == "fail" && h.obj.Labels[poison] != "") {
					gone = true
				}
			}
			if !gone {
				w.out.breaks("%s: %s: the object was never gone after %d", l.name, c.text, k.rev)
			}
			view[c.key] = known{k.rev, false, ""}
		}
	}
	for key, k := range view {
		o, ok := w.c.objs[key]
		if w.poisoned(key) {
			continue
		}
		switch {
		case k.present && !ok:
			w.out.breaks("%s still believes in %s", l.name, key)
		case !k.present && ok:
			w.out.breaks("%s believes that %s is gone", l.name, key)
		case ok && o.ResourceVersion != fmt.Sprint(k.rev):
			w.out.breaks("%s missed the last state of %s: it has %d, the cluster %s", l.name, key, k.rev, o.ResourceVersion)
		}
	}
	for key := range w.c.objs {
		if _, ok := view[key]; !ok && !w.poisoned(key) {
			w.out.breaks("%s never heard of %s", l.name, key)
		}
	}
}

// compareFold compares the fold of our log with what is inside.
func (w *world) compareFold(what string) {
	if w.rec == nil {
		return
	}
	var head uint64
	s := w.snap.SnapshotAt(func() { head, _ = w.rec.Head() })
	w.rec.Read(w.follow.Seq()+1, head, func(e *trace.Event) bool { w.follow.Apply(e); return true })
	w.out.events = int(head)
	f := w.follow
	st := f.State()
	same := func(part string, folded, inside any) {
		if !reflect.DeepEqual(folded, inside) {
			w.out.breaks("after %q the fold differs from what is inside: %s: folded %v, inside %v", what, part, folded, inside)
		}
	}
	same("synced", st.Synced, s.Synced)
	same("phase", st.Reflector.Phase, s.Reflector.Phase)
	same("reflector RV", st.Reflector.ResourceVersion, s.Reflector.ResourceVersion)
	same("unavailable", st.Reflector.Unavailable, s.Reflector.Unavailable)
	if s.Queue.Kind != "" {
		same("queue kind", st.Queue.Kind, s.Queue.Kind)
	}
	same("queue synced", st.Queue.Synced, s.Queue.Synced)
	same("queue closed", st.Queue.Closed, s.Queue.Closed)
	same("initial population", st.Queue.InitialPopulation, s.Queue.InitialPopulation)
	same("queue length", f.QueueLen(0), len(s.Queue.Items)+len(s.Queue.Keys))
	same("store RV", st.Indexer.ResourceVersion, s.Store.ResourceVersion)
	same("objects", f.Objects(0).Len(), len(s.Store.Objects))
	for k, o := range s.Store.Objects {
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
	for name, values := range s.Store.Indices {
		inside[name] = map[string][]string{}
		for v, keys := range values {
			inside[name][v] = sets.List(keys)
		}
	}
	same("indices", folded, inside)
	if s.Stopped {
		return // the fold still shows the listeners as they were
	}
	var there []trace.Listener
	for _, l := range st.Listeners {
		if !l.Removed {
			there = append(there, l)
		}
	}
	if len(there) != len(s.Listeners) {
		same("listeners", len(there), len(s.Listeners))
		return
	}
	sort.Slice(s.Listeners, func(i, j int) bool { return s.Listeners[i].ID < s.Listeners[j].ID })
	for i, l := range there {
		same("listener", informer.ListenerSnapshot{ID: l.ID, Name: l.Name, Pending: l.Ring, Capacity: l.Capacity, Waiting: l.Waiting, Delivered: l.Delivered,
			Handled: l.Handled, Handling: l.Handling != nil, Synced: l.Synced, Syncing: l.Syncing}, s.Listeners[i])
	}
}
