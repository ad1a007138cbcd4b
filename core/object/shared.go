package object

import "sync/atomic"

// What is in an informer's store is one object that everybody has: the store, each handler, each reader of the lister. One that is made by
// Shared can be changed under all of them, as a handler's mistake does it, and can still be told from what came over the wire.

// live is the content of an object that was made by Shared.
type live struct {
	came *Object                // as it was when Shared made it
	now  atomic.Pointer[Object] // as it is; never changed itself
}

// Shared returns an object with the same content whose setters, other than those of every other object, may be called while any number of
// goroutines read it: what they set takes effect at once, for everybody who has this pointer. o is not changed by them, and keeps what it
// holds. An object that Shared made is returned as it is; so is nil.
func (o *Object) Shared() *Object {
	if o == nil || o.live != nil {
		return o
	}
	s := *o
	s.live = &live{came: o}
	s.live.now.Store(o)
	return &s
}

// Now returns the content that the object has at this moment, which never changes; of an object that Shared did not make it is o itself.
func (o *Object) Now() *Object {
	if o == nil || o.live == nil {
		return o
	}
	return o.live.now.Load()
}

// Came returns the content with which Shared made the object; of one that it did not make it is o itself.
func (o *Object) Came() *Object {
	if o == nil || o.live == nil {
		return o
	}
	return o.live.came
}
