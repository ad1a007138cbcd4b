// Package informer is a Kubernetes informer whose every transition can be observed.
//
// Names and behaviour are those of client-go's tools/cache v0.37.2. A Reflector lists and watches. A queue (DeltaFIFO or RealFIFO)
// orders what it receives. A process loop pops the queue into an Indexer and passes notifications to listeners. Each listener has a growing buffer in
// front of its handler. A [releases.Release] is a release of client-go. It selects the queue and the way to list, because client-go changed both. The informer
// behaves as that release does with its default feature gates. That includes when HasSynced becomes true, how it stops, its backoff, and which answers
// of a server it accepts.
//
// Of tools/cache it has what a page runs and what the tests in conformance compare. Package core/client/factory keeps the informers of several resources.
//
// Three things are added. An Observer gets every transition, in an order that agrees with the locks, so that folding the events gives exactly the
// informer's state. Gates can hold the Reflector, the process loop or a listener, at points where client-go's code could be equally slow. Snapshot
// copies the state, for tests that compare it with the fold.
//
// The package does no I/O: a ListerWatcher does it.
package informer
