package view_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// tale writes a log by hand, for rare situations and broken ones.
type tale struct {
	t   *testing.T
	clk *clocktesting.FakePassiveClock
	rec *trace.Recorder
	v   *view.View
	req uint32
}

func newTale(t *testing.T, release string) *tale {
	clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clk})
	x := &tale{t: t, clk: clk, rec: rec, v: view.New(rec, clk)}
	selection := `{"source":"live","context":"kind-kind","version":"v1","resource":"pods","eras":["` + release + `"]}`
	x.emit(event.Selected{Selection: selection}.Event(),
		event.InformerStarted{Release: release}.Event(),
		event.ListenerAdded{Listener: 1, Name: "printer", Capacity: 1024}.Event())
	return x
}

func (x *tale) emit(events ...event.Event) {
	for _, e := range events {
		x.clk.SetTime(x.clk.Now().Add(time.Millisecond))
		x.rec.Emit(0, e)
	}
}

func (x *tale) pass(d time.Duration) { x.clk.SetTime(x.clk.Now().Add(d)) }

// says checks the headline at the moment, in a view that follows and in a new one.
func (x *tale) says(id string) facts.Sentence {
	x.t.Helper()
	got := x.v.State().Facts.Headline
	if got.ID != id {
		x.t.Errorf("it says %+v, not %q", got, id)
	}
	if !slices.Contains(facts.Headlines, got.ID) && got.ID != "" {
		x.t.Errorf("there is no headline %q", got.ID)
	}
	fresh := view.New(x.rec, x.clk)
	if there := fresh.State().Facts.Headline; there != got {
		x.t.Errorf("a view that comes now says %+v, not %+v", there, got)
	}
	return got
}

// shortList is how long the headline of a gap stays while a list is under way.
const shortList = 300 * time.Millisecond

func (x *tale) round(why string) {
	x.emit(event.ListWatchStarted{Why: why}.Event())
}

func (x *tale) ask(verb event.Verb) {
	x.req++
	x.emit(event.RequestSent{Req: x.req, Verb: verb, Options: &metav1.ListOptions{}}.Event())
}

func (x *tale) answerRequest() {
	x.emit(event.RequestAnswered{Req: x.req, RV: "9"}.Event())
}

func (x *tale) backoff(then string, err error) {
	x.emit(event.Backoff{Wait: 4 * time.Second, Then: then, Err: err}.Event())
}

// list completes a first list of n objects, as the release does it.
func (x *tale) list(n int) {
	x.emit(event.Queued{Op: event.OpReplaced, Key: "a/a", Length: 1}.Event(),
		event.Populated{Count: n}.Event(),
		event.ReflectorRV{RV: "9"}.Event())
	x.ask(event.VerbWatch)
	x.answerRequest()
}

func (x *tale) syncInformer() {
	x.emit(event.Popped{Key: "a/a", Deltas: 1}.Event(), event.Processed{Deltas: 1}.Event(),
		event.StoreReplaced{StoreRV: "9"}.Event(), event.Event{Kind: event.KindQueueSynced})
}

var errRefused = fmt.Errorf("failed to list pods: %w", os.NewSyscallError("connect", syscall.ECONNREFUSED))

func TestHeadlinesOfAFirstSync(t *testing.T) {
	x := newTale(t, "1.33")
	x.says("start")
	x.round("first list")
	x.ask(event.VerbList)
	x.says("list")
	x.answerRequest()
	x.list(40)
	if s := x.says("filling"); s.N != 40 {
		t.Errorf("%d to go, not 40", s.N)
	}
	x.emit(event.Popped{Key: "a/a", Deltas: 1}.Event(), event.Processed{Deltas: 1}.Event())
	x.says("filling")
	x.syncInformer()
	x.says("idle")
}

// TestHeadlinesOfAFirstListThatIsPoppedAtOnce: Pop runs beside the Reflector, and may empty the queue before the Reflector has noted the list's version.
func TestHeadlinesOfAFirstListThatIsPoppedAtOnce(t *testing.T) {
	for _, verb := range []event.Verb{event.VerbList, event.VerbWatchList} {
		x := newTale(t, "1.33")
		x.round("first list")
		x.ask(verb)
		x.says("list")
		x.answerRequest()
		x.emit(event.Queued{Op: event.OpReplaced, Key: "a/a", Length: 1}.Event(), event.Populated{Count: 1}.Event())
		x.syncInformer()
		x.says("list")
		x.emit(event.ReflectorRV{RV: "9"}.Event())
		x.ask(event.VerbWatch)
		x.answerRequest()
		x.says("idle")
	}
}

func TestHeadlinesOfAFirstListThatIsRefused(t *testing.T) {
	forbidden := errors.New("pods is forbidden: User jane cannot list resource pods")
	x := newTale(t, "1.35")
	x.round("first list")
	x.ask(event.VerbWatchList)
	x.says("list")
	x.backoff("list and watch again", forbidden)
	if s := x.says("gapFirst"); s.Why != forbidden.Error() || s.Since != 0 || s.Until < 4000 {
		t.Errorf("%+v", s)
	}
	x.emit(event.Event{Kind: event.KindBackoffEnded})
	x.round(forbidden.Error())
	x.ask(event.VerbList)
	x.pass(shortList)
	x.says("list") // it is still the first list, and not a relist
	x.backoff("list and watch again", errRefused)
	x.says("refusedFirst")
	x.emit(event.Event{Kind: event.KindBackoffEnded})
	x.round(errRefused.Error())
	x.ask(event.VerbWatchList)
	x.pass(shortList)
	x.says("list")
	x.list(1)
	x.syncInformer()
	x.says("idle")
}

func TestHeadlinesOfARelist(t *testing.T) {
	for _, r := range releases.All() {
		release := r.String()
		x := newTale(t, release)
		x.round("first list")
		x.ask(event.VerbList)
		x.list(1)
		x.syncInformer()
		x.pass(10 * time.Second)
		x.says("idle")
		x.round("too old resource version: 5 (9)")
		x.ask(event.VerbList)
		if s := x.says("relist"); s.Why != "too old resource version: 5 (9)" {
			t.Errorf("%s: because %q", release, s.Why)
		}
		x.answerRequest()
		x.ask(event.VerbWatch)
		x.answerRequest()
		if r >= releases.V137 {
			// The list waits in the queue: the store does not have it yet.
			if s := x.v.State().Facts.Headline; s.ID == "relisted" {
				t.Errorf("%s: relisted before the store was replaced", release)
			}
			x.emit(event.StoreReplaced{StoreRV: "12"}.Event())
		}
		x.says("relisted")
		x.pass(3900 * time.Millisecond)
		x.says("relisted")
		x.pass(200 * time.Millisecond)
		x.says("idle")

		// The same after a seek: at the moment itself, before it and after it.
		head, _ := x.rec.Head()
		x.v.Seek(3)
		if id := x.v.State().Facts.Headline.ID; id != "start" {
			t.Errorf("%s: at the beginning it says %q", release, id)
		}
		x.v.Seek(head)
		if id := x.v.State().Facts.Headline.ID; id != "relisted" {
			t.Errorf("%s: back where it was relisted it says %q", release, id)
		}
	}
}

func TestHeadlinesOfAnOutage(t *testing.T) {
	x := newTale(t, "1.37")
	x.round("first list")
	x.ask(event.VerbWatchList)
	x.list(1)
	x.syncInformer()
	x.pass(time.Minute)
	began := float64(x.clk.Now().UnixMilli()) + 1
	for range 3 {
		x.backoff("watch again", errRefused)
		if s := x.says("refused"); s.Since != began {
			t.Errorf("old since %v, not %v", s.Since, began)
		}
		x.pass(4 * time.Second)
		x.emit(event.Event{Kind: event.KindBackoffEnded})
		x.ask(event.VerbWatch)
		x.pass(20 * time.Second) // no answer
		if x.v.State().Facts.Sure {
			t.Error("while it asks it is sure")
		}
	}
	x.answerRequest()
	if !x.v.State().Facts.Sure {
		t.Error("it was answered, and is not sure")
	}
	x.says("idle")
	x.backoff("watch again", errors.New("too many requests"))
	if s := x.says("gap"); s.Since < began+60e3 {
		t.Errorf("old since %v: an outage that is over", s.Since)
	}
	x.backoff("list and watch again", nil)
	x.emit(event.Event{Kind: event.KindReflectorStopped})
	x.says("stopped")
}

// TestHeadlinesHold: what a headline claims about the log's last seconds is in the log, and what it counts is in State. It checks moments of logs on which
// everything was done.
func TestHeadlinesHold(t *testing.T) {
	said := map[string]int{}
	for seed := range uint64(2) {
		for i, r := range releases.All() {
			synctest.Test(t, func(t *testing.T) {
				release := r.String()
				rec := newWholeRecorder()
				runExperiment(t, release, uint64(i)+51+100*seed, rec)
				log := events(rec)
				v := view.New(rec, clock.RealClock{})
				for n := 1; n <= len(log); n += 23 {
					v.Seek(uint64(n))
					s := v.State()
					said[s.Facts.Headline.ID]++
					if wrong := untrue(s, log[:n], r); wrong != "" {
						t.Fatalf("%s, seq %d: it says %+v: %s", release, n, s.Facts.Headline, wrong)
					}
				}
			})
		}
	}
	for _, id := range []string{"held.pop", "held.popKeys", "gap", "list", "relist", "relisted", "slow", "flow", "idle"} {
		if said[id] == 0 {
			t.Errorf("%q was never said: %v", id, said)
		}
	}
}

// untrue returns what of a headline is false, by the log itself; "" if it is true.
func untrue(s *view.State, log []*event.Entry, release releases.Release) string {
	said := s.Facts.Headline
	at := log[len(log)-1].At
	within := func(d time.Duration, matches func(*event.Entry) bool) bool {
		for i := len(log) - 1; i >= 0 && at-log[i].At < d; i-- {
			if matches(log[i]) {
				return true
			}
		}
		return false
	}
	kind := func(k event.Kind) func(*event.Entry) bool { return func(e *event.Entry) bool { return e.Kind == k } }
	switch said.ID {
	case "":
		if s.Source.Trouble == "" && s.Source.Cause == "" {
			return "there is no trouble"
		}
	case "gap", "gapPlain", "gapFirst", "gapFirstPlain", "refused", "refusedFirst":
		if s.Reflector.Phase == "watching" {
			return "it watches"
		}
		if first := strings.Contains(said.ID, "First"); first && s.Indexer.Count > 0 {
			return "the store holds what it says it does not"
		}
	case "list":
		if s.Reflector.Phase != "listing" && s.Reflector.Phase != "watch-listing" || s.Reflector.ResourceVersion != "" && s.Queue.Synced {
			return "it does not list for the first time"
		}
	case "relist", "relistPlain":
		if s.Reflector.Phase != "listing" && s.Reflector.Phase != "watch-listing" || s.Reflector.ResourceVersion == "" {
			return "it does not list again"
		}
	case "relisted", "relistedPlain":
		relist := func(e *event.Entry) bool { return e.Kind == event.KindListWatchStarted && !e.ListWatchStarted().First }
		if s.Reflector.Relists == 0 || !within(time.Hour, relist) || release >= releases.V137 && !within(time.Minute, kind(event.KindStoreReplaced)) {
			return "there was no relist"
		}
	case "filling":
		if s.Queue.Synced || said.N != s.Queue.InitialPopulation {
			return "that is not what is left of the first list"
		}
	case "slow":
		if !slices.ContainsFunc(s.Listeners, func(l fold.Listener) bool {
			return l.Name == said.Name && l.Handling != nil && l.Distributed-l.Handled-l.Discarded == said.N+1
		}) {
			return "that does not wait there"
		}
	case "call":
		if !slices.ContainsFunc(s.Listeners, func(l fold.Listener) bool {
			return l.Name == said.Name && l.Handling != nil && l.HandlingSince == said.Since && fold.Millis(at)-l.HandlingSince >= 2000
		}) {
			return "no call lasts there"
		}
	case "halfOpen":
		if s.Reflector.Phase != "watching" {
			return "its watch is not half-open"
		}
	case "idle":
		wrote := func(e *event.Entry) bool {
			// The simulated cluster reports writes four times a second.
			return e.Kind == event.KindClusterWritten && e.ClusterWritten().Err == nil && at-e.At >= 250*time.Millisecond
		}
		if s.Reflector.Phase != "watching" || s.Queue.Depth > 0 || s.Queue.BatchSize > 0 || within(1700*time.Millisecond, wrote) {
			return "something changes"
		}
	case "flow":
		came := func(e *event.Entry) bool { return e.Kind == event.KindWatchEvent || e.Kind == event.KindWireFrame }
		if s.Reflector.Phase != "watching" || !within(3200*time.Millisecond, came) {
			return "nothing came over the watch"
		}
	}
	return ""
}

// TestNothingIsSaidOfRequestsThatAreUnseen: for another program's informer whose requests are not in the log, no headline claims that it starts or that its
// watch is open.
func TestNothingIsSaidOfRequestsThatAreUnseen(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	restore := func(synced bool) {
		rec.Emit(0, event.Restored{Items: []event.Item{{Key: "shop/a", RV: "4"}}, State: fmt.Sprintf(
			`{"synced":%t,"queue":{"synced":%t},"reflector":{"resourceVersion":"4"},"fidelity":{"reflector":{"how":"unseen","why":"no transport"}}}`, synced, synced)}.Event())
		v.Frame()
	}
	restore(false)
	if said := v.State().Facts.Headline; said.ID != "unseen" {
		t.Errorf("before it has synced: %+v", said)
	}
	restore(true)
	if said := v.State().Facts.Headline; said.ID != "unseen" {
		t.Errorf("while nothing happens: %+v", said)
	}
}

// TestAnActIsAnsweredAtOnce: what the user has done is said in the next moment, and for a while. What is held is said by the headline, which counts.
func TestAnActIsAnsweredAtOnce(t *testing.T) {
	x := newTale(t, "1.37")
	for _, tt := range []struct{ step, begins string }{
		{"fault:cut", "The connections are cut"}, {"burst:1000", "Pods were changed 1000 times at once"}, {"listen:auditor", "The handler auditor is added"},
		{"pace:2:500", "The handler takes 500 ms a call"}, {"hold:pop", ""}, {"release:pop", "You release a stage"},
	} {
		x.pass(10 * time.Second)
		x.emit(event.Act{Step: tt.step}.Event())
		for _, v := range []struct {
			after time.Duration
			said  bool
		}{{0, true}, {3 * time.Second, true}, {time.Second, false}} {
			x.pass(v.after)
			got := x.v.State().Facts.Sentence
			if want := v.said && tt.begins != ""; want != (got.ID == "act") || want && (!strings.HasPrefix(got.EN, tt.begins) || got.ZH == "") {
				t.Errorf("%v later %s is answered with %+v", v.after, tt.step, got)
			}
		}
	}
}
