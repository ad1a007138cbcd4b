package soak

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

var (
	seedFlag  = flag.Int64("soak.seed", 0, "play this seed alone, -soak.times times")
	timesFlag = flag.Int("soak.times", 20, "how often to play the one seed: its script is always the same, the order of goroutines is not")
	seedsFlag = flag.Int64("soak.seeds", 0, "how many scripts to play; 0 is some, as make test does")
	worstFlag = flag.Int("soak.worst", 3, "end after so many scripts that broke something")
	fromFlag  = flag.Int64("soak.from", 1, "the first seed")
)

func TestMain(m *testing.M) {
	flag.Parse()
	klog.SetLogger(logr.Discard())
	// As in the page: a handler's panic is one of the faults, and the log reports errors.
	utilruntime.ReallyCrash = false
	utilruntime.ErrorHandlers = nil
	debug.SetGCPercent(400) // a play keeps little memory and allocates much
	os.Exit(m.Run())
}

// progress is after how many schedules the rate is printed.
const progress = 10_000

// schedules is how many scripts are played.
func schedules(t *testing.T) int64 {
	if v := os.Getenv("SOAK_SEEDS"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			t.Fatalf("SOAK_SEEDS: %v: give a number", err)
		}
		return n
	}
	switch {
	case *seedsFlag > 0:
		return *seedsFlag
	case testing.Short():
		return 20
	case raceEnabled:
		return 30
	}
	return 1000
}

// tally adds up results.
type tally struct {
	mu    sync.Mutex
	plays int
	bad   int
	sum   Result

	slowest int64 // the seed that took longest to recover
}

// enough reports whether enough scripts have failed to stop.
func (a *tally) enough() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bad >= *worstFlag
}

// add adds a result, and returns the number of plays so far.
func (a *tally) add(r Result) (plays int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plays++
	if len(r.Problems) > 0 {
		a.bad++
	}
	if a.sum.Notified == nil {
		a.sum.Notified = map[string]int{}
	}
	//maporder:free a sum
	for release, n := range r.Notified {
		a.sum.Notified[release] += n
	}
	a.sum.Requests += r.Requests
	a.sum.Notifications += r.Notifications
	a.sum.Transitions += r.Transitions
	a.sum.Faults += r.Faults
	a.sum.Writes += r.Writes
	a.sum.Dials += r.Dials
	a.sum.Pages += r.Pages
	a.sum.Virtual += r.Virtual
	a.sum.TurnedAway += r.TurnedAway
	if r.Recovery > a.sum.Recovery {
		a.sum.Recovery, a.slowest = r.Recovery, r.Seed
	}
	return a.plays
}

func (a *tally) String() string {
	var counts []string
	for _, release := range slices.Sorted(maps.Keys(a.sum.Notified)) {
		counts = append(counts, fmt.Sprintf("%s: %d", release, a.sum.Notified[release]))
	}
	return fmt.Sprintf("%d pages for %v of their time; %d faults, %d writes, %d connections, %d requests, %d notifications (%s), "+
		"%d transitions folded; %d strangers turned away; all was well again %v after the last fault at the latest (seed %d)",
		a.sum.Pages, a.sum.Virtual.Round(time.Minute), a.sum.Faults, a.sum.Writes, a.sum.Dials, a.sum.Requests, a.sum.Notifications,
		strings.Join(counts, ", "), a.sum.Transitions, a.sum.TurnedAway, a.sum.Recovery.Round(time.Second), a.slowest)
}

// TestSoak plays scripts from seeds, and prints how many it played, and how fast. Scripts that fail are shrunk.
func TestSoak(t *testing.T) {
	if *seedFlag != 0 {
		playAgain(t, Generate(*seedFlag))
		return
	}
	n, began := schedules(t), time.Now()
	var all tally
	var next atomic.Int64
	next.Store(*fromFlag)
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for !all.enough() {
					seed := next.Add(1) - 1
					if seed >= *fromFlag+n {
						return
					}
					s := Generate(seed)
					r := s.Play(t, dir)
					if plays := all.add(r); plays%progress == 0 {
						t.Logf("%d schedules, %.1f a second", plays, float64(plays)/time.Since(began).Seconds())
					}
					if len(r.Problems) > 0 {
						reportFailure(t, s, r.Problems, dir)
					}
				}
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d schedules of the whole system in %v, %.1f a second, from seed %d on; %d broke something; %s",
		all.plays, took.Round(time.Second/10), float64(all.plays)/took.Seconds(), *fromFlag, all.bad, &all)
	if n >= 200 && all.sum.TurnedAway == 0 {
		t.Error("no client with a wrong token was refused")
	}
	for _, release := range allNames {
		if n >= 20 && all.sum.Notified[release] == 0 {
			t.Errorf("no handler of release %s was told anything", release)
		}
	}
}

// playAgain plays one script again and again.
func playAgain(t *testing.T, s *Script) {
	t.Logf("%s", s)
	var all tally
	dir := t.TempDir()
	for range *timesFlag {
		r := s.Play(t, dir)
		if all.add(r); len(r.Problems) > 0 {
			t.Errorf("%s", strings.Join(r.Problems, "\n"))
			break
		}
	}
	t.Logf("played %d times, %d broke something; %s", all.plays, all.bad, &all)
}

// reportFailure reports what a script broke, with the shortest script that still breaks something.
func reportFailure(t *testing.T, s *Script, problems []string, dir string) {
	t.Errorf("%s\n\n%s\n\nto play it again: go test ./server/internal/soak -run TestSoak -v -soak.seed=%d",
		strings.Join(problems, "\n"), s, s.Seed)
	small, why := Shrink(s, func(s *Script) []string { return s.Play(t, dir).Problems }, time.Minute)
	if why == nil {
		t.Log("it did not show again in 20 plays: it needs an order of goroutines that is rare")
		return
	}
	t.Logf("the shortest script found that breaks something:\n%s\n\n%s", small, strings.Join(why, "\n"))
}
