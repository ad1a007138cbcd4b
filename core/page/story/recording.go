package story

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"informerscope/core/page/view"
	"informerscope/core/words/arg"
)

// Moment is a moment of a recording: an event, or a time since the recording's beginning.
type Moment struct {
	Seq uint64 // 0 if it is a time
	At  time.Duration
}

// String returns the moment as a story's file has it.
func (m Moment) String() string {
	if m.Seq > 0 {
		return strconv.FormatUint(m.Seq, 10)
	}
	return m.At.String()
}

// longestRecordingName is the longest name of a recording in bytes.
const longestRecordingName = 128

// RecordingName reports whether a story can name a recording by a name: a file name without folder, of letters, digits, ., _ and -. It must not begin with a
// dot or a dash, and must end with .trace, .jsonl, .json or .gz.
func RecordingName(name string) bool {
	if len(name) > longestRecordingName || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return false
	}
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return slices.Contains([]string{".trace", ".jsonl", ".json", ".gz"}, path.Ext(name))
}

// recording returns a function that reads the name of a recording.
func (r *reader) recording(to *string) func(*Node) error {
	return func(n *Node) error {
		if n.Kind != Plain || !RecordingName(n.Value) {
			return r.errorAt(n, "the name of a recording is expected here, without a folder: letters, digits, ., _ and -, and then .trace, .jsonl, .json or .gz")
		}
		*to = n.Value
		return nil
	}
}

// moment returns a function that reads a moment of a recording.
func (r *reader) moment(to **Moment) func(*Node) error {
	return func(n *Node) error {
		m := &Moment{}
		var err error
		if m.Seq, err = strconv.ParseUint(n.Value, 10, 64); err != nil {
			m.At, err = time.ParseDuration(n.Value)
		}
		if n.Kind != Plain || err != nil || m.Seq == 0 && m.At <= 0 {
			return r.errorAt(n, "a moment of the recording is expected here: the number of an event, as 1204, or a time since its beginning, as 12.5s")
		}
		*to = m
		return nil
	}
}

// hasMember reports whether an object has a member.
func hasMember(n *Node, name string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return true
		}
	}
	return false
}

// hasMoments reports whether one of the steps names a moment of a recording.
func (s *Story) hasMoments() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Moment != nil || st.Start != nil })
}

// checkRecorded checks a story that plays on a recording: its steps can neither make calls nor wait, because all events have happened.
func (r *reader) checkRecorded(n *Node, s *Story) error {
	for _, name := range []string{"cluster", "eras", "handlers", "ready", "levels"} {
		if hasMember(n, name) {
			return r.errorAt(n, "a story on a recording has no %q: the recording has that", name)
		}
	}
	s.Releases = []string{}
	if s.Take.See == nil {
		s.Take.See = []string{}
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		switch {
		case st.Moment == nil:
			return r.errorAt(n, `step %d needs "at": the moment of the recording that it shows`, i+1)
		case len(st.Calls) > 0 || st.Reader != nil || st.Question != nil || st.Goal != nil || st.Rest > 0:
			return r.errorAt(n, `step %d plays on a recording: it has no "do", "reader", "question", "until" or "rest"`, i+1)
		}
	}
	return nil
}

// BeginOn ends the story that plays, loads the recording whose file is content, and begins a story on it, at a step from 0. Each step's moment must be in the
// recording, and not before the previous step's. The step's claim must be true at that moment. Otherwise the error names the step, and the page shows the
// recording without the story.
func (p *Player) BeginOn(ctx context.Context, id string, step int, content []byte) error {
	s, err := p.find(id)
	if err != nil {
		return err
	}
	if s.Recording == "" {
		return fmt.Errorf("the story %s has a cluster of its own, and plays on no recording", id)
	}
	if step < 0 || step >= len(s.Steps) {
		return fmt.Errorf("the story %s has the steps 0 to %d, and no step %d", id, len(s.Steps)-1, step)
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	p.stop()
	t := &playback{story: s, source: sourceRecording, wake: make(chan struct{}, 1)}
	p.show(t)
	opening, err := p.openRecording(ctx, s, content)
	if err != nil {
		p.drop(t)
		return err
	}
	presses := 0
	err = p.run(ctx, func(*playback) (effect, error) {
		presses = t.presses // Turn may have been called meanwhile
		t.gen, t.release, t.pages, t.presses, t.phase = opening.gen, opening.release, opening.pages[:step+1], 0, phasePlay
		return p.standAtLocked(t, step), nil
	})
	for ; err == nil && presses > 0; presses-- {
		err = p.Turn(ctx, 1)
	}
	return err
}

// openRecording loads the recording of a story, and checks each step against it.
func (p *Player) openRecording(ctx context.Context, s *Story, content []byte) (*playback, error) {
	if _, err := p.console.Do(ctx, "load", []arg.Value{{Bytes: content}}); err != nil {
		return nil, fmt.Errorf("the recording %s of the story %s: %w", s.Recording, s.ID, err)
	}
	t := &playback{story: s, gen: p.rec.Generation()}
	head, _ := p.rec.Head()
	t.release = p.rec.FoldAt(head).State().Release
	for i := range s.Steps {
		p.beginAtLocked(t, i)
		if err := p.check(t, i); err != nil {
			return nil, fmt.Errorf("step %d of the story %s: %w", i+1, s.ID, err)
		}
	}
	return t, nil
}

// beginAtLocked begins a step of a story on a recording. It needs no lock while t is not shared.
func (p *Player) beginAtLocked(t *playback, i int) {
	st := &t.story.Steps[i]
	pg := page{}
	pg.End = p.seqAt(*st.Moment)
	if pg.Begin = pg.End; st.Start != nil {
		pg.Begin = p.seqAt(*st.Start)
	}
	pg.hasPlayed = pg.Begin == pg.End
	// In a step's conditions, since counts from the moment of the previous step.
	if pg.From = pg.Begin; i > 0 {
		pg.From = t.pages[i-1].End
	}
	t.pages = append(t.pages, pg)
}

// seqAt returns the event of a moment.
func (p *Player) seqAt(m Moment) uint64 {
	if m.Seq > 0 {
		return m.Seq
	}
	return max(p.rec.SeqAt(m.At), p.rec.First())
}

// check returns an error if a step's moments are not in the recording or not in order, or if its claim is false there.
func (p *Player) check(t *playback, i int) error {
	pg, st := &t.pages[i], &t.story.Steps[i]
	head, long := p.rec.Head()
	for _, m := range []*Moment{st.Start, st.Moment} {
		if m != nil && (p.seqAt(*m) < p.rec.First() || m.Seq > head || m.At > long) {
			return fmt.Errorf("the moment %s is not in the recording, which has the events %d to %d, and ends at %v", m, p.rec.First(), head, long)
		}
	}
	switch {
	case pg.Begin > pg.End:
		return fmt.Errorf(`"from" is event %d, and "at" is event %d before it`, pg.Begin, pg.End)
	case pg.Begin < pg.From:
		return fmt.Errorf("it begins at event %d, before event %d, at which the previous step ends", pg.Begin, pg.From)
	}
	if st.Ride != nil && p.rideKeyLocked(t, i) == "" {
		return fmt.Errorf("its ride %s names no object at event %d of the recording", st.Ride, pg.End)
	}
	for _, moment := range []struct {
		seq  uint64
		says *Sentence
	}{{pg.Begin, st.sentence(pg.Begin == pg.End)}, {pg.End, st.sentence(true)}} {
		f := p.rec.FoldAt(moment.seq)
		if !p.isClaimTrueLocked(t, i, moment.says, f, view.StateOf(f), f.At()) {
			return fmt.Errorf("%s is not true at event %d of the recording: correct the claim or the moment, or open the story's own recording",
				moment.says.Claim, moment.seq)
		}
	}
	return nil
}
