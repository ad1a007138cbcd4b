package analysis

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// eventLog builds logs by hand.
type eventLog []event.Entry

func (l *eventLog) add(at time.Duration, lane uint8, e event.Event) {
	*l = append(*l, event.Entry{Seq: uint64(len(*l) + 1), At: at, Lane: lane, Event: e})
}

// quiet adds a stretch without trouble: an object is written every ten seconds, and reaches the store and the handler at once.
func (l *eventLog) quiet(from, to time.Duration) {
	for at := from; at < to; at += 10 * time.Second {
		key, rv := "default/a", fmt.Sprint(int(at/time.Second))
		l.add(at, 0, event.WatchEvent{Op: event.OpUpdated, Key: key, RV: rv}.Event())
		l.add(at, 0, event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key, RV: rv}.Event())
		l.add(at, 0, event.Handling{Listener: 1, Key: key}.Event())
		l.add(at+time.Microsecond, 0, event.Handled{Listener: 1, Key: key, Took: time.Microsecond}.Event())
	}
}

func TestTheWorstMinuteIsFound(t *testing.T) {
	const begin = 20 * time.Minute
	for _, c := range []struct {
		name   string
		bad    func(l *eventLog)
		kind   string
		points float64
		check  func(r WorstReason) bool
	}{
		{"a ring grows", func(l *eventLog) {
			for i := range 40 {
				n := i * 50
				l.add(begin+time.Duration(i)*time.Second, 0, event.Accepted{Listener: 1, InRing: true, Ring: n, Capacity: max(1024, n/1024*2048)}.Event())
			}
		}, "ring", 1950*pointsRing + pointsDoubling, func(r WorstReason) bool {
			return r.Before == 0 && r.After == 1950 && r.Doubled == 1 && r.Capacity == 2048 && r.At == begin+39*time.Second
		}},
		{"an object comes late into the store", func(l *eventLog) {
			l.add(begin, 0, event.WatchEvent{Op: event.OpUpdated, Key: "default/b", RV: "77"}.Event())
			l.add(begin+30*time.Second, 0, event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: "default/b", RV: "77"}.Event())
			// A relist brings the same version again a minute later; that object did not wait.
			l.add(begin+90*time.Second, 0, event.Stored{Kind: event.KindStoreUpdated, Op: event.OpReplaced, Key: "default/b", RV: "77"}.Event())
		}, "stale", 30, func(r WorstReason) bool { return r.Took == 30*time.Second && r.At == begin+30*time.Second }},
		{"a relist", func(l *eventLog) {
			l.add(begin, 0, event.ListWatchStarted{Why: "too old"}.Event())
			l.add(begin+8*time.Second, 0, event.ListWatchStarted{Why: "too old"}.Event())
		}, "relist", 2 * pointsRelist, func(r WorstReason) bool { return r.Text == "too old" && r.At == begin }},
		{"a handler is slow", func(l *eventLog) {
			l.add(begin, 0, event.Handling{Listener: 1}.Event())
			l.add(begin+12*time.Second, 0, event.Handled{Listener: 1, Took: 12 * time.Second, Err: errors.New("panic")}.Event())
		}, "handler", 12, func(r WorstReason) bool { return r.Took == 12*time.Second && !r.Open }},
		{"sampled rings count too", func(l *eventLog) {
			l.add(begin, 0, event.Sampled{Sample: `{"listeners":[{"id":1,"ring":10,"capacity":1024}]}`}.Event())
			l.add(begin+time.Second, 0, event.Sampled{Sample: `{"listeners":[{"id":1,"ring":910,"capacity":1024}]}`}.Event())
		}, "ring", 9.1, func(r WorstReason) bool { return r.After == 910 && r.Doubled == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l eventLog
			l.add(0, 0, event.ListWatchStarted{Why: "first list", First: true}.Event())
			l.add(0, 0, event.ListenerAdded{Listener: 1, Capacity: 1024}.Event())
			l.quiet(time.Second, begin)
			c.bad(&l)
			l.quiet(begin+2*time.Minute, begin+20*time.Minute)
			m, bad := Worst(l)
			if !bad || m.From > begin || m.From+WorstSpan <= begin {
				t.Fatalf("the worst minute begins at %v, with %+v; it is that from %v on", m.From, m.Reasons, begin)
			}
			r := m.Reasons[0]
			if r.Kind != c.kind || !c.check(r) || m.Points < c.points || m.Points > c.points+0.1 {
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
	l.add(time.Minute, 0, event.ListWatchStarted{Why: "a"}.Event())
	l.add(10*time.Minute, 0, event.ListWatchStarted{Why: "b"}.Event())
	l.add(10*time.Minute+30*time.Second, 0, event.Handled{Listener: 1, Took: time.Second}.Event())
	m, _ := Worst(l)
	if m.From != 10*time.Minute || m.To != 10*time.Minute+30*time.Second || len(m.Reasons) != 2 || m.Reasons[0].Text != "b" || m.Points != pointsRelist+1 {
		t.Errorf("%+v", m)
	}
}

// TestACallThatDoesNotReturnIsSlow has a handler that is still in a call when the log ends, and one that was removed meanwhile.
func TestACallThatDoesNotReturnIsSlow(t *testing.T) {
	var l eventLog
	l.add(time.Minute, 0, event.Handling{Listener: 1}.Event())
	l.add(time.Minute, 0, event.Handling{Listener: 2}.Event())
	l.add(2*time.Minute, 0, event.ListenerRemoved{Listener: 2}.Event())
	l.add(9*time.Minute, 0, event.ReflectorRV{RV: "3"}.Event())
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
	l.add(0, 0, event.Restored{State: `{"listeners":[{"id":1,"ring":5000,"capacity":8192}]}`}.Event())
	l.add(time.Second, 0, event.Delivered{Listener: 1, Ring: 4999}.Event())
	if m, bad := Worst(l); bad {
		t.Errorf("%+v", m)
	}
}
