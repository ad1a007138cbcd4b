package play

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// call is one call of a handler.
type call struct {
	at     time.Duration
	text   string
	key    string
	class  string // see canonical; empty if client-go guarantees the order
	kind   string // add, update, delete, tombstone
	rev    int    // version of the object that it received
	answer string // the LIST, WATCH or WatchList that delivered the object
	old    int    // version of the object that was replaced
}

// listener is a handler that records its calls.
type listener struct {
	spec
	w    *world
	late bool
	reg  Registration

	mu      sync.Mutex
	calls   []call
	frozen  bool
	strays  int // calls that began after ShutDownEventHandler had returned
	closed  bool
	running int
}

func (l *listener) recordCall(c call) {
	c.at = time.Since(l.w.c.start)
	l.mu.Lock()
	if l.closed {
		l.strays++
	}
	if !l.frozen {
		l.calls = append(l.calls, c)
	}
	n := len(l.calls)
	l.running++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running--
	}()
	if l.slow > 0 {
		time.Sleep(l.slow)
	}
	if l.panics > 0 && n%l.panics == 0 {
		panic("handler exploded")
	}
}

func revOf(o any) int {
	var n int
	if m, ok := o.(metav1.Object); ok {
		_, _ = fmt.Sscan(m.GetResourceVersion(), &n)
	}
	return n
}

// answerOf names the LIST, WATCH or WatchList that delivered a copy.
func answerOf(o any) string {
	m, ok := o.(metav1.Object)
	if !ok {
		return ""
	}
	answer, _, _ := strings.Cut(m.GetAnnotations()[via], ".")
	return answer
}

// classOf returns the class of a call, see canonical. It is "initial" for an object of a WatchList, because the temporary store of a WatchList is a
// map. It is "" for an object of a LIST or a watch. A late handler also receives the store as a replay, so for it the class of both is "replay".
func (l *listener) classOf(o any) string {
	if m, ok := o.(metav1.Object); ok && strings.HasPrefix(m.GetAnnotations()[via], "I") {
		if l.late {
			return "replay"
		}
		return "initial"
	}
	return ""
}

func (l *listener) OnAdd(o any, initial bool) {
	c := call{text: fmt.Sprintf("add %s initial=%v", describe(o), initial), key: keyOf(o.(metav1.Object)), class: l.classOf(o), kind: "add", rev: revOf(o),
		answer: answerOf(o)}
	if l.late && initial {
		c.class = "replay" // comes from the store, a map
	}
	l.recordCall(c)
}

func (l *listener) OnUpdate(old, o any) {
	c := call{text: fmt.Sprintf("update %s -> %s same pointer=%v", describe(old), describe(o), old == o), key: keyOf(o.(metav1.Object)), class: l.classOf(o),
		kind: "update", rev: revOf(o), old: revOf(old), answer: answerOf(o)}
	if old == o {
		c.class = "resync" // iterates over the store, a map
	}
	l.recordCall(c)
}

func (l *listener) OnDelete(o any) {
	d, tombstone := o.(Tombstone)
	if !tombstone {
		l.recordCall(call{text: "delete " + describe(o), key: keyOf(o.(metav1.Object)), class: "", kind: "delete", rev: revOf(o)})
		return
	}
	inner := d.Obj
	nested := ""
	if dd, ok := inner.(Tombstone); ok {
		inner, nested = dd.Obj, " nested"
	}
	text := fmt.Sprintf("tombstone %s of %s%s", d.Key, describe(inner), nested)
	l.recordCall(call{text: text, key: d.Key, class: "tombstone", kind: "tombstone", rev: revOf(inner)})
}

// passes is the filter of a FilteringResourceEventHandler. It accepts objects of one app, and tombstones, which the filter receives unchanged.
func (l *listener) passes(o any) bool {
	if d, ok := o.(Tombstone); ok {
		l.w.c.noteOfFilter("filter of %s sees the tombstone %s", l.name, d.Key)
		return true
	}
	return o.(metav1.Object).GetLabels()["app"] == l.filter
}

// freeze ends the comparison of a listener. Which of its pending notifications a removed listener still delivers depends on a race between two ready
// cases of a select.
func (l *listener) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frozen = true
}

// callsInFlight returns the number of calls that have not returned.
func (l *listener) callsInFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls)
}

// canonical formats a listener's calls and removes only the order of Go maps. Each longest run of calls of one class comes from one walk of a map, or
// from several of one kind. The calls of a run are sorted by key, keeping the order for each key. The classes are the tombstones of one relist, the
// initial objects of a WatchList, the objects of one resync, and the replay of the store for a late handler. All other calls keep their places. If the
// listener was cut off (partial), the last run may lack any of its calls, so only its classes are compared.
func canonical(calls []call, partial bool) []string {
	calls = slices.Clone(calls)
	for i := 0; i < len(calls); {
		j := i + 1
		for j < len(calls) && calls[j].class == calls[i].class {
			j++
		}
		if calls[i].class != "" {
			slices.SortStableFunc(calls[i:j], func(a, b call) int { return strings.Compare(a.key, b.key) })
			for k := i; k < j && j == len(calls) && partial; k++ {
				calls[k].text = calls[k].class
			}
		}
		i = j
	}
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = c.text
	}
	return out
}

// world is an informer with its server during a script.
type world struct {
	lib       *Library
	c         *cluster
	lw        *listWatch
	s         *Script
	side      Informer
	listeners []*listener
	started   bool
	cancel    context.CancelFunc
	done      chan struct{}
	out       *Outcome
	naps      int
}

// Outcome is what was observed of a script.
type Outcome struct {
	log    []string // requests, and errors to the WatchErrorHandler, with their times
	calls  [][]call // by listener
	busy   []bool   // by listener: whether it is slow or panics
	steps  []string // what the informer showed after each step
	counts []string // the number of calls of each listener after each step
	broken []string // invariants that did not hold
	open   int      // streams that were left open
	events int      // number of events in our log
	said   []string // the lines that a row without a script returned
}

func (o *Outcome) breaks(format string, args ...any) {
	if len(o.broken) < 20 {
		o.broken = append(o.broken, fmt.Sprintf(format, args...))
	}
}

// sleep sleeps for d plus a small amount that differs each time, so no timer of the script fires together with one of the informer.
func (w *world) sleep(d time.Duration) {
	w.naps++
	time.Sleep(d + time.Duration(w.naps)*137*time.Nanosecond)
}

// rest ends a step of a calm script.
func (w *world) rest() {
	if w.s.calm {
		w.sleep(50 * time.Millisecond)
	}
}

func (w *world) find(name string) *listener {
	for _, l := range w.listeners {
		if l.name == name {
			return l
		}
	}
	return nil
}

func (w *world) addHandler(s spec) {
	l := &listener{spec: s, w: w, late: w.started}
	var resync *time.Duration
	if s.resync >= 0 {
		resync = &s.resync
	}
	var filter func(any) bool
	if s.filter != "" {
		filter = l.passes
	}
	reg, err := w.side.AddHandler(l, filter, resync)
	if err != nil {
		w.c.note("AddEventHandler(%s) failed", s.name)
		return
	}
	l.reg = reg
	w.listeners = append(w.listeners, l)
}

func (w *world) dropHandler(name string, wait bool) {
	l := w.find(name)
	if l == nil || l.frozen {
		return
	}
	synctest.Wait()
	l.freeze()
	err := w.side.Remove(l.reg, wait)
	if wait {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
	}
	w.c.note("remove(%s): %v", name, err)
}

// syncedText returns a registration's HasSynced as text.
func (w *world) syncedText(l *listener) string {
	if w.started && w.cancel == nil && (l.slow > 0 || l.panics > 0) {
		return "over" // its remaining backlog is discarded
	}
	return fmt.Sprint(l.reg.HasSynced())
}

// look waits until all goroutines are idle and records the observable state.
func (w *world) look(what string) {
	synctest.Wait()
	var synced, counts []string
	for _, l := range w.listeners {
		synced = append(synced, fmt.Sprintf("%s=%s", l.name, w.syncedText(l)))
		counts = append(counts, fmt.Sprintf("%s:%d", l.name, l.count()))
	}
	w.out.steps = append(w.out.steps, fmt.Sprintf("%s\n      %v %s lamps=%v stopped=%v", what, time.Since(w.c.start), w.side.View(), synced, w.side.Stopped()))
	w.out.counts = append(w.out.counts, fmt.Sprint(counts))
	if x, ok := w.side.(Witness); ok {
		broken, events := x.Compare(what)
		w.out.events = events
		for _, b := range broken {
			w.out.breaks("%s", b)
		}
	}
}

func (w *world) start() {
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(context.Background())
	w.done = make(chan struct{})
	w.started = true
	go func() {
		defer close(w.done)
		w.side.Run(ctx)
	}()
}

func (w *world) stop() {
	if !w.started || w.cancel == nil {
		return
	}
	synctest.Wait()
	for _, l := range w.listeners {
		l.freeze() // what a backlog still delivers is a race, as for a removal
	}
	w.c.mu.Lock()
	w.c.stopping = true
	w.c.mu.Unlock()
	w.cancel()
	<-w.done
	w.c.note("Run returned")
	w.cancel = nil
}

// play plays a script to a library, in the current synctest bubble.
func (s *Script) play(lib *Library) *Outcome {
	// client-go, apimachinery and core/informer draw jitter and timeouts from the global source: one seed gives one sequence.
	seedAll(s.seed)
	pace := framePause
	if s.burst {
		pace = 0
	}
	w := &world{lib: lib, c: newCluster(pace), s: s, out: &Outcome{}}
	w.c.closes = s.half
	for i := range s.objects {
		w.c.put(fmt.Sprintf("ns/o%d", i), string(rune('a'+i%3)))
	}
	w.lw = &listWatch{w.c, s.optOut}
	opts := Options{Source: sourceFor(lib.Release, w.lw), Bare: s.bare, Resync: s.resync, Indexers: map[string]IndexFunc{"app": appIndex},
		Silent: s.silent, Half: s.half}
	if s.plain {
		opts.Transform = transforms[s.shape]
		w.side = newPlain(lib, opts)
	} else {
		w.side = lib.Shared(opts)
	}
	if f := transforms[s.shape]; f != nil {
		_ = w.side.SetTransform(f)
	}
	_ = w.side.SetWatchErrorHandler(w.c.noteError)
	for _, o := range s.early {
		o.do(w)
		w.look(o.text)
	}
	w.start()
	w.rest()
	w.look("start")
	for _, o := range s.ops {
		o.do(w)
		w.rest()
		w.look(o.text)
	}
	if s.settle && w.cancel != nil {
		w.settle()
		if lib.Mine && !s.lossy {
			w.invariants()
		}
	}
	w.stop()
	w.look("end")
	w.c.shutdown()
	time.Sleep(time.Hour) // for requests that cannot be cancelled, such as a LIST before 0.33
	synctest.Wait()
	for _, l := range w.listeners {
		if l.strays > 0 {
			w.out.breaks("%s was called %d times after ShutDownEventHandler", l.name, l.strays)
		}
		w.out.calls = append(w.out.calls, l.calls)
		w.out.busy = append(w.out.busy, l.slow > 0 || l.panics > 0)
	}
	w.out.log, w.out.open = w.c.lines(), w.c.unfinished
	if lib.Mine && w.out.open > 0 {
		w.out.breaks("%d streams were left open", w.out.open)
	}
	return w.out
}

// settle heals all faults and waits until all backlogs must be empty.
func (w *world) settle() {
	w.c.heal()
	for range 4 {
		w.sleep(61 * time.Second)
	}
	// A last change after a quiet time shows whether a watch still works.
	w.c.put("ns/last", "z")
	w.sleep(61 * time.Second)
	w.look("settled")
}

// Play plays the script to a library. If a goroutine outlives Run, synctest panics, and Play adds the script to the panic.
func (s *Script) Play(t *testing.T, lib *Library) (o *Outcome) {
	defer s.watch(lib.Release)()
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprintf("%v\nrelease %s, script:\n%s", r, lib.Release, s))
		}
	}()
	synctest.Test(t, func(*testing.T) { o = s.play(lib) })
	return o
}

func times(calls []call) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = c.at.String()
	}
	return out
}

// setReallyCrash sets whether a panic that apimachinery catches continues.
func setReallyCrash(on bool) { utilruntime.ReallyCrash = on }

// seedAll seeds the source that all libraries draw from.
func seedAll(seed int64) {
	rand.Seed(seed) //maporder:free this is the seed; //go:debug randseednop=0 in the test programs lets it count
}
