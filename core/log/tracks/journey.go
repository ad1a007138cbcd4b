package tracks

import (
	"sort"
	"strconv"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Journey is the way of the followed change through the rows.
type Journey struct {
	Key string `json:"key"`
	RV  string `json:"rv"`
	Op  string `json:"op"`
	// Stops are the rows that it has come to, in order.
	Stops []Stop `json:"stops"`
}

// Stop is when a change was at a row. What has not happened is null.
type Stop struct {
	Row string `json:"row"` // its ID
	// CameMillis is when it came, LeftMillis when it went on, or its call began, and EndMillis when that call ended.
	CameMillis float64  `json:"cameMillis"`
	LeftMillis *float64 `json:"leftMillis"`
	EndMillis  *float64 `json:"endMillis"`
}

// farthest is how many entries are looked at for one that may not be there.
const farthest = 20_000

// Journey returns the way of the followed change, as far as it had come by the window's moment; nil if there is none. If no version is followed, or one that
// the log does not have, it is that of the object's newest change.
func (t *Tracks) Journey(w *Window) *Journey {
	shown := t.lane(uint8(w.Lane))
	if shown == nil {
		return nil
	}
	key, c := w.Followed, shown.cluster
	n := c.find(w)
	if n < c.base {
		return nil
	}
	p, x := &c.changes[n-c.base], &c.about[n-c.base]
	l := t.lane(x.lane)
	if l == nil {
		return nil
	}
	j := &Journey{Key: key, RV: x.rv, Op: p.op.String()}
	now := w.now()
	j.add(now, "cluster", p.stamp, x.seen, never)
	if x.seen.seq > now.seq {
		return j
	}
	row := strconv.Itoa(int(x.lane)) + "."
	q := l.queue.find(x.seen.at, key, x.rv)
	if q == nil || !j.add(now, row+"reflector", x.seen, q.entered, never) || !j.add(now, row+"queue", q.entered, q.left, never) {
		return j
	}
	stored := l.stored.find(q.left.at, key)
	if !j.add(now, row+"indexer", stored, stored, never) {
		return j
	}
	fed, end := never, never // the call of the handler that feeds the work queue
	for _, h := range l.handlers {
		y := h.line.find(stored.at, key, x.rv)
		if y == nil {
			continue
		}
		over := h.endOf(y.left)
		if j.add(now, row+"handler."+strconv.Itoa(int(h.id)), y.entered, y.left, over) && h.id == l.feeder {
			fed, end = y.left, over
		}
	}
	if fed != never {
		j.addWork(now, row, l, fed, end, key)
	}
	return j
}

// addWork adds the key's way through the work queue, if the call of a handler put it there.
func (j *Journey) addWork(now stamp, row string, l *lane, from, to stamp, key string) {
	y := l.work.find(from.at, key, "")
	if y == nil || y.entered.seq > to.seq {
		return
	}
	end := never
	for _, s := range l.workCauses.spans {
		if s.kind == Call && s.key == key && s.from == y.left {
			end = s.to
		}
	}
	j.add(now, row+"work", y.entered, y.left, end)
}

// add adds a stop that was come to at the moment, and reports whether the change went on.
func (j *Journey) add(now stamp, row string, came, left, end stamp) bool {
	if came.seq > now.seq {
		return false
	}
	millis := func(s stamp) *float64 {
		if s.seq > now.seq {
			return nil
		}
		at := fold.Millis(s.at)
		return &at
	}
	j.Stops = append(j.Stops, Stop{Row: row, CameMillis: *millis(came), LeftMillis: millis(left), EndMillis: millis(end)})
	return left.seq <= now.seq
}

// find returns the first entry of a version of an object that came at a moment or later; of any version if rv is empty. nil if there is none.
func (l *line) find(from time.Duration, key, rv string) *wait {
	lo := sort.Search(len(l.waits), func(i int) bool { return l.waits[i].entered.at >= from })
	for i := lo; i < len(l.waits) && i < lo+farthest; i++ {
		if x := &l.waits[i]; x.key == key && (rv == "" || x.rv == rv) {
			return x
		}
	}
	return nil
}

// find returns when an object passed first, at a moment or later.
func (p passes) find(from time.Duration, key string) stamp {
	later := p.since(from)
	for i := range later[:min(len(later), farthest)] {
		if later[i].key == key {
			return later[i].stamp
		}
	}
	return never
}

// versionLeft returns the version of an object's newest entry that had left by a moment; empty if there is none.
func (l *line) versionLeft(s stamp, key string) string {
	hi := sort.Search(len(l.waits), func(i int) bool { return l.waits[i].entered.seq > s.seq })
	for i := hi - 1; i >= max(0, hi-farthest); i-- {
		if x := &l.waits[i]; x.key == key && x.left.seq <= s.seq {
			return x.rv
		}
	}
	return ""
}

// endOf returns when the call that began at a moment ended.
func (h *handler) endOf(begin stamp) stamp {
	calls := h.calls.spans
	i := sort.Search(len(calls), func(i int) bool { return calls[i].from.seq >= begin.seq })
	if i < len(calls) && calls[i].from == begin {
		return calls[i].to
	}
	return never
}

// Entry is a change, or a key, at a row.
type Entry struct {
	Key string `json:"key"`
	RV  string `json:"rv"`
	Op  string `json:"op"` // empty for a key
	Stop
}

// Entries returns what passed or waited in a row during the column w.From, at most so many: of a pile the one that leaves next first.
func (t *Tracks) Entries(w *Window, row string, most int) (out []Entry) {
	from, to := w.from(), w.from()+w.Step
	add := func(key, rv string, op event.Op, came, left, end stamp) {
		if came.seq > w.Seq || len(out) >= most {
			return
		}
		e := Entry{Key: key, RV: rv, Stop: Stop{Row: row, CameMillis: fold.Millis(came.at)}}
		if op != event.OpNone {
			e.Op = op.String()
		}
		if left.seq <= w.Seq {
			at := fold.Millis(left.at)
			e.LeftMillis = &at
		}
		if end.seq <= w.Seq {
			at := fold.Millis(end.at)
			e.EndMillis = &at
		}
		out = append(out, e)
	}
	if own, version := t.passesOf(w, row); own != nil {
		for i := len(own) - len(own.since(from)); i < len(own) && own[i].at < to; i++ {
			p := &own[i]
			add(p.key, version(i), p.op, p.stamp, p.stamp, never)
		}
		return out
	}
	shown, l := t.lineOf(row)
	if l == nil {
		return nil
	}
	h, feeder := shown.handlerOf(l), shown.handler(shown.feeder)
	for i := l.first(from, w.Seq); i < l.end(); i++ {
		x := l.at(i)
		if x.entered.at >= to || x.entered.seq > w.Seq {
			break
		}
		if x.left.at >= from || x.left.seq > w.Seq {
			rv, end := x.rv, never
			if h != nil {
				end = h.endOf(x.left)
			}
			if l == &shown.work && feeder != nil { // a key has no version: it is of the change whose call added it
				rv = feeder.line.versionLeft(x.entered, x.key)
			}
			add(x.key, rv, x.op, x.entered, x.left, end)
		}
	}
	return out
}

// passesOf returns what passed in a row in which nothing waits, and the version of each; nil for another row.
func (t *Tracks) passesOf(w *Window, row string) (own passes, version func(int) string) {
	for i, l := range t.lanes {
		switch id := strconv.Itoa(i) + "."; {
		case row == id+"indexer", row == id+"informer":
			return l.stored, func(i int) string { return l.queue.versionLeft(l.stored[i].stamp, l.stored[i].key) }
		case row == id+"cluster", row == "cluster" && i == w.Lane:
			return l.cluster.changes, func(i int) string { return l.cluster.about[i].rv }
		}
	}
	return nil, nil
}

// lineOf returns what waits in a row, and the row's lane; nil if there is no such row.
func (t *Tracks) lineOf(row string) (*lane, *line) {
	for i, l := range t.lanes {
		id := strconv.Itoa(i) + "."
		switch row {
		case id + "reflector":
			return l, &l.reflector
		case id + "queue":
			return l, &l.queue
		case id + "work":
			return l, &l.work
		}
		for _, h := range l.handlers {
			if row == id+"handler."+strconv.Itoa(int(h.id)) {
				return l, &h.line
			}
		}
	}
	return nil, nil
}

// handlerOf returns the handler for which a line waits, nil for another line.
func (l *lane) handlerOf(own *line) *handler {
	for _, h := range l.handlers {
		if &h.line == own {
			return h
		}
	}
	return nil
}
