package informer

import "fmt"

// Release is a client-go release whose default behaviour an informer shows.
type Release uint8

// The releases (client-go 0.31 is named 1.31, after Kubernetes), each as it is with its default gates.
// The zero value means Release137.
const (
	// ReleaseDefault is Release137.
	ReleaseDefault Release = iota
	// Release131: DeltaFIFO, LIST then WATCH. Before 0.33 client-go knew no contexts; here a request that is under way
	// when the informer stops is cancelled in this release too.
	Release131
	// Release133: RealFIFO, LIST then WATCH.
	Release133
	// Release135: RealFIFO with batches, WatchList.
	Release135
	// Release137: since 1.36 also atomic ReplacedAll, SyncAll and Bookmark deltas, and an unlocked queue while processing.
	Release137
)

// ParseRelease reads "1.31", "1.33", "1.35" or "1.37"; an empty string is the default.
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

// String returns the release as ParseRelease reads it.
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

// features are what sets the releases apart: the gates of client-go that are on by
// default in the release, and what the release does without a gate.
type features struct {
	inOrder         bool // InOrderInformers: RealFIFO in place of DeltaFIFO
	batch           bool // InOrderInformersBatchProcess
	atomic          bool // AtomicFIFO: ReplacedAll, SyncAll and Bookmark deltas
	unlock          bool // UnlockWhileProcessingFIFO
	watchList       bool // WatchListClient
	resourceVersion bool // InformerResourceVersion: GetController().LastSyncResourceVersion() reports

	// Only in 0.31.

	// pauseAtOnce: the pause after a handler's panic begins at once, not when the next notification has come.
	pauseAtOnce bool
	// looseResync: a relist does not wait for a resync that is under way.
	looseResync bool

	// Before 0.35.

	// drains: the process loop does not look at its context: it pops a closed queue until it is empty.
	drains bool

	// Before 0.36.

	// quietReset: the backoff starts over when two minutes have passed since its last use, not since its
	// last reset; its waits heed ReflectorOptions.Clock; and a Reflector that is stopped before it runs asks for nothing.
	quietReset bool
	// lockedLamps: HasSynced asks the queue under its lock, which is held while an item is processed, and a
	// handler's HasSynced asks the informer. From 0.36 on both are channels that goroutines of their own close.
	lockedLamps bool
	// tables: what a LIST or a WATCH brings in the form of a Table is taken as it is, but not in a WatchList.
	tables bool
	// versionFromAdded: in a WATCH from "" or "0" the first Added moves the resourceVersion already.
	versionFromAdded bool
	// keepsBookmarks: a store is not told of bookmarks, ReflectorBookmarkStore or not.
	keepsBookmarks bool
}

// before036 adds what 0.36 changed.
func (f features) before036() features {
	f.quietReset, f.lockedLamps, f.tables, f.versionFromAdded, f.keepsBookmarks = true, true, true, true, true
	return f
}

func (e Release) features() features {
	switch e {
	case Release131:
		return features{pauseAtOnce: true, looseResync: true, drains: true}.before036()
	case Release133:
		return features{inOrder: true, drains: true}.before036()
	case Release135:
		return features{inOrder: true, batch: true, watchList: true, resourceVersion: true}.before036()
	default:
		return features{inOrder: true, batch: true, atomic: true, unlock: true, watchList: true, resourceVersion: true}
	}
}
