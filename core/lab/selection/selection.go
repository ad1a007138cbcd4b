package selection

import (
	"encoding/json"
	"errors"

	"informerscope/core/informer"
	"informerscope/core/words/event"
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

// SourceProbe is the source of a Selection whose log comes from a probe in another process.
const SourceProbe = "probe"

// ErrAttached is returned for an action on the informers of another process.
var ErrAttached = errors.New("these informers run in another process, which is watched and never acted on; choose the simulated cluster to try things")

// Default returns what a page watches that selects nothing.
func Default() event.Selection {
	return event.Selection{
		Source: "sim", Version: "v1", Resource: "pods", Releases: []string{informer.Release137.String()},
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

// ReplaceSource returns a selection, as JSON, with another source. A text that is no selection stays as it is.
func ReplaceSource(text, source string) string {
	var sel event.Selection
	if json.Unmarshal([]byte(text), &sel) != nil {
		return text
	}
	sel.Source = source
	replaced, err := json.Marshal(sel)
	if err != nil {
		return text
	}
	return string(replaced)
}
