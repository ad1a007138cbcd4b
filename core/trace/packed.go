package trace

import (
	"encoding/binary"
	"reflect"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
)

const (
	chunkEvents = 1024
	// markEvery is how far the marks of a chunk are apart: to read one event, at most so many are decoded.
	markEvery = 32
	// recentStrings is how many of a chunk's strings are found again by the writer; a power of two.
	recentStrings = 128
	// recentObjects is how many of a chunk's newest objects are found again by the writer.
	recentObjects = 6
)

// The members that a packed event may have; one that it has not is zero.
const (
	hasOp = 1 << iota
	hasFlag
	hasListener
	hasReq
	hasN
	hasM
	hasDur
	hasKey
	hasRV
	hasStoreRV
	hasText
	hasObj
	hasOld
	hasIndexed
	hasSeldom
	hasLane
)

// seldom are the members that few events have.
type seldom struct {
	verb    informer.Verb
	era     informer.Era
	err     error
	options *metav1.ListOptions
	items   []informer.Item
}

// packed are events in the order in which they were written. An event is its members (two bytes), its kind, the time since the event
// before it, and the members that it has, in the order of the constants above: numbers as varints; strings, objects and what else has
// pointers as indices into the tables beside. The bytes are most of it and have no pointers, so that the collector passes them by.
//
// What is written is never changed. A copy of the struct may therefore be read while more is appended to the original.
type packed struct {
	first   uint64 // seq of the first event
	n       int
	buf     []byte
	strings []string
	objects []any
	indexed [][]informer.IndexValues
	seldom  []seldom
	marks   *[chunkEvents / markEvery]mark
}

// mark is where the packed events can be read from.
type mark struct {
	off uint32
	at  time.Duration // of the event there
}

// chunk is a piece of the log that is being written, or was.
type chunk struct {
	packed
	at     time.Duration // of the newest event
	bytes  int           // what it takes with the objects that its events brought, about
	recent [recentStrings]uint16
}

// What an entry of each table takes, and a chunk by itself, about.
const (
	stringBytes  = 16
	objectBytes  = 16
	indexedBytes = 24 // and each of its values
	valuesBytes  = 56
	seldomBytes  = 64
	chunkBytes   = 1024
)

// newChunk returns an empty chunk with room for as much as the one before it took, if there was one.
func newChunk(before *chunk) *chunk {
	c := &chunk{packed: packed{marks: new([chunkEvents / markEvery]mark)}}
	if before != nil {
		room := func(n int) int { return n + n/16 }
		c.buf = make([]byte, 0, room(len(before.buf)))
		c.strings = make([]string, 0, room(len(before.strings)))
		c.objects = make([]any, 0, room(len(before.objects)))
		c.indexed = make([][]informer.IndexValues, 0, room(len(before.indexed)))
	}
	return c
}

// empty makes the chunk new; nobody may have a copy of what it held.
func (c *chunk) empty() {
	clear(c.strings)
	clear(c.objects)
	clear(c.indexed)
	clear(c.seldom)
	c.buf, c.strings, c.objects, c.indexed, c.seldom = c.buf[:0], c.strings[:0], c.objects[:0], c.indexed[:0], c.seldom[:0]
	c.n, c.bytes, c.at = 0, 0, 0
}

// add appends an event, whose time is not before that of the one before it, and returns what it takes, about. It must not be full.
func (c *chunk) add(at time.Duration, lane uint8, e *informer.Event) int {
	size := 0
	if c.n%markEvery == 0 {
		c.marks[c.n/markEvery] = mark{uint32(len(c.buf)), at}
		c.at = at
	}
	if c.n == 0 {
		size = chunkBytes
	}
	begin := len(c.buf)
	b := append(c.buf, 0, 0, byte(e.Kind))
	b = binary.AppendUvarint(b, uint64(at-c.at))
	c.at = at
	has := 0
	if e.Op != 0 {
		has |= hasOp
		b = append(b, byte(e.Op))
	}
	if e.Flag {
		has |= hasFlag
	}
	if e.Listener != 0 {
		has |= hasListener
		b = binary.AppendVarint(b, int64(e.Listener))
	}
	if e.Req != 0 {
		has |= hasReq
		b = binary.AppendUvarint(b, uint64(e.Req))
	}
	if e.N != 0 {
		has |= hasN
		b = binary.AppendVarint(b, int64(e.N))
	}
	if e.M != 0 {
		has |= hasM
		b = binary.AppendVarint(b, int64(e.M))
	}
	if e.Dur != 0 {
		has |= hasDur
		b = binary.AppendVarint(b, int64(e.Dur))
	}
	if e.Key != "" {
		has |= hasKey
		b = binary.AppendUvarint(b, c.text(e.Key, &size))
	}
	if e.RV != "" {
		has |= hasRV
		b = binary.AppendUvarint(b, c.text(e.RV, &size))
	}
	if e.StoreRV != "" {
		has |= hasStoreRV
		b = binary.AppendUvarint(b, c.text(e.StoreRV, &size))
	}
	if e.Text != "" {
		has |= hasText
		b = binary.AppendUvarint(b, c.text(e.Text, &size))
	}
	if e.Obj != nil {
		has |= hasObj
		b = binary.AppendUvarint(b, c.object(e.Obj, &size))
	}
	if e.Old != nil {
		has |= hasOld
		b = binary.AppendUvarint(b, c.object(e.Old, &size))
	}
	if e.Indexed != nil {
		has |= hasIndexed
		b = binary.AppendUvarint(b, uint64(len(c.indexed)))
		c.indexed = append(c.indexed, e.Indexed)
		size += indexedBytes + valuesBytes*len(e.Indexed)
	}
	if e.Verb != 0 || e.Era != 0 || e.Err != nil || e.Options != nil || e.Items != nil {
		has |= hasSeldom
		b = binary.AppendUvarint(b, uint64(len(c.seldom)))
		c.seldom = append(c.seldom, seldom{e.Verb, e.Era, e.Err, e.Options, e.Items})
		size += seldomBytes
	}
	if lane != 0 {
		has |= hasLane
		b = append(b, lane)
	}
	b[begin], b[begin+1] = byte(has), byte(has>>8)
	c.buf = b
	c.n++
	return size + len(b) - begin
}

// text gives the number of a string: that of an equal one which came lately, or a new one. Steps of one object follow each other, so its
// key and its version are there once and not once for each step.
func (c *chunk) text(s string, size *int) uint64 {
	n := len(s)
	h := uint(n)*31 + uint(s[n-1])*37 + uint(s[n/2])*17
	if n > 1 {
		h += uint(s[n-2]) * 7
	}
	at := &c.recent[h%recentStrings]
	if i := int(*at); i < len(c.strings) && c.strings[i] == s {
		return uint64(i)
	}
	*at = uint16(len(c.strings))
	c.strings = append(c.strings, s)
	*size += stringBytes + n
	return uint64(*at)
}

// object gives the number of an object, in the same way.
func (c *chunk) object(o any, size *int) uint64 {
	if reflect.TypeOf(o).Kind() == reflect.Pointer { // anything else may be dear to compare, or panic
		for i := len(c.objects) - 1; i >= max(0, len(c.objects)-recentObjects); i-- {
			if c.objects[i] == o {
				return uint64(i)
			}
		}
	}
	c.objects = append(c.objects, o)
	*size += objectBytes
	return uint64(len(c.objects) - 1)
}

// began is the time of the first event.
func (p *packed) began() time.Duration { return p.marks[0].at }

// unpacker reads packed events one after the other.
type unpacker struct {
	p   packed
	i   int
	off int
	at  time.Duration
}

// from returns an unpacker whose next event is the i-th.
func (p *packed) from(i int) unpacker {
	u := unpacker{p: *p, i: i - i%markEvery}
	if u.i < p.n {
		u.off = int(p.marks[u.i/markEvery].off)
	}
	var e Event
	for u.i < i {
		u.next(&e)
	}
	return u
}

func (u *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(u.p.buf[u.off:])
	u.off += n
	return v
}

func (u *unpacker) varint() int64 {
	v, n := binary.Varint(u.p.buf[u.off:])
	u.off += n
	return v
}

func (u *unpacker) byte() byte {
	u.off++
	return u.p.buf[u.off-1]
}

// next reads the next event into e, all of whose members it sets; there must be one.
func (u *unpacker) next(e *Event) {
	if u.i%markEvery == 0 {
		u.at = u.p.marks[u.i/markEvery].at
	}
	has := int(u.byte()) | int(u.byte())<<8
	*e = Event{Seq: u.p.first + uint64(u.i)}
	e.Kind = informer.Kind(u.byte())
	u.at += time.Duration(u.uvarint())
	e.At = u.at
	u.i++
	if has&hasOp != 0 {
		e.Op = informer.Op(u.byte())
	}
	e.Flag = has&hasFlag != 0
	if has&hasListener != 0 {
		e.Listener = int32(u.varint())
	}
	if has&hasReq != 0 {
		e.Req = uint32(u.uvarint())
	}
	if has&hasN != 0 {
		e.N = int(u.varint())
	}
	if has&hasM != 0 {
		e.M = int(u.varint())
	}
	if has&hasDur != 0 {
		e.Dur = time.Duration(u.varint())
	}
	if has&hasKey != 0 {
		e.Key = u.p.strings[u.uvarint()]
	}
	if has&hasRV != 0 {
		e.RV = u.p.strings[u.uvarint()]
	}
	if has&hasStoreRV != 0 {
		e.StoreRV = u.p.strings[u.uvarint()]
	}
	if has&hasText != 0 {
		e.Text = u.p.strings[u.uvarint()]
	}
	if has&hasObj != 0 {
		e.Obj = u.p.objects[u.uvarint()]
	}
	if has&hasOld != 0 {
		e.Old = u.p.objects[u.uvarint()]
	}
	if has&hasIndexed != 0 {
		e.Indexed = u.p.indexed[u.uvarint()]
	}
	if has&hasSeldom != 0 {
		s := &u.p.seldom[u.uvarint()]
		e.Verb, e.Era, e.Err, e.Options, e.Items = s.verb, s.era, s.err, s.options, s.items
	}
	if has&hasLane != 0 {
		e.Lane = u.byte()
	}
}

// until is how many of the events are at or before a time.
func (p *packed) until(at time.Duration) int {
	marks := (p.n + markEvery - 1) / markEvery
	k := sort.Search(marks, func(k int) bool { return p.marks[k].at > at })
	if k == 0 {
		return 0
	}
	u := p.from((k - 1) * markEvery)
	var e Event
	for u.i < p.n {
		if u.next(&e); e.At > at {
			return u.i - 1
		}
	}
	return p.n
}

// part is a run of packed events, from index lo up to hi.
type part struct {
	packed
	lo, hi int
}

// each calls fn for each event until it returns false, and says whether it never did. The events are made for fn, which may keep them.
func (p *part) each(fn func(*Event) bool) bool {
	u := p.from(p.lo)
	for block := 4; u.i < p.hi; block = min(2*block, 64) {
		events := make([]Event, min(block, p.hi-u.i))
		for i := range events {
			u.next(&events[i])
			if !fn(&events[i]) {
				return false
			}
		}
	}
	return true
}

// lend is each for an fn that keeps no event beyond its call, and wants them all.
func (p *part) lend(fn func(*Event)) {
	var e Event
	for u := p.from(p.lo); u.i < p.hi; {
		u.next(&e)
		fn(&e)
	}
}
