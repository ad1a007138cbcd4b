package action

import (
	"slices"
	"strings"
	"time"

	"informerscope/core/words/event"
)

// Story is what is needed to replay an experiment on the simulated cluster.
type Story struct {
	Seed    uint64  `json:"seed"`
	Objects int     `json:"objects"`
	Rate    float64 `json:"rate"`
	// Release is the release with which it began, or two with a comma between them: a later start may have another.
	Release string `json:"era"`
	// Selector is the label selector of its requests, "" for none.
	Selector string `json:"selector"`
	// From is when the experiment began, in milliseconds since the cluster did; it is not 0 if an earlier experiment ran on the cluster.
	From int64 `json:"from"`
	// Do are the user's actions, with their times: "12345:fault:cut,13000:burst:100", in milliseconds since the cluster began.
	Do string `json:"do"`
	// Fork are those that only the second of two lanes knows; empty without a fork.
	Fork string `json:"fork,omitempty"`
}

// History is what the user did to the running cluster since it began.
type History struct {
	rate  float64 // at the cluster's beginning
	from  time.Duration
	steps []Step
	first int // index in steps of the first one in the running experiment
}

// NewHistory returns the history of a new cluster with a rate. The steps are in force from its beginning.
func NewHistory(rate float64, steps []Step) History {
	return History{rate: rate, steps: steps, first: len(steps)}
}

// Add adds a step of the running experiment.
func (h *History) Add(s Step) { h.steps = append(h.steps, s) }

// Begin begins an experiment at a time. The steps so far are of earlier ones.
func (h *History) Begin(at time.Duration) { h.from, h.first = at, len(h.steps) }

// End adds what the running experiment watched, and when it ended, because its controllers wrote to the cluster.
func (h *History) End(w event.Selection, at time.Duration) {
	watch := New("watch", strings.Join(w.Releases, ","), w.Group, w.Version, w.Resource, w.Kind, w.Namespace, w.Transform, w.Selector)
	if len(w.Resources) > 0 { // their full names have the rest
		var all []string
		for _, t := range w.Resources {
			all = append(all, t.FullName())
		}
		watch = New("watch", strings.Join(w.Releases, ","), "", "", strings.Join(all, ","), "", w.Namespace, w.Transform, w.Selector)
	}
	watch.At = h.from
	halt := New("halt")
	halt.At = at
	h.steps = append(slices.Insert(h.steps, h.first, watch), halt)
}

// Story returns the story of the running experiment, which watches sel, up to event seq.
func (h *History) Story(sel event.Selection, seq uint64) Story {
	steps := h.steps
	for len(steps) > h.first && steps[len(steps)-1].Seq >= seq {
		steps = steps[:len(steps)-1]
	}
	return Story{Seed: sel.Seed, Objects: sel.Objects, Rate: h.rate, Release: strings.Join(sel.Releases, ","), Selector: sel.Selector,
		From: h.from.Milliseconds(), Do: Write(steps), Fork: sel.Fork}
}
