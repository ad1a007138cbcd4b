package tracks

import (
	"maps"
	"slices"
	"time"

	"informerscope/core/words/event"
)

// cluster has the changes of the cluster, and which of them a watch brought to its informer.
type cluster struct {
	changes passes
	about   []change       // of each of the changes
	base    int            // the number of changes that were forgotten
	latest  map[string]int // the number of an object's newest change
	pending []int          // changes that a watch may still bring, by number
	lost    []int          // changes that no watch brought or will bring
	bursts  bursts
	written bool // the log has the cluster's writes, and not only what came over the wire
}

// change is what is known of a change beside its pass.
type change struct {
	rv     string
	lane   uint8
	unsent bool  // the informer does not ask for the object
	seen   stamp // when the Reflector received it
	before int   // the number of the object's change before it, -1 if there is none
}

// write notes a change that the cluster wrote.
func (c *cluster) write(s stamp, lane uint8, x event.ClusterChange) {
	n := c.add(s, lane, x.Op, x.Key, x.RV)
	if c.about[n-c.base].unsent = x.Unsent; x.Unsent {
		c.lost = append(c.lost, n)
	} else {
		c.pending = append(c.pending, n)
	}
}

// bring notes a change that came over the wire, of a cluster of which no more is known.
func (c *cluster) bring(s stamp, lane uint8, x event.WireFrame) {
	if !c.written && x.Op != event.OpBookmark {
		c.about[c.add(s, lane, x.Op, x.Key, x.RV)-c.base].seen = s
	}
}

func (c *cluster) add(s stamp, lane uint8, op event.Op, key, rv string) int {
	c.changes.add(s, op, 1, key)
	n := c.base + len(c.about)
	before, ok := c.latest[key]
	if !ok {
		before = -1
	}
	if c.latest == nil {
		c.latest = map[string]int{}
	}
	c.latest[key] = n
	c.about = append(c.about, change{rv: rv, lane: lane, seen: never, before: before})
	c.bursts.add(s)
	return n
}

// find returns the number of the followed change, or of the newest one of its object; less than base if the log has none.
func (c *cluster) find(w *Window) int {
	newest, ok := c.latest[w.Followed]
	if !ok {
		return -1
	}
	for newest >= c.base && c.changes[newest-c.base].seq > w.Seq {
		newest = c.about[newest-c.base].before
	}
	for n := newest; w.Version != "" && n >= c.base; n = c.about[n-c.base].before {
		if c.about[n-c.base].rv == w.Version {
			return n
		}
	}
	return newest
}

// lag returns the newest version of an object that was written, empty if it was deleted. It also returns how many changes later that is than what a read got,
// which is rv, or empty for no object. Not ok: the log does not say.
func (c *cluster) lag(key, rv string) (latest string, behind int, ok bool) {
	n, ok := c.latest[key]
	if !ok || !c.written {
		return "", 0, false
	}
	if c.changes[n-c.base].op != event.OpDeleted {
		latest = c.about[n-c.base].rv
	}
	for ; n >= c.base; n = c.about[n-c.base].before {
		x := &c.about[n-c.base]
		if rv == "" && (x.unsent || c.changes[n-c.base].op == event.OpDeleted) || rv != "" && !event.IsNewer(x.rv, rv) {
			break
		}
		behind++
	}
	return latest, behind, true
}

// see notes that a Reflector received a change.
func (c *cluster) see(s stamp, lane uint8, rv string) {
	for i, n := range c.pending {
		if x := &c.about[n-c.base]; x.lane == lane && x.rv == rv {
			x.seen = s
			c.pending = slices.Delete(c.pending, i, i+1)
			return
		}
	}
}

// swallow notes that a list has what was written up to a version: no watch brings it any more.
func (c *cluster) swallow(lane uint8, rv string) {
	c.pending = slices.DeleteFunc(c.pending, func(n int) bool {
		x := &c.about[n-c.base]
		if x.lane != lane || event.IsNewer(x.rv, rv) {
			return false
		}
		c.lost = append(c.lost, n)
		return true
	})
	slices.Sort(c.lost)
}

// lateness is how old a change is at least that counts as not seen while there is a watch: others are on their way.
const lateness = 100 * time.Millisecond

// unseen returns the stretches of the window in which no change was seen at the moment. Without a watch none is on its way.
func (c *cluster) unseen(w *Window, head stamp, watches bool) (out []*span) {
	late := time.Duration(0)
	if watches {
		late = lateness
	}
	first := c.base + len(c.changes) - len(c.changes.since(w.start()))
	var numbers []int
	if w.Seq < head.seq { // some were seen later
		for n := first; n < c.base+len(c.about); n++ {
			numbers = append(numbers, n)
		}
	} else {
		lost, _ := slices.BinarySearch(c.lost, first)
		pending, _ := slices.BinarySearch(c.pending, first)
		numbers = slices.Concat(c.lost[lost:], c.pending[pending:])
		slices.Sort(numbers)
	}
	last := -2
	for _, n := range numbers {
		p, x := &c.changes[n-c.base], &c.about[n-c.base]
		if p.seq > w.Seq || x.seen.seq <= w.Seq || w.Now-p.at < late {
			continue
		}
		if n != last+1 {
			out = append(out, &span{kind: Unseen, from: p.stamp, to: p.stamp})
		}
		last = n
		s := out[len(out)-1]
		s.to = p.stamp
		s.n++
	}
	return out
}

// forget drops the changes before a moment.
func (c *cluster) forget(before time.Duration) {
	gone := len(c.changes) - len(c.changes.since(before))
	c.bursts.spans = forgetSpans(c.bursts.spans, before)
	if gone < 1024 {
		return
	}
	c.base += gone
	c.changes, c.about = slices.Clone(c.changes[gone:]), slices.Clone(c.about[gone:])
	isGone := func(n int) bool { return n < c.base }
	maps.DeleteFunc(c.latest, func(_ string, n int) bool { return isGone(n) })
	c.pending, c.lost = slices.DeleteFunc(c.pending, isGone), slices.DeleteFunc(c.lost, isGone)
}
