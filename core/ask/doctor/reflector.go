package doctor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/cause"
	"informerscope/core/words/event"
)

// Thresholds of the rules about the Reflector; see rule.go for what they mean.
const (
	relistSpan     = 10 * time.Minute
	relistsWarn    = 3
	relistsGrave   = 10
	silentTooLong  = 150 * time.Second // two bookmarks are missing: the API server sends one each minute, to a watch that has had one
	oweTooLong     = 15 * time.Second  // an API server brings a write within a second
	markTooLate    = 10 * time.Second
	syncTooLate    = 20 * time.Second
	failedTooLate  = 5 * time.Second
	outageTooLong  = 10 * time.Second // an API server that restarts is away for less
	cutEarly       = time.Minute      // an API server ends a watch after 5 min or more
	cutsWarn       = 3
	lostAfterPings = 40 * time.Second // HTTP/2 sends a PING after 30 s of silence, and waits 15 s for its answer; the log may begin after that
)

// reflector is what the rules remember of a Reflector.
type reflector struct {
	verb        event.Verb
	hasBookmark bool // the open watch has brought one that ends no initial events
	scope       scope
	newest      string // the newest version that a list or watch brought
	debt        debt
	options     string // namespace and selectors of the last request, as far as known
	isOpen      bool   // a watch is open
	isWaiting   bool   // a request has no answer yet
	sentAt      moment
	heardAt     moment // when the watch last brought something
	hasMark     bool   // a WatchList has brought its end mark
	failures    int    // requests that failed since the last success
	lastFailure failure

	cuts    []moment // watches that ended early: the newest, at most cutsWarn of them
	cutAll  int
	cutOpen time.Duration // how long the last one was open
	cutWhy  failure       // of the last one
	relists []moment      // the newest, at most relistsGrave
	worst   struct {
		count int
		since time.Duration
		at    moment
		cause failure
	}

	deaths, lateMarks struct { // a dead watch, an end mark that is late
		since time.Duration
		at    moment
		count int
	}
	troubles  map[string]*trouble // by their causes
	hasListed bool                // a list was answered
	hasStore  bool                // a list was taken over
	wentBack  struct {            // the last list that was older than what had come before it
		from, to string // versions
		at       moment
	}
	badMark    moment // a bookmark in the place of the end mark, without the mark
	failedFrom moment // the first failure since the last answer
}

// trouble is a cause that requests fail for, and that a Reflector does not repair by itself.
type trouble struct {
	first, last failure
	count       int
	verb        event.Verb // of the last request that failed
	isOver      bool       // a later request of that kind was answered
}

// scope is what the requests ask for.
type scope struct {
	namespace  string // empty for all, or if it is not known
	isSelected bool   // by labels or fields
}

// scopeOf returns the scope of a request, of which the path or the options may be missing.
func scopeOf(request string) scope {
	namespace, selectors := fold.ScopeOf(request)
	return scope{namespace, selectors != ""}
}

// words names the scope, behind an informer's name. options are its selectors.
func (s scope) words(options string) string {
	words := ""
	if s.namespace != "" {
		words = " in " + s.namespace
	}
	for _, selector := range strings.Split(options, "\n") {
		if selector != "" {
			words += " with " + selector
		}
	}
	return words
}

func (s scope) has(key string) bool {
	return !s.isSelected && (s.namespace == "" || strings.HasPrefix(key, s.namespace+"/"))
}

// debt is the oldest own write that the open watch has not brought. The zero value is none.
type debt struct {
	key, rv, resource string
	at                moment
}

// failure is why a request or a watch failed.
type failure struct {
	code  int
	cause string // its ID
	words string // the answer's own
	at    moment
}

func failureOf(err error, at moment) failure {
	words := err.Error()
	if event.StatusCode(err) == 0 {
		words = requestOf.ReplaceAllString(words, "")
	}
	return failure{code: event.StatusCode(err), cause: event.CauseOf(err), words: fold.Shorten(words), at: at}
}

// requestOf matches the request with which an error without an answer begins: a finding names its informer.
var requestOf = regexp.MustCompile(`^(?:failed to \w+ [^:"]*: )?Get "[^"]*": `)

func (r *reflector) restore(s *fold.State, e *event.Entry) {
	now := moment{e.Seq, e.At}
	r.verb, r.hasMark = event.ParseVerb(s.Reflector.Verb), s.Reflector.Phase == "watching"
	r.hasBookmark, r.debt, r.scope, r.newest = false, debt{}, scopeOf(s.Reflector.LastRequest), s.Reflector.ResourceVersion
	for _, item := range e.Restored().Items {
		r.bring(item.RV)
	}
	r.isOpen = s.Reflector.Phase == "watching" || s.Reflector.Phase == "watch-listing"
	r.hasStore = s.Synced || s.Indexer.ResourceVersion != "" || len(e.Restored().Items) > 0
	r.isWaiting, r.hasListed = s.Reflector.Phase == "listing", s.Reflector.ResourceVersion != ""
	r.heardAt, r.sentAt = now, now
	if s.Reflector.Phase == "backoff" {
		words := s.Reflector.BackoffCause
		r.failures, r.lastFailure, r.failedFrom = 1, failure{cause: cause.OfWords(0, words), words: words, at: now}, now
	}
}

func (r *reflector) see(e *event.Entry) {
	now := moment{e.Seq, e.At}
	switch e.Kind {
	case event.KindListWatchStarted:
		started := e.ListWatchStarted()
		if !started.First && started.Why != "first list" && r.hasStore { // older files do not have First
			r.relist(now, started.Why)
		}
	case event.KindRequestSent:
		sent := e.RequestSent()
		r.verb, r.sentAt, r.heardAt, r.isOpen, r.isWaiting, r.hasMark = sent.Verb, now, now, false, true, false
		r.hasBookmark, r.debt = false, debt{}
		if o := sent.Options; o != nil {
			r.options = o.LabelSelector + "\n" + o.FieldSelector
			r.scope.isSelected = r.options != "\n"
		}
	case event.KindWireRequest:
		r.scope = scopeOf(e.WireRequest().URL)
	case event.KindStoreAdded, event.KindStoreUpdated:
		r.hasStore = true
		r.bring(e.RV())
	case event.KindStoreReplaced:
		r.hasStore = true
		r.bring(e.StoreReplaced().StoreRV)
	case event.KindRequestAnswered:
		r.isWaiting = false
		if err := e.Err(); err != nil {
			r.fail(err, e)
			return
		}
		r.heardAt, r.isOpen = now, r.verb != event.VerbList
		r.hasListed = r.hasListed || r.verb == event.VerbList
		r.failures = 0
		for _, t := range r.troubles { //maporder:free each is by itself
			t.isOver = t.isOver || r.isOpen || t.verb == event.VerbList
		}
	case event.KindWatchEvent:
		r.noteLate(e.At)
		r.heardAt = now
		brought := e.WatchEvent()
		if brought.Op == event.OpBookmark && !brought.EndMark && r.verb == event.VerbWatchList && !r.hasMark && r.badMark.seq == 0 {
			r.badMark = now
		}
		r.hasMark = r.hasMark || brought.EndMark
		r.hasBookmark = r.hasBookmark || brought.Op == event.OpBookmark && !brought.EndMark
		r.bring(brought.RV)
	case event.KindReflectorRV: // of a list, or of each event
		if rv := e.RV(); r.verb != event.VerbWatch && rv != "" && rv != "0" && event.IsNewer(r.newest, rv) {
			r.wentBack.from, r.wentBack.to, r.wentBack.at = r.newest, rv, now
			r.newest = rv
		}
	case event.KindWatchClosed:
		r.noteLate(e.At)
		closed := e.WatchClosed()
		if closed.Err != nil {
			r.fail(closed.Err, e)
		}
		if isLost(closed.Err, e.At-r.heardAt.at) || r.isOverdue(e.At) {
			r.deaths.count++
			r.deaths.since, r.deaths.at = r.heardAt.at, now
		}
		if open := e.At - r.sentAt.at; r.isOpen && open < cutEarly && event.StatusCode(closed.Err) == 0 {
			r.cut(now, open, closed)
		}
		r.isOpen = false
	case event.KindReflectorStopped:
		r.isOpen, r.isWaiting = false, false
	}
}

// cut notes that a watch ended early.
func (r *reflector) cut(now moment, open time.Duration, closed event.WatchClosed) {
	r.cutAll, r.cutOpen, r.cutWhy = r.cutAll+1, open, failure{words: fold.Shorten(closed.Why)}
	if closed.Err != nil {
		r.cutWhy = r.lastFailure
	}
	if len(r.cuts) == cutsWarn && now.at-r.cuts[0].at > relistSpan { // what lies so far back does not count any more
		r.cuts = r.cuts[1:]
	}
	if len(r.cuts) < cutsWarn {
		r.cuts = append(r.cuts, now)
	}
}

// isLost reports whether a watch ended after this silence because the other side no longer answered. A timeout may be the client's own.
func isLost(err error, silence time.Duration) bool {
	return err != nil && (strings.Contains(err.Error(), "client connection lost") || event.ErrorCause(err) == "timeout" && silence >= lostAfterPings)
}

// bring notes a version that a list or watch brought. Watches bring versions in order.
func (r *reflector) bring(rv string) {
	if event.IsNewer(rv, r.newest) {
		r.newest = rv
	}
	if r.debt.rv != "" && !event.IsNewer(r.debt.rv, r.newest) {
		r.debt = debt{}
	}
}

// noteDebt notes a version that an own write made, and that the open watch must bring.
func (r *reflector) noteDebt(x debt) {
	if r.debt.rv == "" && r.isOpen && r.scope.has(x.key) && event.IsNewer(x.rv, r.newest) {
		r.debt = x
	}
}

// isOverdue reports whether the watch has been silent for too long since an own write.
func (r *reflector) isOverdue(at time.Duration) bool {
	return r.isOpen && r.debt.rv != "" && at-max(r.debt.at.at, r.heardAt.at) >= oweTooLong
}

func (r *reflector) fail(err error, e *event.Entry) {
	r.lastFailure = failureOf(err, moment{e.Seq, e.At})
	if r.failures++; r.failures == 1 {
		r.failedFrom = r.lastFailure.at
	}
	c := cause.Find(r.lastFailure.cause)
	if c == nil || !c.IsTrouble() {
		return
	}
	if r.troubles == nil {
		r.troubles = map[string]*trouble{}
	}
	t := r.troubles[c.ID]
	if t == nil {
		t = &trouble{first: r.lastFailure}
		r.troubles[c.ID] = t
	}
	if t.isOver {
		t.first, t.isOver = r.lastFailure, false
	}
	t.count++
	t.last, t.verb = r.lastFailure, r.verb
}

// noteLate notes that an end mark was late, when something ends the silence of a WatchList.
func (r *reflector) noteLate(at time.Duration) {
	if r.isOpen && r.verb == event.VerbWatchList && !r.hasMark && at-r.heardAt.at >= markTooLate {
		r.lateMarks.count++
		r.lateMarks.since, r.lateMarks.at = r.heardAt.at, r.heardAt
	}
}

func (r *reflector) relist(now moment, why string) {
	if len(r.relists) == relistsGrave {
		r.relists = slices.Delete(r.relists, 0, 1)
	}
	r.relists = append(r.relists, now)
	within := slices.IndexFunc(r.relists, func(m moment) bool { return now.at-m.at <= relistSpan })
	if n := len(r.relists) - within; n > r.worst.count {
		r.worst.count, r.worst.since, r.worst.at = n, r.relists[within].at, now
		r.worst.cause = r.lastFailure
		if r.lastFailure.at.seq == 0 {
			r.worst.cause = failure{words: fold.Shorten(why)}
		}
	}
}

// reportReflector reports what is wrong with the Reflector of a lane.
func (r *report) reportReflector() {
	l, x := r.lane, &r.lane.refl
	if x.worst.count >= relistsWarn {
		weight := Warning
		if x.worst.count >= relistsGrave {
			weight = Critical
		}
		why, advice := r.explain(x.worst.cause)
		r.find(relistLoop, weight, x.worst.since, x.worst.at, say("It relisted %[1]s times within %[2]s. The last cause: %[3]s",
			"%[2]s 内重新 list 了 %[1]s 次。最近的原因：%[4]s", atLeast(x.worst.count, relistsGrave), seconds(x.worst.at.at-x.worst.since), why.EN, why.ZH),
			advice)
	}
	x.noteLate(r.end.at)
	silence := r.end.at - x.heardAt.at
	switch {
	case x.isOverdue(r.end.at) && (x.debt.resource == "" || x.debt.resource == informerName(r.state)) && r.state.Shard == "" && !l.hasStopped:
		r.find(deadWatch, Critical, min(x.heardAt.at, x.debt.at.at), x.debt.at, say("The open watch has brought nothing for %[1]s. It lacks version %[2]s of "+
			"%[3]s, which an own write made %[4]s ago.", "连着的 watch 已有 %[1]s 没带来任何东西。它缺少 %[3]s 的版本 %[2]s，那是 %[4]s 前自己写入的。",
			seconds(silence), x.debt.rv, x.debt.key, seconds(r.end.at-x.debt.at.at)), silentAdvice)
	case x.isOpen && (x.verb == event.VerbWatch || x.hasMark) && x.hasBookmark && silence >= silentTooLong && !l.hasStopped:
		r.find(deadWatch, Critical, x.heardAt.at, r.end, say("The open watch has brought neither an event nor a bookmark for %s.",
			"连着的 watch 已有 %s 没带来事件或书签。", seconds(silence)), silentAdvice)
	case x.deaths.count > 0:
		r.find(deadWatch, Warning, x.deaths.since, x.deaths.at, say("Watches that turned out to be dead: %[1]d, the last one after %[2]s of silence or "+
			"more. What changed in that time was missing until the next request.", "有 %[1]d 个 watch 被发现已死，最近一个此前至少沉默了 %[2]s。"+
			"期间的变更要等下一个请求才补上。",
			x.deaths.count, seconds(x.deaths.at.at-x.deaths.since)), Words{})
	}
	if back := x.wentBack; back.at.seq > 0 {
		r.find(versionsWentBack, Warning, back.at.at, back.at, say("A list of %[1]s has version %[2]s. Version %[3]s had come before it.",
			"%[1]s 的一次 list 是版本 %[2]s，而此前已收到版本 %[3]s。", r.name(), back.to, back.from), Words{})
	}
	if n := len(x.cuts); n == cutsWarn && x.cuts[n-1].at-x.cuts[0].at <= relistSpan {
		why := "the connection ended"
		if x.cutWhy.cause != "" {
			why += " (" + x.cutWhy.cause + ")"
		}
		r.find(cutWatches, Warning, x.cuts[0].at, x.cuts[n-1], say("Watches of %[1]s that ended within a minute: %[2]d, the last one after %[3]s: %[4]s.",
			"%[1]s 的 watch 有 %[2]d 个在一分钟内结束，最近一个只持续了 %[3]s：%[4]s。", r.name(), x.cutAll, seconds(x.cutOpen), why), Words{})
	}
	weight := Warning
	if !l.isSynced {
		weight = Critical
	}
	switch {
	case x.badMark.seq > 0:
		r.find(noEndMark, weight, x.badMark.at, x.badMark, say("A bookmark came after the WatchList's objects, and lacked the mark k8s.io/initial-events-end. "+
			"The informer waits for it, and HasSynced stays false.", "WatchList 的对象之后来了书签，但没有 k8s.io/initial-events-end 标记。"+
			"informer 在等它，HasSynced 一直是 false。"), Words{})
	case x.lateMarks.count > 0:
		r.find(noEndMark, weight, x.lateMarks.since, x.lateMarks.at, say("The WatchList brought its last event %s ago, or before it ended, and no end mark. The "+
			"informer waits.",
			"WatchList 带来最后一个事件后，过了 %s 仍没有结束标记。informer 在等。", seconds(max(r.end.at-x.lateMarks.since, markTooLate))), Words{})
	}
	r.reportTroubles()
	r.reportUnsynced()
}

// silentAdvice is what to do about a watch that is silent and still open.
var silentAdvice = say("HTTP/2 health checks (HTTP2_READ_IDLE_TIMEOUT_SECONDS) end a dead connection after 45 s. If they are on, the connection answers "+
	"and only the stream is silent: look at a proxy that buffers it, and at the API server's watch cache.",
	"HTTP/2 健康检查（HTTP2_READ_IDLE_TIMEOUT_SECONDS）会在 45 秒后结束已死的连接。如果它开着，说明连接还有响应，只是流没有声音："+
		"检查会缓冲它的代理，以及 API server 的 watch cache。")

// reportUnsynced reports an informer that has not synced, and what it waits for.
func (r *report) reportUnsynced() {
	l, x := r.lane, &r.lane.refl
	if l.isSynced || r.state.Synced || l.hasStopped {
		return
	}
	ran := r.end.at - l.beginning.at
	if !l.hasStarted {
		if r.othersSynced() {
			r.find(neverSynced, Critical, l.beginning.at, r.end, say("It was never started, though other informers of its factory have synced.",
				"它从未启动，而同一 factory 的其他 informer 已经同步。"),
				say("Call the factory's Start again after you have requested this informer: Start starts only those that were requested before it.",
					"请求这个 informer 之后，再调用一次 factory 的 Start：Start 只启动此前已经请求过的 informer。"))
			r.explainBy("unstarted")
		}
		return
	}
	waits, advice := Words{}, Words{}
	waitsInQueue := r.state.Queue.Depth+r.state.Queue.BatchSize > 0
	blocked := false
	switch {
	case x.hasListed && waitsInQueue && ran >= syncTooLate:
		blocked = true
		waits, advice = r.blockedQueue()
	case x.failures > 0 && ran >= failedTooLate:
		why, causeAdvice := r.explain(x.lastFailure)
		waits, advice = say("its first list fails. %[1]s", "第一次 list 失败。%[2]s", why.EN, why.ZH), causeAdvice
	case ran < syncTooLate:
		return
	case x.isOpen && x.verb == event.VerbWatchList && !x.hasMark:
		waits = say("the end mark of its WatchList", "WatchList 的结束标记")
	case x.isWaiting:
		waits = say("the answer to its %s, sent %s ago", "对 %s 的回答，已发出 %s", x.verb, seconds(r.end.at-x.sentAt.at))
	case waitsInQueue:
		blocked = true
		waits, advice = r.blockedQueue()
	default:
		waits = say("its first list", "第一次 list")
	}
	r.find(neverSynced, Critical, l.beginning.at, r.end, say("It has run for %[1]s and has not synced. It waits for this: %[2]s",
		"已运行 %[1]s，仍未同步。它在等：%[3]s", seconds(ran), sentence(waits.EN, "."), sentence(waits.ZH, "。")), advice)
	if blocked {
		r.explainBy("indexing")
	}
}

// sentence ends a text with a full stop, if nothing else ends it.
func sentence(text, stop string) string {
	if strings.HasSuffix(text, stop) || strings.HasSuffix(text, "”"+stop) {
		return text
	}
	return text + stop
}

// blockedQueue says what a queue waits for whose list was answered, and what to do.
func (r *report) blockedQueue() (waits, advice Words) {
	n := r.state.Queue.Depth + r.state.Queue.BatchSize
	for _, h := range r.state.Holds {
		if h.Stage == "pop" || h.Stage == "store" {
			return say("%[1]d entries of its queue, which a hold of %[2]s keeps", "队列里的 %[1]d 个条目，它们被 %[2]s 拦住了", n, h.Stage),
				say("Let the hold go.", "放开它。")
		}
	}
	return say("%d entries of its queue, which are not processed: an index function or the transform blocks",
			"队列里的 %d 个条目，它们没有被处理：索引函数或 transform 卡住了", n),
		say("Look at a goroutine dump of the process: the goroutine in processDeltas shows the function that blocks. An index function and a transform must not "+
			"send requests, nor wait for a lock.", "查看进程的 goroutine dump：processDeltas 所在的 goroutine 显示卡住的函数。索引函数和 transform 不要发请求，也不要等锁。")
}

// othersSynced reports whether another informer of the lane's release has synced for long enough.
func (r *report) othersSynced() bool {
	for i := range r.fold.Lanes() {
		if s := r.fold.LaneState(i); i != r.lane.index && s.Synced && s.Release == r.state.Release && r.end.at >= syncTooLate {
			return true
		}
	}
	return false
}

// explain says what a failure's cause is, who gave the answer and what it was, and what to do about it.
func (r *report) explain(f failure) (why, advice Words) {
	c := cause.Find(f.cause)
	switch {
	case c == nil && f.words == "":
		return say("unknown.", "未知。"), say("Record again for longer, so that the recording has the cause.", "再录一段更长的，让原因进入录制。")
	case c == nil:
		return say("“%s”.", "“%s”。", f.words), say("Look at what ends the watch: a proxy or load balancer with a short timeout, or an API server that "+
			"restarts.", "查清是什么结束了 watch：超时很短的代理或负载均衡，或不断重启的 API server。")
	}
	s := r.state
	what, advice := c.Say(cause.Args{Context: s.Source.Context, Resource: informerName(s), Namespace: s.Resource.Namespace}.Read(f.words))
	return say("%[1]s From %[3]s: “%[5]s”.", "%[2]s来自%[4]s：“%[5]s”。", what.EN, what.ZH, c.Giver.EN, c.Giver.ZH, f.words), advice
}

// ruleOf returns the rule about a trouble's cause.
func ruleOf(id string) *Rule {
	switch id {
	case cause.Forbidden:
		return missingPermission
	case cause.Unauthorized, cause.ClientCertificate, cause.OIDCToken, cause.OIDCIssuer, cause.ExecPlugin, cause.ExecWaiting, cause.Credentials:
		return badCredentials
	case cause.NoWatch, cause.NotServed, cause.Webhook, cause.ContextNotServed, cause.NamespaceMissing:
		return unservedResource
	}
	return outage
}

// reportTroubles reports the causes for which the requests of the lane fail. An outage is reported for all informers that it holds up, at the first of them.
func (r *report) reportTroubles() {
	x := &r.lane.refl
	for _, id := range slices.Sorted(maps.Keys(x.troubles)) {
		t := x.troubles[id]
		why, advice := r.explain(t.last)
		switch rule := ruleOf(id); {
		case rule == outage:
			r.reportOutage(id, t, why, advice)
		case t.isOver:
			r.find(rule, Warning, t.first.at.at, t.first.at, say("%[1]s Requests that failed so: %[3]d. A later one was answered.",
				"%[2]s这样失败的请求有 %[3]d 个。后来的请求得到了回答。", why.EN, why.ZH, t.count), advice)
		default:
			r.find(rule, Critical, t.first.at.at, t.first.at, say("%[1]s Requests that failed so: %[3]d, the last one a %[4]s.",
				"%[2]s这样失败的请求有 %[3]d 个，最近一个是 %[4]s。", why.EN, why.ZH, t.count, t.verb), advice)
		}
	}
}

// reportOutage reports that the API server gives no answer at the end of the log, for outageTooLong or more.
func (r *report) reportOutage(id string, t *trouble, why, advice Words) {
	if !r.doctor.isOut(r.lane, r.end) || r.lane.refl.lastFailure.cause != id {
		return
	}
	n := 0
	for _, l := range r.doctor.lanes {
		if !r.doctor.isOut(l, r.end) {
			continue
		}
		if n++; n == 1 && l != r.lane { // an earlier lane has said it
			return
		}
	}
	since := r.lane.refl.failedFrom
	r.find(outage, Critical, since.at, since, say("%[1]s It has been so for %[3]s, for %[4]d of %[5]d informers.",
		"%[2]s已持续 %[3]s，涉及 %[5]d 个 informer 中的 %[4]d 个。", why.EN, why.ZH, seconds(r.end.at-since.at), n, r.fold.Lanes()), advice)
}

// isOut reports whether a lane's requests have failed for outageTooLong at the end, because no API server answers.
func (d *Doctor) isOut(l *lane, end moment) bool {
	x := &l.refl
	return x.failures > 0 && !l.hasStopped && end.at-x.failedFrom.at >= outageTooLong && x.troubles[x.lastFailure.cause] != nil &&
		ruleOf(x.lastFailure.cause) == outage
}

func atLeast(n, most int) string {
	if n >= most {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}
