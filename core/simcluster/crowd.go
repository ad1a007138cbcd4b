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
	// retryAfter is the Retry-After of a refused request, in seconds.
	retryAfter = 1
	// A client waits as client-go's Reflector does. The first wait doubles up to the longest; each is lengthened by a random part of itself, up to
	// twice its length.
	firstWait   = 800 * time.Millisecond
	longestWait = 30 * time.Second
)

// crowd is many other clients that watch the pods. They receive no events: only their load on the API server is simulated.
type crowd struct {
	rng       *rand.Rand // its own, so that writes do not depend on the crowd
	serial    uint64     // identifies this crowd: tasks of an earlier one do nothing
	clients   int
	watchers  int
	busySeats int // occupied seats
	requests  uint64
	refusals  uint64
}

// CrowdStats are counts of a crowd. Requests are those for lists of pods, including WatchLists, by any client.
type CrowdStats struct {
	// Clients is the number of other clients; Watching is how many of them have an open watch.
	Clients, Watching int
	// Seats is how many lists can be answered at a time; Busy is how many are being answered.
	Seats, Busy int
	// Requests is the number of requests since the crowd came; Refused is how many of them got a 429.
	Requests, Refused uint64
}

// Crowd replaces the other clients by n that watch the pods, at most 10,000. While n is positive, lists of pods share ten seats, like a priority level
// of API priority and fairness that rejects excess requests. A request without a free seat gets a 429 with a Retry-After of one second. A WatchList
// counts as a list. If n is 0, there are neither clients nor seats. The clients use the cluster's clock, and need Run.
func (c *Cluster) Crowd(n int) {
	c.lock()
	defer c.mu.Unlock()
	serial := c.crowd.serial + 1
	n = max(0, min(n, maxCrowd))
	c.crowd = crowd{rng: rand.New(rand.NewPCG(c.seed1, 0x63726f7764)), serial: serial, clients: n, watchers: n}
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
	lost := c.crowd.watchers
	c.crowd.watchers = 0
	for range lost {
		c.askLater(firstWait)
	}
}

// askLater makes one client of the crowd list after its wait, lengthened at random.
func (c *Cluster) askLater(wait time.Duration) {
	serial := c.crowd.serial
	c.runAfter(wait+time.Duration(c.crowd.rng.Float64()*float64(wait)), func() {
		if c.crowd.serial != serial {
			return
		}
		if !c.seat() {
			c.askLater(min(2*wait, longestWait))
			return
		}
		c.keepSeat(func() { c.crowd.watchers++ })
	})
}

// seat counts a request for a list, and reports whether it got a seat.
func (c *Cluster) seat() bool {
	c.crowd.requests++
	if c.crowd.busySeats >= crowdSeats {
		c.crowd.refusals++
		return false
	}
	c.crowd.busySeats++
	return true
}

// keepSeat frees a seat once its list is answered, and calls then.
func (c *Cluster) keepSeat(then func()) {
	serial := c.crowd.serial
	c.runAfter(listTime/2+time.Duration(c.crowd.rng.Int64N(int64(listTime))), func() {
		if c.crowd.serial == serial {
			c.crowd.busySeats--
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
	if !c.seat() {
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", retryAfter)
	}
	c.keepSeat(func() {})
	return nil
}

// beginsWithList reports whether a watch begins with a list.
func beginsWithList(q url.Values) bool { return q.Get("sendInitialEvents") == "true" }

func (c *crowd) stats() CrowdStats {
	s := CrowdStats{Clients: c.clients, Watching: c.watchers, Busy: c.busySeats, Requests: c.requests, Refused: c.refusals}
	if c.clients > 0 {
		s.Seats = crowdSeats
	}
	return s
}
