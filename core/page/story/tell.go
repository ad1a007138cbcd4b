package story

import (
	"maps"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/page/view"
)

// tell implements view.Teller for the story that plays.
func (p *Player) tell(f *fold.Fold, s *view.State, at time.Duration) *view.StoryState {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil {
		return nil
	}
	if t.gen != 0 && t.gen != p.rec.Generation() {
		t.notify() // the log is another one: the story has ended
		return nil
	}
	return p.describeLocked(t, f, s, at)
}

// StoryState returns the story at the moment of a State, nil if no story plays. f is the State's fold.
func (p *Player) StoryState(f *fold.Fold, s *view.State) *view.StoryState {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.playback; t != nil && (t.gen == 0 || t.gen == p.rec.Generation()) {
		return p.describeLocked(t, f, s, f.At())
	}
	return nil
}

// describeLocked returns the story at a moment.
func (p *Player) describeLocked(t *playback, f *fold.Fold, s *view.State, at time.Duration) *view.StoryState {
	d := &view.StoryState{
		ID: t.story.ID, Release: t.release, Starting: len(t.pages) == 0, Last: max(t.lastStep(), 0), Stands: t.timeStands, Problem: t.problem, Level: t.level,
		Marks: make([]view.StoryMark, len(t.pages)),
	}
	for i := range t.pages {
		d.Marks[i] = t.pages[i].StoryMark
	}
	d.Hurry = t.runningPage() != nil && (t.hurriesEnd || t.hurries())
	if d.Pace = t.pace; d.Pace == skip {
		d.Pace = 1 // the page cannot tell where time will be
	}
	if d.Starting {
		return d
	}
	d.Letters = p.lettersLocked(t)
	i, ok := t.stepAt(s.Seq)
	if t.hurries() && !t.story.isNew(i, t.level) { // the next step is about to begin, and the view is at its moment already
		i, ok = t.shownStep, false
	}
	d.Step = i
	pg := &t.pages[i]
	d.Ended = pg.End != 0
	d.Done = d.Ended && s.Seq >= pg.End
	if !ok {
		return d
	}
	if past := i == t.lastStep() && (t.presses > 0 || t.hurries()); d.Done && i == t.shownStep && !past {
		if key := p.rideKeyLocked(t, i); key != "" {
			d.Ride = &view.StoryRide{Key: key, Asked: pg.skipsRide}
		}
	}
	step := &t.story.Steps[i]
	if q := step.Question; q != nil {
		if pg.wait == waitReader {
			d.Waits = true
			if p.isClaimTrueLocked(t, i, &q.Sentence, f, s, at) {
				d.Asks = newSaying(&q.Sentence, s, pg.base)
			}
			return d
		}
		if d.Done && pg.rightAnswer == 0 && pg.base != nil {
			pg.rightAnswer = q.rightAnswer(view.StateOf(p.rec.FoldAt(pg.End)), pg.base)
		}
		if d.Done {
			d.Right = pg.rightAnswer
		}
	}
	d.AwaitsPress = pg.wait == waitPress || t.source == sourceRecording && !pg.hasPlayed
	if asks := t.story.Steps[i].Reader; pg.wait == waitReader && asks != nil {
		d.Waits, d.Asks = true, &view.Saying{EN: asks.Words.EN, ZH: asks.Words.ZH}
	}
	sentence := t.story.Steps[i].sentence(d.Done)
	if p.isClaimTrueLocked(t, i, sentence, f, s, at) {
		d.Caption = newSaying(sentence, s, pg.base)
	}
	return d
}

// lettersLocked returns the letters of the story's objects, by key. A letter stands for the one object that has the letter's part in its key as the first step
// begins. If none has it, or several do, the letter stands for nothing. So an object that is gone keeps its letter, and no other one takes it.
func (p *Player) lettersLocked(t *playback) map[string]string {
	first := &t.pages[0]
	if head, _ := p.rec.Head(); first.letters != nil || len(t.story.Letters) == 0 || head < first.From {
		return first.letters
	}
	f := p.rec.FoldAt(first.From)
	keys := map[string]bool{}
	for lane := range f.Lanes() {
		f.Objects(lane).Range(func(c *fold.Cell) bool {
			keys[c.Key] = true
			return true
		})
		f.Cluster(lane).Range(func(key string, _ fold.Held) bool {
			keys[key] = true
			return true
		})
	}
	first.letters = map[string]string{}
	all := slices.Sorted(maps.Keys(keys))
	for _, letter := range slices.Sorted(maps.Keys(t.story.Letters)) {
		part := t.story.Letters[letter]
		if found := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return !strings.Contains(key, part) }); len(found) == 1 {
			first.letters[found[0]] = letter
		}
	}
	return first.letters
}

// newSaying returns a sentence with its values in a State.
func newSaying(s *Sentence, st, base *view.State) *view.Saying {
	w := s.say(st, base)
	saying := &view.Saying{EN: w.EN, ZH: w.ZH, ReadMillis: int(readingTime(s).Milliseconds())}
	for _, n := range s.Numbers {
		saying.Numbers = append(saying.Numbers, view.SaidNumber{Text: fill([]part{{expr: n.Value}}, st, base), EN: n.Words.EN, ZH: n.Words.ZH})
	}
	return saying
}

// sentence returns the caption before or after the step's condition is met.
func (s *Step) sentence(done bool) *Sentence {
	if done && s.EndCaption != nil {
		return s.EndCaption
	}
	return &s.Caption
}

// isClaimTrueLocked reports whether a sentence's claim is true at a moment.
func (p *Player) isClaimTrueLocked(t *playback, i int, sentence *Sentence, f *fold.Fold, s *view.State, at time.Duration) bool {
	pg := &t.pages[i]
	if head, _ := p.rec.Head(); pg.base == nil && head >= pg.From {
		// A page that follows another one has the log, but no State from the step's beginning.
		pg.base = view.StateOf(p.rec.FoldAt(pg.From))
	}
	if sentence.Claim.usesFacts && s.Facts == nil {
		s.SetFacts(f, at)
	}
	return sentence.Claim.Holds(s, pg.base)
}

// opens returns the event from which on a step's sentences may show: those after its calls, if it asks something before.
func (t *playback) opens(i int) uint64 {
	if t.story.Steps[i].speaksFirst() && t.source != sourceRecording {
		return t.pages[i].From
	}
	return t.pages[i].Begin
}

// stepAt returns the step of a moment, and whether one of its sentences may show. None may show before the first step.
func (t *playback) stepAt(seq uint64) (step int, ok bool) {
	within := func(i int) bool {
		return seq >= t.opens(i) && (i+1 == len(t.pages) || seq <= t.pages[i+1].From)
	}
	if within(t.shownStep) {
		return t.shownStep, true // one step can end and the next one begin at the same moment
	}
	for i := t.lastStep(); i >= 0; i-- {
		if seq >= t.opens(i) {
			return i, within(i)
		}
		if seq > t.pages[i].From {
			return i, false
		}
	}
	return 0, false
}
