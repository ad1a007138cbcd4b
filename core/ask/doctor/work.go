package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/lens"
	"informerscope/core/words/event"
)

// Thresholds of the rules about the work queue; see rule.go for what they mean.
const (
	manyRetries    = 12 // the default limiter has kept the key for 41 s by then
	tooManyRetries = 15
	retriesLast    = 5 * time.Minute
	unseenRetries  = 18 // the default limiter has reached its longest delay
	starvedWait    = 10 * time.Second
	backlogSpan    = 20 * time.Second
	starvedKeysMin = 3
	loopRuns       = 10
	staleReadsMin  = 5
	staleShare     = 0.1
)

// work is what the rules remember of a work queue and its controller.
type work struct {
	keys     map[string]*key
	isPaused bool
	hasEnded bool // the queue was empty once, so the backlog of the initial list is over

	limiter, queue starvation

	busy      map[string]moment // the keys that workers have, and since when
	depth     int               // of the queue
	backlog   time.Duration     // since when it is not empty
	earlier   [2]int            // how many keys were in it or with workers, at the beginnings of the last two halves of backlogSpan
	halfAt    time.Duration     // when the newer one began
	halves    int
	worked    time.Duration // what reconciles took since the queue is not empty
	reconcile struct {
		took  time.Duration
		count int
	}
}

// key is a key of a work queue.
type key struct {
	readyAt, limitedAt moment // since when it waits in the queue, or because of the rate limiter; zero: it does not.
	isLate             bool   // it came to the queue after the backlog of the initial list
	hasFailed          bool   // its last reconcile failed
	retries            int
	hadRetries         bool   // before the log, or what is left of it, began
	lastError          string // of its last reconcile that failed
	retriesSince       time.Duration
	retriesAt          moment
}

// starvation is what the rules remember of keys that waited too long.
type starvation struct {
	count   int
	first   time.Duration
	longest time.Duration
	key     string
	at      moment
}

func newWork() work { return work{keys: map[string]*key{}, busy: map[string]moment{}} }

// key returns a key; nil if there are too many.
func (w *work) key(name string) *key {
	k := w.keys[name]
	if k == nil && len(w.keys) < maxKeys {
		k = &key{}
		w.keys[name] = k
	}
	return k
}

func (w *work) restore(s *fold.State, e *event.Entry) {
	kept := *w
	*w = newWork()
	w.hasEnded = kept.hasEnded || s.Workqueue != nil && s.Workqueue.Depth == 0
	w.limiter, w.queue = kept.limiter, kept.queue
	if s.Workqueue == nil {
		return
	}
	w.isPaused = s.Workqueue.Paused
	for _, name := range slices.Sorted(maps.Keys(s.Workqueue.Failing)) { // if there are too many, it is not chance which are kept
		n := s.Workqueue.Failing[name]
		if k := w.key(name); k != nil {
			k.hasFailed = true
			k.setRetries(n, e)
		}
	}
	for _, x := range s.Workqueue.Processing {
		w.busy[x.Key] = moment{e.Seq, e.At}
	}
	w.setDepth(s.Workqueue.Depth, e.At)
	for _, name := range s.Workqueue.Queue {
		if k := w.key(name); k != nil {
			k.readyAt, k.isLate = moment{e.Seq, e.At}, w.hasEnded
		}
	}
}

func (w *work) see(e *event.Entry) {
	switch event.SubjectOf(e.Kind) {
	case event.AboutWork:
	default:
		return
	}
	now := moment{e.Seq, e.At}
	if e.Kind == event.KindWorkPaused || e.Kind == event.KindWorkResumed {
		w.pause(e.Kind == event.KindWorkPaused, now)
		return
	}
	k := w.key(e.Key())
	if k == nil {
		return
	}
	switch e.Kind {
	case event.KindWorkAdded:
		if k.readyAt.seq == 0 {
			k.readyAt, k.isLate = now, w.hasEnded
		}
	case event.KindWorkTaken:
		w.take(e, k)
	case event.KindWorkDone:
		if began, ok := w.busy[e.Key()]; ok {
			delete(w.busy, e.Key())
			w.reconcile.took += e.At - began.at
			w.reconcile.count++
			w.worked += e.At - max(began.at, w.backlog)
		}
		if done := e.Work(); done.Flag {
			k.readyAt, k.isLate = now, w.hasEnded
		}
	case event.KindWorkRateLimited:
		if !k.hasFailed && k.limitedAt.seq == 0 {
			k.limitedAt = now
		}
		k.setRetries(e.Work().N, e)
	case event.KindWorkForgotten:
		k.retries, k.hasFailed = 0, false
	case event.KindReconciled:
		if k.hasFailed = e.Err() != nil; k.hasFailed {
			k.lastError = fold.Shorten(e.Err().Error())
		}
	}
	if e.Kind == event.KindWorkAdded || e.Kind == event.KindWorkTaken {
		w.setDepth(e.Work().N, e.At)
	}
}

// pause notes that the queue is paused, or no longer. A key's wait for a worker begins again then.
func (w *work) pause(isPaused bool, now moment) {
	w.isPaused = isPaused
	if isPaused {
		return
	}
	//maporder:free each is set to the same value
	for _, k := range w.keys {
		if k.readyAt.seq > 0 {
			k.readyAt = now
		}
	}
}

func (k *key) setRetries(n int, e *event.Entry) {
	if k.retries == 0 {
		k.retriesSince, k.hadRetries = e.At, n > 1
	}
	k.retries, k.retriesAt = n, moment{e.Seq, e.At}
}

// isEndless reports whether a key has been retried too often, for too long.
func (k *key) isEndless(end time.Duration) bool {
	return k.retries >= tooManyRetries && end-k.retriesSince >= retriesLast || k.retries >= unseenRetries && k.hadRetries
}

func (w *work) take(e *event.Entry, k *key) {
	taken := e.Work()
	switch {
	case k.limitedAt.seq > 0:
		w.limiter.see(taken.Key, k.limitedAt.at, moment{e.Seq, e.At})
	case k.readyAt.seq > 0 && k.isLate:
		w.queue.see(taken.Key, k.readyAt.at, moment{e.Seq, e.At})
	}
	if len(w.busy) < maxKeys {
		w.busy[taken.Key] = moment{e.Seq, e.At}
	}
	k.readyAt, k.limitedAt = moment{}, moment{}
	w.hasEnded = w.hasEnded || taken.N == 0
}

// setDepth notes how many keys the queue holds.
func (w *work) setDepth(n int, at time.Duration) {
	all := n + len(w.busy)
	if n == 0 || w.depth == 0 {
		w.backlog, w.halfAt, w.halves, w.worked = at, at, 1, 0
		w.earlier = [2]int{all, all}
	}
	w.depth = n
	if at-w.halfAt >= backlogSpan/2 {
		w.earlier, w.halfAt, w.halves = [2]int{w.earlier[1], all}, at, w.halves+1
	}
}

// see notes how long a key waited.
func (s *starvation) see(key string, since time.Duration, at moment) {
	waited := at.at - since
	if waited < starvedWait {
		return
	}
	if s.count++; s.count == 1 || since < s.first {
		s.first = since
	}
	if waited > s.longest {
		s.longest, s.key, s.at = waited, key, at
	}
}

// reportWorkQueue reports what is wrong with the work queue of a lane and its controller.
func (r *report) reportWorkQueue() {
	w, t := &r.lane.work, r.doctor.lens.Totals(r.lane.index, lens.Moment{Seq: r.end.seq, At: r.end.at})
	r.reportLoops(&t)
	r.reportStaleReads(&t)
	names := slices.Sorted(maps.Keys(w.keys))
	limiter, queue := w.limiter, w.queue
	worst, failing := "", 0
	for _, name := range names {
		k := w.keys[name]
		switch {
		case k.limitedAt.seq > 0:
			limiter.see(name, k.limitedAt.at, r.end)
		case k.readyAt.seq > 0 && k.isLate && !w.isPaused:
			queue.see(name, k.readyAt.at, r.end)
		}
		if k.retries >= manyRetries {
			if failing++; worst == "" || k.retries > w.keys[worst].retries {
				worst = name
			}
		}
	}
	if limiter.count >= starvedKeysMin {
		r.find(starvedKeys, Warning, limiter.first, limiter.at, say("The rate limiter held back %[1]d keys that had not failed, the longest, %[2]s, "+
			"for %[3]s.",
			"限速器拦下了 %[1]d 个没有失败的 key，最久的 %[2]s 等了 %[3]s。", limiter.count, limiter.key, seconds(limiter.longest)),
			say("Call Add in the handler. AddRateLimited is for keys that failed: all of its calls share a bucket of 10 a second.",
				"在 handler 里用 Add。AddRateLimited 是给失败的 key 用的：它的所有调用共用每秒 10 个的令牌桶。"))
	}
	if r.reportBusyWorkers(&t) {
		queue.count = 0 // that is why
	}
	if queue.count >= starvedKeysMin {
		r.find(starvedKeys, Warning, queue.first, queue.at, say("%[1]d keys waited in the queue for a worker, the longest, %[2]s, for %[3]s.",
			"%[1]d 个 key 在队列里等 worker，最久的 %[2]s 等了 %[3]s。", queue.count, queue.key, seconds(queue.longest)),
			say("Run more workers, or make a reconcile faster: look at what its requests wait for, and at client-side throttling (QPS and Burst).",
				"增加 worker，或让调谐更快：看它的请求在等什么，以及客户端限流（QPS 和 Burst）。"))
	}
	if s := t.Starved; t.Starving > 0 {
		r.find(starvedKeys, Warning, s.Since, moment{s.At.Seq, s.At.At}, say("%[1]s waited %[2]s for a worker, while %[3]d keys or more that came later were "+
			"taken first. Such waits: %[4]d.",
			"%[1]s 等 worker 等了 %[2]s，期间至少 %[3]d 个更晚来的 key 先被取走。这样的等待有 %[4]d 次。", s.Key, seconds(s.Wait), s.Overtaken, t.Starving),
			say("The keys that come first have a higher priority, and take all of the workers' time. Requeue them less often, run more workers, or give the key that "+
				"waits the same priority.",
				"先被取走的 key 优先级更高，占满了 worker。让它们少 requeue 一些，增加 worker，或给等待的 key 同样的优先级。"))
	}
	if failing > 0 {
		k := w.keys[worst]
		what := say("%[1]s has failed %[2]d times in a row, and is retried; keys like it: %[3]d.", "%[1]s 已连续失败 %[2]d 次，仍在重试；这样的 key 有 %[3]d 个。",
			worst, k.retries, failing)
		if k.lastError != "" {
			what.EN += fmt.Sprintf(" The reconcile returned: “%s”.", k.lastError)
			what.ZH += fmt.Sprintf("调谐返回：“%s”。", k.lastError)
		}
		weight := Hint
		if k.isEndless(r.end.at) {
			weight = Warning
		}
		r.find(endlessRetries, weight, k.retriesSince, k.retriesAt, what, Words{})
	}
}

// reportBusyWorkers reports that the workers cannot keep up: at the end the queue has been full of keys for backlogSpan or more, and does not shrink.
func (r *report) reportBusyWorkers(t *lens.Totals) bool {
	w := &r.lane.work
	span := r.end.at - w.backlog
	if w.depth == 0 || w.halves < 2 || span < backlogSpan || w.depth+len(w.busy) < w.earlier[0] || w.reconcile.count == 0 ||
		t.Starving > 0 || r.state.Workqueue == nil {
		return false
	}
	worked, oldest := w.worked, r.end
	for _, began := range w.busy { //maporder:free a sum of whole numbers
		worked += r.end.at - max(began.at, w.backlog)
	}
	for _, k := range w.keys { //maporder:free the least of all
		if k.readyAt.seq > 0 && k.readyAt.seq < oldest.seq {
			oldest = k.readyAt
		}
	}
	workers := max(len(r.state.Workqueue.Workers), len(w.busy), 1)
	each, waited := w.reconcile.took/time.Duration(w.reconcile.count), r.end.at-oldest.at
	if waited < starvedWait || float64(worked) < busyShare*float64(span)*float64(workers) {
		return false
	}
	r.find(busyWorkers, Warning, w.backlog, oldest, say("%[1]d of %[1]d workers are busy all the time, for %[2]s. A reconcile takes %[3]s; %[4]d "+
		"wait, the oldest for %[5]s.",
		"%[1]d 个 worker 全部一直在忙，已 %[2]s。一次调谐用 %[3]s；有 %[4]d 个 key 在等，最久的等了 %[5]s。", workers, seconds(span), seconds(each), w.depth,
		seconds(waited)), Words{})
	return true
}

// reportLoops reports a key that its own writes woke again and again.
func (r *report) reportLoops(t *lens.Totals) {
	x := &t.Longest
	if x.Chain < loopRuns {
		return
	}
	r.find(selfLoop, Critical, x.Since, moment{x.Seq, x.At}, say("%[1]s woke itself %[2]d times in a row within %[3]s, and nothing else woke it. "+
		"Each time its own write did: %[4]s.",
		"%[3]s 内 %[1]s 连续唤醒了自己 %[2]d 次，没有别的原因。每次都是它自己的写入：%[4]s。", x.Key, x.Chain, seconds(x.At-x.Since), writeOf(&x.By)), Words{})
}

// writeOf describes a write.
func writeOf(w *lens.Write) string {
	resource := w.Resource
	if w.Subresource != "" {
		resource += "/" + w.Subresource
	}
	return strings.Join(strings.Fields(w.Verb+" "+resource+" "+w.Key), " ")
}

// reportStaleReads reports reads that were older than the controller's own writes, and what they led to.
func (r *report) reportStaleReads(t *lens.Totals) {
	if t.Duplicates > 0 {
		d := &t.Duplicate
		r.find(staleReads, Critical, t.FirstDuplicate.At, moment{t.LastDuplicate.Seq, t.LastDuplicate.At}, say("%[1]s created %[2]s although it had created "+
			"%[3]s before: its read did not show that yet. Such duplicates: %[4]d.",
			"%[1]s 已创建过 %[3]s，却又创建了 %[2]s：它的读取还看不到前者。这样的重复有 %[4]d 个。", t.DuplicateKey, d.Made, d.Earlier, t.Duplicates), Words{})
	}
	if t.Older >= staleReadsMin && (t.Conflicts > 0 || float64(t.Older) >= staleShare*float64(t.Reads)) {
		r.find(staleReads, Warning, t.FirstOlder.At, moment{t.LastOlder.Seq, t.LastOlder.At}, say("%[1]d of %[2]d reads were older than a write of the same "+
			"controller; %[3]d writes failed for it with a conflict.",
			"%[2]d 次读取中有 %[1]d 次比 controller 自己的写入还旧；因此有 %[3]d 次写入冲突。", t.Older, t.Reads, t.Conflicts), Words{})
	}
}
