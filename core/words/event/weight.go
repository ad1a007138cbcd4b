package event

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// ItemBytes is roughly what an item of an event takes in a log.
const ItemBytes = 96

// Weight is the size of objects in bytes of JSON: as held, and on arrival.
type Weight struct{ Held, Came int64 }

// weigher is an object that stores its size. Weight must cost nothing, because the informer's locks are held. (Size of Kubernetes' typed objects will not do:
// it walks the whole object.)
type weigher interface{ Weight() (held, came int) }

// weightless is the type found last not to be a weigher: repeating the check for each object would be slow.
var weightless atomic.Pointer[any]

func asWeigher(obj any) (weigher, bool) {
	if t := weightless.Load(); t != nil && words(*t)[0] == words(obj)[0] {
		return nil, false
	}
	w, ok := obj.(weigher)
	if !ok && obj != nil {
		zero := reflect.Zero(reflect.TypeOf(obj)).Interface()
		weightless.Store(&zero)
	}
	return w, ok
}

// Weigh returns the size of an object, 0 if it is no weigher.
func Weigh(obj any) Weight {
	if o, ok := asWeigher(obj); ok {
		held, came := o.Weight()
		return Weight{int64(held), int64(came)}
	}
	return Weight{}
}

// IsReduced reports whether members of the object were dropped since it arrived.
func (w Weight) IsReduced() bool { return w.Came != w.Held }

func (w *Weight) Add(o Weight) { w.Held, w.Came = w.Held+o.Held, w.Came+o.Came }

func (w *Weight) Sub(o Weight) { w.Held, w.Came = w.Held-o.Held, w.Came-o.Came }

// defaultBytes is the assumed size in bytes of an object that is no weigher.
const defaultBytes = 1024

// size returns roughly how much memory an object from outside takes.
func size(obj any) int {
	if o, ok := asWeigher(obj); ok {
		held, _ := o.Weight()
		return held
	}
	if obj == nil {
		return 0
	}
	return defaultBytes
}

// NewBytes returns roughly how many bytes of new objects an event brings.
func (e *Event) NewBytes() int {
	n := len(e.raw.Text)
	switch e.Kind {
	case KindWatchEvent, KindWireFrame:
		n += size(e.raw.Obj)
	case KindQueued:
		if e.raw.Op == OpReplaced || Weigh(e.raw.Obj).IsReduced() { // a transform made a new object
			n += size(e.raw.Obj)
		}
		fallthrough
	case KindRestored:
		for i := range e.raw.Items {
			n += size(e.raw.Items[i].Obj)
		}
		n += len(e.raw.Items) * ItemBytes
	case KindStoreReplaced, KindIndexersAdded, KindClusterObjects:
		n += len(e.raw.Items) * ItemBytes
	}
	return n
}

// words returns the type word and the data pointer of a value. If both are equal, the values are identical. (Comparing the values themselves may be slow, or
// panic.)
func words(o any) [2]unsafe.Pointer { return *(*[2]unsafe.Pointer)(unsafe.Pointer(&o)) }
