package informer

import "fmt"

// Era is a client-go release whose default behaviour an informer shows.
type Era uint8

// The eras, by the release of client-go (0.31 is named 1.31 after Kubernetes).
// The zero value means Era137.
const (
	// EraDefault is Era137.
	EraDefault Era = iota
	// Era131: DeltaFIFO, LIST then WATCH.
	Era131
	// Era133: RealFIFO, LIST then WATCH.
	Era133
	// Era135: RealFIFO with batches, WatchList.
	Era135
	// Era137: since 1.36 also atomic ReplacedAll, SyncAll and Bookmark deltas, and an unlocked queue while processing.
	Era137
)

// ParseEra reads "1.31", "1.33", "1.35" or "1.37"; an empty string is the default.
func ParseEra(s string) (Era, error) {
	switch s {
	case "":
		return Era137, nil
	case "1.31":
		return Era131, nil
	case "1.33":
		return Era133, nil
	case "1.35":
		return Era135, nil
	case "1.37", "1.36":
		return Era137, nil
	}
	return 0, fmt.Errorf("unknown era %q: choose 1.31, 1.33, 1.35 or 1.37", s)
}

// String returns the era as ParseEra reads it.
func (e Era) String() string {
	switch e {
	case Era131:
		return "1.31"
	case Era133:
		return "1.33"
	case Era135:
		return "1.35"
	default:
		return "1.37"
	}
}

// features are the gates of client-go that an era turns on.
type features struct {
	inOrder   bool // InOrderInformers: RealFIFO in place of DeltaFIFO
	batch     bool // InOrderInformersBatchProcess
	atomic    bool // AtomicFIFO: ReplacedAll, SyncAll and Bookmark deltas
	unlock    bool // UnlockWhileProcessingFIFO
	watchList bool // WatchListClient
}

func (e Era) features() features {
	switch e {
	case Era131:
		return features{}
	case Era133:
		return features{inOrder: true}
	case Era135:
		return features{inOrder: true, batch: true, watchList: true}
	default:
		return features{inOrder: true, batch: true, atomic: true, unlock: true, watchList: true}
	}
}
