package fold

import (
	"slices"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/words/event"
)

const (
	// maxUnpaired bounds the events of one moment that a fold keeps until the other lane has them too.
	maxUnpaired = 4096
	// namedKeys is how many keys of a difference of stores are named.
	namedKeys = 24
	// mostMapped bounds the keys of a map of both stores.
	mostMapped = 1200
)

// fork finds the first event that only one lane of a fork has. The log of a fork has the times of its virtual clock, so what both lanes do has the same
// time. The events of one time are compared when it is over. Within it their order means nothing.
type fork struct {
	since          time.Duration
	from           time.Duration // events from then on are compared
	at             time.Duration // the moment of unpairedCounts
	unpairedCounts map[twinKey]twinCount
	isFull         bool // unpairedCounts has no place left for this moment
	parting        *facts.Parting
	instead        *facts.Parting
	calls          []facts.HandlerCalls // from before the log's beginning
}

// twinKey is what an event and its counterpart in the other lane have in common.
type twinKey struct {
	kind     event.Kind
	op       event.Op
	verb     event.Verb
	flag     bool
	failed   bool
	listener int32
	key, rv  string
	text     string
}

// twinCount is how many more such events the first lane has, and the first one that had no counterpart.
type twinCount struct {
	lead int
	seq  uint64
}

// IsFork reports whether the lanes are those of a fork.
func (f *Fold) IsFork() bool { return f.sel.Fork != "" && len(f.lanes) == 2 }

// worldOf returns the surroundings of a lane.
func (f *Fold) worldOf(lane uint8) *world {
	if lane == 1 && f.IsFork() {
		return &f.twin
	}
	return &f.world
}

// compareLanes follows an event of a fork.
func (f *Fold) compareLanes(e *event.Entry) {
	x := &f.fork
	if !f.IsFork() || x.parting != nil || e.At < x.from || e.Lane > 1 {
		return
	}
	if e.At > x.at {
		f.settle()
		x.at = e.At
	}
	switch e.Kind {
	case event.KindSelected, event.KindRestored:
		return
	case event.KindWireBytes: // what they bring is an event of its own
		return
	case event.KindAct, event.KindFault, event.KindHold, event.KindReleased, event.KindHandlerSpeed: // the actions themselves
		return
	}
	m := e.Members()
	key := twinKey{kind: e.Kind, op: m.Op, verb: m.Verb, flag: m.Flag, failed: m.Err != nil, listener: m.Listener, key: m.Key, rv: m.RV, text: m.Text}
	lead := 1 - 2*int(e.Lane)
	n, ok := x.unpairedCounts[key]
	switch {
	case !ok && x.isFull:
		return
	case !ok:
		n.seq = e.Seq
	}
	if n.lead += lead; n.lead == 0 {
		delete(x.unpairedCounts, key)
		return
	}
	if x.unpairedCounts == nil {
		x.unpairedCounts = map[twinKey]twinCount{}
	}
	x.unpairedCounts[key] = n
	x.isFull = x.isFull || len(x.unpairedCounts) >= maxUnpaired
}

// settle ends a moment: what one lane alone has then is where they part.
func (f *Fold) settle() {
	x := &f.fork
	var first [2]*facts.Parting
	//maporder:free the smallest seq of a lane, which one key has
	for key, n := range x.unpairedCounts {
		lane := 0
		if n.lead < 0 {
			lane = 1
		}
		if p := first[lane]; p == nil || n.seq < p.Seq {
			first[lane] = f.partingOf(key, lane, n.seq)
		}
	}
	switch a, b := first[0], first[1]; {
	case a == nil || b != nil && b.Seq < a.Seq:
		x.parting, x.instead = b, a
	default:
		x.parting, x.instead = a, b
	}
	x.unpairedCounts, x.isFull = nil, false
}

func (f *Fold) partingOf(key twinKey, lane int, seq uint64) *facts.Parting {
	p := &facts.Parting{Seq: seq, AtMillis: Millis(f.fork.at), Lane: lane, Kind: event.KindName(key.kind), Op: key.op.String(), Key: key.key, RV: key.rv}
	if event.SubjectOf(key.kind) == event.AboutListener {
		p.Handler = f.ListenerName(lane, key.listener)
	}
	return p
}

// Fork returns how the lanes of a fork differ; nil without a fork.
func (f *Fold) Fork() *facts.Fork {
	if !f.IsFork() {
		return nil
	}
	out := &facts.Fork{Acts: f.sel.Fork, AtMillis: f.sel.ForkMillis, Parting: f.fork.parting, Instead: f.fork.instead,
		Stores: f.compareStores(), Handlers: []facts.HandlerCalls{}}
	for lane := range f.lanes {
		for i := range f.lanes[lane].listeners {
			li := &f.lanes[lane].listeners[i]
			at := slices.IndexFunc(out.Handlers, func(h facts.HandlerCalls) bool { return h.Listener == li.id })
			if at < 0 {
				at = len(out.Handlers)
				out.Handlers = append(out.Handlers, facts.HandlerCalls{Listener: li.id, Name: li.name})
			}
			out.Handlers[at].Calls[lane] = li.forkCalls
		}
	}
	for i := range out.Handlers {
		h := &out.Handlers[i]
		h.Differ = h.Calls[0] != h.Calls[1]
	}
	return out
}

// compareStores returns how the stores of the two lanes differ.
func (f *Fold) compareStores() facts.StoreDifference {
	d := facts.StoreDifference{OnlyKeys: [2][]string{{}, {}}, OtherKeys: []string{}}
	isMapped := max(f.Objects(0).Len(), f.Objects(1).Len()) <= mostMapped
	var marked []string // each key of either store, without a map only those that differ, a zero, and its character in a map
	for lane := range 2 {
		mine, others := f.Objects(lane), f.Objects(1-lane)
		d.Counts[lane] = mine.Len()
		mine.Range(func(c *Cell) bool {
			other, ok := others.Get(c.Key)
			switch {
			case !ok:
				marked = append(marked, c.Key+"\x00"+"<>"[lane:lane+1])
			case lane == 1:
			case other.RV != c.RV:
				marked = append(marked, c.Key+"\x00~")
			case isMapped:
				marked = append(marked, c.Key+"\x00=")
			}
			return true
		})
	}
	slices.Sort(marked)
	note := func(n *int, keys *[]string, key string) {
		if *n++; len(*keys) < namedKeys {
			*keys = append(*keys, key)
		}
	}
	cells := make([]byte, len(marked))
	for i, m := range marked {
		key := m[:len(m)-2]
		cells[i] = m[len(m)-1]
		switch cells[i] {
		case '<':
			note(&d.Only[0], &d.OnlyKeys[0], key)
		case '>':
			note(&d.Only[1], &d.OnlyKeys[1], key)
		case '~':
			note(&d.Other, &d.OtherKeys, key)
		}
	}
	if isMapped && len(cells) <= mostMapped {
		d.Map = string(cells)
	}
	return d
}

// noteCall counts a call of a handler since the fork.
func (li *listener) noteCall(op event.Op) {
	switch op {
	case event.OpAdded, event.OpReplaced:
		li.forkCalls.Added++
	case event.OpDeleted:
		li.forkCalls.Deleted++
	default:
		li.forkCalls.Updated++
	}
}

// restoreFork takes over how the lanes differed before the log's beginning: the first lane's State has it. What one lane alone has of the moment at which the
// log begins means nothing, because the other lane may have had it before.
func (f *Fold) restoreFork(lane uint8, before *facts.Fork, at time.Duration) {
	f.fork.from = max(f.fork.since, at+1)
	if before != nil {
		f.fork.parting, f.fork.instead, f.fork.calls = before.Parting, before.Instead, before.Handlers[:min(len(before.Handlers), MaxListeners)]
	}
	for _, h := range f.fork.calls {
		if li := f.lanes[lane].listener(h.Listener); li != nil && lane < 2 {
			li.forkCalls = h.Calls[lane]
		}
	}
}
