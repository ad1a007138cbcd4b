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
	release string
	gen     uint64 // of the log; 0 until the story's own log has begun
	fold    *trace.Fold
	wake    chan struct{}
	end     context.CancelFunc
	ended   chan struct{} // closed when the acting goroutine has ended; nil for a followed story

	ready    bool
	entering bool // a step's calls are being made
	asked    int  // steps that the user has asked for
	going    bool // the user asked to go on while the step waits for the reader
	target   int  // the step up to which the story plays as fast as it can
	skipping bool // the user asked for the next step a second time
	shown    int  // the step on screen
	pages    []page
	problem  string
	stands   bool
	followed bool // another page plays it
	record   bool // it plays on a recording: see recording.go
}

// page is a step that has begun.
type page struct {
	view.StoryMark
	base  *trace.State  // the State at From
	began time.Duration // on the driver's clock
	waits bool          // it waits for the reader
	acts  int64         // the user's actions when it began to wait
	made  bool          // the Player made the requested call in the reader's place
	right int           // the right answer to its question, from 1; 0 while undecided
	heard uint64        // the event before the reader's answer; only later ones can end the step
	rides string        // the object to ride at its end; "" while unknown, or if there is none
	asked bool          // the user asked for the ride, or the page has opened it: the next Turn goes past it
	endAt time.Duration
}

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
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil || t.story != s || !t.followed {
		t = &telling{story: s, followed: true, ready: true, wake: make(chan struct{}, 1)}
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
		t.pages[i].waits = is.Waits && i == t.last()
	}
	if p.now != t {
		p.now = t
		p.mu.Unlock()
		p.console.View.Tell(p.tell)
		p.mu.Lock()
	}
	return nil
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
	p.mu.Lock()
	p.now = t
	p.mu.Unlock()
	p.console.View.Tell(p.tell)
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
	p.mu.Lock()
	t.gen = p.rec.Generation()
	p.mu.Unlock()
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
	p.mu.Lock()
	t := p.now
	p.mu.Unlock()
	if t == nil {
		return
	}
	if t.end != nil {
		t.end()
		<-t.ended
	}
	p.drop(t)
}

// drop removes a story, and lets time pass again.
func (p *Player) drop(t *telling) {
	p.mu.Lock()
	if p.now == t {
		p.now = nil
	}
	p.mu.Unlock()
	p.console.Lab.WatchTime(nil)
	p.console.Lab.Hasten(1)
	p.console.View.Tell(nil)
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

// hurries reports that the story has not reached the step at which it resumes.
func (t *telling) hurries() bool { return t.last() < t.target }

// ErrNoStory is returned while no story plays.
var ErrNoStory = errors.New("no story plays; begin one with story(id)")

// Turn goes to the next step, or one step back if n is negative. It returns at once: going forward, the running step first comes to its end, as fast as it
// can. If the step waits for the reader, the Player makes the requested call.
func (p *Player) Turn(ctx context.Context, n int) error {
	p.mu.Lock()
	t := p.now
	switch {
	case t == nil || t.followed:
		p.mu.Unlock()
		return ErrNoStory
	case t.record && !t.ready: // its recording is being read
		t.asked += n
		p.mu.Unlock()
		return nil
	case t.record && t.gen != p.rec.Generation():
		p.mu.Unlock()
		p.drop(t)
		return ErrNoStory
	case n > 0 && p.opensRide(t):
		end := t.pages[t.shown].End
		p.mu.Unlock()
		if t.record {
			p.console.View.PlayTo(end, end)
			return nil
		}
		if p.console.View.Describe().Mode != "live" {
			return p.live(ctx)
		}
		return nil
	case t.record && n > 0:
		to := min(t.shown+1, len(t.story.Steps)-1)
		if to > t.last() {
			p.beginAt(t, to)
		}
		p.mu.Unlock()
		return p.GoTo(ctx, to)
	case n < 0:
		t.asked, t.skipping = 0, false
		to := t.shown - 1
		if t.ready && len(t.pages) > 0 {
			to = max(to, 0)
		}
		p.mu.Unlock()
		t.notify()
		if to < 0 {
			return nil
		}
		return p.GoTo(ctx, to)
	case t.problem != "":
		p.mu.Unlock()
		return errors.New(t.problem)
	case t.shown < t.last():
		to := t.shown + 1
		p.mu.Unlock()
		return p.GoTo(ctx, to)
	case t.running() != nil && t.running().waits && !t.running().made && !t.going:
		t.going = true
		p.mu.Unlock()
		t.notify()
		if p.console.View.Describe().Mode != "live" {
			return p.live(ctx)
		}
		return nil
	}
	// After the last step there is no other, but the last one comes to its end.
	open := len(t.story.Steps) - len(t.pages)
	if len(t.pages) == 0 || t.entering {
		open-- // the step that is about to begin
	}
	early := t.running() != nil
	switch {
	case early && t.asked > 0 && !t.skipping:
		t.skipping = true
	case t.asked < max(open, 1) && (open > 0 || early):
		t.asked++
	}
	p.mu.Unlock()
	t.notify()
	if early && p.console.View.Describe().Mode != "live" {
		return p.live(ctx)
	}
	return nil
}

// opensRide uses a Turn for the ride of the step that ended last, unless one was used for it before. p.mu is held.
func (p *Player) opensRide(t *telling) bool {
	if t.shown != t.last() || t.last() < 0 {
		return false
	}
	is := &t.pages[t.last()]
	if is.asked || p.ridden(t, t.last()) == "" {
		return false
	}
	is.asked = true
	return true
}

// Ride notes that the page rides the current step's object, so that the next Turn goes past it. It does nothing if the step has no ride, or if the step was
// left.
func (p *Player) Ride() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now
	if t == nil || t.followed {
		return ErrNoStory
	}
	if t.shown >= 0 && t.shown <= t.last() && p.ridden(t, t.shown) != "" {
		t.pages[t.shown].asked = true
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
	p.mu.Lock()
	t := p.now
	if t == nil || t.followed {
		p.mu.Unlock()
		return ErrNoStory
	}
	if step < 0 || step > t.last() {
		p.mu.Unlock()
		return fmt.Errorf("step %d of the story has not begun", step+1)
	}
	t.shown = step
	is := t.pages[step]
	p.mu.Unlock()
	if is.End == 0 {
		return p.live(ctx)
	}
	if p.console.Speaker != nil {
		p.console.Speaker.Moved()
	}
	from := is.Begin
	if t.story.Steps[step].Fast { // do not wait through the minutes of a fast step again
		from = is.End
	}
	p.console.View.PlayTo(from, is.End)
	return nil
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
		for {
			p.mu.Lock()
			if t.gen != p.rec.Generation() {
				p.mu.Unlock()
				p.drop(t)
				return
			}
			enter, want, answer := -1, 1.0, false
			hurries := t.hurries()
			turns := t.asked > 0 || hurries
			switch is := t.running(); {
			case t.problem != "" || !t.ready:
			case len(t.pages) == 0:
				enter = 0
			case is != nil && is.waits && !is.made:
				if answer = t.going || turns; t.going {
					t.going = false
				} else if t.asked > 0 {
					t.asked--
				}
			case is != nil && (turns || t.story.Steps[t.last()].Fast):
				if want = fast; t.skipping || hurries {
					want = skip
				}
			case is == nil && turns && t.last()+1 < len(t.story.Steps):
				t.asked = max(t.asked-1, 0)
				enter = t.last() + 1
			default:
				t.asked = 0
			}
			if enter >= 0 {
				t.skipping, t.going = false, false
			}
			if enter >= 0 || answer {
				t.entering = true
			}
			p.mu.Unlock()
			if want != pace {
				pace = want
				p.console.Lab.Hasten(pace)
			}
			var err error
			switch {
			case answer:
				err = p.answer(ctx, t)
			case enter >= 0:
				err = p.enter(ctx, t, enter)
			}
			if err == nil && enter < 0 && !answer {
				break
			}
			if err != nil && ctx.Err() == nil {
				p.mu.Lock()
				t.entering, t.problem = false, err.Error()
				p.mu.Unlock()
				p.console.Lab.LookAgain()
			}
		}
	}
}

// enter begins a step. Time stands still, except for the step's calls.
func (p *Player) enter(ctx context.Context, t *telling, i int) error {
	if err := p.live(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	p.follow(t)
	base := t.fold.State()
	is := page{base: base}
	is.From = t.fold.Seq()
	p.mu.Unlock()
	step := &t.story.Steps[i]
	if step.Question == nil { // otherwise the question comes first
		if err := p.do(ctx, t, i); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.follow(t)
	is.Begin, is.began, is.waits, is.acts = t.fold.Seq(), -1, step.Reader != nil || step.Question != nil, p.console.Lab.Acts()
	t.pages = append(t.pages, is)
	t.shown, t.entering = i, false
	p.mu.Unlock()
	p.console.Lab.LookAgain()
	return nil
}

// do makes the calls of a step.
func (p *Player) do(ctx context.Context, t *telling, i int) error {
	for _, c := range t.story.Steps[i].Do {
		if err := p.call(ctx, t, c); err != nil {
			return fmt.Errorf("step %d of the story %s: %s: %w", i+1, t.story.ID, c.Name, err)
		}
	}
	return nil
}

// answer makes the call that the running step asks of its reader, or continues after its question.
func (p *Player) answer(ctx context.Context, t *telling) error {
	i := t.last()
	asks := t.story.Steps[i].Reader
	err := p.live(ctx)
	if asks == nil {
		if err == nil {
			err = p.do(ctx, t, i)
		}
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.follow(t)
		is := &t.pages[i]
		is.Begin, is.waits, is.began, t.entering = t.fold.Seq(), false, -1, false
		p.mu.Unlock()
		p.console.Lab.LookAgain()
		return nil
	}
	if err == nil {
		err = p.call(ctx, t, asks.Call)
	}
	if err != nil {
		return fmt.Errorf("step %d of the story %s: %s: %w", i+1, t.story.ID, asks.Call.Name, err)
	}
	p.mu.Lock()
	p.follow(t)
	t.pages[i].made, t.entering = true, false
	p.mu.Unlock()
	p.console.Lab.LookAgain()
	return err
}

// answered notes, and reports, whether the action that a step asks for has been done. p.mu is held.
func (t *telling) answered(asks *Request, is *page) bool {
	if !t.holds(asks.Done, is.base) {
		return false
	}
	is.waits, is.began = false, -1
	t.notify()
	return true
}

// call makes a call of a step.
func (p *Player) call(ctx context.Context, t *telling, c Call) error {
	given := make([]lab.Argument, len(c.Args))
	for i, a := range c.Args {
		if i == c.Listener {
			p.mu.Lock()
			p.follow(t)
			id, err := listenerNamed(t.fold.State(), a.(string))
			p.mu.Unlock()
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
		t.problem = err.Error()
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
	t.stands = stand && !t.entering
	return stand
}

// stand is watch for a story with the current log. p.mu is held.
func (p *Player) stand(t *telling, now, next time.Duration) bool {
	was := t.fold.Seq()
	news := p.follow(t)
	switch {
	case t.entering:
		return true
	case t.problem != "":
		return false
	case !t.ready:
		if t.ready = t.holds(t.story.Ready, nil); t.ready {
			t.notify()
		}
		return t.ready
	case len(t.pages) == 0:
		return true // the first step is about to begin
	}
	step, is := &t.story.Steps[t.last()], &t.pages[t.last()]
	if is.waits && step.Reader == nil {
		return true
	}
	if is.waits && !t.answered(step.Reader, is) {
		is.heard = t.fold.Seq()
		switch {
		case !is.made: // any action of the reader lets time pass
			return p.console.Lab.Acts() == is.acts
		case is.began < 0:
			is.began = now
		case now-is.began > step.Limit:
			t.problem = fmt.Sprintf("step %d of the story %s: %s has not led to %s in %v", t.last()+1, t.story.ID, step.Reader.Control(),
				step.Reader.Done, step.Limit)
			t.notify()
		}
		return false
	}
	fresh := is.began < 0
	if fresh {
		is.began = now
	}
	after := max(was, is.Begin)
	if fresh {
		after = max(is.heard, is.Begin)
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
			t.problem = fmt.Sprintf("step %d of the story %s has not come to its end in %v: %s", t.last()+1, t.story.ID, step.Limit, step.Until)
			t.notify()
		}
		return false
	case (t.asked > 0 || t.hurries()) && t.last()+1 < len(t.story.Steps):
		return true // the next step is about to begin
	}
	return next > is.endAt+step.Rest
}

// reachesRide decides, at the end of a step, what earlier calls of Turn mean for its ride: the first one opens it, and a second one goes past it. p.mu is
// held.
func (p *Player) reachesRide(t *telling) {
	is := &t.pages[t.last()]
	switch {
	case p.ridden(t, t.last()) == "":
		t.problem = fmt.Sprintf("step %d of the story %s: its ride %s names no object", t.last()+1, t.story.ID, t.story.Steps[t.last()].Ride)
	case t.skipping || t.hurries():
		is.asked = true
	case t.asked > 0:
		t.asked--
		is.asked = true
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
