package fold

import (
	"encoding/json"
	"time"

	"informerscope/core/event"
)

// CrowdCount is the simulated API server's count of its other clients, and of the requests for lists by all clients, this informer included.
type CrowdCount struct {
	Clients  int `json:"clients"`  // other clients
	Watching int `json:"watching"` // of them, those with an open watch
	Seats    int `json:"seats"`    // lists that are answered at the same time
	Busy     int `json:"busy"`     // seats that are taken
	Requests int `json:"requests"` // for lists, including WatchLists, from all clients
	Refused  int `json:"refused"`  // of them, those answered 429
}

// Crowd is a CrowdCount with its rate.
type Crowd struct {
	Clients   int `json:"clients"`   // other clients
	Watching  int `json:"watching"`  // of the other clients, those with an open watch
	Seats     int `json:"seats"`     // lists that are answered at the same time
	Busy      int `json:"busy"`      // seats that are taken
	Requests  int `json:"requests"`  // for lists, including WatchLists, from all clients
	Refused   int `json:"refused"`   // of them, those answered 429
	PerSecond int `json:"perSecond"` // requests in the second before the moment
	Peak      int `json:"peak"`      // the highest PerSecond so far
}

// crowdBins is the number of bins that count the last second; the cluster is polled once per bin.
const (
	crowdBins = 4
	crowdBin  = time.Second / crowdBins
)

// crowd tracks the other clients of a simulated cluster.
type crowd struct {
	CrowdCount
	bins [crowdBins]int // requests, by time
	bin  int64          // the newest
	peak int
}

func (c *crowd) apply(e *event.Entry) {
	var is CrowdCount
	if json.Unmarshal([]byte(e.Crowd().Count), &is) != nil {
		return
	}
	if is.Clients == 0 || is.Requests < c.Requests {
		*c = crowd{CrowdCount: is} // none are left, or new ones replaced them
		return
	}
	c.advance(e.At)
	c.bins[c.bin%crowdBins] += is.Requests - c.Requests
	c.CrowdCount = is
	c.peak = max(c.peak, c.perSecond(e.At))
}

func (c *crowd) advance(at time.Duration) {
	bin := int64(max(at, 0) / crowdBin)
	if bin-c.bin >= crowdBins {
		c.bins = [crowdBins]int{}
	} else {
		for i := c.bin + 1; i <= bin; i++ {
			c.bins[i%crowdBins] = 0
		}
	}
	c.bin = max(c.bin, bin)
}

func (c *crowd) perSecond(at time.Duration) int {
	now := *c
	now.advance(at)
	sum := 0
	for _, n := range now.bins {
		sum += n
	}
	return sum
}

// restore takes over a State's Crowd.
func (c *crowd) restore(s *Crowd, at time.Duration) {
	*c = crowd{}
	if s == nil {
		return
	}
	c.CrowdCount = CrowdCount{Clients: s.Clients, Watching: s.Watching, Seats: s.Seats, Busy: s.Busy, Requests: s.Requests, Refused: s.Refused}
	c.peak = s.Peak
	c.advance(at)
	c.bins[c.bin%crowdBins] = max(s.PerSecond, 0)
}

// state returns nil while there are no other clients.
func (c *crowd) state(at time.Duration) *Crowd {
	if c.Clients == 0 {
		return nil
	}
	n := c.CrowdCount
	return &Crowd{Clients: n.Clients, Watching: n.Watching, Seats: n.Seats, Busy: n.Busy, Requests: n.Requests, Refused: n.Refused,
		PerSecond: c.perSecond(at), Peak: c.peak}
}
