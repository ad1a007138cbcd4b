package probe

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe/internal/joints"
)

// QueueOptions configure a work queue. The zero value is usable.
type QueueOptions struct {
	// Informer is the resource of the informer behind which the queue stands. Its version does not matter. If it is empty, that is the informer whose name the
	// queue has: "pods", or "pod" as controller-runtime calls a controller; a Probe that has one informer takes that. Of an informer one queue is shown.
	// Status has the queues without an informer.
	Informer schema.GroupVersionResource
	// MetricsProvider is the queue's own, as in workqueue.TypedRateLimitingQueueConfig; client-go's if nil.
	MetricsProvider workqueue.MetricsProvider
}

// NewQueue returns a function that makes work queues whose keys are seen: client-go's own, with client-go's own order, delays and metrics.
// It has the signature of controller-runtime's controller.Options.NewQueue; with client-go alone it is called at once:
//
//	queue := probe.NewQueue[string](p, probe.QueueOptions{})("pods", workqueue.DefaultTypedControllerRateLimiter[string]())
//
// Without a limiter it gets client-go's default one. With controller-runtime 0.23 or newer such a queue has no priorities; use the module
// probe/controllerruntime there.
//
// A key appears as its String method returns it, or as namespace/name; without either, only its type and a checksum appear.
func NewQueue[T comparable](p *Probe, o QueueOptions) func(string, workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		if limiter == nil {
			limiter = workqueue.DefaultTypedControllerRateLimiter[T]()
		}
		w := watchQueue[T](p, name, o)
		w.register()
		base := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{Name: name, MetricsProvider: o.MetricsProvider, Queue: storage[T]{w}})
		inner := &watchedQueue[T]{base, w}
		watched := keepPausing[workqueue.TypedInterface[T]](inner, base, func(p pausable) workqueue.TypedInterface[T] {
			return &pausableQueue[T]{watchedQueue: inner, pausable: p}
		})
		delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[T]{Name: name, MetricsProvider: o.MetricsProvider,
			Queue: watched})
		outer := &watchedDelayingQueue[T]{delaying, base, w}
		return workqueue.NewTypedRateLimitingQueueWithConfig[T](&watchedLimiter[T]{limiter, w, false},
			workqueue.TypedRateLimitingQueueConfig[T]{DelayingQueue: keepPausing[workqueue.TypedDelayingInterface[T]](outer, delaying,
				func(p pausable) workqueue.TypedDelayingInterface[T] { return &pausableDelayingQueue[T]{outer, p} })})
	}
}

// QueueWatch observes one work queue. It is experimental: another release may change it. Use it for a queue that is not client-go's, like the probe's module
// for controller-runtime does; otherwise use NewQueue. Its methods are safe for concurrent use. They call the queue only through the functions that they are
// given.
type QueueWatch[T comparable] struct {
	p        *Probe
	name     string // the queue's own
	informer target // of the informer that the user named; empty: found by the queue's name
	lane     atomic.Pointer[lane]
	broken   atomic.Bool

	// orderMu is held around every Add and Done, which the queue's own lock serializes anyway. So it is known whether an Add found its key in the queue or
	// in work. It is never held while a worker waits for a key.
	orderMu sync.Mutex

	mu             sync.Mutex // held briefly, inside the queue's lock; inside it only the log's lock is taken
	fifo           []T
	head           int
	queued         map[T]uint64 // of a foreign queue: its keys, with the number of each key's arrival
	arrivals       uint64
	processing     map[T]workItem
	dirty          map[T]struct{} // added while in work
	delays         map[T]workDelay
	workers        []bool // true for a worker with a key
	addedKey       bool   // the last Add found its key in the queue, or added it
	fromDone       bool   // the next Push comes from Done
	foreign        bool   // the queue is not client-go's
	reconciles     int
	failures       int
	isShuttingDown bool
	isPaused       bool
	limiter        workqueue.TypedRateLimiter[T]
}

type workItem struct {
	worker    int32
	since     time.Time
	failed    bool    // the limiter delayed it again
	goroutine uintptr // that took it
	work      *reconcile
}

type workDelay struct{ set, due time.Time }

// workView is a QueueWatch with keys of any type.
type workView interface {
	names() (queue string, informer target)
	isForeign() bool
	setOwner(*lane)
	owner() *lane
	workOn(key string) *reconcile
	content(begin time.Time) workContent
	size() int
}

// workContent is what a queue holds at one position of the log.
type workContent struct {
	cut   uint64
	state map[string]interface{}
}

// WatchQueue makes a QueueWatch, which p keeps. It is experimental, like QueueWatch.
func WatchQueue[T comparable](p *Probe, name string, o QueueOptions) *QueueWatch[T] {
	w := watchQueue[T](p, name, o)
	w.foreign = true
	w.register()
	return w
}

func watchQueue[T comparable](p *Probe, name string, o QueueOptions) *QueueWatch[T] {
	return &QueueWatch[T]{p: p, name: name, informer: target(o.Informer), queued: map[T]uint64{}, processing: map[T]workItem{}, dirty: map[T]struct{}{},
		delays: map[T]workDelay{}}
}

func (w *QueueWatch[T]) register() {
	p := w.p
	p.lanesMu.Lock()
	if len(p.queues) < maxLanes {
		p.queues = append(p.queues, w)
	}
	p.lanesMu.Unlock()
	p.assignQueues(false)
	if p.attached.Load() {
		p.emit(event{kind: evBaselineStale})
	}
}

// assignQueues gives each informer the first queue that fits its name. With alone set, a Probe's only informer gets the first queue.
func (p *Probe) assignQueues(alone bool) {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	taken := map[*lane]bool{}
	for _, w := range p.queues {
		if l := w.owner(); l != nil {
			taken[l] = true
		}
	}
	for _, w := range p.queues {
		if w.owner() != nil {
			continue
		}
		queue, informer := w.names()
		for _, l := range p.lanes {
			if !taken[l] && (l.isNamed(queue, informer) || alone && informer == (target{}) && len(p.lanes) == 1) {
				w.setOwner(l)
				taken[l] = true
				l.work.Store(&w)
				break
			}
		}
	}
}

func (l *lane) isNamed(queue string, informer target) bool {
	if informer != (target{}) {
		return l.isCalled(informer)
	}
	resource, _, _ := strings.Cut(l.name, ".")
	return l.name == queue || resource == queue || resource == plural(strings.ToLower(queue))
}

// workqueue returns the queue behind an informer, or nil.
func (l *lane) workqueue() workView {
	if w := l.work.Load(); w != nil {
		return *w
	}
	return nil
}

func (w *QueueWatch[T]) names() (queue string, informer target) { return w.name, w.informer }
func (w *QueueWatch[T]) setOwner(l *lane)                       { w.lane.Store(l) }
func (w *QueueWatch[T]) owner() *lane                           { return w.lane.Load() }

func (w *QueueWatch[T]) isForeign() bool { return w.foreign }

func (w *QueueWatch[T]) isWatched() bool {
	return w.p.attached.Load() && w.lane.Load() != nil && !w.broken.Load()
}

// emit logs an event of a key. The caller holds mu, or keeps the order of the key's events in another way.
func (w *QueueWatch[T]) emit(k kind, item T, e event) {
	if !w.isWatched() {
		return
	}
	l := w.lane.Load()
	defer l.contain("workqueue", &w.broken)
	e.kind, e.lane = k, l.id
	e.key = keyOf(item)
	w.p.emit(e)
}

// emitEntryLocked is emit for a key that was added or delayed. It adds the handler's call that did so, or that the worker with the key did.
func (w *QueueWatch[T]) emitEntryLocked(k kind, item T, e event) {
	if !w.isWatched() {
		return
	}
	g := joints.Goroutine()
	if t, ok := w.processing[item]; ok && g != 0 && t.goroutine == g {
		e.flag = true
	} else if c := w.p.scenes.Load().call(g); c != nil {
		e.listener, e.req, e.op, e.rv, e.text = c.listener, uint32(c.lane)+1, c.op, c.rv, c.key
		if c.deleted != "" {
			e.more = c.deleted
		}
	}
	w.emit(k, item, e)
}

// maxKey bounds a logged key, in bytes.
const maxKey = 512

// keyOf returns a key as text.
func keyOf[T comparable](item T) (s string) {
	switch x := any(item).(type) {
	case string:
		s = x
	case fmt.Stringer:
		s = strings.TrimPrefix(x.String(), "/") // a NamespacedName without a namespace begins with it
	default:
		v := reflect.ValueOf(item)
		if v.Kind() == reflect.Struct {
			ns, name := v.FieldByName("Namespace"), v.FieldByName("Name")
			if ns.IsValid() && name.IsValid() && ns.Kind() == reflect.String && name.Kind() == reflect.String {
				s = join(ns.String(), name.String())
				break
			}
		}
		h := fnv.New32a()
		_, _ = fmt.Fprintf(h, "%#v", item)
		s = fmt.Sprintf("%T %08x", item, h.Sum32())
	}
	return cut(s)
}

// cut returns a key that is fit for the log. In place of the middle of a long one stands a checksum of it all, so that two of them stay two.
func cut(s string) string {
	if len(s) > maxKey {
		h := fnv.New64a()
		_, _ = h.Write([]byte(s))
		const kept = (maxKey - 32) / 2
		s = fmt.Sprintf("%s…%016x…%s", s[:kept], h.Sum64(), s[len(s)-kept:])
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// add calls the queue's own Add. due means that the caller adds keys whose delay is over.
func (w *QueueWatch[T]) add(item T, due bool, add func(T)) {
	w.orderMu.Lock()
	defer w.orderMu.Unlock()
	w.mu.Lock()
	w.addedKey = false
	if x, ok := w.delays[item]; ok && due && !x.due.After(time.Now()) {
		delete(w.delays, item)
		w.emit(evWorkDue, item, event{n: int32(len(w.delays))})
	}
	w.mu.Unlock()
	add(item)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.processing[item]; !ok || w.addedKey || w.isShuttingDown {
		return
	}
	w.markDirtyLocked(item)
}

// markDirtyLocked logs that a key in work was added.
func (w *QueueWatch[T]) markDirtyLocked(item T) {
	if _, ok := w.dirty[item]; ok {
		w.emitEntryLocked(evWorkDeduplicated, item, event{})
		return
	}
	w.dirty[item] = struct{}{}
	w.emitEntryLocked(evWorkMarkedDirty, item, event{})
}

// emitDelay logs that a key is about to be delayed.
func (w *QueueWatch[T]) emitDelay(item T, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isShuttingDown || d <= 0 {
		return
	}
	if w.foreign && w.isReadyLocked(item) {
		w.emitEntryLocked(evWorkDeduplicated, item, event{})
		return
	}
	now := time.Now()
	x, ok := w.delays[item]
	switch due := now.Add(d); {
	case !ok:
		w.delays[item] = workDelay{now, due}
		w.emitEntryLocked(evWorkWaiting, item, event{dur: d, n: int32(len(w.delays))})
	case due.Before(x.due):
		w.delays[item] = workDelay{now, due}
		w.emitEntryLocked(evWorkWaitingSooner, item, event{dur: d})
	default:
		w.emitEntryLocked(evWorkWaitingUnchanged, item, event{})
	}
}

// lenLocked returns the number of keys ready for workers.
func (w *QueueWatch[T]) lenLocked() int32 { return int32(len(w.fifo) - w.head + len(w.queued)) }

func (w *QueueWatch[T]) push(item T) {
	if w.head > 0 && len(w.fifo) == cap(w.fifo) && w.head >= len(w.fifo)/2 { // at least half of it is empty
		n := copy(w.fifo, w.fifo[w.head:])
		clear(w.fifo[n:])
		w.fifo, w.head = w.fifo[:n], 0
	}
	w.fifo = append(w.fifo, item)
	w.addedKey = true
}

// beginWork notes which goroutine works on a key.
func (w *QueueWatch[T]) beginWork(item T, t *workItem) {
	l := w.lane.Load()
	defer l.contain("workqueue", &w.broken)
	t.goroutine = joints.Goroutine()
	t.work = &reconcile{lane: l.id, worker: t.worker, key: keyOf(item), since: t.since}
	w.p.scenes.Load().beginWork(t.goroutine, t.work)
}

// workOn returns the work on the key with a name, nil for none.
func (w *QueueWatch[T]) workOn(name string) *reconcile {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.processing {
		if t.work != nil && t.work.key == name {
			return t.work
		}
	}
	return nil
}

// emitTakenLocked logs that a worker received a key.
func (w *QueueWatch[T]) emitTakenLocked(item T, priority int) {
	i := 0
	for i < len(w.workers) && w.workers[i] {
		i++
	}
	if i == len(w.workers) {
		w.workers = append(w.workers, false)
	}
	w.workers[i] = true
	t := workItem{worker: int32(i + 1), since: time.Now()}
	if w.isWatched() {
		w.beginWork(item, &t)
	}
	w.processing[item] = t
	w.emit(evWorkTaken, item, event{listener: int32(i + 1), n: w.lenLocked(), req: uint32(int32(priority))})
}

// endWorkLocked logs the end of a worker's work on a key, and returns it; ok is false without such work.
func (w *QueueWatch[T]) endWorkLocked(item T) (t workItem, ok bool) {
	if t, ok = w.processing[item]; !ok {
		return t, false
	}
	delete(w.processing, item)
	w.workers[t.worker-1] = false
	w.reconciles++
	if t.failed {
		w.failures++
	}
	isReported := false
	if t.work != nil {
		t.work.end()
		isReported = t.work.isReported.Load()
	}
	if w.isWatched() && !isReported {
		w.emit(evReconciled, item, event{listener: t.worker, dur: time.Since(t.since), flag: t.failed})
	}
	return t, true
}

func (w *QueueWatch[T]) finish(item T, done func(T)) {
	w.orderMu.Lock()
	defer w.orderMu.Unlock()
	w.mu.Lock()
	if _, w.fromDone = w.dirty[item]; !w.fromDone {
		w.emitDoneLocked(item)
	}
	w.mu.Unlock()
	done(item)
	w.mu.Lock()
	w.fromDone = false
	w.mu.Unlock()
}

// emitDoneLocked logs that a worker is done with a key. A key that was added meanwhile is in the queue again by now.
func (w *QueueWatch[T]) emitDoneLocked(item T) {
	_, dirty := w.dirty[item]
	delete(w.dirty, item)
	if t, ok := w.endWorkLocked(item); ok && w.isWatched() {
		w.emit(evWorkDone, item, event{listener: t.worker, dur: time.Since(t.since), flag: dirty, n: w.lenLocked()})
	}
}

// Added records that items are about to be added: at once, or after a while if that is above 0. Call it before the Add of a queue that is not
// client-go's. Limiter records what a rate limiter delays.
func (w *QueueWatch[T]) Added(item T, after time.Duration) {
	w.mu.Lock()
	switch _, working := w.processing[item]; {
	case w.isShuttingDown:
	case w.isReadyLocked(item):
		w.emitEntryLocked(evWorkDeduplicated, item, event{})
	case after > 0:
		w.mu.Unlock()
		w.emitDelay(item, after)
		return
	default:
		w.endDelayLocked(item)
		if working {
			w.markDirtyLocked(item)
		} else {
			w.enqueue(item)
		}
	}
	w.mu.Unlock()
}

// isReadyLocked reports whether a worker gets the key as soon as possible, so that a later time changes nothing.
func (w *QueueWatch[T]) isReadyLocked(item T) bool {
	_, queued := w.queued[item]
	_, isDirty := w.dirty[item]
	return queued || isDirty
}

// endDelayLocked logs the end of a key's delay, if it has one.
func (w *QueueWatch[T]) endDelayLocked(item T) {
	if _, ok := w.delays[item]; ok {
		delete(w.delays, item)
		w.emit(evWorkDue, item, event{n: int32(len(w.delays))})
	}
}

func (w *QueueWatch[T]) enqueue(item T) {
	w.arrivals++
	w.queued[item] = w.arrivals
	w.emitEntryLocked(evWorkAdded, item, event{n: w.lenLocked()})
}

// Taken records that a worker received item, with its priority. Call it on the worker's goroutine, for queues that are not client-go's. An item that had to
// wait is known only now that its time has come.
func (w *QueueWatch[T]) Taken(item T, priority int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endDelayLocked(item)
	if _, ok := w.queued[item]; !ok {
		w.enqueue(item)
	}
	delete(w.queued, item)
	delete(w.dirty, item)
	w.emitTakenLocked(item, priority)
}

// Done records that a worker is about to be done with item. Call it before the Done of a queue that is not client-go's.
func (w *QueueWatch[T]) Done(item T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, dirty := w.dirty[item]; dirty {
		w.arrivals++
		w.queued[item] = w.arrivals
	}
	w.emitDoneLocked(item)
}

// ShuttingDown records that the queue is about to be shut down. With drain, the queue first waits for the items in work.
func (w *QueueWatch[T]) ShuttingDown(drain bool) { w.shutDown(drain) }

func (w *QueueWatch[T]) shutDown(drain bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isShuttingDown {
		w.isShuttingDown = true
		var none T
		w.emit(evWorkShuttingDown, none, event{flag: drain})
	}
}

// setPaused records that the queue was paused or resumed. The delaying and the rate limiting queue around it pause it too.
func (w *QueueWatch[T]) setPaused(paused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isPaused != paused {
		w.isPaused = paused
		did := evWorkResumed
		if paused {
			did = evWorkPaused
		}
		var none T
		w.emit(did, none, event{})
	}
}

// storage is the queue's FIFO. The queue calls it under its lock, so storage sees the order in which keys come and go.
type storage[T comparable] struct{ w *QueueWatch[T] }

func (s storage[T]) Touch(item T) {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addedKey = true
	w.emitEntryLocked(evWorkDeduplicated, item, event{})
}

func (s storage[T]) Push(item T) {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.push(item)
	if w.fromDone { // Done puts it back
		w.emitDoneLocked(item)
	} else {
		w.emitEntryLocked(evWorkAdded, item, event{n: w.lenLocked()})
	}
}

func (s storage[T]) Len() int {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return len(s.w.fifo) - s.w.head
}

func (s storage[T]) Pop() T {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	var none T
	item := w.fifo[w.head]
	w.fifo[w.head] = none
	if w.head++; w.head == len(w.fifo) {
		w.fifo, w.head = w.fifo[:0], 0
	}
	w.emitTakenLocked(item, 0)
	return item
}

// watchedQueue is between client-go's delaying queue, which adds due keys here, and its FIFO.
type watchedQueue[T comparable] struct {
	workqueue.TypedInterface[T]
	w *QueueWatch[T]
}

func (q *watchedQueue[T]) Add(item T)  { q.w.add(item, true, q.TypedInterface.Add) }
func (q *watchedQueue[T]) Done(item T) { q.w.finish(item, q.TypedInterface.Done) }

func (q *watchedQueue[T]) ShutDown() {
	q.w.shutDown(false)
	q.TypedInterface.ShutDown()
}

func (q *watchedQueue[T]) ShutDownWithDrain() {
	q.w.shutDown(true)
	q.TypedInterface.ShutDownWithDrain()
}

// pausable is workqueue.Pausable of client-go 0.38. A queue has it if a type assertion finds it, so what wraps a queue has it if, and only if, the queue has.
type pausable interface {
	Pause()
	Resume()
}

// keepPausing returns wrapper, or what pausing makes of it if the wrapped queue can pause.
func keepPausing[Q any](wrapper Q, wrapped any, pausing func(pausable) Q) Q {
	if p, ok := wrapped.(pausable); ok {
		return pausing(p)
	}
	return wrapper
}

type pausableQueue[T comparable] struct {
	*watchedQueue[T]
	pausable
	order sync.Mutex // held over a call and its event
}

// Pause is recorded once it has taken effect, and Resume before it has: no worker gets a key between the two events.
func (q *pausableQueue[T]) Pause() {
	q.order.Lock()
	defer q.order.Unlock()
	q.pausable.Pause()
	q.w.setPaused(true)
}

func (q *pausableQueue[T]) Resume() {
	q.order.Lock()
	defer q.order.Unlock()
	q.w.setPaused(false)
	q.pausable.Resume()
}

type pausableDelayingQueue[T comparable] struct {
	*watchedDelayingQueue[T]
	pausable
}

// watchedDelayingQueue wraps client-go's delaying queue.
type watchedDelayingQueue[T comparable] struct {
	workqueue.TypedDelayingInterface[T]
	base workqueue.TypedInterface[T]
	w    *QueueWatch[T]
}

func (q *watchedDelayingQueue[T]) Add(item T) { q.w.add(item, false, q.base.Add) }

func (q *watchedDelayingQueue[T]) AddAfter(item T, d time.Duration) {
	q.w.emitDelay(item, d)
	q.TypedDelayingInterface.AddAfter(item, d)
}

// watchedLimiter logs the calls of a rate limiter.
type watchedLimiter[T comparable] struct {
	workqueue.TypedRateLimiter[T]
	w         *QueueWatch[T]
	delaysKey bool // its answer alone delays the key: the queue reports no delay
}

// Limiter wraps the rate limiter of a queue that delays a key by the limiter's answer without a further call.
func (w *QueueWatch[T]) Limiter(limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimiter[T] {
	return &watchedLimiter[T]{limiter, w, true}
}

func (l *watchedLimiter[T]) When(item T) time.Duration {
	d := l.TypedRateLimiter.When(item)
	w := l.w
	n := 0
	if w.isWatched() {
		n = l.NumRequeues(item)
	}
	w.mu.Lock()
	if t, ok := w.processing[item]; ok {
		t.failed = true
		w.processing[item] = t
	}
	w.limiter = l.TypedRateLimiter
	w.emit(evWorkRateLimited, item, event{dur: d, n: int32(n)})
	w.mu.Unlock()
	if l.delaysKey {
		w.emitDelay(item, d)
	}
	return d
}

func (l *watchedLimiter[T]) Forget(item T) {
	n := 0
	if l.w.isWatched() {
		n = l.NumRequeues(item)
	}
	l.TypedRateLimiter.Forget(item)
	if n > 0 {
		l.w.mu.Lock()
		l.w.emit(evWorkForgotten, item, event{n: int32(n)})
		l.w.mu.Unlock()
	}
}

func (w *QueueWatch[T]) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return int(w.lenLocked())
}

// content returns the queue as a Workqueue of docs/dev/trace.md's State. Every event emitted under mu comes before or after it.
func (w *QueueWatch[T]) content(begin time.Time) (c workContent) {
	type workerLine struct {
		ID    int32   `json:"id"`
		Key   string  `json:"key,omitempty"`
		Since float64 `json:"sinceMillis"`
	}
	type waitingLine struct {
		Key      string  `json:"key"`
		Due      float64 `json:"dueMillis"`
		Set      float64 `json:"setMillis"`
		Failures int     `json:"failures"`
	}
	millis := func(t time.Time) float64 { return float64(t.Sub(begin)) / float64(time.Millisecond) }
	defer func() {
		if recover() != nil { // the String method of a key failed
			w.broken.Store(true)
		}
	}()
	queue, workers, processing := []string{}, []workerLine{}, []workerLine{}
	dirty, waiting, failing := []string{}, []waitingLine{}, map[string]int{}
	var late []T
	w.mu.Lock()
	defer w.mu.Unlock()
	items := w.fifo[w.head:]
	if len(w.queued) > 0 {
		items = make([]T, 0, len(w.queued))
		for item := range w.queued {
			items = append(items, item)
		}
		sort.Slice(items, func(i, j int) bool { return w.queued[items[i]] < w.queued[items[j]] })
	}
	for _, item := range items {
		queue = append(queue, keyOf(item))
	}
	for i := range w.workers {
		workers = append(workers, workerLine{ID: int32(i + 1)})
	}
	for item, t := range w.processing {
		x := workerLine{t.worker, keyOf(item), millis(t.since)}
		processing = append(processing, x)
		workers[t.worker-1] = x
	}
	for item := range w.dirty {
		dirty = append(dirty, keyOf(item))
	}
	for item, x := range w.delays {
		late = append(late, item)
		waiting = append(waiting, waitingLine{keyOf(item), millis(x.due), millis(x.set), 0})
	}
	c.cut = w.p.head()
	reconciles, failures, shutting, paused, limiter := w.reconciles, w.failures, w.isShuttingDown, w.isPaused, w.limiter
	w.mu.Unlock()
	defer w.mu.Lock()
	for i := range late {
		if limiter != nil {
			waiting[i].Failures = limiter.NumRequeues(late[i])
		}
		if n := waiting[i].Failures; n > 0 {
			failing[waiting[i].Key] = n
		}
	}
	c.state = map[string]interface{}{"workers": workers, "depth": len(queue), "queue": queue, "processing": processing, "dirty": dirty,
		"dirtyCount": len(queue) + len(dirty), "reAdded": len(dirty), "waiting": waiting, "waitingCount": len(waiting), "failing": failing,
		"retries": len(failing), "reconciles": reconciles, "failures": failures, "shuttingDown": shutting, "paused": paused}
	return c
}
