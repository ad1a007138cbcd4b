// Package draft proposes a story on a recording: a step at each of its marks, or in its worst minute. Each step has a claim that is true at its moment, and
// sentences to fill in. The package writes no file.
package draft

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/story"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// mostSteps is how many steps a story can have.
const mostSteps = 24

// Options configure New.
type Options struct {
	// Worst proposes the moments of the worst minute even if there are marks.
	Worst bool
}

// Draft is a proposed story.
type Draft struct {
	// ID is the story's id, from the name of the recording.
	ID string
	// Steps is the number of its steps, and Omissions the number of marks without a step because there were too many.
	Steps, Omissions int
	// YAML is the story's file; docs/stories.md describes it.
	YAML []byte
	// Worst has sentences about the worst minute; the first one names its time.
	Worst []string
	// FromWorst: the steps are moments of the worst minute, not marks.
	FromWorst bool
	// Warning describes the damage of the recording's file, "" if it has none.
	Warning string
}

// moment is an event at which a step can stand.
type moment struct {
	seq    uint64
	time   time.Duration
	lane   uint8
	kind   string
	weight int // of too many moments, the heaviest get a step
	event  *event.Entry
	mark   analysis.Mark
	reason analysis.WorstReason
}

// weights rank the kinds of marks; kinds without a weight get no step.
var weights = map[string]int{"note": 9, "panic": 8, "relist": 7, "trouble": 7, "error": 6, "fault": 5, "hold": 4, "backoff": 3, "sync": 2, "list": 1,
	"resync": 1}

// quietKinds are the kinds of marks that every recording has; alone they do not count as marks.
var quietKinds = []string{"sync", "list", "resync", "selected"}

// ID returns the id of a story on a recording with a file name: lower-case letters, digits and "-".
func ID(recording string) string {
	base := path.Base(recording)
	for ext := path.Ext(base); slices.Contains([]string{".trace", ".jsonl", ".json", ".gz"}, ext); ext = path.Ext(base) {
		base = strings.TrimSuffix(base, ext)
	}
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, base)
	id = strings.Trim(id[:min(len(id), 40)], "-")
	return cmp.Or(id, "recording")
}

// New reads a recording and proposes a story on it. recording is the file's name without its folder.
func New(recording string, file io.Reader, o Options) (*Draft, error) {
	if !story.RecordingName(recording) {
		return nil, fmt.Errorf("a story cannot name the file %q: call it by letters, digits, ., _ and -, with .trace, .jsonl, .json or .gz at its end",
			recording)
	}
	rec := trace.NewRecorder(trace.RecorderOptions{}) // it numbers the events, and keeps as many of them, as the page does
	h, _, damage, err := tracefile.ReadFile(file, tracefile.ReadOptions{DecodeObject: func(raw []byte) (any, error) { return object.Parse(raw) }}, rec.Append)
	if err != nil {
		return nil, err
	}
	head, long := rec.Head()
	var log []event.Entry
	for e := range rec.Events(rec.First(), head) {
		log = append(log, *e)
	}
	if len(log) == 0 && damage != nil {
		return nil, fmt.Errorf("the recording has no events: %w", damage)
	}
	if len(log) == 0 {
		return nil, errors.New("the recording has no events")
	}
	d := &Draft{ID: ID(recording)}
	if damage != nil {
		d.Warning = damage.Error()
	}
	moments := markMoments(log)
	worst, bad := analysis.Worst(log)
	d.Worst = worstWords(rec, worst, bad)
	none := !slices.ContainsFunc(moments, func(m moment) bool { return !slices.Contains(quietKinds, m.kind) })
	if bad && (o.Worst || none) {
		moments, d.FromWorst = worstMoments(log, worst), true
	}
	if len(moments) == 0 {
		moments = []moment{{seq: head, time: long, kind: "end", event: &log[len(log)-1]}}
	}
	moments, d.Omissions = keepHeaviest(moments)
	d.Steps = len(moments)
	if d.YAML, err = write(d, recording, h, long, rec, moments); err != nil {
		return nil, err
	}
	return d, nil
}

// markMoments returns the moments of the marks.
func markMoments(log []event.Entry) (out []moment) {
	for i := range log {
		if m, ok := analysis.Marks(&log[i]); ok && weights[m.Kind] > 0 {
			out = append(out, moment{seq: m.Seq, time: log[i].At, lane: m.Lane, kind: m.Kind, weight: weights[m.Kind], event: &log[i], mark: m})
		}
	}
	return out
}

// worstMoments returns the moments of the problems in the worst minute.
func worstMoments(log []event.Entry, worst analysis.WorstMinute) (out []moment) {
	for i, r := range worst.Reasons {
		if r.Points < 0.1 {
			continue // a tenth of a second is not worth a step
		}
		m := moment{seq: r.Seq, time: r.At, lane: r.Lane, kind: r.Kind, weight: len(worst.Reasons) - i, reason: r, event: &log[r.Seq-log[0].Seq]}
		if r.Kind == "relist" {
			m.mark, _ = analysis.Marks(m.event)
		}
		out = append(out, m)
	}
	return out
}

// keepHeaviest keeps the heaviest moments, one for each event and as many as a story can have steps, in the order of events. left is the number of the others.
func keepHeaviest(moments []moment) (kept []moment, left int) {
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(b.weight, a.weight) })
	seen := map[uint64]bool{}
	for _, m := range moments {
		if seen[m.seq] {
			continue
		}
		if seen[m.seq] = true; len(kept) == mostSteps {
			left++
			continue
		}
		kept = append(kept, m)
	}
	slices.SortFunc(kept, func(a, b moment) int { return cmp.Compare(a.seq, b.seq) })
	return kept, left
}

// worstWords returns sentences about the time of the worst minute, and about its problems.
func worstWords(rec *trace.Recorder, worst analysis.WorstMinute, bad bool) []string {
	if !bad {
		return []string{"no ring grew, no object reached the store late, nothing was relisted, and no handler was slow: there is no worst minute"}
	}
	out := []string{fmt.Sprintf("the worst minute begins at %v (%.1f points: a relist or a ring made larger is 10, a second of waiting 1, a hundred "+
		"notifications in a ring 1)", worst.From, worst.Points)}
	for _, r := range worst.Reasons {
		if r.Points < 0.1 {
			continue
		}
		s := laneOf(rec.FoldAt(r.Seq).State(), r.Lane)
		at := fmt.Sprintf("%7.1f  at %.1f s, event %d: ", r.Points, r.At.Seconds(), r.Seq)
		switch r.Kind {
		case "ring":
			at += fmt.Sprintf("the ring of %s went from %d to %d notifications, and was made larger %d times", listenerName(s, r.Listener), r.Before, r.After,
				r.Doubled)
		case "stale":
			at += fmt.Sprintf("%s waited %.1f s from the watch to the store", keyOf(rec, r.Seq), r.Took.Seconds())
		case "relist":
			at += "it relisted: " + cmp.Or(r.Text, "the cause is unknown")
		case "handler":
			at += fmt.Sprintf("%s took %.1f s for one call", listenerName(s, r.Listener), r.Took.Seconds())
			if r.Open {
				at += ", and had not returned when the recording ended"
			}
		}
		if out = append(out, at); len(out) > mostSteps {
			break
		}
	}
	return out
}

func keyOf(rec *trace.Recorder, seq uint64) (key string) {
	for e := range rec.Events(seq, seq) {
		key = e.Key()
	}
	return key
}

// laneOf returns the State of a lane.
func laneOf(s *fold.State, lane uint8) *fold.State {
	if int(lane) < len(s.Lanes) {
		return s.Lanes[lane]
	}
	return s
}

func listenerName(s *fold.State, id int32) string {
	for i := range s.Listeners {
		if s.Listeners[i].ID == id {
			return cmp.Or(s.Listeners[i].Name, fmt.Sprintf("listener %d", id))
		}
	}
	return fmt.Sprintf("listener %d", id)
}
