package view

import (
	"time"

	"informerscope/core/words/event"
)

// maxTokens is how many tokens may share a path in one frame. More are merged into one with a count.
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

// Move is a token that moved along a path, or several that were merged.
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

// pathID identifies a path; each listener has a fan and a next path of its own.
type pathID struct {
	path     string
	listener int32
}

// moves collects the moves since the last frame. Of more than maxTokens along one path, it keeps only their number by delta type.
type moves struct {
	order []pathID // paths with moves, in the order of their first move
	// followKey is the key of the object whose tokens are never merged; followMoves has those tokens.
	followKey   string
	followMoves []Move
	paths       map[pathID]*pathMoves
}

type pathMoves struct {
	tokens []Move
	n      int     // the number of moves, including those without a token
	mix    [16]int // the number of each event.Op's moves
	last   uint64  // the seq of the newest move
}

// passage is the part of an event that a token shows.
type passage struct {
	op      event.Op
	key, rv string
	seq     uint64
}

func passageOf(e *event.Entry) passage { return passage{e.Op(), e.Key(), e.RV(), e.Seq} }

// add adds n moves along a path; l is the listener's id, 0 if the path has none.
func (m *moves) add(path string, l int32, x passage, n int) {
	if m.followKey != "" && x.key == m.followKey && len(m.followMoves) < maxFollowed {
		m.followMoves = append(m.followMoves, Move{Path: path, Listener: l, Op: opName(x.op), Key: x.key, RV: x.rv, Seq: x.seq})
		return
	}
	k := pathID{path, l}
	p := m.paths[k]
	if p == nil {
		if m.paths == nil {
			m.paths = map[pathID]*pathMoves{}
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

func opName(op event.Op) string {
	if op == event.OpNone {
		return ""
	}
	return op.String()
}

// watch adds the move of an event, if it has one.
func (m *moves) watch(e *event.Entry) {
	if path, listener, x, n := moveOf(e); path != "" {
		m.add(path, listener, x, n)
	}
}

// moveOf returns the path along which an event moves something, the listener's id if the path has one, what a token shows of it, and how many moves it is. The
// path is empty for no move.
func moveOf(e *event.Entry) (path string, listener int32, x passage, n int) {
	x, n = passageOf(e), 1
	switch e.Kind {
	case event.KindWatchEvent:
		return pathWire, 0, x, n
	case event.KindRequestAnswered:
		if answer := e.RequestAnswered(); answer.Items > 0 && answer.Err == nil {
			return pathWire, 0, passage{op: event.OpReplaced, rv: answer.RV, seq: e.Seq}, answer.Items
		}
	case event.KindQueued:
		return pathStore, 0, x, max(len(e.Queued().Items), 1)
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
		if x.op == event.OpNone { // a delete, or an older log, whose writes have no delta type
			x.op = event.StoreOp(e.Kind)
		}
		return pathPop, 0, x, n
	case event.KindStoreReplaced:
		replaced := e.StoreReplaced()
		return pathPop, 0, passage{op: event.OpReplacedAll, rv: replaced.StoreRV, seq: e.Seq}, max(replaced.Count, 1)
	case event.KindStoreBookmark:
		return pathPop, 0, passage{op: event.OpBookmark, rv: e.StoreBookmark().StoreRV, seq: e.Seq}, n
	case event.KindAccepted:
		return pathFan, e.Listener(), x, n
	case event.KindHandling:
		return pathNext, e.Listener(), x, n
	case event.KindWorkAdded:
		return pathKey, 0, x, n
	case event.KindWorkTaken:
		return pathTake, e.Listener(), x, n
	case event.KindClusterWrite:
		return pathWrite, 0, x, n
	}
	return "", 0, x, 0
}

// departure returns how long after a change has left the API server the first of the moves sets out, in ms of the eye's clock; lapMillis if there is none.
func (m *moves) departure() float64 {
	at := lapMillis
	for _, k := range m.order {
		at = min(at, departures[k.path])
	}
	for i := range m.followMoves {
		at = min(at, departures[m.followMoves[i].Path])
	}
	return at
}

// take returns the moves since the last call, and how many tokens they show and merge.
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
					mix[event.Op(op).String()] = n
				}
			}
			out = append(out, Move{Path: k.path, Listener: k.listener, Seq: p.last, N: p.n, Mix: mix})
			shown++
			merged += p.n - 1
		}
		*p = pathMoves{tokens: p.tokens[:0]}
	}
	m.order = m.order[:0]
	out = append(out, m.followMoves...)
	shown += len(m.followMoves)
	m.followMoves = m.followMoves[:0]
	return out, shown, merged
}

// tokenCount counts the tokens of about the last second.
type tokenCount struct {
	start                   time.Time // of the current second; lastShown and lastMerged are those of the second before
	shownCount, mergedCount int
	lastShown, lastMerged   int
}

func (t *tokenCount) add(now time.Time, shown, merged int) {
	t.roll(now)
	t.shownCount += shown
	t.mergedCount += merged
}

func (t *tokenCount) roll(now time.Time) {
	if age := now.Sub(t.start); age >= time.Second {
		t.lastShown, t.lastMerged = t.shownCount, t.mergedCount
		if age >= 2*time.Second {
			t.lastShown, t.lastMerged = 0, 0
		}
		t.start, t.shownCount, t.mergedCount = now, 0, 0
	}
}

func (t *tokenCount) read(now time.Time) (merged, shown int) {
	t.roll(now)
	return max(t.lastMerged, t.mergedCount), max(t.lastShown, t.shownCount)
}
