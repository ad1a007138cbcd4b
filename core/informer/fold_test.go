package informer

import (
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

// recorder is an Observer that keeps every event.
type recorder struct {
	lock   sync.Mutex
	events []Event
}

func (r *recorder) Observe(e *Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.events = append(r.events, *e)
}

func (r *recorder) prefix(n int) []Event {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.events[:n:n]
}

func (r *recorder) len() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.events)
}

func (r *recorder) eventsOf(kind Kind) []Event {
	r.lock.Lock()
	defer r.lock.Unlock()
	var out []Event
	for _, e := range r.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// folder rebuilds a Snapshot from events alone. It calls complain for events that contradict earlier ones.
type folder struct {
	s        Snapshot
	names    []string // of indices
	values   map[string]map[string][]string
	complain func(string, ...any)
	waiting  map[int32]int // distributed, not yet accepted
}

func fold(events []Event, complain func(string, ...any)) Snapshot {
	f := &folder{complain: complain, values: map[string]map[string][]string{}, waiting: map[int32]int{}}
	f.s.Reflector.Phase = PhaseIdle
	f.s.Store.Objects = map[string]any{}
	for i := range events {
		f.apply(&events[i])
	}
	f.s.Store.Indices = map[string]map[string]sets.Set[string]{}
	for _, n := range f.names {
		idx := map[string]sets.Set[string]{}
		for key, of := range f.values {
			for _, v := range of[n] {
				if idx[v] == nil {
					idx[v] = sets.Set[string]{}
				}
				idx[v].Insert(key)
			}
		}
		f.s.Store.Indices[n] = idx
	}
	return f.s
}

func (f *folder) listener(id int32) *ListenerSnapshot {
	for i := range f.s.Listeners {
		if f.s.Listeners[i].ID == id {
			return &f.s.Listeners[i]
		}
	}
	return &ListenerSnapshot{} // removed: later events for it change nothing
}

func (f *folder) index(key string, values []IndexValues) {
	f.values[key] = map[string][]string{}
	for _, v := range values {
		f.values[key][v.Index] = v.Values
	}
}

func (f *folder) depth() int { return len(f.s.Queue.Items) + len(f.s.Queue.Keys) }

func (f *folder) apply(e *Event) {
	q, r, st := &f.s.Queue, &f.s.Reflector, &f.s.Store
	switch e.Kind {
	case KindInformerStarted:
		f.s.Started, f.s.Release = true, e.Release
		if f.s.Release == ReleaseDefault {
			f.s.Release = Release137
		}
		q.Kind = "RealFIFO"
		if f.s.Release == Release131 {
			q.Kind, q.Deltas = "DeltaFIFO", map[string][]DeltaSnapshot{}
		}
	case KindInformerStopped:
		f.s.Stopped, f.s.Listeners = true, nil
	case KindInformerSynced:
		f.s.Synced = true
	case KindRequestSent:
		r.Phase = map[Verb]string{VerbList: PhaseListing, VerbWatch: PhaseWatching, VerbWatchList: PhaseWatchListing}[e.Verb]
	case KindWatchEvent:
		if e.Flag && r.Phase == PhaseWatchListing {
			r.Phase = PhaseWatching
		}
	case KindBackoff:
		r.Phase = PhaseBackoff
	case KindReflectorStopped:
		r.Phase = PhaseStopped
	case KindReflectorRV:
		r.ResourceVersion = e.RV
	case KindUnavailable:
		r.Unavailable = e.Flag

	case KindQueued:
		d := DeltaSnapshot{Op: e.Op, Key: e.Key, RV: e.RV, Obj: e.Obj, Tombstone: e.Flag}
		for _, it := range e.Items {
			d.Objects = append(d.Objects, it.Obj)
		}
		if q.Kind == "DeltaFIFO" {
			if len(q.Deltas[e.Key]) == 0 {
				q.Keys = append(q.Keys, e.Key)
			}
			q.Deltas[e.Key] = append(q.Deltas[e.Key], d)
		} else {
			q.Items = append(q.Items, d)
		}
		if e.N != f.depth() {
			f.complain("KindQueued has length %d, the fold %d", e.N, f.depth())
		}
	case KindMerged:
		d := q.Deltas[e.Key]
		n := len(d)
		if !e.Flag {
			d[n-2] = d[n-1]
		}
		q.Deltas[e.Key] = d[:n-1]
		if e.M != n-1 {
			f.complain("KindMerged has %d deltas left, the fold %d", e.M, n-1)
		}
	case KindPopulated:
		q.Populated, q.InitialPopulation = true, e.N
	case KindPopped:
		if q.Kind == "DeltaFIFO" {
			if len(q.Keys) == 0 || q.Keys[0] != e.Key || len(q.Deltas[e.Key]) != e.N {
				f.complain("KindPopped of %d deltas of %q, the fold has %v", e.N, e.Key, q.Keys)
				return
			}
			q.Keys = q.Keys[1:]
			delete(q.Deltas, e.Key)
		} else {
			if len(q.Items) < e.N {
				f.complain("KindPopped of %d deltas, the fold has %d", e.N, len(q.Items))
				return
			}
			q.Items = q.Items[e.N:]
		}
		if e.M != f.depth() {
			f.complain("KindPopped has %d left, the fold %d", e.M, f.depth())
		}
	case KindProcessed:
		q.InitialPopulation = e.M
	case KindQueueSynced:
		q.Synced = true
	case KindQueueClosed:
		q.Closed = true

	case KindStoreAdded, KindStoreUpdated:
		_, had := st.Objects[e.Key]
		if had != (e.Kind == KindStoreUpdated) {
			f.complain("kind %d of %q, whose key exists: %v", e.Kind, e.Key, had)
		}
		if had && st.Objects[e.Key] != e.Old {
			f.complain("KindStoreUpdated of %q has another old object than the fold", e.Key)
		}
		st.Objects[e.Key], st.ResourceVersion = e.Obj, e.StoreRV
		f.index(e.Key, e.Indexed)
	case KindStoreDeleted:
		if st.Objects[e.Key] != e.Old || e.Old == nil {
			f.complain("KindStoreDeleted of %q has another old object than the fold", e.Key)
		}
		delete(st.Objects, e.Key)
		delete(f.values, e.Key)
		st.ResourceVersion = e.StoreRV
	case KindStoreReplaced:
		st.Objects, f.values = map[string]any{}, map[string]map[string][]string{}
		for _, it := range e.Items {
			st.Objects[it.Key] = it.Obj
			f.index(it.Key, it.Indexed)
		}
		st.ResourceVersion = e.StoreRV
	case KindStoreBookmark:
		st.ResourceVersion = e.StoreRV
	case KindIndexersAdded:
		f.names = append(f.names, strings.Split(e.Text, ",")...)
		for _, it := range e.Items {
			f.index(it.Key, it.Indexed)
		}

	case KindListenerAdded:
		f.s.Listeners = append(f.s.Listeners, ListenerSnapshot{ID: e.Listener, Name: e.Text, Capacity: e.M, Syncing: true})
	case KindListenerRemoved:
		for i, l := range f.s.Listeners {
			if l.ID == e.Listener {
				f.s.Listeners = append(f.s.Listeners[:i:i], f.s.Listeners[i+1:]...)
				break
			}
		}
	case KindListenerSyncing:
		f.listener(e.Listener).Syncing = e.Flag
	case KindListenerSynced:
		f.listener(e.Listener).Synced = true
	case KindDistributed:
		for _, l := range f.s.Listeners {
			if (e.Listener == 0 && (e.Text == "" || l.Syncing)) || e.Listener == l.ID {
				f.waiting[l.ID]++
			}
		}
	case KindAccepted:
		f.waiting[e.Listener]--
		if f.waiting[e.Listener] < 0 {
			f.complain("KindAccepted of a notification that was not distributed")
		}
		l := f.listener(e.Listener)
		l.Pending, l.Capacity, l.Waiting = e.N, e.M, true
	case KindDelivered:
		l := f.listener(e.Listener)
		l.Pending, l.Waiting = e.N, e.Flag
		l.Delivered++
	case KindHandling:
		l := f.listener(e.Listener)
		l.Handling = true
		if l.ID != 0 && l.Delivered != l.Handled+1 {
			f.complain("KindHandling after %d delivered and %d handled", l.Delivered, l.Handled)
		}
	case KindHandled:
		l := f.listener(e.Listener)
		l.Handling = false
		l.Handled++
	}
}

// check compares the fold of the events so far with the informer's state.
func (r *running) check() {
	r.t.Helper()
	n := 0
	inside := r.SnapshotAt(func() { n = r.rec.len() })
	folded := fold(r.rec.prefix(n), r.t.Errorf)
	if !inside.Started { // the start event has the release
		folded.Release = inside.Release
	}
	normalize(&inside)
	normalize(&folded)
	if !reflect.DeepEqual(inside, folded) {
		r.t.Errorf("after %d events:\ninside %+v\n\nfolded %+v", n, inside, folded)
	}
}

// normalize replaces empty slices and maps by nil.
func normalize(s *Snapshot) {
	if len(s.Queue.Items) == 0 {
		s.Queue.Items = nil
	}
	if len(s.Queue.Keys) == 0 {
		s.Queue.Keys = nil
	}
	if len(s.Queue.Deltas) == 0 {
		s.Queue.Deltas = nil
	}
	if len(s.Listeners) == 0 {
		s.Listeners = nil
	}
	for i := range s.Queue.Items {
		if len(s.Queue.Items[i].Objects) == 0 {
			s.Queue.Items[i].Objects = nil
		}
	}
}
