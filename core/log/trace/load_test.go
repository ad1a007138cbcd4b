package trace

import (
	"slices"

	"informerscope/core/words/event"
)

// load loads a log into a Recorder as if from a file.
func load(r *Recorder, events []event.Entry) {
	log := r.Empty()
	if err := log.Append(slices.Clone(events)); err != nil {
		panic(err)
	}
	r.Load(log)
}
