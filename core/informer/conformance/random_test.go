package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"informerscope/core/informer"
)

// dice is a generator's source of decisions, apart from the global one that
// both informers draw from.
type dice struct{ *rand.Rand }

func (d dice) one(in int) bool           { return d.IntN(in) == 0 }
func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }
func (d dice) upTo(t time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(t/time.Millisecond)))*time.Millisecond + time.Millisecond
}

// generate makes up a script. The same seed always gives the same one.
func generate(seed int64, era informer.Era) *script {
	d := dice{rand.New(rand.NewPCG(uint64(seed), uint64(era)))}
	s := &script{
		seed:    seed,
		objects: d.IntN(6),
		optOut:  d.one(8),
		// Which events a DeltaFIFO merges within one instant is a matter of the
		// scheduler; its merging is compared where its queue stands alone.
		burst:  era != informer.Era131 && d.one(3),
		silent: d.one(3),
		settle: !d.one(10),
	}
	if d.one(3) {
		s.resync = []time.Duration{7 * time.Second, 31 * time.Second, 95 * time.Second}[d.IntN(3)]
	}
	if d.one(4) {
		s.shape = d.of("count", "fail")
	}
	for range d.IntN(3) { // trouble from the first request on
		s.early = append(s.early, d.trouble(s))
	}
	for i := range 1 + d.IntN(2) {
		s.early = append(s.early, handler(d.spec(fmt.Sprint("h", i), s)))
	}
	if d.one(8) {
		s.makePlain()
	}
	n := 6 + d.IntN(26)
	for i := range n {
		s.ops = append(s.ops, d.step(i, s))
	}
	return s
}

func (d dice) spec(name string, s *script) spec {
	h := spec{name: name, resync: -1}
	if d.one(3) {
		h.resync = []time.Duration{0, 500 * time.Millisecond, 8 * time.Second, 60 * time.Second}[d.IntN(4)]
	}
	if d.one(3) {
		h.slow = d.upTo(250*time.Millisecond) + 11*time.Nanosecond
	}
	if d.one(8) {
		h.panics = 2 + d.IntN(6)
	}
	if h.slow > 0 || h.panics > 0 {
		// No more than it can get done, so that there is an end to it.
		if h.resync > 0 || h.resync < 0 && s.resync > 0 {
			h.resync = 60 * time.Second
		}
	}
	return h
}

func (d dice) key() string {
	if d.one(12) {
		return "cluster-wide"
	}
	return fmt.Sprintf("ns/o%d", d.IntN(8))
}

func (d dice) write(s *script) op {
	if d.one(3) {
		return del(d.key())
	}
	app := d.of("a", "b", "c", "a+b", "")
	if s.shape == "fail" && d.one(4) {
		return put(d.key(), app, poison)
	}
	return put(d.key(), app)
}

// errorKinds are what the server refuses a request with.
var errorKinds = []string{"refused", "429", "expired", "gone", "toolarge", "toolarge-1.17", "toolarge-1.18", "forbidden", "internal", "timeout", "unavailable", "invalid", "opaque"}

// frameKinds are what an ERROR frame holds.
var frameKinds = []string{"expired", "gone", "429", "internal", "toolarge", "timeout", "forbidden", "undecodable"}

func (d dice) trouble(s *script) op {
	on := d.of("LIST", "LIST", "PAGE", "WATCH", "WATCH", "WATCHLIST", "WATCHLIST")
	n := d.IntN(5)
	var delay time.Duration
	if d.one(3) {
		delay = d.upTo(5 * time.Second)
	}
	if d.one(2) {
		return trouble(on, d.of(errorKinds...), n, delay)
	}
	kind := ""
	switch on {
	case "LIST":
		kind = d.of("pages", "pages", "dup", "slow", "keyless", "notalist", "panic", "fromnowhere", "fromzero")
	case "PAGE":
		kind = d.of("expired", "expired", "429", "internal")
	case "WATCH":
		kind = d.of("close", "later", "wrongtype", "nometa", "oddtype", "frame-"+d.of(frameKinds...), "frame-"+d.of(frameKinds...))
	case "WATCHLIST":
		kind = d.of("close", "cut", "nomark", "latemark", "dup", "wrongtype", "nometa", "oddtype", "frame-"+d.of(frameKinds...), "frame-"+d.of(frameKinds...))
	}
	if kind == "later" || kind == "latemark" || kind == "slow" {
		delay = d.upTo(25 * time.Second)
	}
	switch kind {
	case "keyless": // is a list that cannot be stored, and the version moves on all the same
		s.lossy = true
	case "fromnowhere", "fromzero": // watches that begin anywhere do not tell of deletions
		s.lossy = true
	}
	return trouble(on, kind, n, delay)
}

// step makes up one operation.
func (d dice) step(i int, s *script) op {
	switch x := d.IntN(100); {
	case x < 30:
		return d.write(s)
	case x < 40:
		var ops []op
		for range 2 + d.IntN(12) {
			ops = append(ops, d.write(s))
		}
		return several(ops...)
	case x < 54:
		return wait(d.upTo(time.Duration([]int{900, 4000, 20000, 90000}[d.IntN(4)]) * time.Millisecond))
	case x < 58:
		return mark()
	case x < 64:
		return end(d.of("", "", "expired", "expired", d.of(frameKinds...)))
	case x < 77:
		return d.trouble(s)
	case x < 80:
		return compact()
	case x < 82:
		return skip(1 + d.IntN(5))
	case x < 84:
		return lag(d.IntN(6))
	case x < 87:
		return frames(d.of("wrongtype", "nometa", "oddtype", "endmark"))
	case x < 92:
		return handler(d.spec(fmt.Sprint("late", i), s))
	case x < 95:
		return drop(d.of("h0", "h1", fmt.Sprint("late", d.IntN(max(i, 1)))), d.one(2))
	case x < 97:
		return indexers(d.of("x", "y"))
	case x < 98 && d.one(3):
		return stop()
	}
	// Something is missed: the stream ends, things change, history is lost.
	return several(end(d.of("expired", "", "internal")), d.write(s), d.write(s), d.write(s), compact())
}

// shrink takes steps out of a failing script as long as it fails.
func shrink(s *script, fails func(*script) string) (*script, string) {
	// What shows only now and then gets a few chances.
	why := ""
	for range 20 {
		if why = fails(s); why != "" {
			break
		}
	}
	if why == "" {
		return s, ""
	}
	try := func(smaller script) bool {
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
	for _, change := range []func(*script){
		func(s *script) { s.settle = false }, func(s *script) { s.resync = 0 }, func(s *script) { s.shape = "" }, func(s *script) { s.burst = false },
		func(s *script) { s.optOut = false }, func(s *script) { s.objects = 0 }, func(s *script) { s.objects = 1 }, func(s *script) { s.silent = true },
	} {
		smaller := *s
		change(&smaller)
		try(smaller)
	}
	return s, why
}

// schedules is how many random scripts are played.
func schedules(t *testing.T) int {
	n := 6000
	switch {
	case testing.Short():
		n = 600
	case raceEnabled:
		n = 2400
	}
	if *seedsFlag > 0 {
		n = *seedsFlag
	}
	if v := os.Getenv("CONFORMANCE_SEEDS"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatalf("CONFORMANCE_SEEDS: %v: give a number", err)
		}
	}
	return n
}

// TestRandomSchedules plays scripts made up from seeds, the same number in
// every era, and prints how many it played. With -conformance.seeds and
// -conformance.from it plays as many as one likes.
func TestRandomSchedules(t *testing.T) {
	n := schedules(t)
	began := time.Now()
	total, calls, requests, events, settled, late := 0, 0, 0, 0, 0, 0
	for _, era := range eras {
		t.Run(era.String(), func(t *testing.T) {
			setEra(t, era)
			for seed := *fromFlag; seed < *fromFlag+int64((n+len(eras)-1)/len(eras)); seed++ {
				s := generate(seed, era)
				p := s.both(t, era)
				total++
				requests += len(p.mine.log)
				events += p.mine.events
				if s.settle {
					settled++
				}
				for _, c := range p.mine.calls {
					calls += len(c)
				}
				late += len(p.mine.calls)
				if d := p.difference(); d != "" {
					small, why := shrink(s, func(s *script) string { return s.both(t, era).difference() })
					if why == "" {
						t.Fatalf("seed %d, era %s: %s\n\nit did not show again; the script:\n%s", seed, era, d, s)
					}
					t.Fatalf("seed %d, era %s: %s\n\nthe shortest script that shows it:\n%s", seed, era, why, small)
				}
			}
		})
	}
	t.Logf("%d random schedules in %v: %d requests, %d handlers, %d calls compared; %d transitions folded; invariants checked in %d",
		total, time.Since(began).Round(time.Second/10), requests, late, calls, events, settled)
	if calls == 0 || requests == 0 {
		t.Error("the schedules made nothing happen")
	}
}
