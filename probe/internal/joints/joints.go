// Package joints holds each private part of others that the probe knows: fields of client-go and of controller-runtime, names and lines of client-go's
// functions, and the runtime's record of a goroutine. Each file says what it touches, what that gives, and what guards it. Nothing else of the probe's modules
// has such a part.
//
// The build tag informerscope_public leaves them all out. Then each function answers that it does not know, and the probe shows what is public. docs/probe.md
// says what that is.
package joints

// LeftOut is why a layer is off in a program with the tag informerscope_public.
const LeftOut = "this program was built with the tag informerscope_public"

// StoreChange is why the store called an index function.
type StoreChange uint8

const (
	Unknown  StoreChange = iota + 1
	Outdated             // a new version replaces the object
	Added                // the object comes
	Deleted              // the object leaves
	Replaced             // the object comes with a new list that replaces the whole store
	Same                 // the store does not change
)

// Ring is the buffer of a listener.
type Ring struct {
	Length, Capacity int
	IsExact          bool // client-go stores the length for other goroutines
}

// Source is what controller-runtime's handler of an informer is made of. Its work queue is a Q.
type Source[Q any] struct {
	Queue Q
	Type  string // of the handler that the builder or the user made
	// CreateFunc is the name of the function that a handler made of functions has there; "" for another handler.
	CreateFunc string
}
