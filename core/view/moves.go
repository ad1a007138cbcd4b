package view

import (
	"time"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// maxTokens is how many tokens may share a path in one frame before they are merged into one with a count.
const maxTokens = 12

// maxFollowed bounds the tokens of the followed object in one frame.
const maxFollowed = 64

// The paths of tokens, as docs/protocol.md names them.
const (
	pathWire  = "wire"
	pathStore = "store"
	pathPop   = "pop"
	pathFan   = "fan"
	pathNext  = "next"
	pathKey   = "key"
	pathTake  = "take"
	pathWrite = "write"
)

// Move is something that passed along a path: a token, or several that were merged.
type Move struct {
	Path     string         `json:"p"`
	Listener int32          `json:"l,omitempty"`
	Op       string         `json:"o,omitempty"`
	Key      string         `json:"k,omitempty"`
	RV       string         `json:"rv,omitempty"`
	Seq      uint64         `json:"s"`
	N        int            `json:"n,omitempty"`
	Mix      map[string]int `json:"mix,omitempty"`
}

// pathKeyed is a path, with its listener if each listener has one.
type pathKeyed struct {
	path     string
	listener int32
}

// moves collects what passed since the last frame. If more than maxTokens passed along a path, they are only counted, by delta type.
type moves struct {
	order []pathKeyed // paths with moves, in the order of their first one
	// follow is the key of the object whose tokens are never merged; followed are those tokens.
	follow   string
	followed []Move
	paths    map[pathKeyed]*pathMoves
}

type pathMoves struct {
	tokens []Move
	n      int     // how many passed, including those without a token
	mix    [16]int // how many of each informer.Op
	last   uint64  // the seq of the newest
}

// passed is the part of an event that travels along a path.
type passed struct {
	op      informer.Op
	key, rv string
	seq     uint64
}

func passing(e *trace.Event) passed { return passed{e.Op, e.Key, e.RV, e.Seq} }

func (m *moves) add(path string, l int32, x passed, n int) {
	if m.follow != "" && x.key == m.follow && len(m.followed) < maxFollowed {
		m.followed = append(m.followed, Move{Path: path, Listener: l, Op: opName(x.op), Key: x.key, RV: x.rv, Seq: x.seq})
		return
	}
	k := pathKeyed{path, l}
	p := m.paths[k]
	if p == nil {
		if m.paths == nil {
			m.paths = map[pathKeyed]*pathMoves{}
		}
		p = &pathMoves{}
		m.paths[k] = p
	}
	if p.n == 0 {
		m.order = append(m.order, k)
	}
	p.n += n
	p.mix[x.op&15] += n
	p.last = x.seq
	if len(p.tokens) < maxTokens {
		mv := Move{Path: path, Listener: l, Op: opName(x.op), Key: x.key, RV: x.rv, Seq: x.seq}
		if n > 1 {
			mv.N = n
		}
		p.tokens = append(p.tokens, mv)
	}
}

func opName(op informer.Op) string {
	if op == informer.OpNone {
		return ""
	}
	return op.String()
}

// watch turns an event into a move.
func (m *moves) watch(e *trace.Event) {
	switch e.Kind {
	case informer.KindWatchEvent:
		m.add(pathWire, 0, passing(e), 1)
	case informer.KindRequestAnswered:
		if e.N > 0 && e.Err == nil {
			m.add(pathWire, 0, passed{op: informer.OpReplaced, rv: e.RV, seq: e.Seq}, e.N)
		}
	case informer.KindQueued:
		m.add(pathStore, 0, passing(e), max(len(e.Items), 1))
	case informer.KindStoreAdded, informer.KindStoreUpdated, informer.KindStoreDeleted:
		x := passing(e)
		if x.op == informer.OpNone { // a delete, or an older log, in which a write does not have its delta type
			x.op = storeOps[e.Kind]
		}
		m.add(pathPop, 0, x, 1)
	case informer.KindStoreReplaced:
		m.add(pathPop, 0, passed{op: informer.OpReplacedAll, rv: e.StoreRV, seq: e.Seq}, max(e.N, 1))
	case informer.KindStoreBookmark:
		m.add(pathPop, 0, passed{op: informer.OpBookmark, rv: e.StoreRV, seq: e.Seq}, 1)
	case informer.KindAccepted:
		m.add(pathFan, e.Listener, passing(e), 1)
	case informer.KindHandling:
		m.add(pathNext, e.Listener, passing(e), 1)
	case trace.KindWorkAdded:
		m.add(pathKey, 0, passing(e), 1)
	case trace.KindWorkTaken:
		m.add(pathTake, e.Listener, passing(e), 1)
	case trace.KindClusterWrite:
		m.add(pathWrite, 0, passing(e), 1)
	}
}

var storeOps = map[informer.Kind]informer.Op{
	informer.KindStoreAdded: informer.OpAdded, informer.KindStoreUpdated: informer.OpUpdated, informer.KindStoreDeleted: informer.OpDeleted,
}

// take returns what passed since the last call, with how many tokens were shown and merged.
func (m *moves) take() (out []Move, shown, merged int) {
	for _, k := range m.order {
		p := m.paths[k]
		if p.n <= maxTokens || len(p.tokens) == 1 {
			out = append(out, p.tokens...)
			shown += len(p.tokens)
		} else {
			mix := map[string]int{}
			for op, n := range p.mix {
				if n > 0 && op != 0 {
					mix[informer.Op(op).String()] = n
				}
			}
			out = append(out, Move{Path: k.path, Listener: k.listener, Seq: p.last, N: p.n, Mix: mix})
			shown++
			merged += p.n - 1
		}
		*p = pathMoves{tokens: p.tokens[:0]}
	}
	m.order = m.order[:0]
	out = append(out, m.followed...)
	shown += len(m.followed)
	m.followed = m.followed[:0]
	return out, shown, merged
}

// tokenCount counts tokens over about the last second.
type tokenCount struct {
	since               time.Time
	shown, merged       int
	wasShown, wasMerged int
}

func (t *tokenCount) add(now time.Time, shown, merged int) {
	t.roll(now)
	t.shown += shown
	t.merged += merged
}

func (t *tokenCount) roll(now time.Time) {
	if age := now.Sub(t.since); age >= time.Second {
		t.wasShown, t.wasMerged = t.shown, t.merged
		if age >= 2*time.Second {
			t.wasShown, t.wasMerged = 0, 0
		}
		t.since, t.shown, t.merged = now, 0, 0
	}
}

func (t *tokenCount) read(now time.Time) (merged, shown int) {
	t.roll(now)
	return max(t.wasMerged, t.merged), max(t.wasShown, t.shown)
}
