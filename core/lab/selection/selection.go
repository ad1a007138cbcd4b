package selection

import (
	"errors"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// Defaults of a simulated cluster.
const (
	DefaultSeed    = 7
	DefaultObjects = 240
	DefaultRate    = 6.0
)

// What can be watched together.
const (
	MaxResources = 8
	MaxReleases  = 2 // side by side
)

// ErrAttached is returned for an action on the informers of another process.
var ErrAttached = errors.New("these informers run in another process, which is watched and never acted on; choose the simulated cluster to try things")

// Default returns what a page watches that selects nothing.
func Default() event.Selection {
	return event.Selection{
		Source: "sim", Version: "v1", Resource: "pods", Releases: []string{releases.Standard.String()},
		Seed: DefaultSeed, Objects: DefaultObjects, Rate: DefaultRate,
	}
}

// SameSource reports whether b can run on the source of a.
func SameSource(a, b event.Selection) bool {
	if a.Source != b.Source || a.Source == "live" {
		return a.Source == b.Source && a.Context == b.Context
	}
	return a.Seed == b.Seed && a.Objects == b.Objects
}
