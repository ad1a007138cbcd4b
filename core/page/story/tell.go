package story

import (
	"encoding/json"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/page/view"
)

// tell implements view.Teller for the story that plays.
func (p *Player) tell(f *fold.Fold, s *view.State, at time.Duration, reached uint64) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil {
		return []byte("null")
	}
	if t.gen != 0 && t.gen != p.rec.Generation() {
		t.notify() // the log is another one: the story has ended
		return []byte("null")
	}
	out, err := json.Marshal(p.describe(t, f, s, at, reached))
	if err != nil { // texts and numbers always marshal
		panic(err)
	}
	return out
}

// StoryState returns the story at the moment of a State, nil if no story plays. f is the State's fold.
func (p *Player) StoryState(f *fold.Fold, s *view.State) *view.StoryState {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.playback; t != nil && (t.gen == 0 || t.gen == p.rec.Generation()) {
		return p.describe(t, f, s, f.At(), s.Seq)
	}
	return nil
}

// describe returns the story at a moment at which every station shows the event reached. A step is done once they all show its end. p.mu is held.
func (p *Player) describe(t *playback, f *fold.Fold, s *view.State, at time.Duration, reached uint64) *view.StoryState {
	d := &view.StoryState{
		ID: t.story.ID, Release: t.release, Starting: len(t.pages) == 0, Last: max(t.lastStep(), 0), Stands: t.timeStands, Problem: t.problem, Level: t.level,
		Marks: make([]view.StoryMark, len(t.pages)),
	}
	for i := range t.pages {
		d.Marks[i] = t.pages[i].StoryMark
	}
	if t.runningPage() != nil && (t.turns > 0 || t.hurries() || t.story.Steps[t.lastStep()].Fast) {
		if d.Hurry = "fast"; t.skipsStep || t.hurries() {
			d.Hurry = "skip"
		}
	}
	if d.Starting {
		return d
	}
	i, ok := t.stepAt(s.Seq)
	if t.hurries() && !t.story.isNew(i, t.level) { // the next step is about to begin, and the view is at its moment already
		i, ok = t.shownStep, false
	}
	d.Step = i
	is := &t.pages[i]
	d.Ended = is.End != 0
	d.Done = d.Ended && reached >= is.End
	if !ok {
		return d
	}
	if past := i == t.lastStep() && (t.turns > 0 || t.hurries()); d.Done && i == t.shownStep && !past {
		if key := p.rideKey(t, i); key != "" {
			d.Ride = &view.StoryRide{Key: key, Asked: is.skipsRide}
		}
	}
	step := &t.story.Steps[i]
	if q := step.Question; q != nil {
		if is.wait == waitReader {
			d.Waits = true
			if p.isClaimTrue(t, i, &q.Sentence, f, s, at) {
				d.Asks = newSaying(&q.Sentence, s, is.base)
			}
			return d
		}
		if d.Done && is.rightAnswer == 0 && is.base != nil {
			is.rightAnswer = q.rightAnswer(view.StateOf(p.rec.FoldAt(is.End)), is.base)
		}
		if d.Done {
			d.Right = is.rightAnswer
		}
	}
	if asks := t.story.Steps[i].Reader; is.wait == waitReader && asks != nil {
		d.Waits, d.Asks = true, &view.Saying{EN: asks.Words.EN, ZH: asks.Words.ZH}
	}
	sentence := t.story.Steps[i].sentence(d.Done)
	if p.isClaimTrue(t, i, sentence, f, s, at) {
		d.Caption = newSaying(sentence, s, is.base)
	}
	if before := &t.story.Steps[i].Caption; before != sentence && p.isClaimTrue(t, i, before, f, s, at) {
		d.Before = newSaying(before, s, is.base)
	}
	return d
}

// newSaying returns a sentence with its values in a State.
func newSaying(s *Sentence, st, base *view.State) *view.Saying {
	w := s.say(st, base)
	is := &view.Saying{EN: w.EN, ZH: w.ZH, ReadMillis: int(readingTime(s).Milliseconds())}
	for _, n := range s.Numbers {
		is.Numbers = append(is.Numbers, view.SaidNumber{Is: fill([]part{{expr: n.Value}}, st, base), EN: n.Words.EN, ZH: n.Words.ZH})
	}
	return is
}

// sentence returns the caption before or after the step's condition is met.
func (s *Step) sentence(done bool) *Sentence {
	if done && s.EndCaption != nil {
		return s.EndCaption
	}
	return &s.Caption
}

// isClaimTrue reports whether a sentence's claim is true at a moment. p.mu is held.
func (p *Player) isClaimTrue(t *playback, i int, sentence *Sentence, f *fold.Fold, s *view.State, at time.Duration) bool {
	is := &t.pages[i]
	if head, _ := p.rec.Head(); is.base == nil && head >= is.From {
		// A page that follows another one has the log, but no State from the step's beginning.
		is.base = view.StateOf(p.rec.FoldAt(is.From))
	}
	if sentence.Claim.usesFacts && s.Facts == nil {
		s.SetFacts(f, at)
	}
	return sentence.Claim.Holds(s, is.base)
}

// stepAt returns the step of a moment, and whether one of its sentences may show. None may show while the step's calls run, or before the first step.
func (t *playback) stepAt(seq uint64) (step int, ok bool) {
	within := func(i int) bool {
		return seq >= t.pages[i].Begin && (i+1 == len(t.pages) || seq <= t.pages[i+1].From)
	}
	if within(t.shownStep) {
		return t.shownStep, true // one step can end and the next one begin at the same moment
	}
	for i := t.lastStep(); i >= 0; i-- {
		if seq >= t.pages[i].Begin {
			return i, within(i)
		}
		if seq > t.pages[i].From {
			return i, false
		}
	}
	return 0, false
}
