// Package attached shows the informers of another process, in which a probe runs. Ask says which it has; a Follower extends a log with the probe's stream.
// Whatever the process sends, a bounded part of it is kept, and other work gets its turn.
package attached
