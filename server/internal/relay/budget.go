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
	// streamMemory is the most memory that one request for a cluster may hold, in bytes. It covers what its API server sends before the viewer reads
	// it, and the buffers on the way.
	streamMemory = clusters.StreamWindow + 128<<10
	// DefaultMaxStreams bounds such requests of all viewers together: they hold at most 480 MiB.
	DefaultMaxStreams = 480 << 20 / streamMemory
)

// budget bounds the memory of all answers in progress, counted in requests of streamMemory each. A request reserves its part before anything is
// requested upstream, so no answer has to be cut off later for lack of memory.
type budget struct {
	max  int64
	used atomic.Int64
}

func (b *budget) reserve() bool {
	if b.used.Add(1) <= b.max {
		return true
	}
	b.used.Add(-1)
	return false
}

func (b *budget) release() { b.used.Add(-1) }

// refuseForMemory answers that all memory for answers is reserved.
func (r *Relay) refuseForMemory(w http.ResponseWriter) {
	r.postpone(w, "memory", fmt.Sprintf("the viewers of this server have %d requests in progress, which is its limit; see --max-streams",
		r.budget.max))
}

// refuseForRate answers that the viewer makes too many requests.
func (r *Relay) refuseForRate(w http.ResponseWriter) {
	r.postpone(w, "request-rate", fmt.Sprintf("a viewer may make %d requests a second, after a burst of %d", requestRate, requestBurst))
}

// postpone answers that the viewer should retry later, as an overloaded API server does.
func (r *Relay) postpone(w http.ResponseWriter, rule, message string) {
	r.config.Refusals.Count(slog.LevelWarn, rule)
	audit.Describe(w, func(e *audit.Entry) { e.Rule = rule })
	w.Header().Set("Retry-After", "2")
	writeStatus(w, failure{code: http.StatusTooManyRequests, message: message})
}
