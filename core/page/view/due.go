package view

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// DueTimes have steps of this length, and at most so many.
const (
	dueStep  = 500 * time.Millisecond
	dueSteps = 40
)

// dueTimes counts the keys that wait in the controller's heap, nil if none does. Its steps begin with the key that is due first, so they change only when the
// heap does.
func (x *factInputs) dueTimes() *facts.DueTimes {
	work := x.state.Workqueue
	if work == nil || len(work.Waiting) == 0 {
		return nil
	}
	first := int64(work.Waiting[0].DueMillis / fold.Millis(dueStep))
	due := &facts.DueTimes{FromMillis: float64(first) * fold.Millis(dueStep), StepMillis: fold.Millis(dueStep)}
	x.stations[atController].EachDue(x.lane, func(at time.Duration, failed func() bool) {
		i := min(max(int(int64(at/dueStep)-first), 0), dueSteps-1)
		for len(due.Keys) <= i {
			due.Keys, due.Failed = append(due.Keys, 0), append(due.Failed, false)
		}
		due.Keys[i]++
		due.Failed[i] = due.Failed[i] || failed()
	})
	return due
}
