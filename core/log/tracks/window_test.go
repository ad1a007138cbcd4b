package tracks

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

func TestAListAndABreakAreToldHoweverShort(t *testing.T) {
	w := &Window{Step: 30 * time.Millisecond, Last: 100, Seq: 10, Now: 3 * time.Second}
	var c causes
	c.begin(stamp{1, time.Second}, Listing, "").n = 241
	c.begin(stamp{2, time.Second}, Gap, "")
	c.end(stamp{3, time.Second + 5*time.Millisecond}, Listing, "")
	c.end(stamp{4, time.Second + 5*time.Millisecond}, Gap, "")
	c.begin(stamp{5, 2 * time.Second}, Gap, "").words = "connection reset by peer"
	c.end(stamp{6, 2*time.Second + 5*time.Millisecond}, Gap, "")
	var r Row
	r.addSpans(w, c.spans, 2*w.Step)
	if len(r.Spans) != 2 || r.Spans[0].Kind != Listing || r.Spans[0].N != 241 || r.Spans[1].Words != "connection reset by peer" {
		t.Errorf("a list and two gaps last 5 ms each, a column 30 ms; the row has %+v, and not the list and the gap that has a reason", r.Spans)
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

// TestWhatIsSampledIsABand adds what a probe sees at a handler: now and then how many wait, and when its calls begin.
func TestWhatIsSampledIsABand(t *testing.T) {
	var tr Tracks
	seq := uint64(0)
	add := func(at time.Duration, e event.Event) {
		seq++
		tr.Add(&event.Entry{Seq: seq, At: at, Event: e})
	}
	add(0, event.Selected{Selection: `{"source":"live","eras":["1.37"]}`}.Event())
	add(0, event.Restored{State: `{"queue":{"kind":"RealFIFO"},"fidelity":{"listeners.ring":{"how":"sampled"}},"listeners":[{"id":1,"ring":7}]}`}.Event())
	add(time.Second, event.Sampled{Sample: `{"listeners":[{"id":1,"ring":125}]}`}.Event())
	add(1500*time.Millisecond, event.Handling{Listener: 1, Key: "a/b", Op: event.OpUpdated}.Event())
	add(2*time.Second, event.Sampled{Sample: `{"listeners":[{"id":1,"ring":0}]}`}.Event())
	handlerAt := func(now time.Duration) Row {
		rows := tr.Rows(&Window{Step: 500 * time.Millisecond, Last: int64(now / (500 * time.Millisecond)), Seq: seq, Now: now})
		return rows[4]
	}
	if r := handlerAt(1600 * time.Millisecond); !r.Sampled || r.Waiting != 125 || r.OldestMillis != nil {
		t.Errorf("after 1.6 s the row is %+v; it is sampled, 125 wait, and nobody knows since when", r)
	}
	r := handlerAt(2100 * time.Millisecond)
	if r.Station != "handler" || r.Waiting != 0 {
		t.Errorf("after 2.1 s the row is %+v, and nothing waits", r)
	}
	piles, passed := [5]int{}, 0
	for _, c := range r.Columns {
		piles[c.Number] = c.Pile.Sum()
		passed += c.Passes.Sum()
	}
	if want := [5]int{7, 125, 125}; piles != want || passed != 1 {
		t.Errorf("the columns have %v, and %d passed; %v were sampled, and one call began", piles, passed, want)
	}
}

// TestActsAreNoMoreThanColumns: of what somebody did within one column the window has the newest.
func TestActsAreNoMoreThanColumns(t *testing.T) {
	var tr Tracks
	tr.Add(&event.Entry{Seq: 1, Event: event.Selected{Selection: `{"source":"sim","eras":["1.37"]}`}.Event()})
	const n = 1000
	for i := range uint64(n) {
		tr.Add(&event.Entry{Seq: i + 2, At: time.Duration(i) * time.Millisecond, Event: event.Note{Text: strconv.FormatUint(i, 10)}.Event()})
	}
	w := &Window{Step: 10 * time.Millisecond, Last: 99, Seq: n + 1, Now: n * time.Millisecond}
	acts := tr.Rows(w)[0].Spans
	if len(acts) != 100 || acts[0].Words != "9" || acts[99].Words != "999" {
		t.Errorf("%d acts of 1,000 in 100 columns, from %+v to %+v", len(acts), acts[0], acts[len(acts)-1])
	}
}

// TestAnInformerThatHasNotStartedHasNoWatch: until its first request, and also in a log that begins before it.
func TestAnInformerThatHasNotStartedHasNoWatch(t *testing.T) {
	stopsOf := func(source string, later ...event.Event) (out []Span) {
		var tr Tracks
		tr.Add(&event.Entry{Seq: 1, Event: event.Selected{Selection: `{"source":"` + source + `","eras":["1.37"]}`}.Event()})
		for i, e := range later {
			tr.Add(&event.Entry{Seq: uint64(i) + 2, At: time.Second, Event: e})
		}
		for _, row := range tr.Rows(&Window{Step: 10 * time.Millisecond, Last: 199, Seq: uint64(len(later)) + 1, Now: 2 * time.Second}) {
			for _, s := range row.Spans {
				if s.Kind == Stopped {
					out = append(out, s)
				}
			}
		}
		return out
	}
	if got := stopsOf("sim"); len(got) != 1 || got[0].Words != Unstarted || got[0].ToMillis != nil {
		t.Errorf("before it starts: %+v", got)
	}
	if got := stopsOf("sim", event.RequestSent{Verb: event.VerbWatchList}.Event()); len(got) != 1 || got[0].ToMillis == nil || *got[0].ToMillis != 1000 {
		t.Errorf("after its first request: %+v", got)
	}
	got := stopsOf("file", event.Restored{State: `{"reflector":{"phase":"idle"}}`}.Event())
	if len(got) != 1 || got[0].Words != Unstarted || got[0].FromMillis != 1000 {
		t.Errorf("in a log whose beginning was not kept: %+v", got)
	}
	if got := stopsOf("file", event.Restored{State: `{"reflector":{"phase":"stopped"}}`}.Event()); len(got) != 1 || got[0].Words != "" {
		t.Errorf("in a log that begins after it stopped: %+v", got)
	}
	if got := stopsOf("file", event.Restored{State: `{"reflector":{"phase":"watching"}}`}.Event()); got != nil {
		t.Errorf("in a log that begins while it watches: %+v", got)
	}
	if got := stopsOf("probe"); got != nil {
		t.Errorf("of an informer that a probe found running: %+v", got)
	}
}

// TestWithoutAWatchNoChangeIsOnItsWay: a change that is written then is not seen from the moment on at which it is written; one that a watch may bring is
// given a tenth of a second.
func TestWithoutAWatchNoChangeIsOnItsWay(t *testing.T) {
	var tr Tracks
	add := func(seq uint64, at time.Duration, e event.Event) { tr.Add(&event.Entry{Seq: seq, At: at, Event: e}) }
	unseen := func(seq uint64, now time.Duration) (n int) {
		for _, s := range tr.Rows(&Window{Step: 10 * time.Millisecond, Last: int64(now / (10 * time.Millisecond)), Seq: seq, Now: now})[0].Spans {
			if s.Kind == Unseen {
				n += s.N
			}
		}
		return n
	}
	add(1, 0, event.Selected{Selection: `{"source":"sim","eras":["1.37"]}`}.Event())
	add(2, time.Millisecond, event.RequestSent{Req: 1, Verb: event.VerbWatch}.Event())
	add(3, time.Second, event.ClusterChange{Op: event.OpUpdated, Key: "a/a", RV: "5"}.Event())
	if n := unseen(3, time.Second+50*time.Millisecond); n != 0 {
		t.Errorf("50 ms after a change, with a watch: %d changes are not seen", n)
	}
	if n := unseen(3, time.Second+150*time.Millisecond); n != 1 {
		t.Errorf("150 ms after a change, with a watch that did not bring it: %d changes are not seen", n)
	}
	add(4, 2*time.Second, event.WatchClosed{Err: errors.New("connection reset by peer")}.Event())
	add(5, 3*time.Second, event.ClusterChange{Op: event.OpUpdated, Key: "a/a", RV: "6"}.Event())
	if n := unseen(5, 3*time.Second+time.Millisecond); n != 2 {
		t.Errorf("1 ms after a change, without a watch: %d changes are not seen", n)
	}
}

// TestReadsAreToldAsFarAsTheyAreKnown: with the version that the read got, and the one that the cluster had then. Later reads are not told, nor those of
// another informer's store; a worker has one in a few columns, a stale one goes before others, and from afar only stale ones stand.
func TestReadsAreToldAsFarAsTheyAreKnown(t *testing.T) {
	var tr Tracks
	seq := uint64(0)
	add := func(at time.Duration, e event.Event) {
		seq++
		tr.Add(&event.Entry{Seq: seq, At: at, Event: e})
	}
	add(0, event.Selected{Selection: `{"source":"sim","eras":["1.37"]}`}.Event())
	add(time.Second, event.ListerRead{Worker: 1, Key: "a/b", RV: "41", Latest: "41"}.Event())
	add(time.Second+time.Millisecond, event.ListerRead{Worker: 1, Key: "a/b", RV: "41", Latest: "43", Behind: 2}.Event())
	add(time.Second+2*time.Millisecond, event.ListerRead{Worker: 1, Key: "a/b", RV: "41", Latest: "44", Behind: 3}.Event())
	add(time.Second+3*time.Millisecond, event.ListerRead{Worker: 2, Key: "a/c"}.Event())
	add(2*time.Second, event.ListerRead{Lane: 2, Key: "other", RV: "1"}.Event())
	add(2*time.Second, event.ListerRead{Key: "a/d", RV: "7"}.Event())
	add(3*time.Second, event.ListerRead{Worker: 1, Key: "a/b", RV: "44", Latest: "44"}.Event())
	readsOf := func(w *Window) (out []string) {
		for _, row := range tr.Rows(w) {
			for _, s := range row.Spans {
				if s.Kind == Read {
					out = append(out, fmt.Sprintf("%d: %s %q of %q, %d behind, %d more", s.N, s.Key, s.RV, s.Latest, s.Behind, s.Merged))
				}
			}
		}
		return out
	}
	coarse := &Window{Step: 10 * time.Millisecond, Last: 299, Seq: seq - 1, Now: 3 * time.Second}
	want := []string{`1: a/b "41" of "43", 2 behind, 2 more`}
	if got := readsOf(coarse); !slices.Equal(got, want) {
		t.Errorf("in columns of 10 ms the reads are\n%s, not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	fine := &Window{Step: 100 * time.Microsecond, First: 10_000, From: 10_000, Last: 10_025, Seq: 4, Now: time.Second + 2500*time.Microsecond}
	want = []string{`1: a/b "41" of "41", 0 behind, 0 more`, `1: a/b "41" of "43", 2 behind, 0 more`, `1: a/b "41" of "44", 3 behind, 0 more`}
	if got := readsOf(fine); !slices.Equal(got, want) {
		t.Errorf("in columns of 0.1 ms, before the read of a/c, the reads are\n%s, not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rest := &Window{Step: time.Millisecond, First: 1003, From: 1003, Last: 2999, Seq: seq - 1, Now: 3 * time.Second}
	want = []string{`2: a/c "" of "", 0 behind, 0 more`, `0: a/d "7" of "", 0 behind, 0 more`}
	if got := readsOf(rest); !slices.Equal(got[len(got)-2:], want) {
		t.Errorf("in columns of 1 ms the last reads are\n%s, not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for range 5000 {
		add(4*time.Second, event.ListerRead{Worker: int32(seq), Key: "a/b", Behind: 1}.Event())
	}
	if n := len(readsOf(&Window{Step: 10 * time.Millisecond, Last: 400, Seq: seq, Now: 4 * time.Second})); n > 4+mostReaders+1 {
		t.Errorf("5,000 workers of a damaged log have %d reads in one place", n)
	}
	add(8*time.Second, event.ListerRead{Worker: 1, Key: "a/b"}.Event())
	if tr.Forget(5 * time.Second); len(tr.lanes[0].reads) != 1 {
		t.Errorf("after the log has dropped all others, %d reads are kept", len(tr.lanes[0].reads))
	}
}

// TestAReadIsComparedWithWhatWasWritten: no watch brings the changes, so the informer knows of none; the log has them.
func TestAReadIsComparedWithWhatWasWritten(t *testing.T) {
	var tr Tracks
	seq := uint64(0)
	add := func(all ...event.Event) {
		for _, e := range all {
			seq++
			tr.Add(&event.Entry{Seq: seq, At: time.Duration(seq) * time.Second, Event: e})
		}
	}
	add(event.Selected{Selection: `{"source":"sim","eras":["1.37"]}`}.Event(), event.ClusterObjects{Sent: 2}.Event())
	for _, c := range []struct {
		written event.ClusterChange
		key, rv string
		latest  string
		behind  int
	}{
		{event.ClusterChange{Op: event.OpUpdated, Key: "a/a", RV: "9"}, "a/a", "5", "9", 1},
		{event.ClusterChange{Op: event.OpUpdated, Key: "a/a", RV: "10"}, "a/a", "5", "10", 2},
		{event.ClusterChange{Op: event.OpUpdated, Key: "a/b", RV: "11"}, "a/a", "9", "10", 1},
		{event.ClusterChange{Op: event.OpUpdated, Key: "a/b", RV: "12"}, "a/a", "10", "10", 0},
		{event.ClusterChange{Op: event.OpDeleted, Key: "a/a", RV: "13"}, "a/a", "10", "", 1},
		{event.ClusterChange{Op: event.OpAdded, Key: "a/a", RV: "14"}, "a/a", "", "14", 1},
		{event.ClusterChange{Op: event.OpDeleted, Key: "a/a", RV: "15"}, "a/a", "", "", 0},
		{event.ClusterChange{Op: event.OpUpdated, Key: "a/c", RV: "16", Unsent: true}, "a/c", "", "16", 0},
	} {
		add(c.written.Event(), event.ListerRead{Worker: 1, Key: c.key, RV: c.rv, Latest: c.rv}.Event())
		if got := tr.lanes[0].reads[len(tr.lanes[0].reads)-1]; got.latest != c.latest || got.behind != c.behind {
			t.Errorf("after %+v the read that got %q is of %q, %d behind; the cluster has %q, and that is %d behind",
				c.written, c.rv, got.latest, got.behind, c.latest, c.behind)
		}
	}
}

// TestAHoldSaysHowManyPopsFollowed holds Pop in two releases while A, B and A come, and lets all through: a DeltaFIFO needs two Pops, and a RealFIFO here
// two batches. Before the last of them, and if Pop is held again before, the number is not known.
func TestAHoldSaysHowManyPopsFollowed(t *testing.T) {
	var l lettered
	const came, begin, end, done, again = time.Second, time.Second / 2, 2 * time.Second, 3 * time.Second, 4 * time.Second
	pop := event.Hold{Stage: int(event.StagePop), Held: true}.Event()
	open := event.Hold{Stage: int(event.StagePop)}.Event()
	l.add(0, 0, event.Selected{Selection: `{"source":"sim","eras":["1.31","1.37"]}`}.Event())
	l.add(begin, 0, pop)
	for lane := range uint8(2) {
		for _, key := range []string{"shop/a", "shop/b", "shop/a"} {
			l.add(came, lane, event.Queued{Op: event.OpUpdated, Key: key}.Event())
		}
	}
	l.add(end, 0, open)
	l.add(end, 0, event.Popped{Key: "shop/a", Deltas: 2}.Event())
	l.add(end, 1, event.Popped{Key: "shop/a", Deltas: 2}.Event())
	half := l.seq
	l.add(done, 0, event.Popped{Key: "shop/b", Deltas: 1}.Event())
	l.add(done, 1, event.Popped{Key: "shop/a", Deltas: 1}.Event())
	whole := l.seq
	pops := func(seq uint64, now time.Duration) (out string) {
		const step = 10 * time.Millisecond
		for _, r := range l.Rows(&Window{Step: step, Last: int64(now / step), Seq: seq, Now: now}) {
			for _, s := range r.Spans {
				if s.Kind == Hold {
					out += fmt.Sprintf("%s: %d waited, %d pops; ", r.ID, s.N, s.Pops)
				}
			}
		}
		return out
	}
	if got, want := pops(half, end), "0.queue: 2 waited, 0 pops; 1.queue: 3 waited, 0 pops; "; got != want {
		t.Errorf("before the last Pop: %s, not %s", got, want)
	}
	if got, want := pops(whole, done), "0.queue: 2 waited, 2 pops; 1.queue: 3 waited, 2 pops; "; got != want {
		t.Errorf("after the last Pop: %s, not %s", got, want)
	}
	const second, third = done + 200*time.Millisecond, done + 400*time.Millisecond
	l.add(done+time.Millisecond, 0, pop)
	l.add(done+time.Millisecond, 1, event.Queued{Op: event.OpUpdated, Key: "shop/c"}.Event(), event.Queued{Op: event.OpUpdated, Key: "shop/d"}.Event())
	l.add(second, 0, open)
	l.add(second, 1, event.Popped{Deltas: 1}.Event())
	l.add(second+time.Millisecond, 0, pop)
	l.add(third, 0, open)
	l.add(third, 1, event.Popped{Deltas: 1}.Event())
	want := "0.queue: 2 waited, 2 pops; 0.queue: 0 waited, 0 pops; 0.queue: 0 waited, 0 pops; " +
		"1.queue: 3 waited, 2 pops; 1.queue: 2 waited, 0 pops; 1.queue: 1 waited, 1 pops; "
	if got := pops(l.seq, again); got != want {
		t.Errorf("after another hold: %s, not %s", got, want)
	}
}

// TestWhatAListLacksEndsWithATombstone deletes two objects in three ways. After a list client-go 1.31 and 1.33 have tombstones in their queues; 1.37 finds out
// while it takes the list. An object whose deletion a watch has shown has no tombstone.
func TestWhatAListLacksEndsWithATombstone(t *testing.T) {
	const came, popped = time.Second, 2 * time.Second
	begin := func(releases string, lanes uint8) (l *lettered, give func(lane uint8, key string)) {
		l = &lettered{}
		l.add(0, 0, event.Selected{Selection: `{"source":"sim","eras":[` + releases + `]}`}.Event())
		for lane := range lanes {
			l.add(0, lane, event.ListenerAdded{Listener: 1}.Event())
		}
		return l, func(lane uint8, key string) {
			l.add(popped, lane, event.Stored{Kind: event.KindStoreDeleted, Op: event.OpDeleted, Key: key}.Event(),
				event.Accepted{Listener: 1, Op: event.OpDeleted, Key: key}.Event())
		}
	}
	expect := func(l *lettered, want string) {
		t.Helper()
		got := ""
		const step = 10 * time.Millisecond
		for _, r := range l.Rows(&Window{Step: step, Last: int64(3 * time.Second / step), Seq: l.seq, Now: 3 * time.Second}) {
			for _, s := range r.Spans {
				if s.Kind == Tombstone {
					got += fmt.Sprintf("%s: %d at %v ms; ", r.ID, s.N, s.FromMillis)
				}
			}
		}
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}

	l, give := begin(`"1.31","1.33"`, 2)
	for lane := range uint8(2) {
		l.add(came, lane, event.Queued{Op: event.OpDeleted, Key: "shop/seen"}.Event())
		for _, key := range []string{"shop/a", "shop/b"} {
			l.add(came, lane, event.Queued{Op: event.OpDeleted, Key: key, Tombstone: true}.Event())
		}
		for _, key := range []string{"shop/seen", "shop/a", "shop/b"} {
			l.add(popped, lane, event.Popped{Key: key, Deltas: 1}.Event())
			give(lane, key)
		}
	}
	expect(l, "0.handler.1: 2 at 2000 ms; 1.handler.1: 2 at 2000 ms; ")

	l, give = begin(`"1.37"`, 1)
	l.add(came, 0, event.Queued{Op: event.OpReplacedAll, RV: "9"}.Event(), event.Queued{Op: event.OpDeleted, Key: "shop/seen"}.Event())
	l.add(popped, 0, event.Popped{Deltas: 1}.Event())
	give(0, "shop/a")
	give(0, "shop/b")
	l.add(popped, 0, event.Popped{Deltas: 1}.Event())
	give(0, "shop/seen")
	expect(l, "0.handler.1: 2 at 2000 ms; ")
}
