package trace

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"informerscope/core/informer"
)

// eventLog builds logs by hand.
type eventLog []Event

func (l *eventLog) add(at time.Duration, lane uint8, e informer.Event) {
	*l = append(*l, Event{Seq: uint64(len(*l) + 1), At: at, Lane: lane, Event: e})
}

// quiet adds a stretch without trouble: an object is written every ten seconds, and reaches the store and the handler at once.
func (l *eventLog) quiet(from, to time.Duration) {
	for at := from; at < to; at += 10 * time.Second {
		key, rv := "default/a", fmt.Sprint(int(at/time.Second))
		l.add(at, 0, informer.Event{Kind: informer.KindWatchEvent, Op: informer.OpUpdated, Key: key, RV: rv})
		l.add(at, 0, informer.Event{Kind: informer.KindStoreUpdated, Op: informer.OpUpdated, Key: key, RV: rv})
		l.add(at, 0, informer.Event{Kind: informer.KindHandling, Listener: 1, Key: key})
		l.add(at+time.Microsecond, 0, informer.Event{Kind: informer.KindHandled, Listener: 1, Key: key, Dur: time.Microsecond})
	}
}

func TestTheWorstMinuteIsFound(t *testing.T) {
	const begin = 20 * time.Minute
	for _, c := range []struct {
		name   string
		bad    func(l *eventLog)
		kind   string
		points float64
		is     func(r WorstReason) bool
	}{
		{"a ring grows", func(l *eventLog) {
			for i := range 40 {
				n := i * 50
				l.add(begin+time.Duration(i)*time.Second, 0, informer.Event{Kind: informer.KindAccepted, Listener: 1, Flag: true, N: n, M: max(1024, n/1024*2048)})
			}
		}, "ring", 1950*pointsRing + pointsDoubling, func(r WorstReason) bool {
			return r.Before == 0 && r.After == 1950 && r.Doubled == 1 && r.Capacity == 2048 && r.At == begin+39*time.Second
		}},
		{"an object comes late into the store", func(l *eventLog) {
			l.add(begin, 0, informer.Event{Kind: informer.KindWatchEvent, Op: informer.OpUpdated, Key: "default/b", RV: "77"})
			l.add(begin+30*time.Second, 0, informer.Event{Kind: informer.KindStoreUpdated, Op: informer.OpUpdated, Key: "default/b", RV: "77"})
			// A relist brings the same version again a minute later; that object did not wait.
			l.add(begin+90*time.Second, 0, informer.Event{Kind: informer.KindStoreUpdated, Op: informer.OpReplaced, Key: "default/b", RV: "77"})
		}, "stale", 30, func(r WorstReason) bool { return r.Took == 30*time.Second && r.At == begin+30*time.Second }},
		{"a relist", func(l *eventLog) {
			l.add(begin, 0, informer.Event{Kind: informer.KindListWatchStarted, Text: "too old"})
			l.add(begin+8*time.Second, 0, informer.Event{Kind: informer.KindListWatchStarted, Text: "too old"})
		}, "relist", 2 * pointsRelist, func(r WorstReason) bool { return r.Text == "too old" && r.At == begin }},
		{"a handler is slow", func(l *eventLog) {
			l.add(begin, 0, informer.Event{Kind: informer.KindHandling, Listener: 1})
			l.add(begin+12*time.Second, 0, informer.Event{Kind: informer.KindHandled, Listener: 1, Dur: 12 * time.Second, Err: errors.New("panic")})
		}, "handler", 12, func(r WorstReason) bool { return r.Took == 12*time.Second && !r.Open }},
		{"sampled rings count too", func(l *eventLog) {
			l.add(begin, 0, informer.Event{Kind: KindSampled, Text: `{"listeners":[{"id":1,"ring":10,"capacity":1024}]}`})
			l.add(begin+time.Second, 0, informer.Event{Kind: KindSampled, Text: `{"listeners":[{"id":1,"ring":910,"capacity":1024}]}`})
		}, "ring", 9.1, func(r WorstReason) bool { return r.After == 910 && r.Doubled == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l eventLog
			l.add(0, 0, informer.Event{Kind: informer.KindListWatchStarted, Text: "first list", Flag: true})
			l.add(0, 0, informer.Event{Kind: informer.KindListenerAdded, Listener: 1, M: 1024})
			l.quiet(time.Second, begin)
			c.bad(&l)
			l.quiet(begin+2*time.Minute, begin+20*time.Minute)
			m, bad := Worst(l)
			if !bad || m.From > begin || m.From+WorstSpan <= begin {
				t.Fatalf("the worst minute begins at %v, with %+v; it is that from %v on", m.From, m.Reasons, begin)
			}
			r := m.Reasons[0]
			if r.Kind != c.kind || !c.is(r) || m.Points < c.points || m.Points > c.points+0.1 {
				t.Errorf("%.2f points, want %.2f, of %+v", m.Points, c.points, m.Reasons)
			}
			if e := l[r.Seq-1]; e.At != r.At {
				t.Errorf("the reason is of event %d at %v, and that was at %v", r.Seq, r.At, e.At)
			}
		})
	}
}

// TestTwoTroublesInAMinuteAreWorseThanOne has a relist in one minute, and a relist with a slow handler in another.
func TestTwoTroublesInAMinuteAreWorseThanOne(t *testing.T) {
	var l eventLog
	l.add(time.Minute, 0, informer.Event{Kind: informer.KindListWatchStarted, Text: "a"})
	l.add(10*time.Minute, 0, informer.Event{Kind: informer.KindListWatchStarted, Text: "b"})
	l.add(10*time.Minute+30*time.Second, 0, informer.Event{Kind: informer.KindHandled, Listener: 1, Dur: time.Second})
	m, _ := Worst(l)
	if m.From != 10*time.Minute || m.To != 10*time.Minute+30*time.Second || len(m.Reasons) != 2 || m.Reasons[0].Text != "b" || m.Points != pointsRelist+1 {
		t.Errorf("%+v", m)
	}
}

// TestACallThatDoesNotReturnIsSlow has a handler that is still in a call when the log ends, and one that was removed meanwhile.
func TestACallThatDoesNotReturnIsSlow(t *testing.T) {
	var l eventLog
	l.add(time.Minute, 0, informer.Event{Kind: informer.KindHandling, Listener: 1})
	l.add(time.Minute, 0, informer.Event{Kind: informer.KindHandling, Listener: 2})
	l.add(2*time.Minute, 0, informer.Event{Kind: informer.KindListenerRemoved, Listener: 2})
	l.add(9*time.Minute, 0, informer.Event{Kind: informer.KindReflectorRV, RV: "3"})
	m, _ := Worst(l)
	if len(m.Reasons) != 1 || !m.Reasons[0].Open || m.Reasons[0].Took != 8*time.Minute || m.Reasons[0].Listener != 1 || m.Reasons[0].Seq != 4 {
		t.Errorf("%+v", m)
	}
}

// TestAQuietLogHasNoWorstMinute has an empty log, and one that begins with a long ring, which did not grow there.
func TestAQuietLogHasNoWorstMinute(t *testing.T) {
	if m, bad := Worst(nil); bad {
		t.Errorf("%+v", m)
	}
	var l eventLog
	l.add(0, 0, informer.Event{Kind: KindRestored, Text: `{"listeners":[{"id":1,"ring":5000,"capacity":8192}]}`})
	l.add(time.Second, 0, informer.Event{Kind: informer.KindDelivered, Listener: 1, N: 4999})
	if m, bad := Worst(l); bad {
		t.Errorf("%+v", m)
	}
}
