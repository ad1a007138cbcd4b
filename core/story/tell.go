package story

import (
	"encoding/json"
	"time"

	"informerscope/core/trace"
	"informerscope/core/view"
)

// tell is the story's view.Teller.
func (p *Player) tell(f *trace.Fold, s *trace.State, at time.Duration) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil {
		return []byte("null")
	}
	if t.gen != 0 && t.gen != p.rec.Generation() {
		t.notify() // the log is another one: the story has ended
		return []byte("null")
	}
	out, err := json.Marshal(p.told(t, f, s, at))
	if err != nil { // texts and numbers always marshal
		panic(err)
	}
	return out
}

// Told returns the story at the moment of a State, nil if no story plays. f is the State's fold.
func (p *Player) Told(f *trace.Fold, s *trace.State) *view.Told {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.now; t != nil && (t.gen == 0 || t.gen == p.rec.Generation()) {
		return p.told(t, f, s, f.At())
	}
	return nil
}

// told returns the story at a moment. p.mu is held.
func (p *Player) told(t *telling, f *trace.Fold, s *trace.State, at time.Duration) *view.Told {
	d := &view.Told{
		ID: t.story.ID, Release: t.release, Starting: len(t.pages) == 0, Last: max(t.last(), 0), Stands: t.stands, Problem: t.problem,
		Marks: make([]view.StoryMark, len(t.pages)),
	}
	for i := range t.pages {
		d.Marks[i] = t.pages[i].StoryMark
	}
	if t.running() != nil && (t.asked > 0 || t.hurries() || t.story.Steps[t.last()].Fast) {
		if d.Hurry = "fast"; t.skipping || t.hurries() {
			d.Hurry = "skip"
		}
	}
	if d.Starting {
		return d
	}
	i, ok := t.stepAt(s.Seq)
	d.Step = i
	is := &t.pages[i]
	d.Ended = is.End != 0
	d.Done = d.Ended && s.Seq >= is.End
	if !ok {
		return d
	}
	if past := i == t.last() && (t.asked > 0 || t.hurries()); d.Done && i == t.shown && !past {
		if key := p.ridden(t, i); key != "" {
			d.Ride = &view.StoryRide{Key: key, Asked: is.skipsRide}
		}
	}
	step := &t.story.Steps[i]
	if q := step.Question; q != nil {
		if is.waits == forReader {
			d.Waits = true
			if p.true(t, i, &q.Asks, f, s, at) {
				d.Asks = saying(&q.Asks, s, is.base)
			}
			return d
		}
		if d.Done && is.right == 0 && is.base != nil {
			is.right = q.right(p.rec.FoldAt(is.End).State(), is.base)
		}
		if d.Done {
			d.Right = is.right
		}
	}
	if asks := t.story.Steps[i].Reader; is.waits == forReader && asks != nil {
		d.Waits, d.Asks = true, &view.Saying{EN: asks.Words.EN, ZH: asks.Words.ZH}
	}
	sentence := t.story.Steps[i].sentence(d.Done)
	if p.true(t, i, sentence, f, s, at) {
		d.Caption = saying(sentence, s, is.base)
	}
	if before := &t.story.Steps[i].Caption; before != sentence && p.true(t, i, before, f, s, at) {
		d.Before = saying(before, s, is.base)
	}
	return d
}

// saying returns a sentence with a State's values.
func saying(s *Sentence, st, base *trace.State) *view.Saying {
	w := s.say(st, base)
	is := &view.Saying{EN: w.EN, ZH: w.ZH, ReadMillis: int(reading(s).Milliseconds())}
	for _, n := range s.Numbers {
		is.Numbers = append(is.Numbers, view.SaidNumber{Is: fill([]part{{is: n.Is}}, st, base), EN: n.Words.EN, ZH: n.Words.ZH})
	}
	return is
}

// sentence returns the caption before or after the step's condition is met.
func (s *Step) sentence(done bool) *Sentence {
	if done && s.After != nil {
		return s.After
	}
	return &s.Caption
}

// true reports whether a sentence's claim is true at a moment. p.mu is held.
func (p *Player) true(t *telling, i int, sentence *Sentence, f *trace.Fold, s *trace.State, at time.Duration) bool {
	is := &t.pages[i]
	if head, _ := p.rec.Head(); is.base == nil && head >= is.From {
		// A follower has the log, but not the State when the step began.
		is.base = p.rec.FoldAt(is.From).State()
	}
	if sentence.Claim.facts && s.Facts == nil {
		view.SetFacts(f, s, at)
	}
	return sentence.Claim.Holds(s, is.base)
}

// stepAt returns the step of a moment, and whether one of its sentences may be shown: not while its calls are being made, and not before the first step.
func (t *telling) stepAt(seq uint64) (step int, ok bool) {
	within := func(i int) bool {
		return seq >= t.pages[i].Begin && (i+1 == len(t.pages) || seq <= t.pages[i+1].From)
	}
	if within(t.shown) {
		return t.shown, true // at one moment a step can end and the next one begin
	}
	for i := t.last(); i >= 0; i-- {
		if seq >= t.pages[i].Begin {
			return i, within(i)
		}
		if seq > t.pages[i].From {
			return i, false
		}
	}
	return 0, false
}
