package simcluster

import (
	"math/rand/v2"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// maxCrowd is the greatest number of other clients.
	maxCrowd = 10_000
	// crowdSeats is how many lists of pods are answered at a time while there is a crowd; listTime is about how long one takes.
	crowdSeats = 10
	listTime   = 250 * time.Millisecond
	// retryAfter is the Retry-After of a refused request, in seconds. A client sends the request again after it, so often, before its Reflector gets an error.
	retryAfter  = 1
	mostRepeats = 10
	// Then a client waits as client-go's Reflector does. The first wait doubles up to the longest; each is lengthened by a random part of itself, up to
	// twice its length.
	firstWait   = 800 * time.Millisecond
	longestWait = 30 * time.Second
)

// crowd is many other clients that watch the pods. They receive no events: only their load on the API server is simulated.
type crowd struct {
	rng       *rand.Rand // its own, so that writes do not depend on the crowd
	jitter    float64    // the longest random part of a wait, as a share of the wait.
	isGone    bool       // another crowd replaced this one: its tasks do nothing
	clients   int
	watchers  int
	waiters   int // clients whose Reflector waits
	listers   int // clients with a seat
	retriers  int // clients that were refused and send the same request again
	busySeats int // occupied seats, also those of clients outside the crowd
	requests  uint64
	refusals  uint64
}

// CrowdStats are counts of a crowd. Requests are those for lists of pods, including WatchLists, by any client.
type CrowdStats struct {
	// Clients is the number of other clients. Each of them has an open watch (Watching), whose Reflector waits (Waiting), has a seat (Listing),
	// or was refused and waits to send the request again (Retrying).
	Clients, Watching, Waiting, Listing, Retrying int
	// Seats is how many lists can be answered at a time; Busy is how many are being answered.
	Seats, Busy int
	// Requests is the number of requests since the crowd came; Refused is how many of them got a 429.
	Requests, Refused uint64
	// Unjittered has the counts of the same crowd with waits that are not random, at seats of its own.
	Unjittered UnjitteredStats
}

// UnjitteredStats are counts of a crowd without jitter.
type UnjitteredStats struct {
	Watching int
	Requests uint64
}

// Crowd replaces the other clients by n that watch the pods, at most 10,000. While n is positive, lists of pods share ten seats, as the requests of an API
// server do that has --max-requests-inflight and no queues. A request without a free seat gets a 429 with a Retry-After of one second. A WatchList
// counts as a list. If n is 0, there are neither clients nor seats. The clients use the cluster's clock, and need Run.
func (c *Cluster) Crowd(n int) {
	c.lock()
	defer c.mu.Unlock()
	c.crowd.isGone, c.unjittered.isGone = true, true
	c.crowd, c.unjittered = c.newCrowd(n, 1), c.newCrowd(n, 0)
}

func (c *Cluster) newCrowd(n int, jitter float64) *crowd {
	n = max(0, min(n, maxCrowd))
	return &crowd{rng: rand.New(rand.NewPCG(c.seed1, 0x63726f7764)), jitter: jitter, clients: n, watchers: n}
}

// Expire drops the history, as Compact does, and ends every open watch of pods with 410 Expired, so that its client must list again. Each client of the
// crowd waits as a Reflector does, and then lists.
func (c *Cluster) Expire() {
	c.lock()
	defer c.mu.Unlock()
	for _, r := range c.order {
		r.floor = c.rev
	}
	c.snapshots = nil
	close(c.expireCh)
	c.expireCh = make(chan struct{})
	for _, cr := range []*crowd{c.crowd, c.unjittered} {
		lost := cr.watchers
		cr.watchers = 0
		for range lost {
			c.listLater(cr, firstWait)
		}
	}
}

// listLater makes one client of a crowd list after a wait of its Reflector, which is lengthened at random.
func (c *Cluster) listLater(cr *crowd, wait time.Duration) {
	cr.waiters++
	c.runAfter(wait+time.Duration(cr.jitter*cr.rng.Float64()*float64(wait)), func() {
		cr.waiters--
		c.askSeat(cr, wait, 0)
	})
}

// askSeat makes one client of a crowd list, which its Reflector did after a wait, and sent so often before.
func (c *Cluster) askSeat(cr *crowd, wait time.Duration, repeats int) {
	switch {
	case cr.isGone:
	case cr.seat():
		cr.listers++
		c.keepSeat(cr, func() {
			cr.listers--
			cr.watchers++
		})
	case repeats == mostRepeats:
		c.listLater(cr, min(2*wait, longestWait))
	default:
		cr.retriers++
		c.runAfter(retryAfter*time.Second, func() {
			cr.retriers--
			c.askSeat(cr, wait, repeats+1)
		})
	}
}

// seat counts a request for a list, and reports whether it got a seat.
func (cr *crowd) seat() bool {
	cr.requests++
	if cr.busySeats >= crowdSeats {
		cr.refusals++
		return false
	}
	cr.busySeats++
	return true
}

// keepSeat frees a seat once its list is answered, and calls then.
func (c *Cluster) keepSeat(cr *crowd, then func()) {
	c.runAfter(listTime/2+time.Duration(cr.rng.Int64N(int64(listTime))), func() {
		if !cr.isGone {
			cr.busySeats--
			then()
		}
	})
}

// admit refuses a request for a list of pods if every seat is occupied.
func (c *Cluster) admit(r *resource) *apierrors.StatusError {
	c.lock()
	defer c.mu.Unlock()
	if r != c.pods || c.crowd.clients == 0 {
		return nil
	}
	if !c.crowd.seat() {
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", retryAfter)
	}
	c.keepSeat(c.crowd, func() {})
	return nil
}

// beginsWithList reports whether a watch begins with a list.
func beginsWithList(q url.Values) bool { return q.Get("sendInitialEvents") == "true" }

func (c *Cluster) crowdStats() CrowdStats {
	cr := c.crowd
	if cr.clients == 0 {
		return CrowdStats{}
	}
	return CrowdStats{Clients: cr.clients, Watching: cr.watchers, Waiting: cr.waiters, Listing: cr.listers, Retrying: cr.retriers,
		Seats: crowdSeats, Busy: cr.busySeats, Requests: cr.requests, Refused: cr.refusals,
		Unjittered: UnjitteredStats{Watching: c.unjittered.watchers, Requests: c.unjittered.requests}}
}
