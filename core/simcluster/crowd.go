package simcluster

import (
	"math/rand/v2"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// maxCrowd is the most other clients that there can be.
	maxCrowd = 10_000
	// crowdSeats are the seats that lists of pods have while there is a crowd, and listTime is about how long a list keeps one.
	crowdSeats = 10
	listTime   = 250 * time.Millisecond
	// retryAfter is what a request that is turned away is told to wait, in seconds.
	retryAfter = 1
	// The waits of a client are those of client-go's Reflector: the first, from which they double, and the longest, each stretched by up to as
	// much again at random.
	firstWait   = 800 * time.Millisecond
	longestWait = 30 * time.Second
)

// crowd is many other clients that watch the pods. Each is told of nothing: it is what its API server has to do with it that counts.
type crowd struct {
	rng      *rand.Rand // its own, so that what is written does not depend on it
	serial   uint64     // of this crowd: tasks of an earlier one do nothing
	clients  int
	watching int
	busy     int // seats that are taken
	requests uint64
	refused  uint64
}

// CrowdStats is a count of what a crowd does. Requests are those for lists of pods, a WatchList among them, by anybody.
type CrowdStats struct {
	// Clients is how many others there are, Watching how many of them have an open watch.
	Clients, Watching int
	// Seats is how many lists are answered at a time, Busy how many are.
	Seats, Busy int
	// Requests were made since the crowd came, and so many of them Refused with 429.
	Requests, Refused uint64
}

// Crowd lets n other clients watch the pods, in place of those that were there; at most 10,000. While there are any, lists of pods share ten
// seats, as of a priority level of API priority and fairness that rejects what finds none: whoever asks then gets 429 and is told to try again in
// a second. A WatchList is a list too. n of 0 takes clients and seats away. The clients live on the cluster's clock, and need Run.
func (c *Cluster) Crowd(n int) {
	c.lock()
	defer c.mu.Unlock()
	serial := c.crowd.serial + 1
	n = max(0, min(n, maxCrowd))
	c.crowd = crowd{rng: rand.New(rand.NewPCG(c.seed1, 0x63726f7764)), serial: serial, clients: n, watching: n}
}

// Expire forgets the history, as Compact does, and ends every open watch of pods with 410 Expired: those who watched must list again. Each
// client of the crowd waits as a Reflector does, and asks.
func (c *Cluster) Expire() {
	c.lock()
	defer c.mu.Unlock()
	for _, r := range c.order {
		r.floor = c.rev
	}
	c.snapshots = nil
	close(c.expireCh)
	c.expireCh = make(chan struct{})
	lost := c.crowd.watching
	c.crowd.watching = 0
	for range lost {
		c.askLater(firstWait)
	}
}

// askLater has one client of the crowd ask when its wait is over, stretched at random.
func (c *Cluster) askLater(wait time.Duration) {
	serial := c.crowd.serial
	c.after(wait+time.Duration(c.crowd.rng.Float64()*float64(wait)), func() {
		if c.crowd.serial != serial {
			return
		}
		if !c.seat() {
			c.askLater(min(2*wait, longestWait))
			return
		}
		c.keepSeat(func() { c.crowd.watching++ })
	})
}

// seat counts a request for a list, and reports whether it finds a seat.
func (c *Cluster) seat() bool {
	c.crowd.requests++
	if c.crowd.busy >= crowdSeats {
		c.crowd.refused++
		return false
	}
	c.crowd.busy++
	return true
}

// keepSeat gives a seat back when its list is answered, and calls then.
func (c *Cluster) keepSeat(then func()) {
	serial := c.crowd.serial
	c.after(listTime/2+time.Duration(c.crowd.rng.Int64N(int64(listTime))), func() {
		if c.crowd.serial == serial {
			c.crowd.busy--
			then()
		}
	})
}

// admit turns a request for a list of pods away when every seat is taken.
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

// initial reports whether a watch begins with a list.
func initial(q url.Values) bool { return q.Get("sendInitialEvents") == "true" }

func (c *crowd) stats() CrowdStats {
	s := CrowdStats{Clients: c.clients, Watching: c.watching, Busy: c.busy, Requests: c.requests, Refused: c.refused}
	if c.clients > 0 {
		s.Seats = crowdSeats
	}
	return s
}
