// Package trace has the log of what happened inside the informers of an experiment. A Recorder takes events from informers and work queues while they hold
// their locks, and keeps the newest of them. It returns the fold of the log at any moment.
package trace
