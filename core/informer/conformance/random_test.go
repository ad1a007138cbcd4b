package conformance

import (
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/informer/conformance/play"
)

// plays is how often client-go plays a script before an outcome counts as different. client-go takes a WatchList's objects from a Go map, so it is random
// for which object a handler panics, and with it whether that handler ever has synced.
const plays = 20

// schedules returns the number of random scripts for each release.
func schedules(t *testing.T) int64 {
	n := play.RecordedSchedules
	switch {
	case testing.Short():
		n = 150
	case raceEnabled:
		n = 600
	}
	if *seedsFlag > 0 {
		n = int64(*seedsFlag+len(everyRelease)-1) / int64(len(everyRelease))
	}
	if v := os.Getenv("CONFORMANCE_SEEDS"); v != "" {
		all, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("CONFORMANCE_SEEDS: %v: give a number", err)
		}
		n = int64(all+len(everyRelease)-1) / int64(len(everyRelease))
	}
	return n
}

// TestRandomSchedules plays random scripts, the same number in every release, and logs how many it played. Release 1.37 is compared with client-go
// v0.37.2 in this process. The other releases are compared with recorded digests. If a seed has no digest, or with -conformance.live, the release
// itself plays in a program of its own. It also plays to shrink a script that differs. The flags -conformance.seeds and -conformance.from select other
// seeds.
func TestRandomSchedules(t *testing.T) {
	n := schedules(t)
	began := time.Now()
	total, calls, requests, events, settled, late := 0, 0, 0, 0, 0, 0
	for _, release := range play.Releases {
		t.Run(string(release), func(t *testing.T) {
			// answers returns what client-go of that release shows.
			answers := func(s *play.Script) []play.Section {
				if release == play.E137 {
					return s.Play(t, theirs()).Sections()
				}
				sections, err := judgeFor(t, release).play(s)
				if err != nil {
					t.Fatal(err)
				}
				return sections
			}
			// differs returns how an outcome differs from all that client-go shows in several plays.
			differs := func(o *play.Outcome, s *play.Script) (why string) {
				for range plays {
					if why = difference(o, answers(s)); why == "" {
						return ""
					}
				}
				return why
			}
			fails := func(s *play.Script) string { return differs(s.Play(t, ours(release)), s) }
			var digests map[int64]string
			if release != play.E137 && !*liveFlag {
				digests = recordedDigests(t, release, "schedules.txt")
			}
			compared, live, bad := 0, 0, 0
			for seed := *fromFlag; seed < *fromFlag+n; seed++ {
				s := play.Generate(seed, release)
				mine := s.Play(t, ours(release))
				compared++
				r, h, c, e := mine.Counts()
				requests, late, calls, events = requests+r, late+h, calls+c, events+e
				if s.Settles() {
					settled++
				}
				if want, ok := digests[seed]; ok {
					if mine.Digest() == want && len(mine.Broken()) == 0 {
						continue
					}
				} else {
					live++
					if differs(mine, s) == "" {
						continue
					}
				}
				bad++
				small, why := play.Shrink(s, fails)
				if why == "" {
					t.Fatalf("seed %d, release %s: ours has digest %s, client-go %s %s, and the difference did not occur again; the script:\n%s", seed, release,
						mine.Digest(), versions[release], digests[seed], s)
				}
				t.Errorf("seed %d, release %s: %s\n\nthe shortest script that shows it:\n%s", seed, release, why, small)
				if bad >= *worstFlag {
					break
				}
			}
			total += compared
			t.Logf("%d random schedules compared with client-go %s (%d as it runs, %d with its transcript), %d differ", compared, versions[release], live, compared-live,
				bad)
		})
	}
	t.Logf("%d random schedules in %v: %d requests, %d handlers, %d calls compared; %d transitions folded; invariants checked in %d",
		total, time.Since(began).Round(time.Second/10), requests, late, calls, events, settled)
	if calls == 0 || requests == 0 {
		t.Error("the schedules caused no call or no request")
	}
}

// TestRandomQueues performs the same random operations on our queue and on client-go's, for each release.
func TestRandomQueues(t *testing.T) {
	n := play.RecordedQueues
	if raceEnabled {
		n = 60
	}
	pops, total := 0, 0
	for _, release := range play.Releases {
		t.Run(string(release), func(t *testing.T) {
			var digests map[int64]string
			if release != play.E137 {
				digests = recordedDigests(t, release, "queues.txt")
			}
			for seed := range n {
				var mine, judge []string
				popped := 0
				synctest.Test(t, func(*testing.T) { mine, popped = play.RandomQueue(uint64(seed), ours(release)) })
				pops += popped
				total++
				if release != play.E137 {
					if got := play.DigestOf(mine); got != digests[seed] {
						t.Fatalf("seed %d: ours has digest %s, client-go %s %s", seed, got, versions[release], digests[seed])
					}
					continue
				}
				synctest.Test(t, func(*testing.T) { judge, _ = play.RandomQueue(uint64(seed), theirs()) })
				if d := play.FirstDifference("seed "+strconv.FormatInt(seed, 10), mine, judge); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
	t.Logf("%d random queues, %d pops before the end", total, pops)
}

// TestRandomStores performs the same random operations on our Indexer and on client-go's, for each release.
func TestRandomStores(t *testing.T) {
	n := play.RecordedStores
	if raceEnabled {
		n = 40
	}
	total := 0
	for _, release := range play.Releases {
		t.Run(string(release), func(t *testing.T) {
			var digests map[int64]string
			if release != play.E137 {
				digests = recordedDigests(t, release, "stores.txt")
			}
			for seed := range n {
				total++
				mine := play.RandomStore(seed, ours(release))
				if release != play.E137 {
					if got := play.DigestOf(mine); got != digests[seed] {
						t.Fatalf("seed %d: ours has digest %s, client-go %s %s", seed, got, versions[release], digests[seed])
					}
					continue
				}
				if d := play.FirstDifference("seed "+strconv.FormatInt(seed, 10), mine, play.RandomStore(seed, theirs())); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
	t.Logf("%d random stores", total)
}

// TestRandomReads plays random bursts to handlers that read the store during their calls, for each release.
func TestRandomReads(t *testing.T) {
	n := play.RecordedReads
	if raceEnabled {
		n = 60
	}
	reads := func(t *testing.T, seed int64, lib *play.Library) (lines []string) {
		synctest.Test(t, func(*testing.T) { lines = play.RandomReads(seed, lib) })
		return lines
	}
	total, calls := 0, 0
	for _, release := range play.Releases {
		t.Run(string(release), func(t *testing.T) {
			var digests map[int64]string
			if release != play.E137 {
				digests = recordedDigests(t, release, "reads.txt")
			}
			for seed := range n {
				mine := reads(t, seed, ours(release))
				total, calls = total+1, calls+len(mine)
				if release == play.E137 {
					if d := play.FirstDifference("seed "+strconv.FormatInt(seed, 10), mine, reads(t, seed, theirs())); d != "" {
						t.Fatal(d)
					}
				} else if got := play.DigestOf(mine); got != digests[seed] {
					t.Fatalf("seed %d: ours has digest %s, client-go %s %s", seed, got, versions[release], digests[seed])
				}
			}
		})
	}
	t.Logf("%d random readings, %d calls", total, calls)
}

// TestReadsTellReleasesApart checks that the readings tell 1.37 from 1.38: what core/informer answers as the one is not what client-go answers as the other.
func TestReadsTellReleasesApart(t *testing.T) {
	digests := recordedDigests(t, play.E138, "reads.txt")
	different := 0
	for seed := range play.RecordedReads {
		synctest.Test(t, func(*testing.T) {
			if play.DigestOf(play.RandomReads(seed, ours(play.E137))) != digests[seed] {
				different++
			}
		})
	}
	t.Logf("%d of %d readings differ between v0.37.2 and v0.38.0-beta.0", different, play.RecordedReads)
	if different < int(play.RecordedReads)/4 {
		t.Error("too few to tell the releases apart")
	}
}
