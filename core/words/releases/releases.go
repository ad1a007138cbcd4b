// Package releases names the releases of client-go that an informer can behave like, and what differs between them.
package releases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Release is a client-go release whose default behaviour an informer has. A later release is greater.
type Release uint8

// The releases, each with its default feature gates; client-go 0.31 is named 1.31, after Kubernetes. The zero value means Standard.
const (
	// Default is Standard.
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
	// V138, of which there is a beta: batches with several deltas of a key, and WatchLists that are decoded concurrently.
	V138
)

// Standard is the release of an informer that names none, and of the page.
const Standard = V137

// names are the names of the releases. A beta's label adds that it is one.
var names = [...]string{Default: "", V131: "1.31", V133: "1.33", V135: "1.35", V137: "1.37", V138: "1.38"}

// All returns the releases, the newest first.
func All() []Release { return []Release{V138, V137, V135, V133, V131} }

// Names returns the names of All.
func Names() (all []string) {
	for _, r := range All() {
		all = append(all, r.String())
	}
	return all
}

// Parse parses the name of a release, such as "1.31". "1.36" is read as 1.37, and an empty string as Default.
func Parse(s string) (Release, error) {
	if s == "1.36" {
		return V137, nil
	}
	if i := slices.Index(names[:], s); i >= 0 {
		return Release(i), nil
	}
	last := len(names) - 1
	return 0, fmt.Errorf("unknown release %q: choose %s or %s", s, strings.Join(names[1:last], ", "), names[last])
}

// IsNewer reports whether s names a release that is newer than those that are known, such as "1.99". A probe meets one.
func IsNewer(s string) bool {
	minor, ok := strings.CutPrefix(s, "1.")
	n, err := strconv.ParseUint(minor, 10, 16)
	newest, _ := strconv.ParseUint(strings.TrimPrefix(All()[0].String(), "1."), 10, 16)
	return ok && err == nil && n > newest && s == fmt.Sprint("1.", n)
}

// String returns the release in the form that Parse accepts.
func (r Release) String() string { return names[r.known()] }

// Label returns how people write the release: "1.38 (beta)" as long as it is not released.
func (r Release) Label() string {
	if r.known() == V138 {
		return r.String() + " (beta)"
	}
	return r.String()
}

// known returns the release itself, or Standard for Default.
func (r Release) known() Release {
	if r == Default {
		return Standard
	}
	return r
}

// Features are the differences between releases that sentences and drawings depend on; the zero value is a release that is not known.
type Features struct {
	KeepsOrder   bool `json:"keepsOrder"`   // the queue is a RealFIFO, which keeps the order of all changes (gate InOrderInformers).
	PopsBatches  bool `json:"popsBatches"`  // Pop takes several deltas at once (gate InOrderInformersBatchProcess).
	ListsByWatch bool `json:"listsByWatch"` // the Reflector lists with a WATCH that sends the initial events (gate WatchListClient).
	Atomic       bool `json:"atomic"`       // a relist is one ReplacedAll delta and a resync one SyncAll; bookmarks are queued (gate AtomicFIFO).
	Unlocks      bool `json:"unlocks"`      // the queue's lock is released while a batch is processed (gate UnlockWhileProcessingFIFO).
	Contexts     bool `json:"contexts"`     // the functions of the Reflector take a context.
	// Resets: the backoff starts over two minutes after its last reset, however often it is used. Before 0.36 it started over two minutes after
	// its last use, its waits used ReflectorOptions.Clock, and a Reflector that was stopped before it ran sent no request.
	Resets bool `json:"resets"`
	// RepeatsKeys: a batch may have several deltas of a key, and goes on after an object without a key. The store applies the last write of each key
	// only, so during a handler's call it may be ahead of the object in the call.
	RepeatsKeys bool `json:"repeatsKeys"`
	// DecodesAhead: goroutines decode a WatchList's stream before the Reflector reads it (gate WatchListClientConcurrentDecoding).
	DecodesAhead bool `json:"decodesAhead"`
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

	// Before 0.38.

	// LosesResyncError: an error of RealFIFO.Resync does not say its cause.
	LosesResyncError bool

	// Since 0.38.

	// Shards: an informer can have a shard selector of its own (SetShardSelector), and filters by itself where the API server does not.
	Shards bool
	// KeepsIndexValues: a write that changes none of several index values leaves the index as it is, even if it was wrong. Before, this was so of a
	// single value.
	KeepsIndexValues bool
}

// Features returns what sentences and drawings depend on.
func (r Release) Features() Features { return r.Behaviour().Features }

// Behaviour returns how the release behaves.
func (r Release) Behaviour() Behaviour {
	r = r.known()
	var b Behaviour
	b.PausesAtOnce, b.RelistsDuringResync = r < V133, r < V133
	b.KeepsOrder, b.Contexts = r >= V133, r >= V133
	b.Drains = r < V135
	b.PopsBatches, b.ListsByWatch, b.ReportsVersion = r >= V135, r >= V135, r >= V135
	b.LocksHasSynced, b.ReadsTables, b.CountsAdded, b.KeepsBookmarks = r < V137, r < V137, r < V137, r < V137
	b.Atomic, b.Unlocks, b.Resets = r >= V137, r >= V137, r >= V137
	b.LosesResyncError = r < V138
	b.RepeatsKeys, b.DecodesAhead, b.Shards, b.KeepsIndexValues = r >= V138, r >= V138, r >= V138, r >= V138
	return b
}
