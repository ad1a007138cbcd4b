package fold

import (
	"encoding/json"
	"time"

	"informerscope/core/words/event"
)

// CrowdCount is the simulated API server's count of its other clients, and of the requests for lists by all clients, this informer included. Each client
// is watching, waiting, listing or retrying.
type CrowdCount struct {
	Clients    int             `json:"clients"`    // other clients
	Watching   int             `json:"watching"`   // of them, those with an open watch
	Waiting    int             `json:"waiting"`    // those that lost their watch and have not asked since
	Listing    int             `json:"listing"`    // those with a seat
	Retrying   int             `json:"retrying"`   // those that were refused and wait to ask again
	Seats      int             `json:"seats"`      // lists that are answered at the same time
	Busy       int             `json:"busy"`       // seats that are taken
	Requests   int             `json:"requests"`   // for lists, including WatchLists, from all clients
	Refused    int             `json:"refused"`    // of them, those answered 429
	Unjittered UnjitteredCount `json:"unjittered"` // the other clients, if their waits were not random
}

// UnjitteredCount is what a simulation of the same other clients without jitter counts at the same time.
type UnjitteredCount struct {
	Watching int `json:"watching"` // clients with an open watch
	Requests int `json:"requests"` // for lists
}

// Crowd is a CrowdCount with its rate.
type Crowd struct {
	Clients    int             `json:"clients"`    // other clients
	Watching   int             `json:"watching"`   // of them, those with an open watch
	Waiting    int             `json:"waiting"`    // those that lost their watch and have not asked since
	Listing    int             `json:"listing"`    // those with a seat
	Retrying   int             `json:"retrying"`   // those that were refused and wait to ask again
	Seats      int             `json:"seats"`      // lists that are answered at the same time
	Busy       int             `json:"busy"`       // seats that are taken
	Requests   int             `json:"requests"`   // for lists, including WatchLists, from all clients
	Refused    int             `json:"refused"`    // of them, those answered 429
	Unjittered UnjitteredCount `json:"unjittered"` // the other clients, if their waits were not random
	PerSecond  int             `json:"perSecond"`  // requests in the second before the moment
	Peak       int             `json:"peak"`       // the highest PerSecond so far
	Lists      CrowdLists      `json:"lists"`      // requests by time
}

// CrowdLists counts the requests for lists of the last 128 seconds in each step of time, oldest first, from the first step to the last that has any.
type CrowdLists struct {
	FromMillis float64 `json:"fromMillis"` // when the first step began
	StepMillis float64 `json:"stepMillis"`
	Requests   []int   `json:"requests"`   // from all clients
	Unjittered []int   `json:"unjittered"` // from the other clients, if their waits were not random
}

// crowdBins is the number of bins that count requests; the cluster is polled once per bin. crowdSecond is how many make a second.
const (
	crowdBins   = 512
	crowdSecond = 4
	crowdBin    = time.Second / crowdSecond
)

// crowd tracks the other clients of a simulated cluster.
type crowd struct {
	CrowdCount
	bins [crowdBins]listBin // by time
	bin  int64              // the newest
	peak int
}

// listBin counts the requests of a time.
type listBin struct{ requests, unjittered int32 }

func (c *crowd) apply(e *event.Entry) {
	var count CrowdCount
	if json.Unmarshal([]byte(e.Crowd().Count), &count) != nil {
		return
	}
	if count.Clients == 0 || count.Requests < c.Requests {
		*c = crowd{CrowdCount: count} // none are left, or new ones replaced them
		return
	}
	c.advance(e.At)
	b := &c.bins[c.bin%crowdBins]
	b.requests += int32(count.Requests - c.Requests)
	b.unjittered += int32(max(0, count.Unjittered.Requests-c.Unjittered.Requests))
	c.CrowdCount = count
	c.peak = max(c.peak, c.perSecond(e.At))
}

// binOf returns the bin of what a poll counts: the time before it.
func binOf(at time.Duration) int64 { return int64((max(at, 1) - 1) / crowdBin) }

func (c *crowd) advance(at time.Duration) {
	bin := binOf(at)
	for i := max(c.bin, bin-crowdBins) + 1; i <= bin; i++ {
		c.bins[i%crowdBins] = listBin{}
	}
	c.bin = max(c.bin, bin)
}

func (c *crowd) perSecond(at time.Duration) int {
	sum := 0
	for i := max(0, c.bin-crowdSecond+1, binOf(at)-crowdSecond+1); i <= c.bin; i++ {
		sum += int(c.bins[i%crowdBins].requests)
	}
	return sum
}

// lists returns the bins of the last seconds, from the first to the last that counts a request.
func (c *crowd) lists(at time.Duration) CrowdLists {
	isEmpty := func(i int64) bool { return c.bins[i%crowdBins] == listBin{} }
	first, last := max(0, c.bin-crowdBins+1, binOf(at)-crowdBins+1), c.bin
	for first <= last && isEmpty(first) {
		first++
	}
	for first <= last && isEmpty(last) {
		last--
	}
	l := CrowdLists{StepMillis: Millis(crowdBin), Requests: []int{}, Unjittered: []int{}}
	for i := first; i <= last; i++ {
		b := c.bins[i%crowdBins]
		l.Requests, l.Unjittered = append(l.Requests, int(b.requests)), append(l.Unjittered, int(b.unjittered))
	}
	if len(l.Requests) > 0 {
		l.FromMillis = Millis(time.Duration(first) * crowdBin)
	}
	return l
}

// restore takes over a State's Crowd.
func (c *crowd) restore(s *Crowd, at time.Duration) {
	*c = crowd{}
	if s == nil {
		return
	}
	c.CrowdCount = CrowdCount{s.Clients, s.Watching, s.Waiting, s.Listing, s.Retrying, s.Seats, s.Busy, s.Requests, s.Refused, s.Unjittered}
	c.peak = s.Peak
	c.advance(at)
	first := int64(s.Lists.FromMillis / Millis(crowdBin))
	for i := range min(len(s.Lists.Requests), len(s.Lists.Unjittered)) {
		if bin := first + int64(i); bin >= 0 && bin <= c.bin && bin > c.bin-crowdBins {
			c.bins[bin%crowdBins] = listBin{int32(s.Lists.Requests[i]), int32(s.Lists.Unjittered[i])}
		}
	}
}

// state returns nil while there are no other clients.
func (c *crowd) state(at time.Duration) *Crowd {
	if c.Clients == 0 {
		return nil
	}
	n := c.CrowdCount
	return &Crowd{n.Clients, n.Watching, n.Waiting, n.Listing, n.Retrying, n.Seats, n.Busy, n.Requests, n.Refused, n.Unjittered,
		c.perSecond(at), c.peak, c.lists(at)}
}
