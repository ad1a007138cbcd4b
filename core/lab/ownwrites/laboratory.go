package ownwrites

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/words/vclock"
)

// Guard names a lane by what protects its controller.
type Guard string

// The lanes of a Result, in this order.
const (
	Unguarded Guard = "unguarded"
	Store     Guard = "store"
	Reads     Guard = "reads"
)

// Result is what three lanes did with the same load.
type Result struct {
	Seed      uint64 `json:"seed"`
	LagMillis int    `json:"lagMillis"`
	// Parents and Children are how many parents the user creates, and how many children each wants at first.
	Parents  int `json:"parents"`
	Children int `json:"children"`
	// UserWrites are the writes of the user.
	UserWrites int    `json:"userWrites"`
	Lanes      []Lane `json:"lanes"`
}

// Lane is what one controller did.
type Lane struct {
	Guard Guard `json:"guard"`
	Counts
	// Reconciles are those that went on to read and write, Held those that were held back: sent back to the queue, or made to wait for a read.
	Reconciles int `json:"reconciles"`
	Held       int `json:"held"`
	// Requeued is how often a key went back through the rate limiter: held back, or after a conflict.
	Requeued int `json:"requeued"`
	// WaitedMillis is the time for which parents were held back, together, and WorstMillis the longest.
	WaitedMillis int `json:"waitedMillis"`
	WorstMillis  int `json:"worstMillis"`
	// EndMillis is when the last reconcile ended.
	EndMillis int `json:"endMillis"`
	// First is the first reconcile whose store lacked an own write, and what became of it; nil if there is none. Until then all lanes do the same.
	First *Moment `json:"first,omitempty"`
	// Timeline has the first reconciles, at most 400.
	Timeline []Reconcile `json:"timeline"`
}

// maxTimeline bounds a Timeline.
const maxTimeline = 400

// Reconcile is what a worker did with a key. Times are milliseconds.
type Reconcile struct {
	Key  string `json:"key"`
	At   int    `json:"at"` // since the beginning
	Took int    `json:"took"`
	// If the store lacked an own write when it began: the newest version written for the key, the store's version, and the resource.
	Wrote    uint64 `json:"wrote,omitempty"`
	Read     uint64 `json:"read,omitempty"`
	Resource string `json:"resource,omitempty"`
	// Held: it was sent back to the queue before it read anything. After is how long its key had been held back when it went on.
	Held  bool `json:"held,omitempty"`
	After int  `json:"after,omitempty"`
	// Waited is how long its reads waited.
	Waited     int    `json:"waited,omitempty"`
	Created    int    `json:"created,omitempty"`
	Duplicates int    `json:"duplicates,omitempty"`
	Deleted    int    `json:"deleted,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Moment is a reconcile with what the lane's guard made of it.
type Moment struct {
	Reconcile
	// Refusals is how often its key was sent back to the queue before it went on.
	Refusals int `json:"refusals,omitempty"`
	// WaitedMillis is how long it was held back in all.
	WaitedMillis int `json:"waitedMillis,omitempty"`
}

// firstMoment finds the First of a timeline.
func firstMoment(timeline []Reconcile) *Moment {
	i := slices.IndexFunc(timeline, func(r Reconcile) bool { return r.Wrote > 0 })
	if i < 0 {
		return nil
	}
	m := &Moment{Reconcile: timeline[i], WaitedMillis: timeline[i].Waited}
	for _, r := range timeline[i:] {
		if !m.Held || r.Key != m.Key {
			continue
		}
		if !r.Held { // it has gone on
			m.WaitedMillis = r.After
			break
		}
		m.Refusals++
	}
	return m
}

// longestRun is the virtual time after which a run is given up.
const longestRun = 10 * time.Minute

// begin is when virtual time begins, so that timestamps depend on nothing.
var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Run plays the load to the three lanes, and returns when they have come to rest. It ends early with the error of ctx. All goroutines that it starts have ended
// when it returns. The caller owns the result.
func Run(ctx context.Context, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	load := Load(o.Seed)
	lanes, err := run(ctx, o, load)
	if err != nil {
		return Result{}, err
	}
	result := Result{Seed: o.Seed, LagMillis: millis(o.Lag), Parents: parentCount, Children: childCount, UserWrites: len(load)}
	for _, l := range lanes {
		result.Lanes = append(result.Lanes, l.finish())
	}
	return result, nil
}

// run plays a load, and returns the lanes, which have ended.
func run(ctx context.Context, o Options, load []Write) ([]*lane, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	virtual := vclock.New(begin, clock.RealClock{})
	driver := vclock.NewDriver(o.Idle, clock.RealClock{})
	driver.Drive(virtual)
	var wg sync.WaitGroup
	var lanes []*lane
	for _, name := range []Guard{Unguarded, Store, Reads} {
		l := newLane(name, virtual, o)
		lanes = append(lanes, l)
		wg.Go(func() { l.run(ctx) })
	}
	var failure error // of a user's write; the driver waits for each
	script := make([]vclock.Action, len(load))
	left := len(load)
	for i, w := range load {
		script[i] = vclock.Action{At: SettleTime + w.At, Do: func() {
			left--
			for _, l := range lanes {
				if err := l.cluster.Apply(w); err != nil && failure == nil {
					failure = err
				}
			}
		}}
	}
	driver.Play(script, func() bool { return left == 0 && quiet(lanes) || virtual.Since(begin) > longestRun }, false)
	driving := make(chan struct{})
	go func() {
		defer close(driving)
		driver.Run(ctx)
	}()
	driver.WaitEnd(ctx)
	err := ctx.Err()
	cancel()
	<-driving
	virtual.End()
	wg.Wait()
	if err == nil {
		err = failure
	}
	if err == nil && virtual.Since(begin) > longestRun {
		err = fmt.Errorf("the controllers have not come to rest within %v of virtual time", longestRun)
	}
	return lanes, err
}

// SettleTime is when the user's first write can come: the informers have synced by then.
const SettleTime = MaxLag + time.Second

func quiet(lanes []*lane) bool {
	for _, l := range lanes {
		if !l.quiet() {
			return false
		}
	}
	return true
}
