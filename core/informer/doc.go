// Package informer is a Kubernetes informer whose every transition can be
// watched.
//
// The names, signatures and behaviour are those of client-go's tools/cache
// v0.37.2, so that whoever knows one knows the other: a Reflector lists and
// watches, a queue (DeltaFIFO or RealFIFO) orders what it receives, a process
// loop pops the queue into an Indexer and hands notifications to listeners,
// and each listener has a growing buffer in front of its handler. Which queue
// and which way to list is chosen by an Era, because client-go changed both
// over its releases. An Era behaves as its release did, with the release's
// default gates: also in its lamps, its stop, its backoff and what it takes
// from a server.
//
// Every exported name of tools/cache exists here, with its signature, but for
// what needs a *rest.Request and the fakes for client-go's own tests; a test
// reads client-go's sources and holds this package to it. Informers for all
// resources of a server together are made by core/factory.
//
// Three things are added. An Observer is told of every transition, in an order
// that agrees with the locks, so that folding the events gives exactly what is
// inside. Gates can hold the Reflector, the process loop or a listener at a
// point where the real code could equally well have been slow. Snapshot copies
// what is inside, for tests that compare it with the fold.
//
// The package does no I/O: a ListerWatcher is given to it.
package informer
