package view

import (
	"encoding/json"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// sentTimeline is the timeline of a frame.
type sentTimeline struct {
	Reset       bool
	FirstMillis float64
	Bins        [][2]int
	Marks       []analysis.Mark
}

func takeTimeline(t *testing.T, tl *timeline) sentTimeline {
	t.Helper()
	var out sentTimeline
	text := tl.append(nil, false)
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if tl.hasNews() {
		t.Error("there is news right after everything was sent")
	}
	return out
}

// TestTimelineIsBounded: a session of hours keeps no more than the log itself.
func TestTimelineIsBounded(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clk := testingclock.NewFakePassiveClock(began)
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clk, MaxEvents: 8192})
	tl := newTimeline()
	bins, marks := map[int]int{}, 0
	const events = 60_000
	for i := range events {
		clk.SetTime(began.Add(time.Duration(i) * 200 * time.Millisecond)) // more than three hours
		kind := event.KindWatchEvent
		if i%2 == 0 {
			kind = event.KindResyncDue
		}
		rec.Emit(0, event.Event{Kind: kind})
		if i%100 != 0 {
			continue
		}
		tl.follow(rec)
		sent := takeTimeline(t, &tl)
		for _, b := range sent.Bins {
			bins[b[0]] = b[1]
		}
		marks += len(sent.Marks)
		if len(tl.marks) > maxMarks {
			t.Fatalf("%d marks are kept", len(tl.marks))
		}
		for _, m := range tl.marks {
			if m.Seq < rec.First() {
				t.Fatalf("the mark of event %d is kept, the log begins at %d", m.Seq, rec.First())
			}
		}
		if want := float64(rec.First()-1) * 200; sent.FirstMillis != want {
			t.Fatalf("the log is said to begin at %.0f ms, it does at %.0f", sent.FirstMillis, want)
		}
	}
	if n := len(tl.density.Bins()); n > 16384 {
		t.Errorf("%d bins are kept", n)
	}
	counted := 0
	for _, n := range bins {
		counted += n
	}
	if want := events - 99; counted != want || marks != (want+1)/2 {
		t.Errorf("%d events and %d marks were sent, want %d and %d", counted, marks, want, (want+1)/2)
	}
	// A new page receives what is kept.
	tl.needsReset = true
	late := takeTimeline(t, &tl)
	if !late.Reset || len(late.Marks) != len(tl.marks) || len(late.Bins) != len(tl.density.Bins()) {
		t.Errorf("sent again: reset %v, %d of %d marks, %d of %d bins", late.Reset, len(late.Marks), len(tl.marks), len(late.Bins), len(tl.density.Bins()))
	}
}

// TestBesideStopsAtWhatMatters: going from mark to mark stops where something began, and never at an evicted event.
func TestBesideStopsAtWhatMatters(t *testing.T) {
	tl := newTimeline()
	for _, m := range []analysis.Mark{
		{Seq: 1, Kind: "list"}, {Seq: 5, Kind: "sync"}, {Seq: 9, Kind: "fault", On: true}, {Seq: 11, Kind: "backoff"}, {Seq: 12, Kind: "backoff"},
		{Seq: 20, Kind: "relist"}, {Seq: 25, Kind: "hold", On: true}, {Seq: 30, Kind: "hold"}, {Seq: 40, Kind: "resync"}, {Seq: 50, Kind: "selected"},
	} {
		tl.marks = append(tl.marks, m)
	}
	for _, tt := range []struct {
		from      uint64
		direction int
		first     uint64
		want      uint64 // 0: none
	}{
		{0, 1, 1, 1}, {1, 1, 1, 5}, {9, 1, 1, 20}, {25, 1, 1, 40}, {40, 1, 1, 0},
		{60, -1, 1, 40}, {40, -1, 1, 25}, {20, -1, 1, 9}, {1, -1, 1, 0},
		{9, -1, 6, 0}, {0, 1, 6, 9},
	} {
		got, ok := tl.findMark(tt.from, tt.direction, tt.first)
		if got != tt.want || ok != (tt.want != 0) {
			t.Errorf("beside %d, direction %d, the log from %d on: %d, %v; want %d", tt.from, tt.direction, tt.first, got, ok, tt.want)
		}
	}
}
