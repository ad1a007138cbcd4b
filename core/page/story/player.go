package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

const (
	// usualWindow is how long the past is that the stage shows, for a step that names no other. A step with this window plays at the usual pace, and one with
	// another window so fast that its window passes in the same time.
	usualWindow = 8 * time.Second
	// skip is the pace of time in a step that the user ends early: as fast as events can happen.
	skip = 1e6
	// longestPause bounds, twice, how long nothing happens on the page while a step runs: then time runs faster until the next event.
	longestPause = 750 * time.Millisecond
)

// Player plays stories: it makes the calls of their steps, and lets time pass only as far as a step allows. Its methods are safe for concurrent use.
//
// The View and the Lab call the Player with their own locks held, so it may not call them with mu held. A method that decides something holds mu, and returns
// an effect to run without it; see run.
type Player struct {
	console *command.Console
	rec     *trace.Recorder
	stories func() []*Story

	turn sync.Mutex // serializes Begin, BeginOn, Follow and Leave

	ownStories []*Story // the user's own stories, beside stories; guarded by mu

	mu       sync.Mutex
	playback *playback // nil while no story plays
}

// playback is a story that plays. The Player's lock guards it.
type playback struct {
	story     *Story
	source    source
	release   string
	gen       uint64 // the log's generation; 0 until the story's own log has begun
	fold      *fold.Fold
	wake      chan struct{}
	cancel    context.CancelFunc
	actorDone chan struct{} // closed when the acting goroutine has ended; nil without such a goroutine

	phase      phase
	problem    string        // in phaseFail
	presses    int           // calls of Turn that have had no effect yet
	target     int           // the step to which the story plays as fast as it can
	hurriesEnd bool          // the user has asked for the end of the running step
	shownStep  int           // the step on screen
	pages      []page        // the steps that have begun
	timeStands bool          // time stands still until the user goes on
	pace       float64       // of time, as watch has chosen it last
	newsAt     time.Duration // when the last event came, on the driver's clock
	level      int           // of the reader, from 1; 0 is 1
}

// source is the origin of a story's log.
type source uint8

const (
	sourceCluster   source = iota // a cluster of its own
	sourceRecording               // a recording; see recording.go
	sourcePage                    // another page, which plays the story
)

// phase is how far a story has come.
type phase uint8

const (
	phasePrepare phase = iota // its ready condition is not true yet, or its recording is being read
	phasePlay
	phaseCall // the Player makes a step's calls
	phaseFail
)

// page is a step that has begun.
type page struct {
	view.StoryMark
	base        *view.State   // the State at From
	beganAt     time.Duration // on the driver's clock; -1 until time passes in it
	wait        readerWait
	actCount    int64         // the number of the user's actions when it began to wait
	rightAnswer int           // the number of the right answer to its question, from 1; 0 until the step decides it.
	answerSeq   uint64        // the event before the reader's answer; only later ones can end the step
	rideKey     string        // the key of the object to ride at its end; "" while unknown, or if there is none.
	skipsRide   bool          // the user has asked for the ride, or the page has opened it: the next Turn goes past it.
	hasPlayed   bool          // in a recording: the page has played it, or it has nothing to play
	endAt       time.Duration // on the driver's clock
	// letters are, of the first step, those of the story's objects by key; nil while unknown.
	letters map[string]string
}

// readerWait says what a step waits for.
type readerWait uint8

const (
	waitNothing readerWait = iota
	waitPress              // the call of Turn after which the Player makes the step's calls.
	waitReader             // the reader's action, or answer to the question
	waitResult             // the result of the call that the Player made in the reader's place
)

// NewPlayer returns a Player that plays stories with console's commands. rec is the log of console's Lab. To read the stories takes long in a browser: the
// Player asks for them when they are needed, and each time; a caller keeps what it has read.
func NewPlayer(console *command.Console, rec *trace.Recorder, stories func() []*Story) *Player {
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
	// Rail is where it happens.
	Rail []Stop `json:"rail"`
	// Levels are what its readers may know already; none if it is the same for all.
	Levels []Level `json:"levels,omitempty"`
	// Recording is the file on which it plays, an argument of storyBegin.
	Recording string `json:"recording,omitempty"`
}

// Level is what a reader may know already.
type Level struct {
	Words
	// New is the number of steps that are new to such a reader. The first and the last step, and questions, do not count.
	New int `json:"new"`
}

// Page is a step as the page shows it, beside its captions.
type Page struct {
	Name     Words    `json:"name"`
	Look     []string `json:"look"`
	Listener string   `json:"listener,omitempty"`
	Open     string   `json:"open,omitempty"`
	// WindowMillis is how long the past is that the stage shows; 0 for the usual.
	WindowMillis float64 `json:"windowMillis,omitempty"`
	// Informer is which of several informers has all its rows, from 0.
	Informer int `json:"informer,omitempty"`

	Function string `json:"function,omitempty"`
	// Control is the name of the control that the reader is asked to press: its command and plain arguments, such as "release pop 1".
	Control string `json:"control,omitempty"`
	How     *Words `json:"how,omitempty"`
	// Answers are the answers to its question; the keys 1 to 4 choose one.
	Answers []Words `json:"answers,omitempty"`
	// Level is the last level to which it is new; 0 is all.
	Level int `json:"level,omitempty"`
}

// Home is the advice that the reader takes home from a story.
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
	for _, s := range p.allStories() {
		e := Listed{s.ID, s.Group, s.Title, s.Lesson, s.Terms, s.Seconds(), s.Releases, nil, Home{s.Take.Words, s.Take.Go, s.Take.See}, s.rail(), nil, s.Recording}
		for i, words := range s.Levels {
			e.Levels = append(e.Levels, Level{words, s.countNew(i + 1)})
		}
		for i := range s.Steps {
			st := &s.Steps[i]
			page := Page{Name: st.Name, Look: st.Look, Listener: st.Listener, Open: st.Open, WindowMillis: fold.Millis(st.Window),
				Informer: st.Informer, Function: st.Function, Level: st.Level}
			if st.Reader != nil {
				page.Control, page.How = st.Reader.Control(), &st.Reader.Place
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

// List returns the Library, for command.Teller.
func (p *Player) List() any { return p.Library() }

// Follow shows the story that another page with the same log plays. state is the story in that page's frames; null ends it.
func (p *Player) Follow(state json.RawMessage) error {
	var shown *view.StoryState
	if len(state) > 0 {
		if err := json.Unmarshal(state, &shown); err != nil {
			return fmt.Errorf("the story of the other page cannot be read: %w", err)
		}
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if shown == nil {
		p.stop()
		return nil
	}
	s, err := p.find(shown.ID)
	if err != nil {
		p.stop()
		return err
	}
	if len(shown.Marks) > len(s.Steps) || shown.Step < 0 || shown.Step > max(len(shown.Marks)-1, 0) {
		return fmt.Errorf("the other page shows %d steps of the story %s, which has %d", len(shown.Marks), shown.ID, len(s.Steps))
	}
	if p.copyMarks(s, shown) {
		p.console.View.Tell(p.tell)
	}
	return nil
}

// copyMarks copies another page's position in a story, and reports whether the story is new to the View.
func (p *Player) copyMarks(s *Story, shown *view.StoryState) (isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil || t.story != s || t.source != sourcePage {
		t = &playback{story: s, source: sourcePage, phase: phasePlay, wake: make(chan struct{}, 1)}
	}
	t.release, t.shownStep, t.timeStands, t.pace, t.level = shown.Release, shown.Step, shown.Stands, shown.Pace, shown.Level
	for i, m := range shown.Marks {
		if i < len(t.pages) && t.pages[i].From == m.From {
			t.pages[i].StoryMark = m
			continue
		}
		t.pages = append(t.pages[:i], page{StoryMark: m})
	}
	t.pages = t.pages[:len(shown.Marks)]
	for i := range t.pages {
		t.pages[i].wait = waitNothing
		switch {
		case i != t.lastStep():
		case shown.Waits:
			t.pages[i].wait = waitReader
		case shown.AwaitsPress:
			t.pages[i].wait = waitPress
		}
	}
	isNew = p.playback != t
	p.playback = t
	return isNew
}

// find returns the story with an id.
func (p *Player) find(id string) (*Story, error) {
	all := p.allStories()
	ids := make([]string, len(all))
	for i, s := range all {
		if s.ID == id {
			return s, nil
		}
		ids[i] = s.ID
	}
	return nil, fmt.Errorf("there is no story %q; there are %s", id, strings.Join(ids, ", "))
}

// Begin ends the story that plays, and begins one on a cluster of its own, in one of its releases; "" is the first one. step is the step, from 0, at which the
// story resumes. The Player plays the steps before it as fast as it can, and makes the calls that they ask of the reader. Turn may be called at once; it takes
// effect when the story has begun.
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
	t := &playback{story: s, release: release, fold: fold.NewFold(), wake: make(chan struct{}, 1), cancel: end, actorDone: make(chan struct{}),
		target: step}
	p.show(t)
	acts, source, none := "", "sim", ""
	change, err := json.Marshal(selection.Change{
		Source: &source, Context: &none, Group: &none, Resource: &s.Resource, Namespace: &none, Release: &release, Seed: &s.Seed,
		Objects: &s.Objects, Rate: &s.Rate, Do: &acts, Transform: &s.Transform,
		Selector: &s.Selector,
	})
	if err == nil {
		_, err = p.console.Do(ctx, "select", []arg.Value{{JSON: change}})
	}
	if err == nil {
		err = p.addHandlers(ctx, s)
	}
	if err != nil {
		end()
		close(t.actorDone)
		p.drop(t)
		return err
	}
	p.guard(func() { t.gen = p.rec.Generation() })
	go p.act(acting, t)
	p.console.Lab.Driver().Watch(p.watch)
	return p.goLive(ctx)
}

// addHandlers registers the story's handlers.
func (p *Player) addHandlers(ctx context.Context, s *Story) error {
	for _, h := range s.Handlers {
		spec, err := json.Marshal(h)
		if err == nil {
			_, err = p.console.Do(ctx, "addListener", []arg.Value{{JSON: spec}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// goLive moves the view to the newest moment.
func (p *Player) goLive(ctx context.Context) error {
	_, err := p.console.Do(ctx, "live", nil)
	return err
}

// Leave ends the story. Its experiment continues.
func (p *Player) Leave() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.stop()
}

// stop ends the story, and waits for its goroutine. p.turn is held.
func (p *Player) stop() {
	var t *playback
	p.guard(func() { t = p.playback })
	if t == nil {
		return
	}
	if t.cancel != nil {
		t.cancel()
		<-t.actorDone
	}
	p.drop(t)
}

// show makes t the story that plays, and has the View tell it.
func (p *Player) show(t *playback) {
	p.guard(func() { p.playback = t })
	p.console.View.Tell(p.tell)
}

// drop removes a story, and lets time pass again.
func (p *Player) drop(t *playback) {
	p.guard(func() {
		if p.playback == t {
			p.playback = nil
		}
	})
	p.console.Lab.Driver().Watch(nil)
	p.console.View.Tell(nil)
}

// guard calls f with p.mu held.
func (p *Player) guard(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// effect calls the View or the Lab after a decision. p.mu must not be held.
type effect func(ctx context.Context) error

// run calls decide with p.mu held, and then, without p.mu, the effect that it returned.
func (p *Player) run(ctx context.Context, decide func(t *playback) (effect, error)) error {
	var made effect
	var err error
	p.guard(func() { made, err = decide(p.playback) })
	if err != nil || made == nil {
		return err
	}
	return made(ctx)
}

// notify wakes the acting goroutine.
func (t *playback) notify() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// lastStep returns the step that began last, -1 before the first.
func (t *playback) lastStep() int { return len(t.pages) - 1 }

// runningPage returns the step whose condition has not been met yet, nil if there is none.
func (t *playback) runningPage() *page {
	if n := len(t.pages); n > 0 && t.pages[n-1].End == 0 {
		return &t.pages[n-1]
	}
	return nil
}

// fail ends the story's steps with a problem.
func (t *playback) fail(problem string) { t.phase, t.problem = phaseFail, problem }

// hurries reports whether the story has not reached the step at which it resumes, or the one after those that its reader knows.
func (t *playback) hurries() bool { return t.lastStep() < t.target }

// next returns the step after a step that the reader does not know; the number of steps if there is none.
func (t *playback) next(step int) int {
	for step++; step < len(t.story.Steps) && !t.story.isNew(step, t.level); step++ {
	}
	return step
}

// previous returns the step before a step that the reader does not know; the first step has none.
func (t *playback) previous(step int) int {
	for step--; step > 0 && !t.story.isNew(step, t.level); step-- {
	}
	return max(step, 0)
}

// ErrNoStory is returned while no story plays.
var ErrNoStory = errors.New("no story plays; begin one with story(id)")

// Turn goes on, or one step back if n is negative. It returns at once. Where the step's caption stands, Turn begins what the caption speaks of. A step that
// runs plays as fast as it can to its end, and never goes on to the next one. There its last sentence stands; the next call opens its ride, or goes to the
// next step. If the step waits for the reader, the Player makes the requested call.
func (p *Player) Turn(ctx context.Context, n int) error {
	if n > 0 && p.console.View.EndPlay() {
		return nil // an earlier step was shown again
	}
	return p.run(ctx, func(t *playback) (effect, error) {
		switch {
		case t == nil || t.source == sourcePage:
			return nil, ErrNoStory
		case t.source == sourceRecording && t.phase == phasePrepare:
			t.presses = max(t.presses+n, 0)
			return nil, nil
		case t.source == sourceRecording && t.gen != p.rec.Generation():
			return func(context.Context) error {
				p.drop(t)
				return ErrNoStory
			}, nil
		case n < 0:
			return p.turnBackLocked(t)
		case n > 0 && p.opensRideLocked(t):
			return p.showRideLocked(t), nil
		case n > 0 && t.source == sourceRecording:
			return p.turnRecordingLocked(t)
		case t.phase == phaseFail:
			return nil, errors.New(t.problem)
		case t.next(t.shownStep) <= t.lastStep():
			return p.goToLocked(t, t.next(t.shownStep))
		}
		return p.askLocked(t), nil
	})
}

// turnRecordingLocked returns the effect of Turn in a story on a recording.
func (p *Player) turnRecordingLocked(t *playback) (effect, error) {
	if pg := &t.pages[t.shownStep]; !pg.hasPlayed {
		return p.goToLocked(t, t.shownStep)
	}
	to := min(t.shownStep+1, len(t.story.Steps)-1)
	if to <= t.lastStep() {
		return p.goToLocked(t, to)
	}
	p.beginAtLocked(t, to)
	return p.standAtLocked(t, to), nil
}

// standAtLocked returns the effect that shows the beginning of a step on a recording.
func (p *Player) standAtLocked(t *playback, step int) effect {
	t.shownStep = step
	begin := t.pages[step].Begin
	return func(context.Context) error {
		p.console.View.Seek(begin)
		return nil
	}
}

// turnBackLocked returns the effect that goes one step back.
func (p *Player) turnBackLocked(t *playback) (effect, error) {
	t.presses, t.hurriesEnd = 0, false
	t.notify()
	if len(t.pages) == 0 {
		return nil, nil
	}
	return p.goToLocked(t, t.previous(t.shownStep))
}

// showRideLocked returns the effect that shows the end of the current step, where its ride begins.
func (p *Player) showRideLocked(t *playback) effect {
	if t.source != sourceRecording {
		return p.catchUp
	}
	end := t.pages[t.shownStep].End
	return func(context.Context) error {
		p.console.View.PlayTo(end, end, 1)
		return nil
	}
}

// askLocked notes that the user goes on.
func (p *Player) askLocked(t *playback) effect {
	t.notify()
	pg := t.runningPage()
	if pg != nil && !t.story.isNew(t.lastStep(), t.level) { // it plays unseen, and the user asks for what comes next
		t.target = max(t.target, t.next(t.lastStep()))
		return nil
	}
	t.presses = min(t.presses+1, mostPresses)
	if pg != nil {
		return p.catchUp
	}
	return nil
}

// mostPresses bounds the calls of Turn that wait, as while a story begins.
const mostPresses = 3 * mostSteps

// catchUp moves the view to the newest moment, if it is elsewhere.
func (p *Player) catchUp(ctx context.Context) error {
	if p.console.View.Describe().Mode == "live" {
		return nil
	}
	return p.goLive(ctx)
}

// opensRideLocked reports whether a Turn opens the ride of the step that ended last, instead of going on. Only the first Turn does.
func (p *Player) opensRideLocked(t *playback) bool {
	if t.shownStep != t.lastStep() || t.lastStep() < 0 {
		return false
	}
	pg := &t.pages[t.lastStep()]
	if pg.skipsRide || p.rideKeyLocked(t, t.lastStep()) == "" {
		return false
	}
	pg.skipsRide = true
	return true
}

// Ride notes that the page rides the current step's object, so that the next Turn goes on. It does nothing if the step has no ride.
func (p *Player) Ride() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil || t.source == sourcePage {
		return ErrNoStory
	}
	if t.shownStep >= 0 && t.shownStep <= t.lastStep() && p.rideKeyLocked(t, t.shownStep) != "" {
		t.pages[t.shownStep].skipsRide = true
	}
	return nil
}

// rideKeyLocked returns the key of the object that a step rides; "" before the step's end, or if it has no ride.
func (p *Player) rideKeyLocked(t *playback, i int) string {
	pg, step := &t.pages[i], &t.story.Steps[i]
	if step.Ride == nil || pg.End == 0 || pg.rideKey != "" {
		return pg.rideKey
	}
	if head, _ := p.rec.Head(); head < pg.End { // a page that follows another one may not have the event yet
		return ""
	}
	f := p.rec.FoldAt(pg.End)
	s := view.StateOf(f)
	if step.Ride.usesFacts {
		s.SetFacts(f, f.At())
	}
	if v := step.Ride.eval(s, pg.base); !v.isMissing {
		pg.rideKey = v.s
	}
	return pg.rideKey
}

// SetLevel says what the reader knows already: of the story's levels, from 1. From now on the steps that such a reader knows play as fast as they can, and the
// view waits for the next one that is new.
func (p *Player) SetLevel(level int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil || t.source == sourcePage {
		return ErrNoStory
	}
	if level < 1 || level > max(len(t.story.Levels), 1) {
		return fmt.Errorf("the story %s has the levels 1 to %d, and no level %d", t.story.ID, max(len(t.story.Levels), 1), level)
	}
	t.level = level
	return nil
}

// GoTo shows a step that has begun: it plays the log from the step's beginning to its end, and makes no calls again. It shows the running step live.
func (p *Player) GoTo(ctx context.Context, step int) error {
	return p.run(ctx, func(t *playback) (effect, error) {
		if t == nil || t.source == sourcePage {
			return nil, ErrNoStory
		}
		return p.goToLocked(t, step)
	})
}

// goToLocked returns the effect that shows a step.
func (p *Player) goToLocked(t *playback, step int) (effect, error) {
	if step < 0 || step > t.lastStep() {
		return nil, fmt.Errorf("step %d of the story has not begun", step+1)
	}
	t.shownStep = step
	pg, st := &t.pages[step], &t.story.Steps[step]
	pg.hasPlayed = true
	from, end, pace := pg.Begin, pg.End, st.pace()
	if end == 0 {
		return p.goLive, nil
	}
	if t.source != sourceRecording { // of a long step the last window is played
		from = max(from, p.rec.SeqAt(p.rec.FoldAt(end).At()-st.window()))
	}
	return func(context.Context) error {
		if p.console.Speaker != nil {
			p.console.Speaker.Moved()
		}
		p.console.View.PlayTo(from, end, pace)
		return nil
	}, nil
}

// act makes the moves of the steps until ctx is done or the log is another one. It is the acting goroutine.
func (p *Player) act(ctx context.Context, t *playback) {
	defer close(t.actorDone)
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil {
			calls, leaves := p.choose(t)
			if leaves {
				p.drop(t)
				return
			}
			if calls == nil {
				break
			}
			if err := calls(ctx); err != nil && ctx.Err() == nil {
				p.guard(func() { t.fail(err.Error()) })
			}
			p.console.Lab.Driver().Look()
		}
	}
}

// choose chooses what act does next: it begins a step, makes its calls, or hurries it. calls is nil if act has to wait. leaves reports that the log is another
// one.
func (p *Player) choose(t *playback) (calls effect, leaves bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.gen != p.rec.Generation() {
		return nil, true
	}
	switch pg := t.runningPage(); {
	case t.phase != phasePlay:
	case len(t.pages) == 0:
		t.phase = phaseCall
		calls = func(ctx context.Context) error { return p.enter(ctx, t, 0) }
	case pg != nil && (pg.wait == waitReader || pg.wait == waitPress):
		if t.goesOn() {
			t.phase = phaseCall
			calls = func(ctx context.Context) error { return p.answer(ctx, t) }
		}
	case pg != nil:
		if t.presses > 0 {
			t.presses, t.hurriesEnd = 0, true
			calls = func(context.Context) error { return nil }
		}
	case t.lastStep()+1 == len(t.story.Steps):
		t.presses = 0
	case t.goesOn():
		i := t.lastStep() + 1
		if to := t.next(t.lastStep()); to > i {
			t.target = max(t.target, to)
		}
		t.hurriesEnd, t.phase = false, phaseCall
		calls = func(ctx context.Context) error { return p.enter(ctx, t, i) }
	}
	return calls, false
}

// goesOn reports whether the story leaves the moment at which it stands, and uses a call of Turn for that.
func (t *playback) goesOn() bool {
	if t.hurries() {
		return true
	}
	if t.presses == 0 {
		return false
	}
	t.presses--
	return true
}

// enter begins a step. Time stands still, and the step's calls wait for Turn: only those before a request prepare it.
func (p *Player) enter(ctx context.Context, t *playback, i int) error {
	isNew, err := p.showHead(ctx, t, i)
	if err != nil {
		return err
	}
	var pg page
	p.guard(func() {
		p.followLocked(t)
		pg.base, pg.From = view.StateOf(t.fold), t.fold.Seq()
	})
	step := &t.story.Steps[i]
	switch {
	case step.Question != nil: // its answer comes before the calls
		pg.wait = waitReader
	case step.Reader != nil:
		pg.wait = waitReader
		if err := p.makeCalls(ctx, t, i); err != nil {
			return err
		}
	case step.moves():
		pg.wait = waitPress
	}
	p.guard(func() {
		p.followLocked(t)
		pg.Begin, pg.beganAt, pg.actCount = t.fold.Seq(), -1, p.console.Lab.Acts()
		t.pages = append(t.pages, pg)
		if t.phase = phasePlay; isNew {
			t.shownStep = i
		}
	})
	return nil
}

// showHead moves the view to the newest moment, for a step that is new to the reader. Otherwise the view stays where it is.
func (p *Player) showHead(ctx context.Context, t *playback, i int) (isNew bool, err error) {
	p.guard(func() { isNew = t.story.isNew(i, t.level) })
	if isNew {
		return true, p.goLive(ctx)
	}
	p.console.Lab.Driver().Go()
	p.console.View.Pause()
	return false, nil
}

// makeCalls makes the calls of a step.
func (p *Player) makeCalls(ctx context.Context, t *playback, i int) error {
	for _, c := range t.story.Steps[i].Calls {
		if err := p.makeStepCall(ctx, t, i, c); err != nil {
			return err
		}
	}
	return nil
}

// makeStepCall makes a call of a step. Its error names the step.
func (p *Player) makeStepCall(ctx context.Context, t *playback, i int, c Call) error {
	if err := p.makeCall(ctx, t, c); err != nil {
		return fmt.Errorf("step %d of the story %s: %s: %w", i+1, t.story.ID, c.Name, err)
	}
	return nil
}

// answer makes the calls that a step makes after its caption or its question, or the one that it asks of its reader.
func (p *Player) answer(ctx context.Context, t *playback) error {
	i := t.lastStep()
	if _, err := p.showHead(ctx, t, i); err != nil {
		return err
	}
	asks := t.story.Steps[i].Reader
	var err error
	if asks == nil {
		err = p.makeCalls(ctx, t, i)
	} else {
		err = p.makeStepCall(ctx, t, i, asks.Call)
	}
	if err != nil {
		return err
	}
	p.guard(func() {
		p.followLocked(t)
		pg := &t.pages[i]
		if asks != nil {
			pg.wait = waitResult
		} else {
			pg.Begin, pg.wait, pg.beganAt = t.fold.Seq(), waitNothing, -1
		}
		t.phase = phasePlay
	})
	return nil
}

// noteAnswerLocked reports whether the reader has done what a step asks for. If so, the step waits no longer.
func (t *playback) noteAnswerLocked(asks *Request, pg *page) bool {
	if !t.holdsLocked(asks.Condition, pg.base) {
		return false
	}
	pg.wait, pg.beganAt = waitNothing, -1
	t.notify()
	return true
}

// makeCall makes a call. A listener's name among its arguments becomes the listener's id.
func (p *Player) makeCall(ctx context.Context, t *playback, c Call) error {
	given := make([]arg.Value, len(c.Args))
	for i, a := range c.Args {
		if i == c.Listener {
			var id int32
			var err error
			p.guard(func() {
				p.followLocked(t)
				id, err = findListener(view.StateOf(t.fold), a.(string))
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

func findListener(s *view.State, name string) (int32, error) {
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

// followLocked folds the log's new events.
func (p *Player) followLocked(t *playback) (news bool) {
	head, _ := p.rec.Head()
	pos := t.fold.Seq()
	switch {
	case head == pos:
		return false
	case head < pos || pos+1 < p.rec.First():
		t.fold = p.rec.FoldAt(head)
	default:
		p.rec.Read(pos+1, head, func(e *event.Entry) bool {
			t.fold.Apply(e)
			return true
		})
	}
	return true
}

// holdsLocked reports whether a condition is true at the fold's position. If the condition takes too many steps, the story fails.
func (t *playback) holdsLocked(c *Condition, base *view.State) bool {
	s := view.StateOf(t.fold)
	if c.usesFacts {
		s.SetFacts(t.fold, t.fold.At())
	}
	steps := mostElements
	v, err := c.try(s, base, &steps)
	if err != nil {
		t.fail(err.Error())
	}
	return !v.isMissing && v.b
}

// watch implements vclock.Watch: it follows the log's new events, and says how fast time runs.
func (p *Player) watch(now, next time.Duration) (pace float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.playback
	if t == nil || t.gen == 0 {
		return 1
	}
	if t.gen != p.rec.Generation() {
		t.notify()
		return 1
	}
	before := t.fold.Seq()
	news := p.followLocked(t)
	if news {
		t.newsAt = now
	}
	stand := p.standLocked(t, now, next, before, news)
	t.timeStands = stand && t.phase != phaseCall
	if t.pace = 0; !stand {
		t.pace = t.choosePace(now, next)
	}
	return t.pace
}

// choosePace returns how fast time runs.
func (t *playback) choosePace(now, next time.Duration) float64 {
	pg := t.runningPage()
	switch {
	case pg != nil && (t.hurriesEnd || t.hurries()):
		return skip
	case len(t.pages) == 0 || t.phase != phasePlay:
		return 1
	}
	pace := t.story.Steps[t.lastStep()].pace()
	pause := time.Duration(float64(longestPause) * pace)
	switch {
	case pg == nil || next == math.MaxInt64:
	case now-t.newsAt >= pause:
		return skip
	case next-t.newsAt > pause:
		return max(pace, float64(next-now)/float64(longestPause))
	}
	return pace
}

// standLocked reports whether time stands still. The log had the events up to was, and has news since.
func (p *Player) standLocked(t *playback, now, next time.Duration, before uint64, news bool) bool {
	switch {
	case t.phase == phaseCall:
		return true
	case t.phase == phaseFail:
		return false
	case t.phase == phasePrepare:
		if !t.holdsLocked(t.story.Ready, nil) {
			return false
		}
		t.phase = phasePlay
		t.notify()
		return true
	case len(t.pages) == 0:
		return true // the first step is about to begin
	}
	step, pg := &t.story.Steps[t.lastStep()], &t.pages[t.lastStep()]
	if pg.wait == waitPress || pg.wait == waitReader && step.Reader == nil {
		return true
	}
	if pg.wait != waitNothing && !t.noteAnswerLocked(step.Reader, pg) {
		return p.standForReaderLocked(t, now)
	}
	fresh, after := pg.beganAt < 0, max(before, pg.Begin)
	if fresh {
		pg.beganAt, after = now, max(pg.answerSeq, pg.Begin)
		t.newsAt = now
	}
	if pg.End == 0 && (news || fresh) && (step.endCondition() == nil || t.holdsLocked(step.endCondition(), pg.base)) {
		pg.End, pg.endAt = p.findFirstLocked(t, step.endCondition(), pg, after), now
		p.reachEndLocked(t)
		t.notify()
	}
	switch {
	case pg.End == 0:
		if now-pg.beganAt > step.Limit {
			t.fail(fmt.Sprintf("step %d of the story %s has not come to its end in %v: %s", t.lastStep()+1, t.story.ID, step.Limit, step.Goal))
			t.notify()
		}
		return false
	case (t.presses > 0 || t.hurries()) && t.lastStep()+1 < len(t.story.Steps):
		return true // the next step is about to begin
	}
	return next > pg.endAt+time.Duration(float64(step.Rest)*step.pace())
}

// standForReaderLocked does the work of stand for a step whose reader has not acted yet.
func (p *Player) standForReaderLocked(t *playback, now time.Duration) bool {
	step, pg := &t.story.Steps[t.lastStep()], &t.pages[t.lastStep()]
	pg.answerSeq = t.fold.Seq()
	switch {
	case pg.wait == waitReader: // any action of the reader lets time pass
		return p.console.Lab.Acts() == pg.actCount
	case pg.beganAt < 0:
		pg.beganAt = now
	case now-pg.beganAt > step.Limit:
		t.fail(fmt.Sprintf("step %d of the story %s: %s has not led to %s in %v",
			t.lastStep()+1, t.story.ID, step.Reader.Control(), step.Reader.Condition, step.Limit))
		t.notify()
	}
	return false
}

// reachEndLocked checks the ride of a step that ends, and skips it if the step plays unseen.
func (p *Player) reachEndLocked(t *playback) {
	pg, step := &t.pages[t.lastStep()], &t.story.Steps[t.lastStep()]
	switch {
	case step.Ride == nil:
	case p.rideKeyLocked(t, t.lastStep()) == "":
		t.fail(fmt.Sprintf("step %d of the story %s: its ride %s names no object", t.lastStep()+1, t.story.ID, step.Ride))
	case t.hurries():
		pg.skipsRide = true
	}
}

// findFirstLocked returns the first event after `after` at which a condition held that holds at the log's end; `after` itself if it held there.
func (p *Player) findFirstLocked(t *playback, c *Condition, pg *page, after uint64) uint64 {
	head := t.fold.Seq()
	if c == nil || after >= head {
		return head
	}
	step := playback{fold: p.rec.FoldAt(after)}
	found := uint64(0)
	if step.holdsLocked(c, pg.base) {
		return after
	}
	p.rec.Read(after+1, head, func(e *event.Entry) bool {
		step.fold.Apply(e)
		if step.holdsLocked(c, pg.base) {
			found = e.Seq
		}
		return found == 0
	})
	return max(found, after)
}

var _ vclock.Watch = (*Player)(nil).watch
