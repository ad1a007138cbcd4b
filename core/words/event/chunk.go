package event

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	ChunkEvents = 1024
	// markEvery is how many events are between marks. To read one event, at most so many are decoded.
	markEvery = 32
	// recentStrings is how many of a chunk's strings the writer can look up.
	recentStrings = 512
	// recentObjects is how many of a chunk's objects the writer can look up.
	recentObjects = 256
	// recentValues is the same for index values.
	recentValues = 128
)

// The members of a packed event; a member without its bit is zero.
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

	packedMembers = iota
)

// seldom are the members that few events have.
type seldom struct {
	verb    Verb
	release string
	err     error
	options *metav1.ListOptions
	items   []Item
}

// packed are events in the order in which they were written. Each event is a bit set of its members (two bytes), its kind, and the time since the previous
// event. Its members follow in the order of the constants above: numbers as varints, and strings, objects and other pointers as indices into the tables. Most
// of the data is the bytes; they hold no pointers, so the garbage collector skips them.
//
// Written data never changes, so a copy of the struct may be read while more is appended to the original.
type packed struct {
	First   uint64 // seq of the first event
	Len     int
	buf     []byte
	strings []string
	objects []any
	indexed [][]IndexValues
	seldom  []seldom
	marks   *[ChunkEvents / markEvery]mark
}

// mark is a position from which packed events can be read.
type mark struct {
	off uint32
	at  time.Duration // of the event there
}

// Chunk is a piece of the log, either complete or still being written.
type Chunk struct {
	packed
	at    time.Duration // of the newest event
	Bytes int           // rough size, with the objects that its events brought
	// recent finds strings and objects by a hash. A string's entry also has the upper half of its hash. So the writer need not read an old string, which
	// is no longer in the CPU's cache, only to see that it differs.
	recent   [recentStrings]uint32
	objectAt [recentObjects]uint16
	valuesAt [recentValues]uint16
	key      int // index in strings of the newest event's key
	rv       int // and of its version
}

// The rough sizes of an entry of each table, and of an empty chunk, in bytes.
const (
	StringBytes  = 16
	objectBytes  = 16
	indexedBytes = 24 // and each of its values
	valuesBytes  = 56
	seldomBytes  = 64
	chunkBytes   = 1024
)

// NewChunk returns an empty chunk, with the capacities that the one before it needed, if any.
func NewChunk(before *Chunk) *Chunk {
	c := &Chunk{packed: packed{marks: new([ChunkEvents / markEvery]mark)}}
	if before != nil {
		room := func(n int) int { return n + n/2 }
		c.buf = make([]byte, 0, room(len(before.buf)))
		c.strings = make([]string, 0, room(len(before.strings)))
		c.objects = make([]any, 0, room(len(before.objects)))
		c.indexed = make([][]IndexValues, 0, room(len(before.indexed)))
	}
	return c
}

// Empty resets the chunk for reuse. No reader may have a copy of its contents.
func (c *Chunk) Empty() {
	clear(c.strings)
	clear(c.objects)
	clear(c.indexed)
	clear(c.seldom)
	c.buf, c.strings, c.objects, c.indexed, c.seldom = c.buf[:0], c.strings[:0], c.objects[:0], c.indexed[:0], c.seldom[:0]
	c.Len, c.Bytes, c.at = 0, 0, 0
}

// maxPacked is the most that an event can take in the buffer: the bit set, the kind, and then the time and the members, each at most a varint. A write
// beyond it would panic.
const maxPacked = 3 + (1+packedMembers)*binary.MaxVarintLen64

// Add appends an event, which must not be earlier than the last one, and returns roughly how many bytes it takes. The chunk must not be full.
func (c *Chunk) Add(at time.Duration, lane uint8, e *Event) int {
	size := 0
	if c.Len%markEvery == 0 {
		c.marks[c.Len/markEvery] = mark{uint32(len(c.buf)), at}
		c.at = at
	}
	if c.Len == 0 {
		size = chunkBytes
	}
	begin := len(c.buf)
	if cap(c.buf)-begin < maxPacked {
		c.buf = slices.Grow(c.buf, max(maxPacked, begin/4))
	}
	b := (*[maxPacked]byte)(c.buf[begin : begin+maxPacked])
	members := 0
	b[2] = byte(e.Kind)
	i := putUvarint(b, 3, uint64(at-c.at))
	c.at = at
	if e.raw.Op != 0 {
		members |= hasOp
		b[i] = byte(e.raw.Op)
		i++
	}
	if e.raw.Flag {
		members |= hasFlag
	}
	if e.raw.Listener != 0 {
		members |= hasListener
		i = putVarint(b, i, int64(e.raw.Listener))
	}
	if e.raw.Req != 0 {
		members |= hasReq
		i = putUvarint(b, i, uint64(e.raw.Req))
	}
	if e.raw.N != 0 {
		members |= hasN
		i = putVarint(b, i, int64(e.raw.N))
	}
	if e.raw.M != 0 {
		members |= hasM
		i = putVarint(b, i, int64(e.raw.M))
	}
	if e.raw.Dur != 0 {
		members |= hasDur
		i = putVarint(b, i, int64(e.raw.Dur))
	}
	if e.raw.Key != "" {
		members |= hasKey
		if c.key >= len(c.strings) || !identical(c.strings[c.key], e.raw.Key) {
			c.key = c.text(e.raw.Key, &size)
		}
		i = putUvarint(b, i, uint64(c.key))
	}
	if e.raw.RV != "" {
		members |= hasRV
		if c.rv >= len(c.strings) || !identical(c.strings[c.rv], e.raw.RV) {
			c.rv = c.text(e.raw.RV, &size)
		}
		i = putUvarint(b, i, uint64(c.rv))
	}
	if e.raw.StoreRV != "" {
		members |= hasStoreRV
		i = putUvarint(b, i, uint64(c.text(e.raw.StoreRV, &size)))
	}
	if e.raw.Text != "" {
		members |= hasText
		i = putUvarint(b, i, uint64(c.text(e.raw.Text, &size)))
	}
	if e.raw.Obj != nil {
		members |= hasObj
		i = putUvarint(b, i, uint64(c.object(e.raw.Obj, &size)))
	}
	if e.raw.Old != nil {
		members |= hasOld
		i = putUvarint(b, i, uint64(c.object(e.raw.Old, &size)))
	}
	if e.raw.Indexed != nil {
		members |= hasIndexed
		i = putUvarint(b, i, uint64(c.values(e.raw.Indexed, &size)))
	}
	if e.raw.Verb != 0 || e.raw.Release != "" || e.raw.Err != nil || e.raw.Options != nil || e.raw.Items != nil {
		members |= hasSeldom
		i = putUvarint(b, i, uint64(len(c.seldom)))
		c.seldom = append(c.seldom, seldom{e.raw.Verb, e.raw.Release, e.raw.Err, e.raw.Options, e.raw.Items})
		size += seldomBytes
	}
	if lane != 0 {
		members |= hasLane
		b[i] = lane
		i++
	}
	b[0], b[1] = byte(members), byte(members>>8)
	c.buf = c.buf[:begin+i]
	c.Len++
	return size + i
}

func putUvarint(b *[maxPacked]byte, i int, v uint64) int {
	for v >= 0x80 {
		b[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	b[i] = byte(v)
	return i + 1
}

func putVarint(b *[maxPacked]byte, i int, v int64) int {
	return putUvarint(b, i, uint64(v)<<1^uint64(v>>63))
}

// text returns the number of a string: that of a recent equal one, or a new number. The steps of one object follow one another, so its key and version are
// stored once and not for each step.
func (c *Chunk) text(s string, size *int) int {
	h := hashText(s)
	at := &c.recent[h%recentStrings]
	if i := int(*at & 0xffff); *at>>16 == h>>16 && i < len(c.strings) && (identical(c.strings[i], s) || c.strings[i] == s) {
		return i
	}
	*at = h&^0xffff | uint32(len(c.strings))
	c.strings = append(c.strings, s)
	*size += StringBytes + len(s)
	return len(c.strings) - 1
}

// identical reports whether two strings share their bytes, without comparing them: the steps of one object share them.
func identical(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// hashText hashes a string by its end, in which keys and versions differ.
func hashText(s string) uint32 {
	h := uint64(len(s))
	if n := len(s); n >= 8 {
		s = s[n-8:]
		h ^= uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	} else {
		for i := range n {
			h = h<<8 ^ uint64(s[i])
		}
	}
	return uint32(h * 0x9e3779b97f4a7c15 >> 32)
}

// object returns the number of an object, in the same way. Its size counts in any case: whether it is found depends on its address in memory, and when a log
// begins to evict must not depend on that.
func (c *Chunk) object(o any, size *int) int {
	*size += objectBytes
	word := words(o)
	at := &c.objectAt[uint64(uintptr(word[1]))*0x9e3779b97f4a7c15>>32%recentObjects]
	if i := int(*at); i < len(c.objects) && words(c.objects[i]) == word {
		return i
	}
	*at = uint16(len(c.objects))
	c.objects = append(c.objects, o)
	return len(c.objects) - 1
}

// values returns the number of index values, in the same way: values at the same address are the same.
func (c *Chunk) values(indexed []IndexValues, size *int) int {
	*size += indexedBytes + valuesBytes*len(indexed)
	at := &c.valuesAt[uint64(uintptr(unsafe.Pointer(unsafe.SliceData(indexed))))*0x9e3779b97f4a7c15>>32%recentValues]
	if i := int(*at); i < len(c.indexed) && len(indexed) > 0 && len(c.indexed[i]) == len(indexed) && &c.indexed[i][0] == &indexed[0] {
		return i
	}
	*at = uint16(len(c.indexed))
	c.indexed = append(c.indexed, indexed)
	return len(c.indexed) - 1
}

// Part returns the events from index lo up to hi.
func (c *Chunk) Part(lo, hi int) Part { return Part{c.packed, lo, hi} }

// Start returns the time of the first event.
func (p *packed) Start() time.Duration { return p.marks[0].at }

// unpacker reads packed events one after another.
type unpacker struct {
	p       packed
	i       int
	off     int
	at      time.Duration
	members int // the members of the last event
}

// from returns an unpacker whose next event is the i-th.
func (p *packed) from(i int) unpacker {
	u := unpacker{p: *p, i: i - i%markEvery}
	if u.i < p.Len {
		u.off = int(p.marks[u.i/markEvery].off)
	}
	var e Entry
	for u.i < i {
		u.next(&e)
	}
	return u
}

// uvarint reads a number of buf at off, and returns the offset after it.
func uvarint(buf []byte, off int) (uint64, int) {
	if b := buf[off]; b < 0x80 { // as most are
		return uint64(b), off + 1
	}
	return longUvarint(buf, off)
}

func longUvarint(buf []byte, off int) (uint64, int) {
	if b := buf[off:]; len(b) > 1 && b[1] < 0x80 { // as most of the others are
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, off + 2
	}
	v, n := binary.Uvarint(buf[off:])
	return v, off + n
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// next reads the next event into e; there must be one. E must be zero, or as the previous call left it. In that case next clears only the members that this
// event lacks, since clearing all is most of the work.
func (u *unpacker) next(e *Entry) {
	if u.i%markEvery == 0 {
		u.at = u.p.marks[u.i/markEvery].at
	}
	p, buf, off := &u.p, u.p.buf, u.off
	members := int(buf[off]) | int(buf[off+1])<<8
	if stale := u.members &^ members; stale != 0 {
		e.drop(stale)
	}
	u.members = members
	e.Seq = p.First + uint64(u.i)
	e.Kind = Kind(buf[off+2])
	v, off := uvarint(buf, off+3)
	u.at += time.Duration(v)
	e.At = u.at
	u.i++
	if members&hasOp != 0 {
		e.raw.Op = Op(buf[off])
		off++
	}
	e.raw.Flag = members&hasFlag != 0
	if members&hasListener != 0 {
		v, off = uvarint(buf, off)
		e.raw.Listener = int32(unzigzag(v))
	}
	if members&hasReq != 0 {
		v, off = uvarint(buf, off)
		e.raw.Req = uint32(v)
	}
	if members&hasN != 0 {
		v, off = uvarint(buf, off)
		e.raw.N = int(unzigzag(v))
	}
	if members&hasM != 0 {
		v, off = uvarint(buf, off)
		e.raw.M = int(unzigzag(v))
	}
	if members&hasDur != 0 {
		v, off = uvarint(buf, off)
		e.raw.Dur = time.Duration(unzigzag(v))
	}
	if members&hasKey != 0 {
		v, off = uvarint(buf, off)
		e.raw.Key = p.strings[v]
	}
	if members&hasRV != 0 {
		v, off = uvarint(buf, off)
		e.raw.RV = p.strings[v]
	}
	if members&hasStoreRV != 0 {
		v, off = uvarint(buf, off)
		e.raw.StoreRV = p.strings[v]
	}
	if members&hasText != 0 {
		v, off = uvarint(buf, off)
		e.raw.Text = p.strings[v]
	}
	if members&hasObj != 0 {
		v, off = uvarint(buf, off)
		e.raw.Obj = p.objects[v]
	}
	if members&hasOld != 0 {
		v, off = uvarint(buf, off)
		e.raw.Old = p.objects[v]
	}
	if members&hasIndexed != 0 {
		v, off = uvarint(buf, off)
		e.raw.Indexed = p.indexed[v]
	}
	if members&hasSeldom != 0 {
		v, off = uvarint(buf, off)
		s := &p.seldom[v]
		e.raw.Verb, e.raw.Release, e.raw.Err, e.raw.Options, e.raw.Items = s.verb, s.release, s.err, s.options, s.items
	}
	if members&hasLane != 0 {
		e.Lane = buf[off]
		off++
	}
	u.off = off
}

// drop clears members of an event.
func (e *Entry) drop(members int) {
	if members&hasOp != 0 {
		e.raw.Op = 0
	}
	if members&hasListener != 0 {
		e.raw.Listener = 0
	}
	if members&hasReq != 0 {
		e.raw.Req = 0
	}
	if members&hasN != 0 {
		e.raw.N = 0
	}
	if members&hasM != 0 {
		e.raw.M = 0
	}
	if members&hasDur != 0 {
		e.raw.Dur = 0
	}
	if members&hasKey != 0 {
		e.raw.Key = ""
	}
	if members&hasRV != 0 {
		e.raw.RV = ""
	}
	if members&hasStoreRV != 0 {
		e.raw.StoreRV = ""
	}
	if members&hasText != 0 {
		e.raw.Text = ""
	}
	if members&hasObj != 0 {
		e.raw.Obj = nil
	}
	if members&hasOld != 0 {
		e.raw.Old = nil
	}
	if members&hasIndexed != 0 {
		e.raw.Indexed = nil
	}
	if members&hasSeldom != 0 {
		e.raw.Verb, e.raw.Release, e.raw.Err, e.raw.Options, e.raw.Items = 0, "", nil, nil, nil
	}
	if members&hasLane != 0 {
		e.Lane = 0
	}
}

// CountUntil returns how many events are at or before at.
func (p *packed) CountUntil(at time.Duration) int {
	marks := (p.Len + markEvery - 1) / markEvery
	k := sort.Search(marks, func(k int) bool { return p.marks[k].at > at })
	if k == 0 {
		return 0
	}
	u := p.from((k - 1) * markEvery)
	var e Entry
	for u.i < p.Len {
		if u.next(&e); e.At > at {
			return u.i - 1
		}
	}
	return p.Len
}

// Part is a run of packed events, from index lo up to hi.
type Part struct {
	packed
	lo, hi int
}

// PartReader reads the events of a part one after another.
type PartReader struct {
	unpacker
	hi int
}

// Reader returns a reader of the part's events.
func (p *Part) Reader() PartReader { return PartReader{p.from(p.lo), p.hi} }

// Read reads the next event into e, which must be zero or as the previous call left it. It reports false at the end.
func (r *PartReader) Read(e *Entry) bool {
	if r.i >= r.hi {
		return false
	}
	r.next(e)
	return true
}

// FirstSeq returns the seq of the part's first event.
func (p *Part) FirstSeq() uint64 { return p.First + uint64(p.lo) }

// Each calls fn for each event until it returns false, and reports whether it never did. The events are allocated for fn, which may keep them.
func (p *Part) Each(fn func(*Entry) bool) bool {
	u := p.from(p.lo)
	for block := 4; u.i < p.hi; block = min(2*block, 64) {
		events := make([]Entry, min(block, p.hi-u.i))
		for i := range events {
			u.next(&events[i])
			if !fn(&events[i]) {
				return false
			}
		}
	}
	return true
}

// Lend is like Each, for an fn that keeps no event beyond its call and never stops.
func (p *Part) Lend(fn func(*Entry)) {
	var e Entry
	for r := p.Reader(); r.Read(&e); {
		fn(&e)
	}
}
