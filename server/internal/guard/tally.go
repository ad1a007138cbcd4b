package guard

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// tallyEvery is how often repeated refusals are logged.
const tallyEvery = time.Minute

// Tally counts refusals and logs summaries, so that a million refusals do not fill a disk. It logs the first refusal of a rule at once, and then one
// line a minute with the number of others. Safe for concurrent use.
type Tally struct {
	log   *slog.Logger
	count func(rule string)

	mu     sync.Mutex
	kinds  map[string]*kind // by rule, from a fixed set; only those of the last minute
	closed bool
}

// kind counts the refusals of one rule since its last line.
type kind struct {
	level   slog.Level
	repeats int64
	timer   *time.Timer
}

// NewTally makes a tally that logs to log and calls count for each refusal. Close ends it.
func NewTally(log *slog.Logger, count func(rule string)) *Tally {
	return &Tally{log: log, count: count, kinds: map[string]*kind{}}
}

// Count counts one refusal by a rule. The attributes go into the line that is logged if it is the first one of the rule in the last minute.
func (t *Tally) Count(level slog.Level, rule string, attributes ...slog.Attr) {
	t.count(rule)
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.kinds[rule]; k != nil {
		k.repeats++
		return
	}
	if !t.closed {
		k := &kind{level: level}
		k.timer = time.AfterFunc(tallyEvery, func() { t.logSummary(rule, k) })
		t.kinds[rule] = k
	}
	t.log.LogAttrs(context.Background(), level, "refused; more of this kind are counted, and summed up once a minute",
		append([]slog.Attr{slog.String("rule", rule)}, attributes...)...)
}

// logSummary logs how often a rule refused in the last minute. After a minute without any the next refusal is logged at once again.
func (t *Tally) logSummary(rule string, k *kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if k.repeats == 0 {
		delete(t.kinds, rule)
		return
	}
	t.logMoreLocked(rule, k)
	k.timer.Reset(tallyEvery)
}

// logMoreLocked logs how often a rule refused since its last line.
func (t *Tally) logMoreLocked(rule string, k *kind) {
	t.log.LogAttrs(context.Background(), k.level, "refused again", slog.String("rule", rule), slog.Int64("times", k.repeats))
	k.repeats = 0
}

// Close logs the numbers that have not been logged. Later refusals are still counted, and logged one by one.
func (t *Tally) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for rule, k := range t.kinds {
		k.timer.Stop()
		if k.repeats > 0 {
			t.logMoreLocked(rule, k)
		}
		delete(t.kinds, rule)
	}
}
