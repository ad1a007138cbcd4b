package object

import "sync/atomic"

// An informer's store shares each object with every handler and every reader of a lister. An object made by Share can be changed while they use it, as
// a handler with a bug does, and still keeps the content that came over the wire.

// live is the content of an object that was made by Share.
type live struct {
	original *Object                // the original content
	current  atomic.Pointer[Object] // the current content; replaced as a whole, never changed in place
}

// Share returns an object with the same content, whose setters may be called while other goroutines read it, unlike those of other objects. A change
// takes effect at once for all users of the pointer. o does not change. If Share made o, or o is nil, it returns o.
func (o *Object) Share() *Object {
	if o == nil || o.live != nil {
		return o
	}
	s := *o
	s.live = &live{original: o}
	s.live.current.Store(o)
	return &s
}

// Now returns the object's current content, which never changes. If Share did not make the object, that is o itself.
func (o *Object) Now() *Object {
	if o == nil || o.live == nil {
		return o
	}
	return o.live.current.Load()
}

// Original returns the content with which Share made the object. If Share did not make it, that is o itself.
func (o *Object) Original() *Object {
	if o == nil || o.live == nil {
		return o
	}
	return o.live.original
}
