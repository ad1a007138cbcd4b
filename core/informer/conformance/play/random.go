package play

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// dice is a generator's source of random decisions. It is separate from the global source that both informers use.
type dice struct{ *rand.Rand }

func (d dice) chance(in int) bool          { return d.IntN(in) == 0 }
func (d dice) pick(words ...string) string { return words[d.IntN(len(words))] }
func (d dice) duration(t time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(t/time.Millisecond)))*time.Millisecond + time.Millisecond
}

// Generate generates the script of a seed. The same seed and release always give the same script.
func Generate(seed int64, release Release) *Script {
	d := dice{rand.New(rand.NewPCG(uint64(seed), release.number()))}
	s := &Script{
		seed:    seed,
		objects: d.IntN(6),
		optOut:  d.chance(8),
		bare:    d.chance(8),
		// Which events a DeltaFIFO merges within one instant depends on the scheduler. RandomQueue compares its merging.
		burst:  release != E131 && d.chance(3),
		silent: d.chance(3),
		settle: !d.chance(10),
	}
	s.shutDown = release >= E137 // ShutDownEventHandler came with 0.37
	if d.chance(3) {
		s.resync = []time.Duration{7 * time.Second, 31 * time.Second, 95 * time.Second}[d.IntN(3)]
	}
	if d.chance(4) {
		s.shape = d.pick("count", "fail")
	}
	for range d.IntN(3) { // faults for the first requests
		s.early = append(s.early, d.trouble(s))
	}
	for i := range 1 + d.IntN(2) {
		s.early = append(s.early, handler(d.spec(fmt.Sprint("h", i), s)))
	}
	if d.chance(8) {
		s.makePlain()
	}
	n := 6 + d.IntN(26)
	for i := range n {
		s.ops = append(s.ops, d.step(i, s))
	}
	s.number()
	return s
}

func (d dice) spec(name string, s *Script) spec {
	h := spec{name: name, resync: -1}
	if d.chance(3) {
		h.resync = []time.Duration{0, 500 * time.Millisecond, 8 * time.Second, 60 * time.Second}[d.IntN(4)]
	}
	if d.chance(3) {
		h.slow = d.duration(250*time.Millisecond) + 11*time.Nanosecond
	}
	if d.chance(8) {
		h.panics = 2 + d.IntN(6)
	}
	if h.slow > 0 || h.panics > 0 {
		// A slow handler must be able to handle all its notifications, so the script can end.
		if h.resync > 0 || h.resync < 0 && s.resync > 0 {
			h.resync = 60 * time.Second
		}
	}
	return h
}

func (d dice) key() string {
	if d.chance(12) {
		return "cluster-wide"
	}
	return fmt.Sprintf("ns/o%d", d.IntN(8))
}

func (d dice) write(s *Script) op {
	if d.chance(3) {
		return del(d.key())
	}
	app := d.pick("a", "b", "c", "a+b", "")
	if s.shape == "fail" && d.chance(4) {
		return put(d.key(), app, poison)
	}
	return put(d.key(), app)
}

// errorKinds are the errors that the server refuses a request with.
var errorKinds = []string{"refused", "429", "expired", "gone", "toolarge", "toolarge-1.17", "toolarge-1.18", "forbidden", "internal", "timeout", "unavailable",
	"invalid", "opaque"}

// frameKinds are the errors in ERROR frames.
var frameKinds = []string{"expired", "gone", "429", "internal", "toolarge", "timeout", "forbidden", "undecodable"}

func (d dice) trouble(s *Script) op {
	on := d.pick("LIST", "LIST", "PAGE", "WATCH", "WATCH", "WATCHLIST", "WATCHLIST")
	n := d.IntN(5)
	var delay time.Duration
	if d.chance(3) {
		delay = d.duration(5 * time.Second)
	}
	if d.chance(2) {
		return trouble(on, d.pick(errorKinds...), n, delay)
	}
	kind := ""
	switch on {
	case "LIST":
		kind = d.pick("pages", "pages", "dup", "slow", "keyless", "notalist", "panic", "fromnowhere", "fromzero")
	case "PAGE":
		kind = d.pick("expired", "expired", "429", "internal")
	case "WATCH":
		kind = d.pick("close", "later", "wrongtype", "nometa", "oddtype", "frame-"+d.pick(frameKinds...), "frame-"+d.pick(frameKinds...))
	case "WATCHLIST":
		kind = d.pick("close", "cut", "nomark", "latemark", "dup", "wrongtype", "nometa", "oddtype", "frame-"+d.pick(frameKinds...), "frame-"+d.pick(frameKinds...))
	}
	if kind == "later" || kind == "latemark" || kind == "slow" {
		delay = d.duration(25 * time.Second)
	}
	switch kind {
	case "keyless": // a list that cannot be stored, although the version advances
		s.lossy = true
	case "fromnowhere", "fromzero": // a watch from no version, or from 0, misses earlier deletions
		s.lossy = true
	}
	return trouble(on, kind, n, delay)
}

// step generates one operation.
func (d dice) step(i int, s *Script) op {
	switch x := d.IntN(100); {
	case x < 30:
		return d.write(s)
	case x < 40:
		var ops []op
		for range 2 + d.IntN(12) {
			ops = append(ops, d.write(s))
		}
		return combine(ops...)
	case x < 54:
		return wait(d.duration(time.Duration([]int{900, 4000, 20000, 90000, 400000}[d.IntN(5)]) * time.Millisecond))
	case x < 58:
		return mark()
	case x < 64:
		return end(d.pick("", "", "expired", "expired", d.pick(frameKinds...)))
	case x < 75:
		return d.trouble(s)
	case x < 77: // an outage
		return combine(failures(2+d.IntN(14), d.pick("LIST", "WATCH", "WATCHLIST"), d.pick(errorKinds...))...)
	case x < 80:
		return compact()
	case x < 82:
		return skip(1 + d.IntN(5))
	case x < 84:
		return lag(d.IntN(6))
	case x < 87:
		return frames(d.pick("wrongtype", "nometa", "oddtype", "endmark"))
	case x < 92:
		return handler(d.spec(fmt.Sprint("late", i), s))
	case x < 95:
		return drop(d.pick("h0", "h1", fmt.Sprint("late", d.IntN(max(i, 1)))), d.chance(2) && s.shutDown)
	case x < 97:
		return indexers(d.pick("x", "y"))
	case x < 98 && d.chance(3):
		return stop()
	}
	// The informer misses changes: the stream ends, objects change, and the history is compacted.
	return combine(end(d.pick("expired", "", "internal")), d.write(s), d.write(s), d.write(s), compact())
}

// Shrink removes steps from a failing script as long as it fails. It returns the shortest script that it found and the failure, or "" if the script
// does not fail.
func Shrink(s *Script, fails func(*Script) string) (*Script, string) {
	// A failure that occurs rarely gets 20 tries.
	why := ""
	for range 20 {
		if why = fails(s); why != "" {
			break
		}
	}
	if why == "" {
		return s, ""
	}
	try := func(smaller Script) bool {
		if d := fails(&smaller); d != "" {
			s, why = &smaller, d
			return true
		}
		return false
	}
	deadline := time.Now().Add(40 * time.Second)
	for size := max(len(s.ops)/2, 1); ; {
		shrunk := false
		for i := 0; i < len(s.ops) && time.Now().Before(deadline); {
			smaller := *s
			smaller.ops = append(append([]op{}, s.ops[:i]...), s.ops[min(i+size, len(s.ops)):]...)
			if try(smaller) {
				shrunk = true
			} else {
				i += size
			}
		}
		if size > 1 {
			size /= 2
		} else if !shrunk {
			break
		}
	}
	for i := 0; i < len(s.early); {
		smaller := *s
		smaller.early = append(append([]op{}, s.early[:i]...), s.early[i+1:]...)
		if !try(smaller) {
			i++
		}
	}
	for _, change := range []func(*Script){
		func(s *Script) { s.settle = false }, func(s *Script) { s.resync = 0 }, func(s *Script) { s.shape = "" }, func(s *Script) { s.burst = false },
		func(s *Script) { s.optOut, s.bare = false, false }, func(s *Script) { s.objects = 0 }, func(s *Script) { s.objects = 1 },
		func(s *Script) { s.silent = true },
	} {
		smaller := *s
		change(&smaller)
		try(smaller)
	}
	return s, why
}

// number returns the release's part of a seed.
func (e Release) number() uint64 { return uint64(slices.Index(Releases, e) + 1) }

// Settles reports whether the script ends with all faults healed.
func (s *Script) Settles() bool { return s.settle }
