package harness

import "informerscope/e2e/bench/feed"

// The size of the benchmark: pods, and updates of them.
const (
	Pods    = 5000
	Updates = 5000
)

// Result is one measurement.
type Result struct {
	Mode         feed.Mode `json:"mode"`
	Pods         int       `json:"pods"`
	SyncBytes    int       `json:"syncBytes"`
	SyncMillis   float64   `json:"syncMillis"`
	Updates      int       `json:"updates"`
	UpdateBytes  int       `json:"updateBytes"`
	UpdateMillis float64   `json:"updateMillis"`
}
