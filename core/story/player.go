package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"informerscope/core/lab"
	"informerscope/core/trace"
	"informerscope/core/vclock"
	"informerscope/core/view"
)

const (
	// fast is how many times as fast time passes after the user asked for the next step before this one has ended. skip applies after the user asked
	// twice: as fast as things can happen.
	fast = 16
	skip = 1e6
)

// Player plays stories: it carries out their steps, and lets time pass only as far as a step allows. Its methods are safe for concurrent use.
//
// The View and the Lab call the Player with their own locks held, so it may not call them with mu held. A method that decides something holds mu, and returns
// an effect to run without it; see run.
type Player struct {
	console *lab.Console
	rec     *trace.Recorder
	stories []*Story

	turn sync.Mutex // one Begin or Leave at a time

	added []*Story // the user's own stories, beside stories; guarded by mu

	mu  sync.Mutex
	now *telling // nil while no story plays
}

// telling is a story that plays. The Player's lock guards it.
type telling struct {
	story   *Story
	source  source
	release string
	gen     uint64 // of the log; 0 until the story's own log has begun
	fold    *trace.Fold
	wake    chan struct{}
	end     context.CancelFunc
	ended   chan struct{} // closed when the acting goroutine has ended; nil for a followed story

	phase    phase
	problem  string // in phaseFail
	asked    int    // steps that the user has asked for
	going    bool   // the user asked to go on while the step waits for the reader
	target   int    // the step up to which the story plays as fast as it can
	skipping bool   // the user asked for the next step a second time
	shown    int    // the step on screen
	pages    []page
	stands   bool
}

// source is what a story plays on.
type source uint8

const (
	onCluster   source = iota // of its own
	onRecording               // see recording.go
	elsewhere                 // another page plays it
)

// phase is how far a story has come.
type phase uint8

const (
	phasePrepare phase = iota // its ready condition is not true yet, or its recording is being read
	phasePlay
	phaseCall // a step's calls are being made
	phaseFail
)

// page is a step that has begun.
type page struct {
	view.StoryMark
	base      *trace.State  // the State at From
	began     time.Duration // on the driver's clock
	waits     wait
	acts      int64  // the user's actions when it began to wait
	right     int    // the right answer to its question, from 1; 0 while undecided
	heard     uint64 // the event before the reader's answer; only later ones can end the step
	rides     string // the object to ride at its end; "" while unknown, or if there is none
	skipsRide bool   // the user asked for the ride, or the page has opened it: the next Turn goes past it
	endAt     time.Duration
}

// wait is what a step needs of its reader.
type wait uint8

const (
	forNothing wait = iota
	forReader       // to act, or to answer the question
	forResult       // of the call that the Player made in the reader's place
)

// NewPlayer returns a Player that plays stories with console's commands. rec is the log of console's Lab.
func NewPlayer(console *lab.Console, rec *trace.Recorder, stories []*Story) *Player {
	return &Player{console: console, rec: rec, stories: stories}
}

// Listed is a story in the chooser.
type Listed struct {
	ID       string   `json:"id"`
	Group    string   `json:"group"`
	Title    Words    `json:"title"`
	Lesson   Words    `json:"lesson"`
	Terms    string   `json:"terms"`
	Seconds  int      `json:"seconds"`
	Releases []string `json:"eras"`
	Steps    []Page   `json:"steps"`
	Take     Home     `json:"take"`
	// Recording is the file on which it plays, an argument of storyBegin.
	Recording string `json:"recording,omitempty"`
}

// Page is what the page shows of a step, beside its captions.
type Page struct {
	Name     Words    `json:"name"`
	Look     []string `json:"look"`
	Listener string   `json:"listener,omitempty"`
	Open     string   `json:"open,omitempty"`
	// Control is what the reader is asked to press: the command and its plain arguments, such as "release pop 1".
	Control string `json:"control,omitempty"`
	How     *Words `json:"how,omitempty"`
	// Answers are the answers to its question; the keys 1 to 4 choose one.
	Answers []Words `json:"answers,omitempty"`
}

// Home is what the reader takes home from a story.
type Home struct {
	Words Words    `json:"words"`
	Go    string   `json:"go"`
	See   []string `json:"see"`
}

// Library has the stories and the groups of the chooser.
type Library struct {
	Groups  []Group  `json:"groups"`
	Stories []Listed `json:"stories"`
}

// Library returns the stories and their groups.
func (p *Player) Library() Library {
	l := Library{Groups: Groups}
	for _, s := range p.all() {
		e := Listed{s.ID, s.Group, s.Title, s.Lesson, s.Terms, s.Seconds(), s.Releases, nil, Home{s.Take.Words, s.Take.Go, s.Take.See}, s.Recording}
		for i := range s.Steps {
			st := &s.Steps[i]
			page := Page{Name: st.Name, Look: st.Look, Listener: st.Listener, Open: st.Open}
			if st.Reader != nil {
				page.Control, page.How = st.Reader.Control(), &st.Reader.How
			}
			if st.Question != nil {
				for _, a := range st.Question.Answers {
					page.Answers = append(page.Answers, a.Words)
				}
			}
			e.Steps = append(e.Steps, page)
		}
		l.Stories = append(l.Stories, e)
	}
	return l
}

// List is Library, for lab.Teller.
func (p *Player) List() any { return p.Library() }

// Follow shows the story that another page with the same log plays. told is the story of that page's frames; null ends following.
func (p *Player) Follow(told json.RawMessage) error {
	var is *view.Told
	if len(told) > 0 {
		if err := json.Unmarshal(told, &is); err != nil {
			return fmt.Errorf("the story of the other page cannot be read: %w", err)
		}
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if is == nil {
		p.stop()
		return nil
	}
	s, err := p.find(is.ID)
	if err != nil {
		p.stop()
		return err
	}
	if len(is.Marks) > len(s.Steps) || is.Step < 0 || is.Step > max(len(is.Marks)-1, 0) {
		return fmt.Errorf("the other page shows %d steps of the story %s, which has %d", len(is.Marks), is.ID, len(s.Steps))
	}
	if p.copyMarks(s, is) {
		p.console.View.Tell(p.tell)
	}
	return nil
}

// copyMarks takes over where another page is in a story, and reports whether the story is new to the View.
func (p *Player) copyMarks(s *Story, is *view.Told) (isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil || t.story != s || t.source != elsewhere {
		t = &telling{story: s, source: elsewhere, phase: phasePlay, wake: make(chan struct{}, 1)}
	}
	t.release, t.shown, t.stands = is.Release, is.Step, is.Stands
	for i, m := range is.Marks {
		if i < len(t.pages) && t.pages[i].From == m.From {
			t.pages[i].StoryMark = m
			continue
		}
		t.pages = append(t.pages[:i], page{StoryMark: m})
	}
	t.pages = t.pages[:len(is.Marks)]
	for i := range t.pages {
		t.pages[i].waits = forNothing
		if is.Waits && i == t.last() {
			t.pages[i].waits = forReader
		}
	}
	isNew = p.now != t
	p.now = t
	return isNew
}

// find returns the story with an id.
func (p *Player) find(id string) (*Story, error) {
	all := p.all()
	ids := make([]string, len(all))
	for i, s := range all {
		if s.ID == id {
			return s, nil
		}
		ids[i] = s.ID
	}
	return nil, fmt.Errorf("there is no story %q; there are %s", id, strings.Join(ids, ", "))
}

// Begin begins a story on a cluster of its own, in one of its releases; "" is the first one. A story that plays ends. Turn may be called from now on: it
// takes effect once the story has come so far. A story can be resumed at a step, from 0. The steps before it happen again, as fast as they can. The Player
// makes the calls that they ask of the reader.
func (p *Player) Begin(ctx context.Context, id, release string, step int) error {
	s, err := p.find(id)
	if err != nil {
		return err
	}
	if step < 0 || step >= len(s.Steps) {
		return fmt.Errorf("the story %s has the steps 0 to %d, and no step %d", id, len(s.Steps)-1, step)
	}
	if s.Recording != "" {
		return fmt.Errorf("the story %s plays on the recording %s: open that too", id, s.Recording)
	}
	if release == "" {
		release = s.Releases[0]
	}
	if !slices.Contains(s.Releases, release) {
		return fmt.Errorf("the story %q plays in the releases %s, and not in %q", id, strings.Join(s.Releases, "; "), release)
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	p.stop()
	acting, end := context.WithCancel(context.Background())
	t := &telling{story: s, release: release, fold: trace.NewFold(), wake: make(chan struct{}, 1), end: end, ended: make(chan struct{}),
		target: step}
	p.show(t)
	do, source, none := "", "sim", ""
	change, err := json.Marshal(lab.Change{
		Source: &source, Context: &none, Group: &none, Resource: &s.Resource, Namespace: &none, Release: &release, Seed: &s.Seed,
		Objects: &s.Objects, Rate: &s.Rate, Do: &do, Transform: &s.Transform,
	})
	if err == nil {
		_, err = p.console.Do(ctx, "select", []lab.Argument{{JSON: change}})
	}
	if err == nil {
		err = p.handlers(ctx, s)
	}
	if err != nil {
		end()
		close(t.ended)
		p.drop(t)
		return err
	}
	p.guard(func() { t.gen = p.rec.Generation() })
	go p.act(acting, t)
	p.console.Lab.WatchTime(p.watch)
	return p.live(ctx)
}

// handlers registers the story's handlers.
func (p *Player) handlers(ctx context.Context, s *Story) error {
	for _, h := range s.Handlers {
		spec, err := json.Marshal(h)
		if err == nil {
			_, err = p.console.Do(ctx, "addListener", []lab.Argument{{JSON: spec}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// live moves the view to the newest moment.
func (p *Player) live(ctx context.Context) error {
	_, err := p.console.Do(ctx, "live", nil)
	return err
}

// Leave ends the story; the experiment continues.
func (p *Player) Leave() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.stop()
}

// stop ends the story, and waits for its goroutine. p.turn is held.
func (p *Player) stop() {
	var t *telling
	p.guard(func() { t = p.now })
	if t == nil {
		return
	}
	if t.end != nil {
		t.end()
		<-t.ended
	}
	p.drop(t)
}

// show makes a story the one that plays, and has the View tell it.
func (p *Player) show(t *telling) {
	p.guard(func() { p.now = t })
	p.console.View.Tell(p.tell)
}

// drop removes a story, and lets time pass again.
func (p *Player) drop(t *telling) {
	p.guard(func() {
		if p.now == t {
			p.now = nil
		}
	})
	p.console.Lab.WatchTime(nil)
	p.console.Lab.Hasten(1)
	p.console.View.Tell(nil)
}

// guard calls f with p.mu held.
func (p *Player) guard(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// effect is what is left to do after a decision, without p.mu: it calls the View or the Lab.
type effect func(ctx context.Context) error

// run has decide choose an effect with p.mu held, and then runs it.
func (p *Player) run(ctx context.Context, decide func(t *telling) (effect, error)) error {
	var do effect
	var err error
	p.guard(func() { do, err = decide(p.now) })
	if err != nil || do == nil {
		return err
	}
	return do(ctx)
}

// notify wakes the acting goroutine.
func (t *telling) notify() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// last returns the step that began last, -1 before the first.
func (t *telling) last() int { return len(t.pages) - 1 }

// running returns the step whose condition has not been met yet, nil if there is none.
func (t *telling) running() *page {
	if n := len(t.pages); n > 0 && t.pages[n-1].End == 0 {
		return &t.pages[n-1]
	}
	return nil
}

// fail ends the story's steps with a problem.
func (t *telling) fail(problem string) { t.phase, t.problem = phaseFail, problem }

// hurries reports that the story has not reached the step at which it resumes.
func (t *telling) hurries() bool { return t.last() < t.target }

// ErrNoStory is returned while no story plays.
var ErrNoStory = errors.New("no story plays; begin one with story(id)")

// Turn goes to the next step, or one step back if n is negative. It returns at once: going forward, the running step first comes to its end, as fast as it
// can. If the step waits for the reader, the Player makes the requested call.
func (p *Player) Turn(ctx context.Context, n int) error {
	return p.run(ctx, func(t *telling) (effect, error) {
		switch {
		case t == nil || t.source == elsewhere:
			return nil, ErrNoStory
		case t.source == onRecording && t.phase == phasePrepare:
			t.asked += n
			return nil, nil
		case t.source == onRecording && t.gen != p.rec.Generation():
			return func(context.Context) error {
				p.drop(t)
				return ErrNoStory
			}, nil
		case n < 0:
			return p.turnBack(t)
		case n > 0 && p.opensRide(t):
			return p.showRide(t), nil
		case n > 0 && t.source == onRecording:
			to := min(t.shown+1, len(t.story.Steps)-1)
			if to > t.last() {
				p.beginAt(t, to)
			}
			return p.goTo(t, to)
		case t.phase == phaseFail:
			return nil, errors.New(t.problem)
		case t.shown < t.last():
			return p.goTo(t, t.shown+1)
		}
		return p.ask(t), nil
	})
}

// turnBack decides how to go one step back. p.mu is held.
func (p *Player) turnBack(t *telling) (effect, error) {
	t.asked, t.skipping = 0, false
	t.notify()
	if len(t.pages) == 0 {
		return nil, nil
	}
	return p.goTo(t, max(t.shown-1, 0))
}

// showRide returns how to show the end of the current step, where its ride begins. p.mu is held.
func (p *Player) showRide(t *telling) effect {
	if t.source != onRecording {
		return p.catchUp
	}
	end := t.pages[t.shown].End
	return func(context.Context) error {
		p.console.View.PlayTo(end, end)
		return nil
	}
}

// ask notes that the user wants the running step to end and the next one to begin. p.mu is held.
func (p *Player) ask(t *telling) effect {
	t.notify()
	is := t.running()
	if is != nil && is.waits == forReader && !t.going {
		t.going = true
		return p.catchUp
	}
	// After the last step there is no other, but the last one comes to its end.
	open := len(t.story.Steps) - len(t.pages)
	if len(t.pages) == 0 || t.phase == phaseCall {
		open-- // the step that is about to begin
	}
	switch {
	case is != nil && t.asked > 0 && !t.skipping:
		t.skipping = true
	case t.asked < max(open, 1) && (open > 0 || is != nil):
		t.asked++
	}
	if is != nil {
		return p.catchUp
	}
	return nil
}

// catchUp moves the view to the newest moment, if it is not there.
func (p *Player) catchUp(ctx context.Context) error {
	if p.console.View.Describe().Mode == "live" {
		return nil
	}
	return p.live(ctx)
}

// opensRide uses a Turn for the ride of the step that ended last, unless one was used for it before. p.mu is held.
func (p *Player) opensRide(t *telling) bool {
	if t.shown != t.last() || t.last() < 0 {
		return false
	}
	is := &t.pages[t.last()]
	if is.skipsRide || p.ridden(t, t.last()) == "" {
		return false
	}
	is.skipsRide = true
	return true
}

// Ride notes that the page rides the current step's object, so that the next Turn goes past it. It does nothing if the step has no ride, or if the step was
// left.
func (p *Player) Ride() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil || t.source == elsewhere {
		return ErrNoStory
	}
	if t.shown >= 0 && t.shown <= t.last() && p.ridden(t, t.shown) != "" {
		t.pages[t.shown].skipsRide = true
	}
	return nil
}

// ridden returns the object that a step rides; "" before the step's end, or if it rides none. p.mu is held.
func (p *Player) ridden(t *telling, i int) string {
	is, step := &t.pages[i], &t.story.Steps[i]
	if step.Ride == nil || is.End == 0 || is.rides != "" {
		return is.rides
	}
	if head, _ := p.rec.Head(); head < is.End { // a follower may not have the log so far
		return ""
	}
	f := p.rec.FoldAt(is.End)
	s := f.State()
	if step.Ride.facts {
		view.SetFacts(f, s, f.At())
	}
	if v := step.Ride.eval(s, is.base); !v.missing {
		is.rides = v.s
	}
	return is.rides
}

// GoTo shows a step that has begun, from its beginning to its end, without acting again. The running step is shown as it runs.
func (p *Player) GoTo(ctx context.Context, step int) error {
	return p.run(ctx, func(t *telling) (effect, error) {
		if t == nil || t.source == elsewhere {
			return nil, ErrNoStory
		}
		return p.goTo(t, step)
	})
}

// goTo decides how to show a step. p.mu is held.
func (p *Player) goTo(t *telling, step int) (effect, error) {
	if step < 0 || step > t.last() {
		return nil, fmt.Errorf("step %d of the story has not begun", step+1)
	}
	t.shown = step
	from, end := t.pages[step].Begin, t.pages[step].End
	if end == 0 {
		return p.live, nil
	}
	if t.story.Steps[step].Fast { // do not wait through the minutes of a fast step again
		from = end
	}
	return func(context.Context) error {
		if p.console.Speaker != nil {
			p.console.Speaker.Moved()
		}
		p.console.View.PlayTo(from, end)
		return nil
	}, nil
}

// act carries out the steps, in a goroutine of its own, until ctx is done or the log is another one.
func (p *Player) act(ctx context.Context, t *telling) {
	defer close(t.ended)
	pace := 1.0
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil {
			m := p.choose(t)
			if m.leaves {
				p.drop(t)
				return
			}
			if m.pace != pace {
				pace = m.pace
				p.console.Lab.Hasten(pace)
			}
			if m.calls == nil {
				break
			}
			if err := m.calls(ctx); err != nil && ctx.Err() == nil {
				p.guard(func() { t.fail(err.Error()) })
				p.console.Lab.LookAgain()
			}
		}
	}
}

// move is what act does next.
type move struct {
	leaves bool // the log is another one
	pace   float64
	calls  effect // begins a step, or answers for the reader; nil for nothing
}

// choose chooses the next move.
func (p *Player) choose(t *telling) move {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := move{leaves: t.gen != p.rec.Generation(), pace: 1}
	if m.leaves {
		return m
	}
	enter := func(i int) {
		t.skipping, t.going, t.phase = false, false, phaseCall
		m.calls = func(ctx context.Context) error { return p.enter(ctx, t, i) }
	}
	turns := t.asked > 0 || t.hurries()
	switch is := t.running(); {
	case t.phase != phasePlay:
	case len(t.pages) == 0:
		enter(0)
	case is != nil && is.waits == forReader:
		if !t.going && !turns {
			break
		}
		if !t.going {
			t.asked = max(t.asked-1, 0)
		}
		t.going, t.phase = false, phaseCall
		m.calls = func(ctx context.Context) error { return p.answer(ctx, t) }
	case is != nil && (turns || t.story.Steps[t.last()].Fast):
		if m.pace = fast; t.skipping || t.hurries() {
			m.pace = skip
		}
	case is == nil && turns && t.last()+1 < len(t.story.Steps):
		t.asked = max(t.asked-1, 0)
		enter(t.last() + 1)
	default:
		t.asked = 0
	}
	return m
}

// enter begins a step. Time stands still, except for the step's calls.
func (p *Player) enter(ctx context.Context, t *telling, i int) error {
	if err := p.live(ctx); err != nil {
		return err
	}
	var is page
	p.guard(func() {
		p.follow(t)
		is.base, is.From = t.fold.State(), t.fold.Seq()
	})
	step := &t.story.Steps[i]
	if step.Question == nil { // otherwise the question comes first
		if err := p.do(ctx, t, i); err != nil {
			return err
		}
	}
	p.guard(func() {
		p.follow(t)
		is.Begin, is.began, is.acts = t.fold.Seq(), -1, p.console.Lab.Acts()
		if step.Reader != nil || step.Question != nil {
			is.waits = forReader
		}
		t.pages = append(t.pages, is)
		t.shown, t.phase = i, phasePlay
	})
	p.console.Lab.LookAgain()
	return nil
}

// do makes the calls of a step.
func (p *Player) do(ctx context.Context, t *telling, i int) error {
	for _, c := range t.story.Steps[i].Do {
		if err := p.callOf(ctx, t, i, c); err != nil {
			return err
		}
	}
	return nil
}

// callOf makes a call of a step. Its error names the step.
func (p *Player) callOf(ctx context.Context, t *telling, i int, c Call) error {
	if err := p.call(ctx, t, c); err != nil {
		return fmt.Errorf("step %d of the story %s: %s: %w", i+1, t.story.ID, c.Name, err)
	}
	return nil
}

// answer makes the call that the running step asks of its reader, or continues after its question.
func (p *Player) answer(ctx context.Context, t *telling) error {
	if err := p.live(ctx); err != nil {
		return err
	}
	i := t.last()
	asks := t.story.Steps[i].Reader
	var err error
	if asks == nil {
		err = p.do(ctx, t, i)
	} else {
		err = p.callOf(ctx, t, i, asks.Call)
	}
	if err != nil {
		return err
	}
	p.guard(func() {
		p.follow(t)
		is := &t.pages[i]
		if asks != nil {
			is.waits = forResult
		} else {
			is.Begin, is.waits, is.began = t.fold.Seq(), forNothing, -1
		}
		t.phase = phasePlay
	})
	p.console.Lab.LookAgain()
	return nil
}

// noteAnswer notes, and reports, whether the action that a step asks for has been done. p.mu is held.
func (t *telling) noteAnswer(asks *Request, is *page) bool {
	if !t.holds(asks.Done, is.base) {
		return false
	}
	is.waits, is.began = forNothing, -1
	t.notify()
	return true
}

// call makes a call of a step.
func (p *Player) call(ctx context.Context, t *telling, c Call) error {
	given := make([]lab.Argument, len(c.Args))
	for i, a := range c.Args {
		if i == c.Listener {
			var id int32
			var err error
			p.guard(func() {
				p.follow(t)
				id, err = listenerNamed(t.fold.State(), a.(string))
			})
			if err != nil {
				return err
			}
			a = id
		}
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		given[i].JSON = text
	}
	_, err := p.console.Do(ctx, c.Name, given)
	return err
}

func listenerNamed(s *trace.State, name string) (int32, error) {
	var there []string
	for i := range s.Listeners {
		if l := &s.Listeners[i]; !l.Removed {
			if l.Name == name {
				return l.ID, nil
			}
			there = append(there, l.Name)
		}
	}
	return 0, fmt.Errorf("there is no listener %q; there are %s", name, strings.Join(there, ", "))
}

// follow folds the log's new events. p.mu is held.
func (p *Player) follow(t *telling) (news bool) {
	head, _ := p.rec.Head()
	pos := t.fold.Seq()
	switch {
	case head == pos:
		return false
	case head < pos || pos+1 < p.rec.First():
		t.fold = p.rec.FoldAt(head)
	default:
		p.rec.Read(pos+1, head, func(e *trace.Event) bool {
			t.fold.Apply(e)
			return true
		})
	}
	return true
}

// holds reports whether a condition is true at the log's end. p.mu is held.
func (t *telling) holds(c *Condition, base *trace.State) bool {
	s := t.fold.State()
	if c.facts {
		view.SetFacts(t.fold, s, t.fold.At())
	}
	steps := mostElements
	v, err := c.try(s, base, &steps)
	if err != nil {
		t.fail(err.Error())
	}
	return !v.missing && v.b
}

// watch is the story's vclock.Watch: it notes what has happened, and reports whether time stands still.
func (p *Player) watch(now, next time.Duration) (stand bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil || t.gen == 0 {
		return false
	}
	if t.gen != p.rec.Generation() {
		t.notify()
		return false
	}
	stand = p.stand(t, now, next)
	t.stands = stand && t.phase != phaseCall
	return stand
}

// stand is watch for a story with the current log. p.mu is held.
func (p *Player) stand(t *telling, now, next time.Duration) bool {
	was := t.fold.Seq()
	news := p.follow(t)
	switch {
	case t.phase == phaseCall:
		return true
	case t.phase == phaseFail:
		return false
	case t.phase == phasePrepare:
		if !t.holds(t.story.Ready, nil) {
			return false
		}
		t.phase = phasePlay
		t.notify()
		return true
	case len(t.pages) == 0:
		return true // the first step is about to begin
	}
	step, is := &t.story.Steps[t.last()], &t.pages[t.last()]
	if is.waits == forReader && step.Reader == nil {
		return true
	}
	if is.waits != forNothing && !t.noteAnswer(step.Reader, is) {
		return p.standForReader(t, now)
	}
	fresh, after := is.began < 0, max(was, is.Begin)
	if fresh {
		is.began, after = now, max(is.heard, is.Begin)
	}
	if is.End == 0 && (news || fresh) && (step.ends() == nil || t.holds(step.ends(), is.base)) {
		is.End, is.endAt = p.first(t, step.ends(), is, after), now
		if step.Ride != nil {
			p.reachesRide(t)
		}
		t.notify()
	}
	switch {
	case is.End == 0:
		if now-is.began > step.Limit {
			t.fail(fmt.Sprintf("step %d of the story %s has not come to its end in %v: %s", t.last()+1, t.story.ID, step.Limit, step.Until))
			t.notify()
		}
		return false
	case (t.asked > 0 || t.hurries()) && t.last()+1 < len(t.story.Steps):
		return true // the next step is about to begin
	}
	return next > is.endAt+step.Rest
}

// standForReader is stand for a step whose reader has not done yet what it asks for. p.mu is held.
func (p *Player) standForReader(t *telling, now time.Duration) bool {
	step, is := &t.story.Steps[t.last()], &t.pages[t.last()]
	is.heard = t.fold.Seq()
	switch {
	case is.waits == forReader: // any action of the reader lets time pass
		return p.console.Lab.Acts() == is.acts
	case is.began < 0:
		is.began = now
	case now-is.began > step.Limit:
		t.fail(fmt.Sprintf("step %d of the story %s: %s has not led to %s in %v", t.last()+1, t.story.ID, step.Reader.Control(), step.Reader.Done, step.Limit))
		t.notify()
	}
	return false
}

// reachesRide decides, at the end of a step, what earlier calls of Turn mean for its ride: the first one opens it, and a second one goes past it. p.mu is
// held.
func (p *Player) reachesRide(t *telling) {
	is := &t.pages[t.last()]
	switch {
	case p.ridden(t, t.last()) == "":
		t.fail(fmt.Sprintf("step %d of the story %s: its ride %s names no object", t.last()+1, t.story.ID, t.story.Steps[t.last()].Ride))
	case t.skipping || t.hurries():
		is.skipsRide = true
	case t.asked > 0:
		t.asked--
		is.skipsRide = true
	}
}

// first returns the first event after `after` at which a condition held that holds now; `after` itself if it held there. p.mu is held.
func (p *Player) first(t *telling, c *Condition, is *page, after uint64) uint64 {
	head := t.fold.Seq()
	if c == nil || after >= head {
		return head
	}
	step := telling{fold: p.rec.FoldAt(after)}
	found := uint64(0)
	if step.holds(c, is.base) {
		return after
	}
	p.rec.Read(after+1, head, func(e *trace.Event) bool {
		step.fold.Apply(e)
		if step.holds(c, is.base) {
			found = e.Seq
		}
		return found == 0
	})
	return max(found, after)
}

var _ vclock.Watch = (*Player)(nil).watch
