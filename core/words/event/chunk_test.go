package event

import (
	"math"
	"reflect"
	"testing"
)

// TestTheBufferHoldsTheLongestEvent writes the time and each member as the longest varint, and reads them back.
func TestTheBufferHoldsTheLongestEvent(t *testing.T) {
	var b [maxPacked]byte
	i := 3
	for m := range 1 + packedMembers {
		i = putUvarint(&b, i, math.MaxUint64-uint64(m))
	}
	for m, off := 0, 3; off < i; m++ {
		var v uint64
		if v, off = uvarint(b[:], off); v != math.MaxUint64-uint64(m) {
			t.Fatalf("number %d of the event came back as %x", m, v)
		}
	}
}

// TestTheLongestEventIsPackedWhole packs an event with the longest number that each member can have.
func TestTheLongestEventIsPackedWhole(t *testing.T) {
	var c Chunk
	c.marks = new([ChunkEvents / markEvery]mark)
	e := Event{255, Members{Op: 255, Flag: true, Listener: math.MinInt32, Req: math.MaxUint32, N: math.MinInt, M: math.MinInt, Dur: math.MinInt64,
		Key: "k", RV: "v", StoreRV: "s", Text: "t", Obj: 1, Old: 2, Indexed: []IndexValues{}, Verb: 255}}
	c.Add(0, 0, &Event{})
	c.Add(math.MaxInt64, 255, &e)
	var got Entry
	u := c.from(1)
	u.next(&got)
	if want := (Entry{At: math.MaxInt64, Lane: 255, Event: e, Seq: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("packed\n%+v\ncame back as\n%+v", want, got)
	}
}
