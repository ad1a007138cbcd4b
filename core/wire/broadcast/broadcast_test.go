package broadcast

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// thing is an object with a body. What weighs how much it says as the objects of core/words/object do.
type thing struct {
	raw        []byte
	held, came int
}

func (t *thing) MarshalJSON() ([]byte, error) { return bytes.Clone(t.raw), nil }
func (t *thing) Size() int                    { return len(t.raw) }
func (t *thing) Weight() (held, came int) {
	held = cmp.Or(t.held, len(t.raw))
	return held, cmp.Or(t.came, held)
}
func (t *thing) SetWeight(held, came int) { t.held, t.came = held, came }

func decodeThing(raw []byte) (any, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("not JSON")
	}
	return &thing{raw: bytes.Clone(raw)}, nil
}

// speaker writes a random log into a Recorder.
type speaker struct {
	rng   *rand.Rand
	clock *clocktesting.FakeClock
	rec   *trace.Recorder
	known []*thing
	rv    int
}

func newSpeaker(seed uint64, o trace.RecorderOptions) *speaker {
	s := &speaker{rng: rand.New(rand.NewPCG(seed, 7)), clock: clocktesting.NewFakeClock(time.Unix(1_700_000_000, 0))}
	o.Clock = s.clock
	s.rec = trace.NewRecorder(o)
	return s
}

func (s *speaker) emitSelected(releases ...string) {
	text, _ := json.Marshal(event.Selection{Source: Source, Version: "v1", Resource: "pods", Releases: releases})
	s.rec.Emit(0, event.Selected{Selection: string(text)}.Event())
	for i := range releases {
		s.rec.Emit(uint8(i), event.ListenerAdded{Listener: 1, Name: "one", Capacity: 1024}.Event())
	}
}

func (s *speaker) thing(key string, body int) *thing {
	s.rv++
	t := &thing{raw: fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"resourceVersion":"%d"},"spec":{"x":"<%s>"},"status":{"phase":"Running"}}`,
		key, s.rv, strings.Repeat("b", body))}
	if body%3 == 0 { // something of it was dropped when it came
		t.came = 1000 + body
	}
	s.known = append(s.known, t)
	if len(s.known) > 500 {
		s.known = s.known[100:]
	}
	return t
}

// step emits something random that an informer, a work queue or the page might.
func (s *speaker) step() {
	s.clock.Step(time.Duration(s.rng.IntN(5000)) * time.Microsecond)
	lane := uint8(s.rng.IntN(2))
	key := fmt.Sprintf("ns/p%d", s.rng.IntN(200))
	m := event.Members{Key: key, Listener: 1}
	kinds := []event.Kind{event.KindQueued, event.KindQueued, event.KindPopped, event.KindProcessed, event.KindStoreAdded,
		event.KindStoreUpdated,
		event.KindStoreDeleted, event.KindAccepted, event.KindDelivered, event.KindHandling, event.KindHandled, event.KindWorkAdded,
		event.KindWorkTaken, event.KindWorkDone, event.KindWorkRateLimited, event.KindWorkWaiting, event.KindNote, event.KindFault, event.KindHold,
		event.KindWireFrame, event.KindReconciled, event.KindReflectorError, event.KindRequestSent}
	kind := kinds[s.rng.IntN(len(kinds))]
	switch kind {
	case event.KindQueued, event.KindStoreAdded, event.KindStoreUpdated, event.KindWireFrame:
		t := s.thing(key, s.rng.IntN(200))
		if len(s.known) > 10 && s.rng.IntN(2) == 0 {
			t = s.known[s.rng.IntN(len(s.known))]
		}
		m.Obj, m.RV, m.StoreRV, m.Op = t, fmt.Sprint(s.rv), fmt.Sprint(s.rv), event.OpUpdated
		m.Indexed = []event.IndexValues{{Index: "node", Values: []string{fmt.Sprintf("n%d", s.rng.IntN(9))}}}
		if kind == event.KindStoreUpdated {
			m.Old = s.known[s.rng.IntN(len(s.known))]
		}
	case event.KindPopped:
		m.N, m.Key = 1+s.rng.IntN(3), ""
	case event.KindReflectorError:
		m.Err = &event.LoggedError{Message: "gone & <lost>", Code: 410, Reason: "Expired", Cause: "compacted"}
	case event.KindFault:
		m.Text, m.Flag = "cut", s.rng.IntN(2) == 0
	case event.KindHold:
		m.N, m.Flag = s.rng.IntN(4), s.rng.IntN(2) == 0
	case event.KindWorkWaiting:
		m.Dur = time.Second
	}
	s.rec.Emit(lane, event.New(kind, m))
}

// emitReplaced emits a list of n objects.
func (s *speaker) emitReplaced(lane uint8, n, body int) {
	e := event.StoreReplaced{Count: n, StoreRV: "1"}
	for i := range n {
		key := fmt.Sprintf("ns/p%d", i)
		t := &thing{raw: fmt.Appendf(nil, `{"metadata":{"name":"p%d"},"spec":{"x":"%s"}}`, i, strings.Repeat("y", body))}
		e.Items = append(e.Items, event.Item{Key: key, RV: "1", Obj: t, Indexed: []event.IndexValues{{Index: "namespace", Values: []string{"ns"}}}})
	}
	s.rec.Emit(lane, e.Event())
}

// `dump` returns all that a fold holds.
func dump(t testing.TB, f *fold.Fold, bodies bool) string {
	t.Helper()
	toJSON := tracefile.MarshalObject
	if !bodies {
		toJSON = func(o any) ([]byte, error) {
			raw, err := tracefile.MarshalObject(o)
			if err != nil {
				return nil, err
			}
			return Strip(raw)
		}
	}
	var b strings.Builder
	for _, e := range f.Baseline() {
		w := tracefile.NewLineEncoder(1<<30, toJSON)
		if err := w.Start(&e); err != nil {
			t.Fatal(err)
		}
		for w.Pending() {
			line, err := w.Next()
			if err != nil {
				t.Fatal(err)
			}
			b.Write(line)
		}
	}
	state, err := json.Marshal(f.State())
	if err != nil {
		t.Fatal(err)
	}
	b.Write(state)
	return b.String()
}

func requireEqual(t testing.TB, what string, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, i-200):min(len(s), i+200)] }
	t.Fatalf("%s differs at byte %d:\n got …%s…\nwant …%s…", what, i, cut(got), cut(want))
}

// cutAll cuts until nothing is new.
func cutAll(t testing.TB, c *Cutter) []Segment {
	t.Helper()
	var out []Segment
	for {
		s, ok, err := c.Cut()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return out
		}
		if h, err := ReadHead(s.Bytes); err != nil || h.N != s.N || h.Checkpoint != s.Checkpoint {
			t.Fatalf("segment %d: head %+v, %v", s.N, h, err)
		}
		out = append(out, s)
		if !s.More {
			return out
		}
	}
}

func apply(t testing.TB, f *Follower, segments ...Segment) []Position {
	t.Helper()
	var all []Position
	for _, s := range segments {
		p, err := f.Apply(s.Bytes)
		if err != nil {
			t.Fatalf("segment %d: %v", s.N, err)
		}
		all = append(all, p...)
	}
	return all
}

// TestFollowedFoldEqualsSpeakersFold: at every segment's head, from segment 1 and from every checkpoint, and at moments of
// the past that a follower seeks.
func TestFollowedFoldEqualsSpeakersFold(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, bodies := range []bool{false, true} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("bodies=%v seed=%d", bodies, seed), func(t *testing.T) { checkFollowers(t, seed, bodies) })
		}
	}
}

func checkFollowers(t *testing.T, seed uint64, bodies bool) {
	s := newSpeaker(seed, trace.RecorderOptions{CheckpointEvery: 300})
	s.emitSelected("1.37", "1.31")
	c := NewCutter(s.rec, CutterOptions{Bodies: bodies, Clock: s.clock, CheckpointBytes: 20_000})
	first := NewFollower(trace.NewRecorder(trace.RecorderOptions{CheckpointEvery: 200}), decodeThing)
	type joined struct {
		f    *Follower
		from uint64
	}
	followers := []joined{{first, 1}}
	checkpoints := 0
	for round := range 22 {
		for range s.rng.IntN(120) {
			s.step()
		}
		if round == 6 {
			s.emitReplaced(0, 300, 100)
		}
		for _, seg := range cutAll(t, c) {
			if seg.Checkpoint {
				checkpoints++
			}
			if seg.Checkpoint && len(followers) < 4 {
				h, err := ReadHead(seg.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				followers = append(followers, joined{NewFollower(trace.NewRecorder(trace.RecorderOptions{CheckpointEvery: 200}), decodeThing), h.Seq})
			}
			h, _ := ReadHead(seg.Bytes)
			speakers := s.rec.FoldAt(h.LastSeq)
			want := dump(t, speakers, bodies)
			for i, j := range followers {
				apply(t, j.f, seg)
				if head, moment := j.f.rec.Head(); head != h.LastSeq || moment != speakers.At() {
					t.Fatalf("follower %d stands at event %d, %v; the speaker at %d, %v", i, head, moment, h.LastSeq, speakers.At())
				}
				got := j.f.rec.FoldAt(h.LastSeq)
				if j.from == 1 {
					requireEqual(t, fmt.Sprintf("follower %d at segment %d", i, seg.N), dump(t, got, bodies), want)
					continue
				}
				// A checkpoint restores what a State holds: compare with the speaker's own fold restored there.
				requireEqual(t, fmt.Sprintf("follower %d at segment %d", i, seg.N), dump(t, got, bodies), dump(t, restoreFold(s.rec, j.from, h.LastSeq), bodies))
			}
		}
	}
	if checkpoints < 3 {
		t.Fatalf("%d checkpoints: the test wants several", checkpoints)
	}
	for i, j := range followers {
		head, _ := j.f.rec.Head()
		for range 20 {
			if head < j.from {
				break
			}
			seq := j.from + s.rng.Uint64N(head-j.from+1)
			want := s.rec.FoldAt(seq)
			if j.from != 1 {
				want = restoreFold(s.rec, j.from, seq)
			}
			requireEqual(t, fmt.Sprintf("follower %d after seeking %d", i, seq), dump(t, j.f.rec.FoldAt(seq), bodies), dump(t, want, bodies))
		}
	}
}

// restoreFold is the speaker's fold at seq, when what came before the event from was restored.
func restoreFold(rec *trace.Recorder, from, seq uint64) *fold.Fold {
	f := fold.NewFold()
	baseline := rec.FoldAt(from - 1).Baseline()
	for i := range baseline {
		f.Apply(&baseline[i])
	}
	rec.Read(from, seq, func(e *event.Entry) bool { f.Apply(e); return true })
	return f
}

// TestLargeCheckpointsSpanSegments: a store whose objects do not fit into one segment, with bodies, as a list and as a checkpoint.
func TestLargeCheckpointsSpanSegments(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	s := newSpeaker(1, trace.RecorderOptions{})
	s.emitSelected("1.37")
	s.emitReplaced(0, 3000, 3000)
	for range 3000 {
		s.rec.Emit(0, event.Queued{Op: event.OpAdded, Key: "ns/q", RV: "1"}.Event())
		s.rec.Emit(0, event.Work{Kind: event.KindWorkAdded, Key: fmt.Sprintf("ns/w%d", s.rng.IntN(5000))}.Event())
		s.rec.Emit(0, event.Work{Kind: event.KindWorkRateLimited, Key: fmt.Sprintf("ns/w%d", s.rng.IntN(5000)), N: 2}.Event())
	}
	c := NewCutter(s.rec, CutterOptions{Bodies: true, Clock: s.clock, CheckpointBytes: 1 << 30, CheckpointEvery: time.Minute})
	early := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	segments := cutAll(t, c)
	if len(segments) < 5 {
		t.Fatalf("%d segments for 9 MB", len(segments))
	}
	apply(t, early, segments...)
	s.clock.Step(2 * time.Minute)
	s.step()
	segments = cutAll(t, c)
	if len(segments) < 5 || !segments[0].Checkpoint || segments[1].Checkpoint {
		t.Fatalf("%d segments for a checkpoint of 9 MB; the first says %v", len(segments), segments[0].Checkpoint)
	}
	late := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, late, segments...)
	apply(t, early, segments...)
	head, _ := s.rec.Head()
	h, _ := ReadHead(segments[0].Bytes)
	want := s.rec.FoldAt(head)
	requireEqual(t, "who was there", dump(t, early.rec.FoldAt(head), true), dump(t, want, true))
	requireEqual(t, "who came late", dump(t, late.rec.FoldAt(head), true), dump(t, restoreFold(s.rec, h.Seq, head), true))
	// An early follower does not hold the objects a second time.
	a, held := early.rec.FoldAt(h.Seq - 1).Objects(0).Get("ns/p7")
	b, _ := early.rec.FoldAt(head).Objects(0).Get("ns/p7")
	if !held || a.Obj != b.Obj {
		t.Error("the checkpoint replaced an object that had not changed")
	}
}

// TestPositions go out in the order of things, and again with every checkpoint.
func TestPositions(t *testing.T) {
	s := newSpeaker(2, trace.RecorderOptions{})
	s.emitSelected("1.37")
	c := NewCutter(s.rec, CutterOptions{Clock: s.clock, CheckpointBytes: 1000})
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, f, cutAll(t, c)...)
	for i := range 3 {
		s.step()
		if err := c.Position(fmt.Appendf(nil, "{\n \"mode\": \"live\", \"i\": %d}", i)); err != nil {
			t.Fatal(err)
		}
	}
	head, _ := s.rec.Head()
	got := apply(t, f, cutAll(t, c)...)
	if len(got) != 3 || string(got[2].Body) != `{"mode":"live","i":2}` || got[2].Seq != head || got[0].Seq != head-2 || got[2].At != s.rec.Now() {
		t.Fatalf("positions %+v at head %d", got, head)
	}
	if err := c.Position([]byte(`{"i":3}`)); err != nil { // alone, it makes a segment
		t.Fatal(err)
	}
	if got := apply(t, f, cutAll(t, c)...); len(got) != 1 {
		t.Fatalf("positions %+v", got)
	}
	for range 100 {
		s.step()
	}
	cutAll(t, c)
	s.step()
	segments := cutAll(t, c)
	if len(segments) != 1 || !segments[0].Checkpoint {
		t.Fatalf("segments %+v: a checkpoint was due", segments)
	}
	if got := apply(t, NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing), segments...); len(got) != 1 || string(got[0].Body) != `{"i":3}` {
		t.Fatalf("who comes late got positions %+v", got)
	}
	for _, bad := range []string{``, `[]`, `"x"`, `{`, `{"x":"` + strings.Repeat("x", MaxPosition) + `"}`} {
		if err := c.Position([]byte(bad)); err == nil {
			t.Errorf("position %.20q was taken", bad)
		}
	}
}

// TestNewLogBeginsAnew: after another selection, and after events that were forgotten before they were cut, the follower starts over.
func TestNewLogBeginsAnew(t *testing.T) {
	s := newSpeaker(3, trace.RecorderOptions{MaxEvents: 4096})
	s.emitSelected("1.37")
	c := NewCutter(s.rec, CutterOptions{Clock: s.clock})
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, f, cutAll(t, c)...)
	check := func(what string) {
		t.Helper()
		segments := cutAll(t, c)
		h, err := ReadHead(segments[0].Bytes)
		if err != nil || !h.Fresh || !h.Checkpoint {
			t.Fatalf("%s: head %+v, %v", what, h, err)
		}
		apply(t, f, segments...)
		head, _ := s.rec.Head()
		if first := f.rec.First(); first != h.Seq {
			t.Fatalf("%s: the follower's log begins with %d, want %d", what, first, h.Seq)
		}
		requireEqual(t, what, dump(t, f.rec.FoldAt(head), false), dump(t, restoreFold(s.rec, h.Seq, head), false))
	}
	for range 50 {
		s.step()
	}
	cut := cutAll(t, c)
	apply(t, f, cut...)
	s.rec.Reset()
	s.emitSelected("1.31")
	for range 50 {
		s.step()
	}
	check("another selection")
	for range 9000 {
		s.step()
	}
	check("forgotten events")
	// A log that began again while an event was half sent.
	s.emitReplaced(0, 20000, 10)
	if seg, ok, err := c.Cut(); err != nil || !ok || !seg.More {
		t.Fatalf("%+v %v %v", seg, ok, err)
	} else {
		apply(t, f, seg)
	}
	s.rec.Reset()
	s.emitSelected("1.37")
	check("another selection in the middle of an event")
}

// TestHeartbeatAndEnd: nothing new makes no segment before its time, and the end is said once.
func TestHeartbeatAndEnd(t *testing.T) {
	s := newSpeaker(4, trace.RecorderOptions{})
	s.emitSelected("1.37")
	c := NewCutter(s.rec, CutterOptions{Clock: s.clock, First: 41})
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	segments := cutAll(t, c)
	if segments[0].N != 41 {
		t.Fatalf("the first segment has number %d", segments[0].N)
	}
	apply(t, f, segments...)
	if segments := cutAll(t, c); len(segments) != 0 {
		t.Fatalf("%d segments of nothing", len(segments))
	}
	s.clock.Step(11 * time.Second)
	if segments = cutAll(t, c); len(segments) != 1 {
		t.Fatalf("%d heartbeats", len(segments))
	}
	apply(t, f, segments...)
	s.step()
	end, ok, err := c.End()
	if err != nil || !ok || !end.End {
		t.Fatalf("%+v %v %v", end, ok, err)
	}
	if f.HasEnded() {
		t.Error("it ended before its end")
	}
	apply(t, f, end)
	if !f.HasEnded() || f.Next() != 44 {
		t.Errorf("ended %v, next %d", f.HasEnded(), f.Next())
	}
	if _, _, err := c.Cut(); err == nil {
		t.Error("it was cut after its end")
	}
	h, _ := ReadHead(end.Bytes)
	h.End = false
	second, err := EndSegment(h, s.clock.Now())
	if err != nil || second.N != 44 {
		t.Fatal(second.N, err)
	}
	apply(t, f, second)
}

// TestSelectedSaysBroadcast: the follower's state says where it comes from, and keeps the rest of the selection.
func TestSelectedSaysBroadcast(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	rec.Emit(0, event.Selected{Selection: `{"source":"sim","group":"","version":"v1","resource":"pods","namespace":"","eras":["1.37"],"seed":9}`}.Event())
	c := NewCutter(rec, CutterOptions{})
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, f, cutAll(t, c)...)
	if sel := f.rec.FoldAt(1).Selection(); sel.Source != Source || sel.Seed != 9 || sel.Resource != "pods" {
		t.Errorf("selection %+v", sel)
	}
}
