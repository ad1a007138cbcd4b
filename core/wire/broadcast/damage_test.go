package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

func packLines(t testing.TB, lines string) []byte {
	t.Helper()
	b, err := pack([]byte(lines), gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func unpackSegment(t testing.TB, segment []byte) string {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(segment))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// talk is a few segments: a checkpoint, plain ones, a checkpoint that continues, a plain one.
func talk(t testing.TB) []Segment {
	t.Helper()
	s := newSpeaker(5, trace.RecorderOptions{})
	s.emitSelected("1.37", "1.31")
	c := NewCutter(s.rec, CutterOptions{Clock: s.clock, CheckpointBytes: 8000})
	var out []Segment
	for range 12 {
		for range 12 {
			s.step()
		}
		if err := c.Position([]byte(`{"seq":1,"mode":"live"}`)); err != nil {
			t.Fatal(err)
		}
		out = append(out, cutAll(t, c)...)
	}
	return out
}

// TestDamagedSegmentsChangeNothing: each kind of damage is an error that names it, and the whole segment still applies afterwards.
func TestDamagedSegmentsChangeNothing(t *testing.T) {
	segments := talk(t)
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	if _, err := f.Apply(segments[1].Bytes); err == nil || !strings.Contains(err.Error(), "no checkpoint") {
		t.Fatalf("it began in the middle: %v", err)
	}
	apply(t, f, segments[:3]...)
	lines := unpackSegment(t, segments[3].Bytes)
	first, rest, _ := strings.Cut(lines, "\n")
	events := strings.SplitAfter(rest, "\n")
	head := func(change func(*Head)) string {
		var h Head
		if err := json.Unmarshal([]byte(first), &h); err != nil {
			t.Fatal(err)
		}
		change(&h)
		b, _ := json.Marshal(h)
		return string(b) + "\n"
	}
	whole := segments[3].Bytes
	for what, x := range map[string]struct {
		segment []byte
		says    string
	}{
		"nothing":                     {nil, "not a segment"},
		"no gzip":                     {[]byte(lines), "not a segment"},
		"cut off":                     {whole[:len(whole)-20], "damaged"},
		"a wrong sum":                 {append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), "damaged"},
		"no last line end":            {packLines(t, strings.TrimSuffix(lines, "\n")), "cut off"},
		"another format":              {packLines(t, `{"format":"informerscope-trace","version":1}`+"\n"), "not a segment"},
		"a later version":             {packLines(t, head(func(h *Head) { h.Version = 2 })+rest), "version 2"},
		"an old one again":            {segments[2].Bytes, "where 4 follows"},
		"a later one":                 {segments[5].Bytes, "where 4 follows"},
		"events that do not continue": {packLines(t, head(func(h *Head) { h.Seq += 5; h.LastSeq += 5 })+rest), "follows"},
		"an event left out":           {packLines(t, first+"\n"+strings.Join(append([]string{events[0]}, events[2:]...), "")), "follows"},
		"events in another order":     {packLines(t, first+"\n"+events[1]+events[0]+strings.Join(events[2:], "")), "follows"},
		"an event too many":           {packLines(t, head(func(h *Head) { h.LastSeq-- })+rest), "ends with"},
		"a line that is no JSON":      {packLines(t, first+"\nx"+rest), "line 2"},
		"a kind of tomorrow":          {packLines(t, first+"\n"+strings.Replace(rest, `"k":"`, `"k":"New`, 1)), "unknown kind of event"},
		"an object never seen": {packLines(t, first+"\n"+strings.Replace(events[0], "}\n", `,"obj":{"id":999999}}`+"\n",
			1)+strings.Join(events[1:], "")), "not defined"},
		"an object that is none":    {packLines(t, first+"\n"+strings.Replace(events[0], "}\n", `,"obj":{"id":1,"raw":"unfinished}}`+"\n", 1)), "line 2"},
		"a checkpoint of nothing":   {packLines(t, head(func(h *Head) { h.Checkpoint = true })+rest), "restored"},
		"a position too long":       {packLines(t, first+"\n"+`{"s":1,"t":1,"pos":{"x":"`+strings.Repeat("x", MaxPosition)+`"}}`+"\n"+rest), "position"},
		"more than a segment holds": {packLines(t, first+"\n"+rest+strings.Repeat(" ", MaxUnpacked)+"\n"), "more than"},
		"a bomb":                    {packLines(t, strings.Repeat("\x00", 8<<20)), "more than"},
		"more bytes than are taken": {bytes.Repeat([]byte{0x1f}, MaxPacked+1), "more than"},
		"a contradiction":           {packLines(t, head(func(h *Head) { h.LastSeq = 0 })+rest), "contradicts"},
	} {
		t.Run(what, func(t *testing.T) {
			before, _ := f.rec.Head()
			_, err := f.Apply(x.segment)
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Fatalf("error %v, want one that says %q", err, x.says)
			}
			if after, _ := f.rec.Head(); after != before || f.Next() != 4 {
				t.Fatalf("it moved from event %d to %d, next segment %d", before, after, f.Next())
			}
		})
	}
	apply(t, f, segments[3:]...)
	last, _ := ReadHead(segments[len(segments)-1].Bytes)
	g := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, g, segments...)
	requireEqual(t, "after the damage", dump(t, f.rec.FoldAt(last.LastSeq), false), dump(t, g.rec.FoldAt(last.LastSeq), false))
}

// TestSkipTo leaves segments out and begins again at a checkpoint.
func TestSkipTo(t *testing.T) {
	segments := talk(t)
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	apply(t, f, segments[0])
	last := len(segments) - 1
	for !segments[last].Checkpoint {
		last--
	}
	if last < 2 {
		t.Fatal("the talk has no later checkpoint")
	}
	f.SkipTo(segments[last].N)
	if _, err := f.Apply(segments[1].Bytes); err == nil {
		t.Fatal("it took a segment that it was to skip")
	}
	apply(t, f, segments[last:]...)
	h, _ := ReadHead(segments[last].Bytes)
	if first := f.rec.First(); first != h.Seq {
		t.Errorf("its log begins with %d, want %d", first, h.Seq)
	}
}

// TestCheckTakesBodiesAndTextsOut: nothing of a canary is left in any place that a segment has, and what is left still applies.
func TestCheckTakesBodiesAndTextsOut(t *testing.T) {
	const canary, secret = "canary-in-a-body", "s3cr3t-credential"
	rec := trace.NewRecorder(trace.RecorderOptions{})
	sel, _ := json.Marshal(event.Selection{Source: "live", Context: secret, Releases: []string{"1.37"}})
	o := &thing{raw: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",`+
		`"annotations":{"x":%q,%q:"y"},"labels":{"x":"\u0073%s"}},"spec":{"env":%q},"status":{"phase":"Running"}}`,
		secret, secret, secret[1:], canary)}
	ix := []event.IndexValues{{Index: secret, Values: []string{secret}}}
	rec.Emit(0, event.Selected{Selection: string(sel)}.Event())
	rec.Emit(0, event.ListenerAdded{Listener: 1, Name: secret}.Event())
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: secret, RV: secret, StoreRV: secret, Obj: o, Old: o, Indexed: ix}.Event())
	rec.Emit(0, event.Backoff{Then: secret, Err: &event.LoggedError{Message: "it said " + secret, Reason: secret}}.Event())
	rec.Emit(0, event.StoreReplaced{Items: []event.Item{{Key: secret, RV: secret,
		Obj: &thing{raw: bytes.Clone(o.raw)}, Indexed: ix}}}.Event())
	rec.Emit(0, event.WireRequest{Req: 1, URL: "/api?token=" + secret}.Event())
	clock := clocktesting.NewFakeClock(time.Now())
	c := NewCutter(rec, CutterOptions{Bodies: true, Clock: clock})
	if err := c.Position(fmt.Appendf(nil, `{"page":{"words":[%q,{%q:1}]}}`, secret, secret)); err != nil {
		t.Fatal(err)
	}
	segments := cutAll(t, c)
	clock.Step(time.Minute)
	rec.Emit(0, event.Note{Text: secret}.Event())
	if more := cutAll(t, c); !more[0].Checkpoint {
		t.Fatal("a checkpoint was due")
	} else {
		segments = append(segments, more...)
	}
	for _, bodies := range []bool{false, true} {
		f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
		for _, seg := range segments {
			if sent := unpackSegment(t, seg.Bytes); !strings.Contains(sent, canary) || !strings.Contains(sent, secret) {
				t.Fatal("the page sent nothing that must be taken out")
			}
			out, h, err := Check(seg.Bytes, Checks{Bodies: bodies, Text: func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }})
			if err != nil || h.N != seg.N {
				t.Fatal(h, err)
			}
			text := unpackSegment(t, out)
			if strings.Contains(text, secret) || strings.Contains(text, `\u0073`+secret[1:]) {
				t.Errorf("bodies=%v: a credential went out: %s", bodies, text)
			}
			if got := strings.Contains(text, canary); got != bodies {
				t.Errorf("bodies=%v: the body went out: %v", bodies, got)
			}
			if !strings.Contains(text, `"phase":"Running"`) {
				t.Errorf("bodies=%v: the phase is gone", bodies)
			}
			if _, err := f.Apply(out); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCheckRefuses what a Follower would refuse for its form alone.
func TestCheckRefuses(t *testing.T) {
	seg := talk(t)[3]
	lines := unpackSegment(t, seg.Bytes)
	first, rest, _ := strings.Cut(lines, "\n")
	checks := Checks{Text: func(s string) string { return s }}
	if _, _, err := Check(seg.Bytes, checks); err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{
		"no gzip":        []byte(lines),
		"no JSON":        packLines(t, first+"\n{\n"),
		"no event":       packLines(t, first+"\n{}\n"),
		"a strange kind": packLines(t, first+"\n"+strings.Replace(rest, `"k":"`, `"k":"New`, 1)),
		"too few":        packLines(t, first+"\n"),
		"too many":       packLines(t, lines+strings.SplitAfter(rest, "\n")[0]),
		"bomb":           packLines(t, strings.Repeat("\n", MaxUnpacked+1)),
	} {
		if _, _, err := Check(bad, checks); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}

// FuzzSegment: whatever comes, packed or not, is an error or is applied; nothing panics, what was refused changed nothing,
// and what Check lets through is a segment.
func FuzzSegment(f *testing.F) {
	segments := talk(f)
	for _, s := range segments[:6] {
		f.Add([]byte(unpackSegment(f, s.Bytes)), true)
		f.Add(s.Bytes, false)
	}
	text := unpackSegment(f, segments[1].Bytes)
	f.Add([]byte(text[:len(text)/2]), true)
	f.Add([]byte(strings.ReplaceAll(text, `"s":`, `"more":true,"s":`)), true)
	f.Add([]byte(strings.ReplaceAll(text, `"checkpoint":false`, `"checkpoint":true`)), true)
	f.Add([]byte(`{"format":"informerscope-segment","version":1,"n":2,"seq":18446744073709551615,"head":18446744073709551614}`+"\n"), true)
	f.Add([]byte(`{"format":"informerscope-segment","version":1,"n":2,"checkpoint":true,"fresh":true,"seq":9,"head":8}`+"\n"+
		`{"s":8,"k":"Selected","txt":"{\"eras\":[\"1.37\",\"x\",\"\"]}"}`+"\n"+`{"s":8,"k":"Restored","txt":"{}","more":true}`+"\n"+
		`{"s":8,"k":"Restored","txt":"{\"queue\":{\"items\":[{}]},\"workqueue\":{\"failing\":{\"a\":1}}}","items":[{"obj":{"id":1,"raw":{}}},{"obj":{"id":1}},{}]}`+"\n"), true)
	f.Fuzz(func(t *testing.T, b []byte, lines bool) {
		if lines {
			b = packLines(t, string(b))
		}
		if out, h, err := Check(b, Checks{Text: strings.ToUpper, Bodies: len(b)%2 == 0}); err == nil {
			if second, err := ReadHead(out); err != nil || second != h {
				t.Fatalf("Check made %+v of %+v: %v", second, h, err)
			}
		}
		for _, given := range [][]Segment{nil, segments[:1]} {
			g := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
			apply(t, g, given...)
			before, _ := g.rec.Head()
			if _, err := g.Apply(b); err != nil {
				if after, _ := g.rec.Head(); after != before {
					t.Fatalf("a refused segment moved the log from %d to %d", before, after)
				}
				apply(t, g, segments[len(given)])
			}
			head, _ := g.rec.Head()
			_ = g.rec.FoldAt(head).State()
		}
	})
}
