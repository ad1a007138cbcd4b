// Package releases names the releases of client-go that an informer can behave like, and what differs between them.
package releases

import "fmt"

// Release is a client-go release whose default behaviour an informer has.
type Release uint8

// The releases, each with its default feature gates; client-go 0.31 is named 1.31, after Kubernetes. The zero value means V137.
const (
	// Default is V137.
	Default Release = iota
	// V131: DeltaFIFO, LIST then WATCH. Before 0.33 client-go had no contexts; here a request in flight is cancelled when the informer stops, in this
	// release, too.
	V131
	// V133: RealFIFO, LIST then WATCH.
	V133
	// V135: RealFIFO with batches, WatchList.
	V135
	// V137: since 1.36 also atomic ReplacedAll, SyncAll and Bookmark deltas, and an unlocked queue while processing.
	V137
)

// All returns the releases, the newest first.
func All() []Release { return []Release{V137, V135, V133, V131} }

// Parse parses "1.31", "1.33", "1.35" or "1.37". "1.36" is read as 1.37, and an empty string as the default.
func Parse(s string) (Release, error) {
	switch s {
	case "":
		return V137, nil
	case "1.31":
		return V131, nil
	case "1.33":
		return V133, nil
	case "1.35":
		return V135, nil
	case "1.37", "1.36":
		return V137, nil
	}
	return 0, fmt.Errorf("unknown release %q: choose 1.31, 1.33, 1.35 or 1.37", s)
}

// String returns the release in the form that Parse accepts.
func (r Release) String() string {
	switch r {
	case V131:
		return "1.31"
	case V133:
		return "1.33"
	case V135:
		return "1.35"
	default:
		return "1.37"
	}
}

// Features are the differences between releases that sentences and drawings depend on; the zero value is a release that is not known.
type Features struct {
	KeepsOrder   bool `json:"keepsOrder"`   // the queue is a RealFIFO, which keeps the order of all changes (gate InOrderInformers)
	PopsBatches  bool `json:"popsBatches"`  // Pop takes several deltas at once (gate InOrderInformersBatchProcess)
	ListsByWatch bool `json:"listsByWatch"` // the Reflector lists with a WATCH that sends the initial events (gate WatchListClient)
	Atomic       bool `json:"atomic"`       // a relist is one ReplacedAll delta and a resync one SyncAll; bookmarks are queued (gate AtomicFIFO)
	Unlocks      bool `json:"unlocks"`      // the queue's lock is released while a batch is processed (gate UnlockWhileProcessingFIFO)
	Contexts     bool `json:"contexts"`     // the functions of the Reflector take a context
	// Resets: the backoff starts over two minutes after its last reset, however often it is used. Before 0.36 it started over two minutes after
	// its last use, its waits used ReflectorOptions.Clock, and a Reflector that was stopped before it ran sent no request.
	Resets bool `json:"resets"`
}

// Behaviour is all that differs between the releases: feature gates of client-go that are on by default in a release, and behaviour without a gate.
type Behaviour struct {
	Features

	// ReportsVersion: GetController().LastSyncResourceVersion() reports (gate InformerResourceVersion).
	ReportsVersion bool

	// Only in 0.31.

	// PausesAtOnce: the pause after a handler's panic begins at once, not when the next notification arrives.
	PausesAtOnce bool
	// RelistsDuringResync: a relist does not wait for a running resync.
	RelistsDuringResync bool

	// Before 0.35.

	// Drains: the process loop ignores its context and pops a closed queue until it is empty.
	Drains bool

	// Before 0.36.

	// LocksHasSynced: the informer's HasSynced takes the queue's lock, which is held while an item is processed, and a handler's HasSynced calls the
	// informer's. From 0.36 on both are channels that separate goroutines close.
	LocksHasSynced bool
	// ReadsTables: a LIST or a WATCH in the form of a Table is accepted, but not a WatchList.
	ReadsTables bool
	// CountsAdded: in a WATCH from "" or "0" even the first Added advances the resourceVersion.
	CountsAdded bool
	// KeepsBookmarks: bookmarks are not passed to the store, even if it is a ReflectorBookmarkStore.
	KeepsBookmarks bool
}

// Features returns what sentences and drawings depend on.
func (r Release) Features() Features { return r.Behaviour().Features }

// Behaviour returns how the release behaves.
func (r Release) Behaviour() Behaviour {
	var b Behaviour
	if r == V131 || r == V133 || r == V135 {
		b.LocksHasSynced, b.ReadsTables, b.CountsAdded, b.KeepsBookmarks = true, true, true, true
	} else {
		b.Atomic, b.Unlocks, b.Resets = true, true, true
	}
	if r == V131 {
		b.PausesAtOnce, b.RelistsDuringResync = true, true
	} else {
		b.KeepsOrder, b.Contexts = true, true
	}
	if r == V131 || r == V133 {
		b.Drains = true
	} else {
		b.PopsBatches, b.ListsByWatch, b.ReportsVersion = true, true, true
	}
	return b
}
