package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"informerscope/core/selection"
	"informerscope/core/trace"
	"informerscope/core/vclock"
)

// epoch is when every simulated cluster begins: the times in its objects must not differ between replays of a seed.
var epoch = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

const (
	// maxSteps and maxStory bound the actions in a link: their number, and their length in bytes.
	maxSteps = 400
	maxStory = 16 << 10
	// farthest is how late in a story an experiment may begin, and how long after that a moment is searched.
	farthest = 6 * time.Hour
)

// step is an action of the user on an experiment on the simulated cluster, or on that cluster.
type step struct {
	at   time.Duration // since the cluster began
	seq  uint64        // the log's head then
	verb string
	args []string
}

func newStep(verb string, args ...any) step {
	s := step{verb: verb}
	for _, a := range args {
		s.args = append(s.args, fmt.Sprint(a))
	}
	// Trailing arguments that were omitted stay omitted.
	for n := len(s.args); n > 0 && (s.args[n-1] == "" || s.args[n-1] == "0"); n-- {
		s.args = s.args[:n-1]
	}
	return s
}

// arg returns an argument, "" if it was omitted.
func (s step) arg(i int) string {
	if i < len(s.args) {
		return s.args[i]
	}
	return ""
}

func (s step) int(i int) int {
	n, _ := strconv.Atoi(s.arg(i)) // readStory has checked it
	return n
}

func (s step) float(i int) float64 {
	f, _ := strconv.ParseFloat(s.arg(i), 64)
	return f
}

// watched returns the selection of an earlier experiment, as a change.
func (s step) watched() selection.Change {
	release, group, version, resource, kind, namespace, transform := s.arg(0), s.arg(1), s.arg(2), s.arg(3), s.arg(4), s.arg(5), s.arg(6)
	return selection.Change{
		Release: &release, Group: &group, Version: &version, Resource: &resource, Kind: &kind, Namespace: &namespace, Transform: &transform,
	}
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/"

// writeStory writes steps as in a link: "12345:fault:cut,13000:burst:100". A byte that is not plain becomes ~ and two hex digits.
func writeStory(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d:%s", s.at/vclock.Precision, s.verb)
		for _, a := range s.args {
			b.WriteByte(':')
			for j := range len(a) {
				if strings.IndexByte(plain, a[j]) >= 0 {
					b.WriteByte(a[j])
				} else {
					fmt.Fprintf(&b, "~%02x", a[j])
				}
			}
		}
	}
	return b.String()
}

// readStory reads what writeStory wrote; its error describes what it does not understand.
func readStory(text string) (steps []step, err error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxStory {
		return nil, fmt.Errorf("the actions are longer than %d characters", maxStory)
	}
	for word := range strings.SplitSeq(text, ",") {
		s, err := readStep(word)
		if err != nil {
			return nil, err
		}
		if s.verb == "watch" {
			if _, err := s.watched().Apply(trace.Selection{Source: "sim"}); err != nil {
				return nil, err
			}
		}
		if n := len(steps); n > 0 && steps[n-1].at > s.at {
			return nil, fmt.Errorf("%q is earlier than the action before it", word[:min(len(word), 80)])
		}
		if steps = append(steps, s); len(steps) > maxSteps {
			return nil, fmt.Errorf("there are more than %d actions", maxSteps)
		}
	}
	return steps, nil
}

// readStep reads one step of a story, without its order among the others.
func readStep(word string) (step, error) {
	shown := word[:min(len(word), 80)]
	bad := fmt.Errorf("%q is not an action; an action looks like 12345:fault:cut", shown)
	parts := strings.Split(word, ":")
	ms, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || ms < 0 || ms > 2*farthest.Milliseconds() || len(parts) < 2 {
		return step{}, bad
	}
	s := step{at: time.Duration(ms) * vclock.Precision, verb: parts[1]}
	verb := verbNamed(s.verb)
	if verb == nil {
		return step{}, bad
	}
	if n := len(parts) - 2; n > len(verb.Args) {
		return step{}, fmt.Errorf("%q: %d arguments are too many for %s", shown, n, s.verb)
	}
	for i, p := range parts[2:] {
		a, ok := unescape(p)
		if !ok {
			return step{}, fmt.Errorf("%q: in %q a ~ is not followed by two hex digits", shown, p)
		}
		if a != "" && verb.Args[i].Type != Text {
			// A link has never had signs.
			if strings.ContainsAny(a, "+-") && verb.Args[i].Type == Whole {
				return step{}, badArgument(fmt.Sprintf("%q", shown), verb.Args[i].Name, verb.Args[i], strconv.Quote(a))
			}
			if err := verb.Args[i].checkNumber(fmt.Sprintf("%q", shown), verb.Args[i].Name, a); err != nil {
				return step{}, err
			}
		}
		s.args = append(s.args, a)
	}
	return s, nil
}

func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '~' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}

// Story is what is needed to replay an experiment on the simulated cluster.
type Story struct {
	Seed    uint64  `json:"seed"`
	Objects int     `json:"objects"`
	Rate    float64 `json:"rate"`
	// From is when the experiment began, in milliseconds since the cluster did; it is not 0 if an earlier experiment ran on the cluster.
	From int64 `json:"from"`
	// Do are the user's actions, with their times: "12345:fault:cut,13000:burst:100", in milliseconds since the cluster began.
	Do string `json:"do"`
}

// history is what the user did to the running cluster since it began.
type history struct {
	rate  float64 // at the cluster's beginning
	from  time.Duration
	steps []step
	first int // index in steps of the first one in the running experiment
}

// Story returns the story of the running experiment up to event seq.
func (l *Lab) Story(seq uint64) (Story, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.src == nil || l.src.virtual == nil || l.exp == nil {
		return Story{}, errors.New("only an experiment on the simulated cluster can be played again")
	}
	steps := slices.Clone(l.history.steps)
	for len(steps) > l.history.first && steps[len(steps)-1].seq >= seq {
		steps = steps[:len(steps)-1]
	}
	return Story{
		Seed: l.selection.Seed, Objects: l.selection.Objects, Rate: l.history.rate, From: l.history.from.Milliseconds(), Do: writeStory(steps),
	}, nil
}

// CheckStory returns an error for the part of a link's "do" that cannot be read.
func CheckStory(do string) error {
	_, err := readStory(do)
	return err
}

// act carries out an action of the user and keeps it as a step of the story. On virtual time the action has a moment of its own, and its consequences have
// happened when act returns.
func (l *Lab) act(do func() (step, error)) error {
	if l.audience {
		return ErrAudience
	}
	var err error
	l.driver.Do(func(at time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		seq, _ := l.rec.Head()
		var s step
		if s, err = do(); s.verb != "" && l.src != nil && l.src.virtual != nil {
			s.at, s.seq = at, seq
			l.history.steps = append(l.history.steps, s)
		}
		if err == nil {
			l.acts.Add(1)
		}
	})
	return err
}

// Acts counts the user's actions.
func (l *Lab) Acts() int64 { return l.acts.Load() }

// Go lets time continue if it stands still at a link's moment, or stops the replay from halting there.
func (l *Lab) Go() { l.driver.Go() }

// Replaying reports whether the experiment plays as fast as it can towards a link's moment.
func (l *Lab) Replaying() bool { return l.driver.Playing() }

// Arrive waits until the replay that Select started has reached its moment, and reports whether the log has that moment.
func (l *Lab) Arrive(ctx context.Context) (there bool) {
	l.driver.Arrived(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	head, _ := l.rec.Head()
	return l.rec.First() <= l.wanted && l.wanted <= head
}

// replay plays a story on a new cluster. Earlier experiments run again, then the selected one begins. Time passes as fast as it can until the log has reached
// the moment, if there is one.
func (l *Lab) replay(next trace.Selection, plan replayPlan) {
	began := make(chan struct{})
	var started atomic.Bool
	v := vclock.New(epoch, l.clock)
	l.driver.Drive(v)
	script := []vclock.Action{{Do: func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.openSim(next, v)
	}}}
	begin := vclock.Action{At: plan.from, Settled: began, Do: func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		next.Rate = l.selection.Rate // an earlier step may have changed it
		l.history.from, l.history.first = plan.from, len(l.history.steps)
		l.start(next)
		started.Store(true)
	}}
	for _, earlier := range plan.steps {
		if earlier.at > plan.from && begin.Do != nil {
			script = append(script, begin)
			begin.Do = nil
		}
		script = append(script, vclock.Action{At: earlier.at, Do: func() { l.playStep(earlier) }})
	}
	if begin.Do != nil {
		script = append(script, begin)
	}
	var until func() bool
	if plan.from > 0 || plan.at > 0 {
		until = func() bool {
			if !started.Load() {
				return false
			}
			head, _ := l.rec.Head()
			return head >= plan.at || v.Since(epoch) > plan.from+farthest
		}
	}
	l.driver.Play(script, until)
	<-began
	if plan.at == 0 {
		l.driver.Go()
	}
}

// replayPlan is what a link asks to replay.
type replayPlan struct {
	from  time.Duration
	steps []step
	at    uint64 // 0: just continue
}

// readPlan returns the story that a change asks for, nil for none.
func readPlan(c selection.Change) (*replayPlan, error) {
	if c.Do == nil {
		return nil, nil
	}
	steps, err := readStory(*c.Do)
	if err != nil {
		return nil, err
	}
	from := time.Duration(c.From) * time.Millisecond
	if from < 0 || c.From > farthest.Milliseconds() {
		return nil, fmt.Errorf("an experiment begins from 0 to %d ms after its cluster", farthest.Milliseconds())
	}
	return &replayPlan{from: from, steps: steps, at: c.At}, nil
}

// playStep carries out a step of a story.
func (l *Lab) playStep(s step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.seq, _ = l.rec.Head()
	l.history.steps = append(l.history.steps, s)
	verbNamed(s.verb).play(l, s) // readStory has checked the verb
}

// keepEnded makes an ended experiment part of the next one's history, because its controllers wrote to the cluster. halted is when it ended, and at is when
// the next one begins.
func (l *Lab) keepEnded(halted, at time.Duration) {
	w := l.selection
	watch := newStep("watch", strings.Join(w.Releases, ","), w.Group, w.Version, w.Resource, w.Kind, w.Namespace, w.Transform)
	if len(w.Resources) > 0 { // their full names have the rest
		var all []string
		for _, t := range w.Resources {
			all = append(all, t.FullName())
		}
		watch = newStep("watch", strings.Join(w.Releases, ","), "", "", strings.Join(all, ","), "", w.Namespace, w.Transform)
	}
	watch.at = l.history.from
	halt := newStep("halt")
	halt.at = halted
	l.history.steps = append(slices.Insert(l.history.steps, l.history.first, watch), halt)
	l.history.from, l.history.first = at, len(l.history.steps)
}

// standing returns what outlives a cluster, as steps of a story: faults, holds and indices, and whether the controllers write.
func (l *Lab) standing() []step {
	steps := append(l.faultsOn(), l.holds.steps()...)
	for _, name := range slices.Sorted(maps.Keys(l.indices)) {
		steps = append(steps, newStep("index", name, l.indices[name]))
	}
	if l.readOnly.Load() {
		steps = append(steps, newStep("writes", "off"))
	}
	return steps
}

// endStanding ends what would outlive the cluster: a link's story begins with only its own steps. l.mu is held.
func (l *Lab) endStanding() {
	for _, s := range l.standing() {
		switch s.verb {
		case "fault":
			off := false
			_, _ = l.fault(s.arg(0), FaultArgs{On: &off}, 0)
		case "hold":
			_ = l.release(s.arg(0), 0, int32(s.int(1)), s.int(2))
		}
	}
	l.indices = nil
	l.readOnly.Store(false)
}

// WatchTime sets the function that decides on virtual time whether time stands still; nil for none. See vclock.Driver.
func (l *Lab) WatchTime(w vclock.Watch) { l.driver.Watch(w) }

// Hasten makes virtual time pass factor times as fast as real time.
func (l *Lab) Hasten(factor float64) { l.driver.Pace(factor) }

// LookAgain calls the function of WatchTime again.
func (l *Lab) LookAgain() { l.driver.Look() }
