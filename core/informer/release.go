package informer

import "fmt"

// Release is a client-go release whose default behaviour an informer has.
type Release uint8

// The releases, each with its default feature gates; client-go 0.31 is named 1.31, after Kubernetes. The zero value means Release137.
const (
	// ReleaseDefault is Release137.
	ReleaseDefault Release = iota
	// Release131: DeltaFIFO, LIST then WATCH. Before 0.33 client-go had no contexts; here a request in flight is cancelled when the informer stops, in
	// this release, too.
	Release131
	// Release133: RealFIFO, LIST then WATCH.
	Release133
	// Release135: RealFIFO with batches, WatchList.
	Release135
	// Release137: since 1.36 also atomic ReplacedAll, SyncAll and Bookmark deltas, and an unlocked queue while processing.
	Release137
)

// ParseRelease parses "1.31", "1.33", "1.35" or "1.37". "1.36" is read as 1.37, and an empty string as the default.
func ParseRelease(s string) (Release, error) {
	switch s {
	case "":
		return Release137, nil
	case "1.31":
		return Release131, nil
	case "1.33":
		return Release133, nil
	case "1.35":
		return Release135, nil
	case "1.37", "1.36":
		return Release137, nil
	}
	return 0, fmt.Errorf("unknown release %q: choose 1.31, 1.33, 1.35 or 1.37", s)
}

// String returns the release in the form that ParseRelease accepts.
func (e Release) String() string {
	switch e {
	case Release131:
		return "1.31"
	case Release133:
		return "1.33"
	case Release135:
		return "1.35"
	default:
		return "1.37"
	}
}

// features are the differences between the releases: the feature gates of client-go that are on by default in the release, and behaviour without a
// gate.
type features struct {
	inOrder         bool // InOrderInformers: RealFIFO in place of DeltaFIFO
	batch           bool // InOrderInformersBatchProcess
	atomic          bool // AtomicFIFO: ReplacedAll, SyncAll and Bookmark deltas
	unlock          bool // UnlockWhileProcessingFIFO
	watchList       bool // WatchListClient
	resourceVersion bool // InformerResourceVersion: GetController().LastSyncResourceVersion() reports

	// Only in 0.31.

	// pauseAtOnce: the pause after a handler's panic begins at once, not when the next notification arrives.
	pauseAtOnce bool
	// looseResync: a relist does not wait for a running resync.
	looseResync bool
	// lacksContexts: functions take a stop channel in place of a context.
	lacksContexts bool

	// Before 0.35.

	// drains: the process loop ignores its context and pops a closed queue until it is empty.
	drains bool

	// Before 0.36.

	// quietReset: the backoff starts over when two minutes have passed since its last use, not since its last reset. Its waits use
	// ReflectorOptions.Clock. And a Reflector that is stopped before it runs sends no request.
	quietReset bool
	// lockedHasSynced: the informer's HasSynced takes the queue's lock, which is held while an item is processed, and a handler's HasSynced calls the
	// informer's. From 0.36 on both are channels that separate goroutines close.
	lockedHasSynced bool
	// tables: a LIST or a WATCH in the form of a Table is accepted, but not a WatchList.
	tables bool
	// versionFromAdded: in a WATCH from "" or "0" even the first Added advances the resourceVersion.
	versionFromAdded bool
	// keepsBookmarks: bookmarks are not passed to the store, even if it is a ReflectorBookmarkStore.
	keepsBookmarks bool
}

// addBehaviourBefore036 returns f plus the behaviour that 0.36 changed.
func (f features) addBehaviourBefore036() features {
	f.quietReset, f.lockedHasSynced, f.tables, f.versionFromAdded, f.keepsBookmarks = true, true, true, true, true
	return f
}

// Releases returns the releases, the newest first.
func Releases() []Release { return []Release{Release137, Release135, Release133, Release131} }

// Features are the differences between releases that sentences and drawings depend on; the zero value is a release that is not known.
type Features struct {
	KeepsOrder   bool `json:"keepsOrder"`   // the queue is a RealFIFO, which keeps the order of all changes
	PopsBatches  bool `json:"popsBatches"`  // Pop takes several deltas at once
	ListsByWatch bool `json:"listsByWatch"` // the Reflector lists with a WATCH that sends the initial events
	Atomic       bool `json:"atomic"`       // a relist is one ReplacedAll delta and a resync one SyncAll; bookmarks are queued
	Unlocks      bool `json:"unlocks"`      // the queue's lock is released while a batch is processed
	Contexts     bool `json:"contexts"`     // the functions of the Reflector take a context
	Resets       bool `json:"resets"`       // the backoff starts over two minutes after its last reset, however often it is used
}

// Features returns the release's Features.
func (e Release) Features() Features {
	f := e.features()
	return Features{KeepsOrder: f.inOrder, PopsBatches: f.batch, ListsByWatch: f.watchList, Atomic: f.atomic, Unlocks: f.unlock,
		Contexts: !f.lacksContexts, Resets: !f.quietReset}
}

func (e Release) features() features {
	switch e {
	case Release131:
		return features{pauseAtOnce: true, looseResync: true, lacksContexts: true, drains: true}.addBehaviourBefore036()
	case Release133:
		return features{inOrder: true, drains: true}.addBehaviourBefore036()
	case Release135:
		return features{inOrder: true, batch: true, watchList: true, resourceVersion: true}.addBehaviourBefore036()
	default:
		return features{inOrder: true, batch: true, atomic: true, unlock: true, watchList: true, resourceVersion: true}
	}
}
