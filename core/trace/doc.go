// Package trace holds the log of what happened inside the informers of an
// experiment, and everything that is made of it.
//
// An Event is one transition with its place in time. A Recorder takes events from informers and work queues while they hold their locks,
// and keeps the newest of them. A Fold is the state after a prefix of the log. It costs a constant per event, and cloning one is cheap
// however many objects it holds: that makes stepping back and scrubbing instant. State is the Fold's JSON projection: what the panels show.
// Journey, Marks and Density read the log for the inspector and the timeline. The file format carries a log out of the page and back in,
// and to Perfetto.
//
// The package's central invariant: the Fold of all events of an informer equals what is inside that informer.
package trace
