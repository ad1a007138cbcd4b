package lens

import (
	"slices"
	"time"

	"informerscope/core/words/persistent"
)

const (
	// shownChain is the least number of runs of a chain that counts as a loop.
	shownChain = 3
	// maxWorkers bounds the workers of a queue.
	maxWorkers = 1 << 10
	// A key starves when it waits at least longWait, while at least overtakes later keys were taken first. These must be overtakenShare or more of all
	// that were taken.
	longWait       = 10 * time.Second
	overtakes      = 50
	overtakenShare = 0.8
)

// Moment is an event and its time.
type Moment struct {
	Seq uint64
	At  time.Duration
}

// Totals count what is wrong with the reconciles of a work queue.
type Totals struct {
	Runs int
	// Longest is the run with the longest chain. It is as it was when a worker took its key.
	Longest Run

	Reads, Older          int
	FirstOlder, LastOlder Moment // the reads that were older than an own write
	Conflicts             int    // writes of a run with such a read that failed with a conflict

	Duplicates                    int
	FirstDuplicate, LastDuplicate Moment
	Duplicate                     Duplicate // the last of them
	DuplicateKey                  string    // the key whose runs made both

	Starving int // waits of keys that starved
	Starved  Starved
}

// Starved is a key that waits, or waited, too long for a worker. The zero value is none.
type Starved struct {
	Key       string
	Since     time.Duration
	Wait      time.Duration
	Overtaken int // at least so many keys that came later were taken first
	At        Moment
}

func (t *Totals) seeRun(r *Run) {
	if t.Runs++; r.Chain > t.Longest.Chain {
		t.Longest = *r
		t.Longest.Causes = nil
	}
}

func (t *Totals) seeDuplicate(d Duplicate, key string, at Moment) {
	if t.Duplicates++; t.Duplicates == 1 {
		t.FirstDuplicate = at
	}
	t.LastDuplicate, t.Duplicate, t.DuplicateKey = at, d, key
}

// seeWait notes how long a key has waited, and before how many others it would have had its turn in a FIFO.
func (t *Totals) seeWait(key string, wait time.Duration, overtaken, takes int, at Moment) {
	if wait < longWait || overtaken < overtakes || float64(overtaken) < overtakenShare*float64(takes) {
		return
	}
	if t.Starving++; wait > t.Starved.Wait {
		t.Starved = Starved{Key: key, Since: at.At - wait, Wait: wait, Overtaken: overtaken, At: at}
	}
}

func (x *lane) setWorker(worker int32, key string) {
	if worker <= 0 || worker >= maxWorkers {
		return
	}
	for len(x.workers) <= int(worker) {
		x.workers = append(x.workers, "")
	}
	x.workers[worker] = key
}

// A key's wakes are counted in bins of time, for a minute.
const (
	wakeBins = 12
	wakeBin  = time.Minute / wakeBins
)

// wakes count how often a key's own writes woke it in the last minute.
type wakes struct {
	last int64 // the newest bin
	n    [wakeBins]uint16
}

func (w *wakes) add(at time.Duration) {
	w.advance(at)
	w.n[w.last%wakeBins]++
}

func (w *wakes) advance(at time.Duration) {
	bin := max(w.last, int64(max(at, 0)/wakeBin))
	for i := max(w.last+1, bin-wakeBins+1); i <= bin; i++ {
		w.n[i%wakeBins] = 0
	}
	w.last = bin
}

func (w wakes) count(at time.Duration) (sum int) {
	w.advance(at)
	for _, n := range w.n {
		sum += int(n)
	}
	return sum
}

// Totals returns the counts of a lane's work queue at a moment. Keys that still starve are among them.
func (l *Lens) Totals(lane int, at Moment) Totals {
	if lane < 0 || lane >= len(l.lanes) {
		return Totals{}
	}
	x := &l.lanes[lane]
	t := x.Totals
	prefix := id(lane, "")
	l.keys.Each(func(name string, k *key) bool {
		if name[:len(prefix)] == prefix && k.isReady {
			t.seeWait(name[len(prefix):], at.At-k.readyAt, x.takes-k.turn, x.takes-k.takesBefore, at)
		}
		return true
	})
	return t
}

// Last returns the run of a lane's work queue that began last, nil for none. It must not be changed.
func (l *Lens) Last(lane int) *Run {
	if lane < 0 || lane >= len(l.lanes) {
		return nil
	}
	return l.Run(lane, l.lanes[lane].last)
}

// Run returns the newest run of a key of a lane's work queue, nil for none. It must not be changed.
func (l *Lens) Run(lane int, name string) *Run {
	if k, ok := l.keys.Get(id(lane, name)); ok {
		return k.run
	}
	return nil
}

// Runs returns the newest runs of the key that the Lens is asked for, newest first, at most 8. It also returns how many began in the last minute, and how
// many of these a write of the key itself had woken. It says of each cause whose write made it: the event of another key's write may come before its answer.
// The runs must not be changed.
func (l *Lens) Runs() (newest []*Run, aMinute, woken int) {
	k, ok := l.keys.Get(id(l.Lane, l.Key))
	if !ok || k.run == nil {
		return nil, 0, 0
	}
	for _, r := range slices.Backward(append(slices.Clip(k.older), k.run)) {
		if r.At >= l.now-time.Minute {
			if aMinute++; r.Woken {
				woken++
			}
		}
		if len(newest) == maxRuns {
			continue
		}
		for i := range r.Causes {
			l.nameWriter(r, &r.Causes[i])
		}
		if r.Running {
			r.Took = l.now - r.At
		}
		newest = append(newest, r)
	}
	return newest, aMinute, woken
}

// NewestDuplicate returns the newest duplicate that a lane's reconciles made within a minute before at, and the key whose runs made it; "" for none.
func (l *Lens) NewestDuplicate(lane int, at time.Duration) (key string, d Duplicate) {
	if lane < 0 || lane >= len(l.lanes) || l.lanes[lane].Duplicates == 0 || at-l.lanes[lane].LastDuplicate.At > time.Minute {
		return "", d
	}
	return l.lanes[lane].DuplicateKey, l.lanes[lane].Duplicate
}

// Loop returns the newest run of the key that wakes itself most often, and how often it did so in the last minute; nil if none does.
func (l *Lens) Loop(lane int, at time.Duration) (r *Run, aMinute int) {
	if lane < 0 || lane >= len(l.lanes) {
		return nil, 0
	}
	k, ok := l.keys.Get(id(lane, l.lanes[lane].loop))
	if !ok || k.run == nil || k.run.Chain < shownChain {
		return nil, 0
	}
	if aMinute = k.wakes.count(at); aMinute == 0 {
		return nil, 0
	}
	return k.run, aMinute
}

// Starves reports whether a key of a lane's work queue starves.
func (l *Lens) Starves(lane int, name string, at time.Duration) (s Starved, starves bool) {
	k, ok := l.keys.Get(id(lane, name))
	if !ok || !k.isReady || lane >= len(l.lanes) {
		return s, false
	}
	var t Totals
	x := &l.lanes[lane]
	t.seeWait(name, at-k.readyAt, x.takes-k.turn, x.takes-k.takesBefore, Moment{At: at})
	return t.Starved, t.Starving > 0
}

// Restore goes on after a gap, or begins in the middle of a controller's life: these keys wait, the oldest first, and no run is known to be open.
func (l *Lens) Restore(lane int, at time.Duration, waiting []string) {
	x := l.lane(lane)
	if x == nil {
		return
	}
	l.active = true
	prefix := id(lane, "")
	var gone []string
	l.keys.Each(func(name string, _ *key) bool {
		if name[:len(prefix)] == prefix {
			gone = append(gone, name)
		}
		return true
	})
	for _, name := range gone {
		l.keys.Take(l.epoch, name)
	}
	x.pending, x.workers, x.calls, x.last, x.loop = nil, nil, nil, "", ""
	for i, name := range waiting {
		if i == maxKeys {
			break
		}
		l.ready(l.key(id(lane, name)), lane, at, i+1)
	}
	l.last = persistent.KeyQueue[*own]{} // what came in the gap is not known
	for i := range l.lanes {
		l.lanes[i].storedVersion, l.lanes[i].newest = "", ""
	}
}
