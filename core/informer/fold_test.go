package informer

import (
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// recorder is an Observer that keeps every event.
type recorder struct {
	lock   sync.Mutex
	events []event.Event
}

func (r *recorder) Observe(e *event.Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.events = append(r.events, *e)
}

func (r *recorder) prefix(n int) []event.Event {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.events[:n:n]
}

func (r *recorder) len() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.events)
}

func (r *recorder) eventsOf(kind event.Kind) []event.Event {
	r.lock.Lock()
	defer r.lock.Unlock()
	var out []event.Event
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

func fold(events []event.Event, complain func(string, ...any)) Snapshot {
	f := &folder{complain: complain, values: map[string]map[string][]string{}, waiting: map[int32]int{}}
	f.s.Reflector.Phase = PhaseIdle
	f.s.Store.Objects = map[string]any{}
	for i := range events {
		f.apply(&events[i])
	}
	f.s.Store.Indices = map[string]map[string]sets.Set[string]{}
	for _, n := range f.names {
		idx := map[string]sets.Set[string]{}
		for key, byIndex := range f.values {
			for _, v := range byIndex[n] {
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

func (f *folder) index(key string, values []event.IndexValues) {
	f.values[key] = map[string][]string{}
	for _, v := range values {
		f.values[key][v.Index] = v.Values
	}
}

func (f *folder) depth() int { return len(f.s.Queue.Items) + len(f.s.Queue.Keys) }

func (f *folder) apply(e *event.Event) {
	q, r, st := &f.s.Queue, &f.s.Reflector, &f.s.Store
	switch e.Kind {
	case event.KindInformerStarted:
		f.s.Started = true
		f.s.Release, _ = releases.Parse(e.InformerStarted().Release)
		q.Kind = "RealFIFO"
		if f.s.Release == releases.V131 {
			q.Kind, q.Deltas = "DeltaFIFO", map[string][]DeltaSnapshot{}
		}
	case event.KindInformerStopped:
		f.s.Stopped, f.s.Listeners = true, nil
	case event.KindInformerSynced:
		f.s.Synced = true
	case event.KindRequestSent:
		r.Phase = map[event.Verb]string{event.VerbList: PhaseListing, event.VerbWatch: PhaseWatching, event.VerbWatchList: PhaseWatchListing}[e.RequestSent().Verb]
	case event.KindWatchEvent:
		if e.WatchEvent().EndMark && r.Phase == PhaseWatchListing {
			r.Phase = PhaseWatching
		}
	case event.KindBackoff:
		r.Phase = PhaseBackoff
	case event.KindReflectorStopped:
		r.Phase = PhaseStopped
	case event.KindReflectorRV:
		r.ResourceVersion = e.RV()
	case event.KindUnavailable:
		r.Unavailable = e.Unavailable().Unavailable

	case event.KindQueued:
		queued := e.Queued()
		d := DeltaSnapshot{Op: queued.Op, Key: queued.Key, RV: queued.RV, Obj: queued.Obj, Tombstone: queued.Tombstone}
		for _, item := range queued.Items {
			d.Objects = append(d.Objects, item.Obj)
		}
		if q.Kind == "DeltaFIFO" {
			if len(q.Deltas[queued.Key]) == 0 {
				q.Keys = append(q.Keys, queued.Key)
			}
			q.Deltas[queued.Key] = append(q.Deltas[queued.Key], d)
		} else {
			q.Items = append(q.Items, d)
		}
		if queued.Length != f.depth() {
			f.complain("KindQueued has length %d, the fold %d", queued.Length, f.depth())
		}
	case event.KindMerged:
		merged := e.Merged()
		d := q.Deltas[merged.Key]
		n := len(d)
		if !merged.KeptOlder {
			d[n-2] = d[n-1]
		}
		q.Deltas[merged.Key] = d[:n-1]
		if merged.Deltas != n-1 {
			f.complain("KindMerged has %d deltas left, the fold %d", merged.Deltas, n-1)
		}
	case event.KindPopulated:
		q.Populated, q.InitialPopulation = true, e.Populated().Count
	case event.KindPopped:
		popped := e.Popped()
		if q.Kind == "DeltaFIFO" {
			if len(q.Keys) == 0 || q.Keys[0] != popped.Key || len(q.Deltas[popped.Key]) != popped.Deltas {
				f.complain("KindPopped of %d deltas of %q, the fold has %v", popped.Deltas, popped.Key, q.Keys)
				return
			}
			q.Keys = q.Keys[1:]
			delete(q.Deltas, popped.Key)
		} else {
			if len(q.Items) < popped.Deltas {
				f.complain("KindPopped of %d deltas, the fold has %d", popped.Deltas, len(q.Items))
				return
			}
			q.Items = q.Items[popped.Deltas:]
		}
		if popped.Length != f.depth() {
			f.complain("KindPopped has %d left, the fold %d", popped.Length, f.depth())
		}
	case event.KindProcessed:
		q.InitialPopulation = e.Processed().Population
	case event.KindQueueSynced:
		q.Synced = true
	case event.KindQueueClosed:
		q.Closed = true

	case event.KindStoreAdded, event.KindStoreUpdated:
		stored := e.Stored()
		_, known := st.Objects[stored.Key]
		if known != (e.Kind == event.KindStoreUpdated) {
			f.complain("kind %d of %q, whose key exists: %v", e.Kind, stored.Key, known)
		}
		if known && st.Objects[stored.Key] != stored.Old {
			f.complain("KindStoreUpdated of %q has another old object than the fold", stored.Key)
		}
		st.Objects[stored.Key], st.ResourceVersion = stored.Obj, stored.StoreRV
		f.index(stored.Key, stored.Indexed)
	case event.KindStoreDeleted:
		storeDeleted := e.StoreDeleted()
		if st.Objects[storeDeleted.Key] != storeDeleted.Old || storeDeleted.Old == nil {
			f.complain("KindStoreDeleted of %q has another old object than the fold", storeDeleted.Key)
		}
		delete(st.Objects, storeDeleted.Key)
		delete(f.values, storeDeleted.Key)
		st.ResourceVersion = storeDeleted.StoreRV
	case event.KindStoreReplaced:
		storeReplaced := e.StoreReplaced()
		st.Objects, f.values = map[string]any{}, map[string]map[string][]string{}
		for _, item := range storeReplaced.Items {
			st.Objects[item.Key] = item.Obj
			f.index(item.Key, item.Indexed)
		}
		st.ResourceVersion = storeReplaced.StoreRV
	case event.KindStoreBookmark:
		st.ResourceVersion = e.StoreBookmark().StoreRV
	case event.KindIndexersAdded:
		indexersAdded := e.IndexersAdded()
		f.names = append(f.names, strings.Split(indexersAdded.Names, ",")...)
		for _, item := range indexersAdded.Items {
			f.index(item.Key, item.Indexed)
		}

	case event.KindListenerAdded:
		listenerAdded := e.ListenerAdded()
		f.s.Listeners = append(f.s.Listeners, ListenerSnapshot{ID: listenerAdded.Listener, Name: listenerAdded.Name, Capacity: listenerAdded.Capacity, Syncing: true})
	case event.KindListenerRemoved:
		for i, l := range f.s.Listeners {
			if l.ID == e.Listener() {
				f.s.Listeners = append(f.s.Listeners[:i:i], f.s.Listeners[i+1:]...)
				break
			}
		}
	case event.KindListenerSyncing:
		listenerSyncing := e.ListenerSyncing()
		f.listener(listenerSyncing.Listener).Syncing = listenerSyncing.Syncing
	case event.KindListenerSynced:
		f.listener(e.Listener()).Synced = true
	case event.KindDistributed:
		distributed := e.Distributed()
		for _, l := range f.s.Listeners {
			if (distributed.Listener == 0 && (distributed.Only == "" || l.Syncing)) || distributed.Listener == l.ID {
				f.waiting[l.ID]++
			}
		}
	case event.KindAccepted:
		accepted := e.Accepted()
		f.waiting[accepted.Listener]--
		if f.waiting[accepted.Listener] < 0 {
			f.complain("KindAccepted of a notification that was not distributed")
		}
		l := f.listener(accepted.Listener)
		l.Pending, l.Capacity, l.Waiting = accepted.Ring, accepted.Capacity, true
	case event.KindDelivered:
		delivered := e.Delivered()
		l := f.listener(delivered.Listener)
		l.Pending, l.Waiting = delivered.Ring, delivered.Waiting
		l.Delivered++
	case event.KindHandling:
		l := f.listener(e.Listener())
		l.Handling = true
		if l.ID != 0 && l.Delivered != l.Handled+1 {
			f.complain("KindHandling after %d delivered and %d handled", l.Delivered, l.Handled)
		}
	case event.KindHandled:
		l := f.listener(e.Listener())
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
