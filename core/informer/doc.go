// Package informer is a Kubernetes informer whose every transition can be
// watched.
//
// The names, signatures and behaviour are those of client-go's tools/cache v0.37.2, so that a reader of one knows the other. A Reflector
// lists and watches. A queue (DeltaFIFO or RealFIFO) orders what it receives. A process loop pops the queue into an Indexer and hands
// notifications to listeners. Each listener has a growing buffer in front of its handler. An [Release] is a release of client-go: it chooses
// the queue and the way to list, because client-go changed both. It behaves as its release did, with the release's default gates: also in
// its lamps, its stop, its backoff and what it takes from a server.
//
// Every exported name of tools/cache exists here, with its signature. Left out are what needs a *rest.Request, and the fakes for
// client-go's own tests. A test reads client-go's sources and holds this package to it. Informers for all resources of a server together
// are made by core/factory.
//
// Three things are added. An Observer gets every transition, in an order that agrees with the locks, so that folding the events gives
// exactly what is inside. Gates can hold the Reflector, the process loop or a listener at a point where the real code could equally well
// have been slow. Snapshot copies what is inside, for tests that compare it with the fold.
//
// The package does no I/O: a ListerWatcher is given to it.
package informer
