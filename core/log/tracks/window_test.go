package tracks

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

func TestAListIsToldHoweverShort(t *testing.T) {
	w := &Window{Step: 30 * time.Millisecond, Last: 100, Seq: 10, Now: 3 * time.Second}
	var c causes
	c.begin(stamp{1, time.Second}, Listing, "").n = 241
	c.begin(stamp{2, time.Second}, Gap, "")
	c.end(stamp{3, time.Second + 5*time.Millisecond}, Listing, "")
	c.end(stamp{4, time.Second + 5*time.Millisecond}, Gap, "")
	var r Row
	r.addSpans(w, c.spans, 2*w.Step)
	if len(r.Spans) != 1 || r.Spans[0].Kind != Listing || r.Spans[0].N != 241 {
		t.Errorf("a list and a gap last 5 ms each, a column 30 ms; the row has %+v and not the list alone", r.Spans)
	}
}

// TestADamagedLogIsBounded adds what only a damaged recording has: far more handlers, waiting notifications and informers than there can be.
func TestADamagedLogIsBounded(t *testing.T) {
	var tr Tracks
	seq := uint64(0)
	add := func(e event.Event) {
		seq++
		tr.Add(&event.Entry{Seq: seq, Event: e})
	}
	resources := strings.Repeat(`{"resource":"a"},`, 1000) + `{"resource":"b"}`
	add(event.Selected{Selection: `{"source":"sim","eras":["1.37"],"resources":[` + resources + `]}`}.Event())
	add(event.Restored{State: `{"listeners":[{"id":1,"distributed":1000000000000}],"queue":{"kind":"RealFIFO"}}`}.Event())
	for id := range int32(3000) {
		add(event.ListenerAdded{Listener: id + 2}.Event())
	}
	for range 50_000 {
		add(event.Work{Kind: event.KindWorkWaiting, Key: strconv.FormatUint(seq, 10)}.Event())
	}
	rows := tr.Rows(&Window{Step: time.Millisecond, Last: 100, Seq: seq, Now: 100 * time.Millisecond})
	if len(tr.lanes) > fold.MaxLanes || len(rows) > fold.MaxListeners+10*fold.MaxLanes {
		t.Errorf("%d informers and %d rows", len(tr.lanes), len(rows))
	}
}
