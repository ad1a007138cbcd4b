package relay

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"informerscope/server/internal/audit"
	"informerscope/server/internal/clusters"
)

const (
	// streamMemory is what one request for a cluster may hold: what its API server sends before the viewer takes it, and the buffers that an
	// answer goes through on its way.
	streamMemory = clusters.StreamWindow + 128<<10
	// DefaultMaxStreams is how many such requests there may be of all viewers together: they hold 480 MiB at most.
	DefaultMaxStreams = 480 << 20 / streamMemory
)

// budget is the memory of all answers under way, counted in requests, each of which holds a bounded part of it. A request takes its part
// before anything is asked upstream, so that none ever has to be cut off for the memory of others.
type budget struct {
	max  int64
	used atomic.Int64
}

func (b *budget) take() bool {
	if b.used.Add(1) <= b.max {
		return true
	}
	b.used.Add(-1)
	return false
}

func (b *budget) give() { b.used.Add(-1) }

// noRoom tells a viewer that all the memory for answers is taken.
func (r *Relay) noRoom(w http.ResponseWriter) {
	r.postpone(w, "memory", fmt.Sprintf("the viewers of this server have %d requests in progress, which is all that it has memory for; see --max-streams",
		r.budget.max))
}

// tooFast tells a viewer that it asks too often.
func (r *Relay) tooFast(w http.ResponseWriter) {
	r.postpone(w, "request-rate", fmt.Sprintf("a viewer may make %d requests a second, and %d at once before that", requestRate, requestBurst))
}

// postpone tells a viewer to come again, as an API server does that has too much to do.
func (r *Relay) postpone(w http.ResponseWriter, rule, message string) {
	r.config.Refusals.Refused(slog.LevelWarn, rule)
	audit.Describe(w, func(e *audit.Entry) { e.Rule = rule })
	w.Header().Set("Retry-After", "2")
	writeStatus(w, failure{code: http.StatusTooManyRequests, message: message})
}
