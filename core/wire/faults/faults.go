package faults

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// MaxAnswers bounds the requests that get the answer of one fault.
	MaxAnswers = 100
	// defaultDelay is the length of "delay" if Args has none, and longestDelay the greatest one.
	defaultDelay = 400 * time.Millisecond
	longestDelay = time.Minute
	// readIdleTimeout and pingTimeout are the defaults of client-go's health check of a connection (k8s.io/apimachinery/pkg/util/net/http.go): after so
	// long without a frame it sends a PING, and closes the connection when no answer comes.
	readIdleTimeout = 30 * time.Second
	pingTimeout     = 15 * time.Second
)

// Args are the arguments of a fault; each is optional.
type Args struct {
	// On sets a fault that stays on; nil switches it.
	On *bool `json:"on"`
	// Millis is the length of "delay"; 0 means 400.
	Millis int `json:"millis"`
	// Count is how many requests get the answer of "410", "429" or "500"; 0 means 1.
	Count int `json:"count"`
}

// Strike is an effect of a fault.
type Strike struct {
	Name string
	// On reports whether a fault that stays on is on now.
	On bool
	// Delay is the length of "delay".
	Delay time.Duration
	// Struck is how many requests, watches or connections the fault affected.
	Struck int
}

// Faults are the faults of one client. Its methods are safe for concurrent use.
type Faults struct {
	report func(Strike)

	mu          sync.Mutex
	clock       clock.Clock
	lastID      uint64 // the number of connections and bodies so far, the newest one's id
	refuses     bool
	noBookmarks bool
	noEndMark   bool
	forbids     bool // lists and new watches; open watches continue, because the API server checks rights when a request arrives
	delay       time.Duration
	answers     []int            // status codes that the next LISTs and WATCHes get
	refusal     int              // the status code that the next write gets
	conns       map[*conn]uint64 // with their ids
	bodies      map[*watchBody]uint64
	lastRead    time.Time               // when something last arrived on a watch
	silence     chan struct{}           // closed when "halfopen" is switched off; nil while it is off
	silent      map[*watchBody]struct{} // the watches that were open when it was switched on
}

// New returns Faults of which none is on. They call report with each strike, in the order in which a request meets them.
func New(c clock.Clock, say func(Strike)) *Faults {
	return &Faults{clock: c, report: say, conns: map[*conn]uint64{}, bodies: map[*watchBody]uint64{}}
}

// Make applies a fault, or switches one that stays on. It reports whether the fault is on now.
func (f *Faults) Make(name string, args Args) (on bool, err error) {
	k, ok := kinds[name]
	if !ok {
		return false, fmt.Errorf("there is no fault %q", name)
	}
	return k.make(f, args), nil
}

// IsOn reports whether a fault is on that stays on, and its length if it is "delay".
func (f *Faults) IsOn(name string) (on bool, length time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k := kinds[name]; k.stateLocked != nil {
		return k.stateLocked(f)
	}
	return false, 0
}

// cut cuts all connections.
func (f *Faults) cut() bool {
	f.mu.Lock()
	struck := f.countCutLocked()
	f.mu.Unlock()
	f.report(Strike{Name: "cut", Struck: struck})
	f.cutAll()
	return false
}

// toggleRefusal refuses new connections and cuts those that there are, or lets them be.
func (f *Faults) toggleRefusal(args Args) bool {
	f.mu.Lock()
	now, struck := args.Switched(f.refuses), 0
	f.refuses = now
	if now {
		struck = f.countCutLocked()
	}
	f.mu.Unlock()
	f.report(Strike{Name: "refuse", On: now, Struck: struck})
	if now {
		f.cutAll()
	}
	return now
}

func (f *Faults) toggleDelay(args Args) (now bool) {
	f.mu.Lock()
	now = args.Switched(f.delay > 0)
	f.delay = 0
	if now {
		f.delay = defaultDelay
		if args.Millis > 0 {
			f.delay = min(time.Duration(args.Millis)*time.Millisecond, longestDelay)
		}
	}
	d := f.delay
	f.mu.Unlock()
	f.report(Strike{Name: "delay", On: now, Delay: d})
	return now
}

// toggleSilence makes the connections of all open watches half-open, or lets what was held back arrive. New watches are not silent.
func (f *Faults) toggleSilence(args Args) (now bool) {
	f.mu.Lock()
	before := f.silence != nil
	now = args.Switched(before)
	var struck []*watchBody
	switch {
	case now && !before:
		struck = sortByAge(f.bodies)
		f.silence, f.silent = make(chan struct{}), make(map[*watchBody]struct{}, len(struck))
		for _, b := range struck {
			f.silent[b] = struct{}{}
		}
		// While all was well, the health check got an answer after each readIdleTimeout without a frame.
		patience := readIdleTimeout + pingTimeout
		if len(struck) > 0 {
			patience -= f.clock.Since(f.lastRead) % readIdleTimeout
		}
		for _, b := range struck {
			go b.loseAfter(f.clock.NewTimer(patience), f.silence)
		}
	case !now:
		f.endSilenceLocked()
	}
	f.mu.Unlock()
	f.report(Strike{Name: "halfopen", On: now, Struck: len(struck)})
	return now
}

// isSilentLocked reports whether the connection of b is half-open.
func (f *Faults) isSilentLocked(b *watchBody) bool {
	_, silent := f.silent[b]
	return silent
}

// endSilenceLocked lets the silent watches go on.
func (f *Faults) endSilenceLocked() {
	if f.silence != nil {
		close(f.silence)
		f.silence, f.silent = nil, nil
	}
}

// countCutLocked returns how many open watches break when all connections are cut, or the number of connections if that is greater.
func (f *Faults) countCutLocked() int { return max(len(f.bodies), len(f.conns)) }

// Begin continues with another clock. It drops the answers for the next requests, and ends "halfopen", because the connections that it silenced are gone.
// The other faults that are on stay on.
func (f *Faults) Begin(c clock.Clock) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endSilenceLocked()
	f.clock, f.answers, f.refusal = c, nil, 0
}

// cutAll cuts every open connection. A silent watch would not notice before its silence ends.
func (f *Faults) cutAll() {
	f.mu.Lock()
	conns := sortByAge(f.conns)
	silent := slices.DeleteFunc(sortByAge(f.bodies), func(b *watchBody) bool { return !f.isSilentLocked(b) })
	f.mu.Unlock()
	for _, b := range silent {
		b.fail(resetError())
	}
	for _, c := range conns {
		c.cut()
	}
}

// answer gives code to the open watches as an ERROR frame. If there are fewer
// watches than count, it gives code to the next requests too. The next write
// gets it as well, unless it is 410.
func (f *Faults) answer(code, count int) {
	f.mu.Lock()
	bodies := slices.DeleteFunc(sortByAge(f.bodies), f.isSilentLocked)
	if len(bodies) > 0 {
		count--
	}
	if code != http.StatusGone {
		f.refusal = code
	}
	for range count {
		f.answers = append(f.answers, code)
	}
	f.mu.Unlock()
	f.report(Strike{Name: strconv.Itoa(code), Struck: len(bodies)})
	frame := append(append([]byte(`{"type":"ERROR","object":`), statusJSON(code)...), "}\n"...)
	for _, b := range bodies {
		b.end(frame)
	}
}

// sortByAge returns the keys of m, oldest first.
func sortByAge[K comparable](m map[K]uint64) []K {
	//maporder:free no two were made as the same one
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int { return cmp.Compare(m[a], m[b]) })
}
