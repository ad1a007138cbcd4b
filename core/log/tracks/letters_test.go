package tracks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// lettered has a log of two releases, whose first seconds change objects with letters. The third object has none.
type lettered struct {
	Tracks
	seq uint64
}

func (l *lettered) add(at time.Duration, lane uint8, events ...event.Event) {
	for _, e := range events {
		l.seq++
		l.Add(&event.Entry{Seq: l.seq, At: at, Lane: lane, Event: e})
	}
}

// letters returns the letters of a row at a moment, in columns of 10 ms: each with how many bars are below it, and its time in ms.
func (l *lettered) letters(row string, seq uint64, now time.Duration) (out []string) {
	const step = 10 * time.Millisecond
	w := &Window{Step: step, Last: int64(now / step), Seq: seq, Now: now, Letters: map[string]string{"shop/a": "A", "shop/b": "B"}}
	for _, r := range l.Rows(w) {
		for _, s := range r.Spans {
			if s.Kind != Letter || r.ID != row {
				continue
			}
			to := "…"
			if s.ToMillis != nil {
				to = fmt.Sprint(*s.ToMillis)
			}
			out = append(out, fmt.Sprintf("%s over %d, %v to %s", s.Words, s.N, s.FromMillis, to))
		}
	}
	return out
}

func (l *lettered) check(t *testing.T, row string, seq uint64, now time.Duration, want ...string) {
	t.Helper()
	if got := l.letters(row, seq, now); !slices.Equal(got, want) {
		t.Errorf("%s at %v has the letters\n%s, not\n%s", row, now, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLettersStandAtBarsAndTicks changes A, B, and A again. A DeltaFIFO has two bars of them and gives its handler A, A, B; a RealFIFO has three, and gives A,
// B, A.
func TestLettersStandAtBarsAndTicks(t *testing.T) {
	var l lettered
	const came, popped = time.Second, 2 * time.Second
	keys := []string{"shop/a", "shop/b", "shop/a"}
	l.add(0, 0, event.Selected{Selection: `{"source":"sim","eras":["1.31","1.37"]}`}.Event())
	for lane := range uint8(2) {
		l.add(0, lane, event.ListenerAdded{Listener: 1}.Event(), event.ListenerAdded{Listener: 2}.Event())
		l.add(came, lane, event.Queued{Op: event.OpUpdated, Key: "shop/c"}.Event())
		for _, key := range keys {
			l.add(came, lane, event.Queued{Op: event.OpUpdated, Key: key}.Event())
		}
	}
	for _, key := range keys {
		l.add(came, 0, event.ClusterChange{Op: event.OpUpdated, Key: key}.Event())
	}
	held := l.seq
	for lane, order := range [][]string{{"shop/c", "shop/a", "shop/a", "shop/b"}, {"shop/c", "shop/a", "shop/b", "shop/a"}} {
		for i, key := range order {
			if lane == 1 || i == 0 || key != order[i-1] {
				l.add(popped, uint8(lane), event.Popped{Deltas: 1, Key: key}.Event())
			}
			l.add(popped, uint8(lane), event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key}.Event())
			for _, id := range []int32{1, 2} {
				l.add(popped, uint8(lane), event.Accepted{Listener: id, Op: event.OpUpdated, Key: key}.Event())
			}
			l.add(popped, uint8(lane), event.Handling{Listener: 1, Op: event.OpUpdated, Key: key}.Event())
		}
	}

	l.check(t, "cluster", held, 1500*time.Millisecond, "A over 0, 1000 to 1000", "B over 0, 1000 to 1000", "A over 0, 1000 to 1000")
	l.check(t, "0.queue", held, 1500*time.Millisecond, "A over 1, 1000 to …", "B over 2, 1000 to …")
	l.check(t, "1.queue", held, 1500*time.Millisecond, "A over 1, 1000 to …", "B over 2, 1000 to …", "A over 3, 1000 to …")
	l.check(t, "0.handler.1", held, 1500*time.Millisecond)

	l.check(t, "1.queue", l.seq, 3*time.Second, "A over 1, 1000 to 2000", "B over 2, 1000 to 2000", "A over 3, 1000 to 2000")
	for lane, want := range []string{"A A B", "A B A"} {
		for row, span := range map[string]string{"indexer": "over 0, 2000 to 2000", "handler.1": "over 0, 2000 to 2000", "handler.2": ", 2000 to …"} {
			got := l.letters(fmt.Sprintf("%d.%s", lane, row), l.seq, 3*time.Second)
			var order []string
			for _, one := range got {
				order = append(order, one[:1])
				if !strings.HasSuffix(one, span) {
					t.Errorf("%d.%s has %q", lane, row, one)
				}
			}
			if strings.Join(order, " ") != want {
				t.Errorf("%d.%s has %q, not %s", lane, row, got, want)
			}
		}
	}
	l.check(t, "0.handler.2", l.seq, 3*time.Second, "A over 1, 2000 to …", "A over 2, 2000 to …", "B over 3, 2000 to …")
	l.check(t, "1.queue", l.seq, popped+5*time.Millisecond, "A over 1, 1000 to 2000", "B over 2, 1000 to 2000", "A over 3, 1000 to 2000")
	if got := l.letters("1.handler.2", l.seq, popped+5*time.Millisecond); got != nil {
		t.Errorf("before it is known whether they wait, they have %q", got)
	}
}

// TestLettersAreBounded: of an object that changes all the time the newest have letters.
func TestLettersAreBounded(t *testing.T) {
	var l lettered
	l.add(0, 0, event.Selected{Selection: `{"source":"sim","eras":["1.37"]}`}.Event())
	for i := range 1000 {
		at := time.Duration(i) * time.Millisecond
		l.add(at, 0, event.ClusterChange{Op: event.OpUpdated, Key: "shop/a"}.Event(), event.Queued{Op: event.OpUpdated, Key: "shop/a"}.Event())
	}
	for row, last := range map[string]string{"cluster": "A over 0, 999 to 999", "0.queue": "A over 999, 999 to …"} {
		if got := l.letters(row, l.seq, 2*time.Second); len(got) != mostLetters || got[len(got)-1] != last {
			t.Errorf("of 1,000 changes %s has %d letters, at last %s", row, len(got), got[len(got)-1])
		}
	}
}
