package view_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
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

// says checks the sentence at the moment, in a view that follows and in a new one.
func (x *tale) says(id string) facts.Sentence {
	x.t.Helper()
	got := x.v.State().Facts.Sentence
	if got.ID != id {
		x.t.Errorf("it says %+v, not %q", got, id)
	}
	if !slices.Contains(facts.Sentences, got.ID) && got.ID != "" {
		x.t.Errorf("there is no sentence %q", got.ID)
	}
	fresh := view.New(x.rec, x.clk)
	if there := fresh.State().Facts.Sentence; there != got {
		x.t.Errorf("a view that comes now says %+v, not %+v", there, got)
	}
	return got
}

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

func TestSentencesOfAFirstSync(t *testing.T) {
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
	x.says("fillingLast")
	x.syncInformer()
	x.says("idle")
}

// TestSentencesOfAFirstListThatIsPoppedAtOnce: Pop runs beside the Reflector, and may empty the queue before the Reflector has noted the list's version.
func TestSentencesOfAFirstListThatIsPoppedAtOnce(t *testing.T) {
	for verb, id := range map[event.Verb]string{event.VerbList: "list", event.VerbWatchList: "watchlist"} {
		x := newTale(t, "1.33")
		x.round("first list")
		x.ask(verb)
		x.says(id)
		x.answerRequest()
		x.emit(event.Queued{Op: event.OpReplaced, Key: "a/a", Length: 1}.Event(), event.Populated{Count: 1}.Event())
		x.syncInformer()
		x.says(id)
		x.emit(event.ReflectorRV{RV: "9"}.Event())
		x.ask(event.VerbWatch)
		x.answerRequest()
		x.says("idle")
	}
}

func TestSentencesOfAFirstListThatIsRefused(t *testing.T) {
	forbidden := errors.New("pods is forbidden: User jane cannot list resource pods")
	x := newTale(t, "1.35")
	x.round("first list")
	x.ask(event.VerbWatchList)
	x.says("watchlist")
	x.backoff("list and watch again", forbidden)
	if s := x.says("backoffFirst"); s.Why != forbidden.Error() || s.Since != 0 || s.Until < 4000 {
		t.Errorf("%+v", s)
	}
	x.emit(event.Event{Kind: event.KindBackoffEnded})
	x.round(forbidden.Error())
	x.ask(event.VerbList)
	x.says("list") // it is still the first list, and not a relist
	x.backoff("list and watch again", errRefused)
	x.says("refusedFirst")
	x.emit(event.Event{Kind: event.KindBackoffEnded})
	x.round(errRefused.Error())
	x.ask(event.VerbWatchList)
	x.says("watchlist")
	x.list(1)
	x.syncInformer()
	x.says("idle")
}

func TestSentencesOfARelist(t *testing.T) {
	for _, release := range []string{"1.31", "1.33", "1.35", "1.37"} {
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
		want := "relistedKeys"
		if release == "1.37" {
			// The list waits in the queue: the store does not have it yet.
			if s := x.v.State().Facts.Sentence; s.ID == "relisted" {
				t.Errorf("%s: relisted before the store was replaced", release)
			}
			x.emit(event.StoreReplaced{StoreRV: "12"}.Event())
			want = "relisted"
		}
		x.says(want)
		x.pass(3900 * time.Millisecond)
		x.says(want)
		x.pass(200 * time.Millisecond)
		x.says("idle")

		// The same after a seek: at the moment itself, before it and after it.
		head, _ := x.rec.Head()
		x.v.Seek(3)
		if id := x.v.State().Facts.Sentence.ID; id != "start" {
			t.Errorf("%s: at the beginning it says %q", release, id)
		}
		x.v.Seek(head)
		if id := x.v.State().Facts.Sentence.ID; id != want {
			t.Errorf("%s: back where it was relisted it says %q", release, id)
		}
	}
}

func TestSentencesOfAnOutage(t *testing.T) {
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
		f := x.v.State().Facts
		if f.Sure || f.StaleSince != began {
			t.Errorf("while it asks: sure %v, stale since %v, not %v", f.Sure, f.StaleSince, began)
		}
	}
	x.answerRequest()
	if f := x.v.State().Facts; !f.Sure || f.StaleSince != 0 {
		t.Errorf("it was answered: sure %v, stale since %v", f.Sure, f.StaleSince)
	}
	x.says("idle")
	x.backoff("watch again", errors.New("too many requests"))
	if s := x.says("backoff"); s.Since < began+60e3 {
		t.Errorf("old since %v: an outage that is over", s.Since)
	}
	x.backoff("list and watch again", nil)
	x.emit(event.Event{Kind: event.KindReflectorStopped})
	x.says("stopped")
}

// TestSentencesHold: what a sentence claims about the log's last seconds is in the log, and what it counts is in State. It checks moments of logs on which
// everything was done.
func TestSentencesHold(t *testing.T) {
	said := map[string]int{}
	wanted := []string{"relisted", "relistedKeys", "holdPop", "holdPopNoRv", "holdPopQuiet", "idle"}
	missing := func(id string) bool { return said[id] == 0 }
	for seed := range uint64(12) { // two, and more for rare sentences
		if seed >= 2 && !slices.ContainsFunc(wanted, missing) {
			break
		}
		for i, release := range everyRelease[:4] {
			synctest.Test(t, func(t *testing.T) {
				rec := newWholeRecorder()
				runExperiment(t, release, uint64(i)+51+100*seed, rec)
				log := events(rec)
				v := view.New(rec, clock.RealClock{})
				step := 0
				for n := 1; n <= len(log); n += step {
					v.Seek(uint64(n))
					s := v.State()
					if step = 23; len(s.Holds) > 0 { // the sentence about a held Pop depends on how the queue grows at the moment
						step = 2
					}
					said[s.Facts.Sentence.ID]++
					if wrong := untrue(s, log[:n], release); wrong != "" {
						t.Fatalf("%s, seq %d: it says %+v: %s", release, n, s.Facts.Sentence, wrong)
					}
				}
			})
		}
	}
	for _, id := range wanted {
		if said[id] == 0 {
			t.Errorf("%q was never said: %v", id, said)
		}
	}
	if len(said) < 15 {
		t.Errorf("only %d sentences were said: %v", len(said), said)
	}
}

// untrue returns what of a sentence is false, by the log itself; "" if it is true.
func untrue(s *view.State, log []*event.Entry, release string) string {
	said := s.Facts.Sentence
	at := log[len(log)-1].At
	within := func(d time.Duration, is func(*event.Entry) bool) bool {
		for i := len(log) - 1; i >= 0 && at-log[i].At < d; i-- {
			if is(log[i]) {
				return true
			}
		}
		return false
	}
	kind := func(k event.Kind) func(*event.Entry) bool { return func(e *event.Entry) bool { return e.Kind == k } }
	listener := slices.IndexFunc(s.Listeners, func(l fold.Listener) bool {
		return l.Name == said.Name && (said.ID != "slow" || l.Pending == said.N)
	})
	relist := func(e *event.Entry) bool { return e.Kind == event.KindListWatchStarted && !e.ListWatchStarted().First }
	if s.Facts.UpToDate && (s.Queue.Depth > 0 || s.Reflector.Phase != "watching" || s.Queue.BatchSize > 0) {
		return "the store is said to be up to date"
	}
	switch said.ID {
	case "":
		if s.Source.Trouble == "" && s.Source.Cause == "" {
			return "there is no trouble"
		}
	case "backoff", "backoffFirst", "backoffPlain", "refused", "refusedFirst":
		if s.Reflector.Phase != "backoff" {
			return "it does not wait"
		}
		if first := said.ID == "backoffFirst" || said.ID == "refusedFirst"; first == (s.Indexer.Count > 0) {
			return "the store holds what it says it does not, or the other way round"
		}
	case "panic":
		if !within(4*time.Second, func(e *event.Entry) bool { return e.Kind == event.KindHandled && e.Handled().Err != nil }) {
			return "nobody panicked"
		}
	case "left", "leftEmpty":
		if !within(4500*time.Millisecond, kind(event.KindListenerRemoved)) || listener < 0 {
			return "nobody left"
		}
	case "holdPop", "holdPopNoRv", "holdPopQuiet", "hold.store", "hold.take", "hold.deliver":
		if len(s.Holds) == 0 {
			return "nothing is held"
		}
		grows := said.ID == "holdPop" || said.ID == "holdPopNoRv"
		if grows && (said.N < 1 || !within(2500*time.Millisecond, kind(event.KindQueued))) {
			return "the queue does not grow so"
		}
	case "list", "listAgain", "relist", "relistPlain":
		if s.Reflector.Phase != "listing" {
			return "it does not list"
		}
		if again := said.ID == "relist" || said.ID == "relistPlain"; again == (s.Reflector.ResourceVersion == "") {
			return "it is not the first list, or no other one"
		}
	case "watchlist", "rewatchlist":
		if s.Reflector.Phase != "watch-listing" {
			return "there is no WatchList"
		}
		if again := said.ID == "rewatchlist"; again == (s.Reflector.ResourceVersion == "") {
			return "it is not the first WatchList, or no other one"
		}
	case "relisted", "relistedPlain", "relistedKeys", "relistedKeysPlain":
		if s.Reflector.Relists == 0 || !within(time.Hour, relist) {
			return "there was no relist"
		}
		once := said.ID == "relisted" || said.ID == "relistedPlain"
		if once != (release == "1.37") || once && !within(time.Minute, kind(event.KindStoreReplaced)) {
			return "the store was not replaced so"
		}
	case "filling":
		if s.Queue.Synced || said.N != s.Queue.InitialPopulation || said.N == 0 {
			return "that is not what is left of the first list"
		}
	case "grew":
		if !within(4*time.Second, func(e *event.Entry) bool { return e.Kind == event.KindAccepted && e.Accepted().Capacity == said.M }) || said.M <= said.N {
			return "no ring grew so"
		}
	case "slow":
		if listener < 0 {
			return "that does not wait there"
		}
	case "batch", "deltas", "batchEnds":
		if !within(2700*time.Millisecond, func(e *event.Entry) bool { return e.Kind == event.KindPopped && e.Popped().Deltas == said.N }) || said.N < 2 {
			return "no such batch was taken"
		}
		if (said.ID == "deltas") != (release == "1.31") || release == "1.33" {
			return "that is not how this release's queue hands over"
		}
	case "idleHalfOpen":
		if s.Reflector.Phase != "watching" || s.Facts.UpToDate {
			return "its watch is not half-open"
		}
	case "idle", "idleDelayed", "idleBehind", "idleComing":
		if s.Reflector.Phase != "watching" {
			return "it does not watch"
		}
		wrote := func(e *event.Entry) bool {
			// The simulated cluster reports writes four times a second.
			return e.Kind == event.KindClusterWritten && e.ClusterWritten().Err == nil && at-e.At >= 250*time.Millisecond
		}
		if said.ID != "idleComing" && within(1700*time.Millisecond, wrote) { // idleComing claims that something is on its way
			return "there was a write"
		}
		if (said.ID == "idle") != s.Facts.UpToDate {
			return "the store is current, or is not"
		}
	case "flow", "flowDelta":
		if s.Reflector.Phase != "watching" || (said.ID == "flowDelta") != (release == "1.31") {
			return "it does not watch so"
		}
		came := func(e *event.Entry) bool { return e.Kind == event.KindWatchEvent || e.Kind == event.KindWireFrame }
		if said.ID == "flow" && !within(3200*time.Millisecond, came) {
			return "nothing came over the watch"
		}
	}
	return ""
}

// TestNothingIsSaidOfRequestsThatAreUnseen: for another program's informer whose requests are not in the log, no sentence claims that it starts or that its
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
	if said := v.State().Facts.Sentence; said.ID != "" {
		t.Errorf("before it has synced: %+v", said)
	}
	restore(true)
	if said := v.State().Facts.Sentence; said.ID != "idleUnseen" {
		t.Errorf("while nothing happens: %+v", said)
	}
}
