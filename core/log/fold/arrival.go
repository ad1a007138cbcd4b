package fold

import (
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/event"
)

// MaxArrivals is how many Arrivals are kept.
const MaxArrivals = 8

// Arrivals is a ring of changes: the newest is at index n-1 modulo its length.
type Arrivals struct {
	ring [MaxArrivals]*Arrival
	n    int
}

// Arrival is a change of an object, as the watch brought it into the store. It is safe for concurrent use.
type Arrival struct {
	At      time.Duration
	Key, RV string

	obj, old any // old is nil for an object that was not in the store
	once     sync.Once
	writer   Writer
	isKnown  bool
}

// Newest returns change i, 0 for the newest; nil if there were not as many.
func (a *Arrivals) Newest(i int) *Arrival {
	if i >= min(a.n, MaxArrivals) {
		return nil
	}
	return a.ring[(a.n-1-i)%MaxArrivals]
}

func (a *Arrivals) note(at time.Duration, s event.Stored) {
	if s.Op == event.OpReplaced || s.Op == event.OpSync {
		return // a list or a resync brought it
	}
	a.ring[a.n%MaxArrivals] = &Arrival{At: at, Key: s.Key, RV: s.RV, obj: s.Obj, old: s.Old}
	a.n++
}

// Writer is who wrote an object: its field manager, and the subresource that it wrote, if any.
type Writer struct{ Manager, Subresource string }

// Writer returns who made the object of its version before, or created it. An object does not say it of every write: isKnown is false without managedFields,
// for a deletion, and if several managers wrote between the two versions and none is the later one. The fields are decoded once.
func (a *Arrival) Writer() (by Writer, isKnown bool) {
	a.once.Do(func() {
		a.writer, a.isKnown = writerOf(a.old, a.obj)
		a.old, a.obj = nil, nil
	})
	return a.writer, a.isKnown
}

func writerOf(old, obj any) (by Writer, isKnown bool) {
	type managed interface {
		GetManagedFields() []metav1.ManagedFieldsEntry
		GetDeletionTimestamp() *metav1.Time
	}
	manager, ok := obj.(managed)
	if !ok || manager.GetDeletionTimestamp() != nil {
		return by, false
	}
	type identity struct {
		Writer
		operation metav1.ManagedFieldsOperationType
	}
	identityOf := func(e metav1.ManagedFieldsEntry) identity {
		return identity{Writer{e.Manager, e.Subresource}, e.Operation}
	}
	was := map[identity]metav1.ManagedFieldsEntry{}
	if o, ok := old.(managed); ok {
		for _, e := range o.GetManagedFields() {
			was[identityOf(e)] = e
		}
	}
	var last *metav1.Time
	for _, e := range manager.GetManagedFields() {
		id := identityOf(e)
		if e.Time == nil || reflect.DeepEqual(was[id], e) {
			continue
		}
		switch {
		case last == nil || last.Before(e.Time):
			by, isKnown, last = id.Writer, true, e.Time
		case last.Equal(e.Time):
			isKnown = false
		}
	}
	return by, isKnown
}
