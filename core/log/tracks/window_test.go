package tracks

import (
	"testing"
	"time"
)

func TestAListIsToldHoweverShort(t *testing.T) {
	w := &Window{Step: 30 * time.Millisecond, Last: 100, Seq: 10, Now: 3 * time.Second}
	var c causes
	c.begin(stamp{1, time.Second}, Listing, "").n = 241
	c.begin(stamp{2, time.Second}, Gap, "")
	c.end(stamp{3, time.Second + 5*time.Millisecond}, Listing, "")
	c.end(stamp{4, time.Second + 5*time.Millisecond}, Gap, "")
	var r Row
	r.addSpans(w, c, 2*w.Step)
	if len(r.Spans) != 1 || r.Spans[0].Kind != Listing || r.Spans[0].N != 241 {
		t.Errorf("of a list and a gap of 5 ms each, in columns of 30 ms, %+v is told", r.Spans)
	}
}
