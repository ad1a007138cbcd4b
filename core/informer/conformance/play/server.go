package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"reflect"
	goruntime "runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// object is the type of the cluster's objects. The label "app" is indexed. The annotation "via" of a copy names the answer that the copy left the
// server with, so a test can identify the copy that a handler received or a store kept.
type object = metav1.PartialObjectMetadata

const via = "via"

// change is one revision of the cluster.
type change struct {
	rev  int
	kind watch.EventType
	key  string
	obj  *object // the state after it; of a deletion, the last state with the revision of the deletion
}

// fault is an error or irregularity that occurs once, with the next request of a kind: LIST, PAGE (a LIST with a continue token), WATCH or WATCHLIST.
type fault struct {
	on   string
	kind string
	n    int
	d    time.Duration
}

func (f fault) String() string { return fmt.Sprintf("%s %s n=%d d=%v", f.on, f.kind, f.n, f.d) }

// cluster is the scripted API server. It has one resource with a history, which it can compact, and it can answer from an older state.
type cluster struct {
	mu        sync.Mutex
	start     time.Time
	rev       int
	objs      map[string]*object
	hist      []change
	compacted int // watches from before this revision are refused
	lag       int // how many revisions the answering server is behind
	faults    []fault
	healed    bool
	// stopping is set when the client's context is done. Whether client-go then still sends a LIST is a race of two goroutines.
	stopping bool
	streams  []*stream
	log      []logged
	requests int
	served   int // the newest revision that was read
	// pace is the pause between two frames of a stream; zero sends them in bursts.
	pace time.Duration
	// closes makes a stream that was stopped close its channel, as that of a real client does: the goroutine of client-go's sharded watch waits for it.
	closes bool
	// unfinished is the number of streams that were not stopped at the end of the script.
	unfinished int
}

// framePause is the pause before the first frame of a stream and after an end bookmark. So the result of a list and the changes after it never come at
// the same instant.
const framePause = time.Millisecond + 3*time.Nanosecond

func newCluster(pace time.Duration) *cluster {
	return &cluster{start: time.Now(), rev: 4, objs: map[string]*object{}, compacted: 0, pace: pace}
}

func (c *cluster) visibleRevision() int { return max(c.rev-c.lag, 1) }

func (c *cluster) logf(format string, args ...any) {
	c.log = append(c.log, logged{at: time.Since(c.start), text: fmt.Sprintf(format, args...)})
}

func (c *cluster) noteRequest(verb string, o metav1.ListOptions) {
	if !c.stopping {
		c.logf("%s", describeOptions(verb, o))
	}
}

// note appends a line to the log of requests.
func (c *cluster) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logf(format, args...)
}

// put creates or changes an object.
func (c *cluster) put(key, app string, labels ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(key, app, labels...)
}

func (c *cluster) putLocked(key, app string, labels ...string) {
	ns, name, ok := strings.Cut(key, "/")
	if !ok {
		ns, name = "", key
	}
	c.rev++
	o := &object{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, ResourceVersion: strconv.Itoa(c.rev)}}
	o.Labels = map[string]string{}
	if app != "" {
		o.Labels["app"] = app
	}
	for _, l := range labels {
		o.Labels[l] = "true"
	}
	kind := watch.Added
	if old, ok := c.objs[key]; ok {
		kind = watch.Modified
		o.UID = old.UID
	} else {
		o.UID = types.UID("u" + strconv.Itoa(c.rev))
	}
	c.objs[key] = o
	c.hist = append(c.hist, change{c.rev, kind, key, o})
	c.feed()
}

// remove deletes an object, if it exists.
func (c *cluster) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.objs[key]
	if !ok {
		return
	}
	c.rev++
	o := old.DeepCopy()
	o.ResourceVersion = strconv.Itoa(c.rev)
	delete(c.objs, key)
	c.hist = append(c.hist, change{c.rev, watch.Deleted, key, o})
	c.feed()
}

// skip adds n revisions that belong to other resources.
func (c *cluster) skip(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rev += n
}

// compact compacts all history.
func (c *cluster) compact() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compacted = c.rev
}

// setLag makes the answering server n revisions behind; zero is up to date.
func (c *cluster) setLag(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lag = n
	c.feed()
}

func (c *cluster) addFault(f fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, f)
}

// objectsAt returns the objects at a revision, by key.
func (c *cluster) objectsAt(rev int) map[string]*object {
	out := map[string]*object{}
	for _, h := range c.hist {
		if h.rev > rev {
			break
		}
		if h.kind == watch.Deleted {
			delete(out, h.key)
		} else {
			out[h.key] = h.obj
		}
	}
	return out
}

// feed sends every stream the history that it has not received.
func (c *cluster) feed() {
	for _, s := range c.streams {
		c.feedOne(s)
	}
}

func (c *cluster) feedOne(s *stream) {
	if s.mute {
		return
	}
	for _, h := range c.hist {
		if h.rev > s.cursor && h.rev <= c.visibleRevision() {
			s.push(frame{event: watch.Event{Type: h.kind, Object: s.copyOf(h.obj)}})
		}
	}
	s.cursor = max(s.cursor, c.visibleRevision())
}

// liveStream returns the newest stream that neither the client has stopped nor the server has ended, or nil.
func (c *cluster) liveStream() *stream {
	for _, s := range slices.Backward(c.streams) {
		if !s.ended && !s.isStopped() {
			return s
		}
	}
	return nil
}

// send puts events on the newest live stream. It returns false if there is none.
func (c *cluster) send(events ...watch.Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.liveStream()
	if s == nil {
		return false
	}
	for _, e := range events {
		if o, ok := e.Object.(*object); ok {
			e.Object = s.copyOf(o)
		}
		s.push(frame{event: e})
	}
	return true
}

// bookmark sends a BOOKMARK with the revision up to which the newest live stream is complete.
func (c *cluster) bookmark(endMark bool) {
	c.send(bookmark(c.completeRevision(), endMark))
}

// completeRevision returns the revision up to which the newest live stream is complete, or "" if there is no live stream.
func (c *cluster) completeRevision() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.liveStream(); s != nil {
		return strconv.Itoa(s.cursor)
	}
	return ""
}

// read returns the revision at which a request is answered. For "" it is the latest, as in a quorum read. For "0" it is the revision of the answering
// server. For any other version it is the same, or an error if that server is older than the version. The result is never older than one
// before.
func (c *cluster) read(rv string) (int, error) {
	switch rv {
	case "":
		c.served = c.rev
		return c.rev, nil
	case "0":
		c.served = max(c.served, c.visibleRevision())
		return c.served, nil
	}
	at, err := strconv.Atoi(rv)
	if err != nil {
		return 0, statusOf("invalid")
	}
	if at > c.visibleRevision() {
		return 0, statusOf("toolarge")
	}
	c.served = max(c.served, c.visibleRevision())
	return c.served, nil
}

// end closes the newest live stream, after an ERROR frame if err is not nil. A pause comes first, so the client receives neither at the current
// instant.
func (c *cluster) end(err *apierrors.StatusError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.liveStream()
	if s == nil {
		return
	}
	s.push(frame{pause: framePause})
	if err != nil {
		s.push(frame{event: errorFrame(err)})
	}
	s.ended = true
	s.push(frame{close: true})
}

// heal removes all faults: it closes the streams that would stay silent, sends the others the history that they lack, and cures poisoned objects.
// It keeps the lock meanwhile, so a request that follows a closed stream sees all of them cured.
func (c *cluster) heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults, c.healed = nil, true
	for _, s := range c.streams {
		if s.mute && !s.ended {
			s.ended = true
			s.push(frame{close: true})
		}
	}
	c.lag = 0
	c.feed()
	for _, key := range slices.Sorted(maps.Keys(c.objs)) {
		if c.objs[key].Labels[poison] != "" {
			c.putLocked(key, "cured")
		}
	}
}

// shutdown stops the streams that the client has not stopped, and counts them.
func (c *cluster) shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if !s.isStopped() {
			c.unfinished++
			s.Stop()
		}
	}
}

// noteError logs an error of the WatchErrorHandler. It ignores an error of a request that was canceled because the informer stopped. The Reflector
// waits both for the answer and for the end, and sees either of the two by chance.
func (c *cluster) noteError(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopping || !errors.Is(err, context.Canceled) {
		c.logf("WatchErrorHandler: %v", err)
	}
}

// waitForRequest returns when n requests have come. It does not sleep: the caller may hold a lock that other goroutines wait for, and then the clock of
// a bubble stops.
func (c *cluster) waitForRequest(n int) {
	for {
		c.mu.Lock()
		come := c.requests
		c.mu.Unlock()
		if come >= n {
			return
		}
		goruntime.Gosched()
	}
}

// noteOfFilter logs an object that a listener's filter received.
func (c *cluster) noteOfFilter(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, logged{at: time.Since(c.start), text: fmt.Sprintf(format, args...), filter: true})
}

// logged is a line of the log. A filter runs in the goroutine of its listener, and the Reflector in another. So their order at one instant is chance.
type logged struct {
	at     time.Duration
	text   string
	filter bool
}

// lines returns the log in the order of time. At one instant, the requests come before the lines of filters.
func (c *cluster) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sorted := slices.Clone(c.log)
	slices.SortStableFunc(sorted, func(a, b logged) int {
		if d := cmp.Compare(a.at, b.at); d != 0 || a.filter == b.filter {
			return d
		}
		if a.filter {
			return 1
		}
		return -1
	})
	lines := make([]string, len(sorted))
	for i, l := range sorted {
		lines[i] = fmt.Sprintf("%v %s", l.at, l.text)
	}
	return lines
}

// take removes and returns the first fault for a kind of request.
func (c *cluster) take(on string) fault {
	for i, f := range c.faults {
		if f.on == on {
			c.faults = slices.Delete(c.faults, i, i+1)
			return f
		}
	}
	return fault{}
}

// knownOptions are the fields of ListOptions that describeOptions formats itself.
var knownOptions = map[string]bool{"TypeMeta": true, "LabelSelector": true, "FieldSelector": true, "Watch": true, "AllowWatchBookmarks": true,
	"ResourceVersion":      true,
	"ResourceVersionMatch": true, "TimeoutSeconds": true, "Limit": true, "Continue": true, "SendInitialEvents": true}

func describeOptions(verb string, o metav1.ListOptions) string {
	s := fmt.Sprintf("%s rv=%q", verb, o.ResourceVersion)
	for _, f := range []struct {
		name string
		set  bool
		v    any
	}{
		{"limit", o.Limit != 0, o.Limit},
		{"continue", o.Continue != "", o.Continue},
		{"match", o.ResourceVersionMatch != "", o.ResourceVersionMatch},
		{"labels", o.LabelSelector != "", o.LabelSelector},
		{"fields", o.FieldSelector != "", o.FieldSelector},
		{"watch", o.Watch, o.Watch},
		{"kind", o.Kind != "", o.Kind},
		{"version", o.APIVersion != "", o.APIVersion},
	} {
		if f.set {
			s += fmt.Sprintf(" %s=%v", f.name, f.v)
		}
	}
	if o.SendInitialEvents != nil {
		s += fmt.Sprint(" initial=", *o.SendInitialEvents)
	}
	if o.AllowWatchBookmarks {
		s += " bookmarks"
	}
	if o.TimeoutSeconds != nil {
		s += fmt.Sprint(" timeout=", *o.TimeoutSeconds)
	}
	// Other fields that the ListOptions of a release have.
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !knownOptions[name] && !v.Field(i).IsZero() {
			s += fmt.Sprintf(" %s=%v", name, v.Field(i))
		}
	}
	return s
}

// statusOf returns the status error of a kind, or nil if the kind has none.
func statusOf(kind string) *apierrors.StatusError {
	pods := schema.GroupResource{Resource: "pods"}
	switch kind {
	case "expired":
		return apierrors.NewResourceExpired("too old")
	case "gone":
		return apierrors.NewGone("gone")
	case "toolarge":
		err := apierrors.NewTimeoutError("Too large resource version: 99, current: 5", 1)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
		return err
	case "toolarge-1.17":
		return apierrors.NewTimeoutError("Too large resource version: 99, current: 5", 1)
	case "toolarge-1.18":
		err := apierrors.NewTimeoutError("slow", 1)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "Too large resource version"}}
		return err
	case "429":
		return apierrors.NewTooManyRequests("slow down", 7)
	case "forbidden":
		return apierrors.NewForbidden(pods, "", errors.New("no"))
	case "internal":
		return apierrors.NewInternalError(errors.New("boom"))
	case "timeout":
		return apierrors.NewTimeoutError("slow", 1)
	case "unavailable":
		return apierrors.NewServiceUnavailable("later")
	case "invalid":
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "watch", pods, "", "sendInitialEvents is forbidden", 0, true)
	case "undecodable":
		s := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding").
			AsObject(errors.New("unable to decode an event from the watch stream")).(*metav1.Status)
		return &apierrors.StatusError{ErrStatus: *s}
	}
	return nil
}

func errorOf(kind string) error {
	if err := statusOf(kind); err != nil {
		return err
	}
	switch kind {
	case "refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case "opaque":
		return errors.New("something else")
	}
	return nil
}

func errorFrame(err *apierrors.StatusError) watch.Event {
	s := err.Status()
	return watch.Event{Type: watch.Error, Object: &s}
}

func bookmark(rv string, endMark bool) watch.Event {
	o := &object{ObjectMeta: metav1.ObjectMeta{ResourceVersion: rv}}
	if endMark {
		o.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return watch.Event{Type: watch.Bookmark, Object: o}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// List answers a LIST.
func (c *cluster) List(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	on := "LIST"
	if o.Continue != "" {
		on = "PAGE"
	}
	req, f := c.begin("LIST", on, o)
	pause(ctx, f.d)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.kind == "panic" {
		panic("list exploded")
	}
	if err := errorOf(f.kind); err != nil {
		return nil, err
	}
	first := c.served == 0
	rev, offset, size := 0, 0, 0
	if o.Continue != "" {
		if n, _ := fmt.Sscanf(o.Continue, "%d-%d-%d", &rev, &offset, &size); n != 3 {
			return nil, statusOf("invalid")
		}
		if rev < c.compacted {
			return nil, statusOf("expired")
		}
	} else {
		var err error
		if rev, err = c.read(o.ResourceVersion); err != nil {
			return nil, err
		}
	}
	contents := c.objectsAt(rev)
	keys := make([]string, 0, len(contents))
	for k := range contents {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	l := &internalversion.List{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(rev)}}
	add := func(o runtime.Object) {
		if m, ok := o.(*object); ok {
			m = m.DeepCopy()
			m.Annotations = map[string]string{via: fmt.Sprintf("L%d.%d", req, len(l.Items))}
			o = m
		}
		l.Items = append(l.Items, o)
	}
	if f.kind == "pages" {
		size = max(f.n, 1)
	}
	end := len(keys)
	if size > 0 && offset+size < end && o.Limit > 0 {
		end = offset + size
		l.Continue = fmt.Sprintf("%d-%d-%d", rev, end, size)
	}
	for i, k := range keys[min(offset, len(keys)):end] {
		if f.kind == "dup" && i%2 == f.n%2 {
			// Add an earlier state, unless the client may already have a newer one, and then the current state twice.
			for _, h := range c.hist {
				if first && h.key == k && h.rev < rev && h.kind != watch.Deleted && h.obj.UID == contents[k].UID && h.obj.ResourceVersion != contents[k].ResourceVersion {
					add(h.obj)
					break
				}
			}
			add(contents[k])
		}
		add(contents[k])
	}
	switch f.kind {
	case "fromnowhere":
		l.ResourceVersion = ""
	case "fromzero":
		l.ResourceVersion = "0"
	case "keyless":
		l.Items = append(l.Items, keyless{})
	case "notalist":
		return keyless{}, nil
	case "shardinfo":
		setShardInfo(&l.ListMeta, shardSelectorOf(o))
	case "othershard":
		setShardInfo(&l.ListMeta, "other")
	case "foreign":
		add(&object{ObjectMeta: metav1.ObjectMeta{Name: "foreign", Namespace: "ns", ResourceVersion: "1"}})
	}
	return l, nil
}

// Watch answers a WATCH or a WatchList.
func (c *cluster) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	on := "WATCH"
	if o.SendInitialEvents != nil && *o.SendInitialEvents {
		on = "WATCHLIST"
	}
	req, f := c.begin("WATCH", on, o)
	if f.kind != "latemark" && f.kind != "later" {
		pause(ctx, f.d)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.healed {
		f = fault{}
	}
	if err := errorOf(f.kind); err != nil {
		return nil, err
	}
	rev, err := c.read(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	from, _ := strconv.Atoi(o.ResourceVersion)
	s := newStream(req)
	c.streams = append(c.streams, s)
	go func() {
		s.pump(c.pace)
		if c.closes && !s.closed {
			close(s.ch)
		}
	}()
	switch {
	case f.kind == "close":
		s.finish(nil)
	case f.kind == "later":
		// Nothing comes for a while, and then the stream closes.
		s.mute = true
		s.push(frame{close: true, pause: f.d})
		s.ended = true
	case strings.HasPrefix(f.kind, "frame-") && on == "WATCH":
		s.finish(statusOf(strings.TrimPrefix(f.kind, "frame-")))
	case on == "WATCH" && from != 0 && from < c.compacted:
		s.finish(statusOf("expired"))
	case on == "WATCH" && from != 0:
		s.cursor = from
		c.sendIgnored(s, f)
		c.feedOne(s)
	default:
		c.feedInitial(s, on, rev, f)
	}
	return s, nil
}

// begin counts and notes a request of a verb, and returns its number and the fault that it meets. on names the requests that a fault chooses.
func (c *cluster) begin(verb, on string, o metav1.ListOptions) (req int, f fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.noteRequest(verb, o)
	return c.requests, c.take(on)
}

// feedInitial sends the objects of a version as ADDED, and continues from there.
func (c *cluster) feedInitial(s *stream, on string, rev int, f fault) {
	contents := c.objectsAt(rev)
	keys := slices.Sorted(maps.Keys(contents))
	prefix := "A"
	if on == "WATCHLIST" {
		prefix = "I"
	}
	sent := 0
	initial := func(o *object) {
		o = o.DeepCopy()
		o.Annotations = map[string]string{via: fmt.Sprintf("%s%d.%d", prefix, s.req, sent)}
		sent++
		s.push(frame{event: watch.Event{Type: watch.Added, Object: o}})
	}
	for i, k := range keys {
		if i == f.n && (strings.HasPrefix(f.kind, "frame-") || f.kind == "cut") {
			break
		}
		if f.kind == "dup" && i%2 == f.n%2 {
			initial(contents[k])
		}
		initial(contents[k])
	}
	s.cursor = rev
	switch {
	case f.kind == "cut":
		s.finish(nil)
		return
	case strings.HasPrefix(f.kind, "frame-"):
		s.finish(statusOf(strings.TrimPrefix(f.kind, "frame-")))
		return
	case on == "WATCH":
		c.feedOne(s)
		return
	case f.kind == "nomark":
		s.mute = true
		return
	}
	c.sendIgnored(s, f)
	s.push(frame{event: bookmark(strconv.Itoa(rev), true), pause: markPause(f)})
	if c.pace == 0 {
		s.push(frame{pause: framePause})
	}
	c.feedOne(s)
}

// keyless is an object without metadata. It is not a type of apimachinery, because errors print objects, and the fields of those types differ between
// releases.
type keyless struct{}

func (keyless) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (keyless) DeepCopyObject() runtime.Object   { return keyless{} }

func markPause(f fault) time.Duration {
	if f.kind == "latemark" {
		return f.d
	}
	return 0
}

// sendIgnored puts events on a stream that a Reflector must ignore.
func (c *cluster) sendIgnored(s *stream, f fault) {
	named := &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "odd", ResourceVersion: strconv.Itoa(s.cursor)}}
	switch f.kind {
	case "wrongtype":
		s.push(frame{event: watch.Event{Type: watch.Added, Object: &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "77"}}}})
	case "nometa":
		s.push(frame{event: watch.Event{Type: watch.Modified, Object: &metav1.Status{}}})
	case "oddtype":
		s.push(frame{event: watch.Event{Type: "ODD", Object: s.copyOf(named)}})
	}
}

// frame is an event, the end of the stream, or only a pause. The pause comes first.
type frame struct {
	event watch.Event // none if its Type is empty
	pause time.Duration
	close bool
}

// stream is one open watch. A goroutine sends its frames.
type stream struct {
	req    int
	ch     chan watch.Event
	stop   chan struct{}
	once   sync.Once
	cursor int
	// mute stops the sending of history. ended is set when the server adds no more frames. The lock of the cluster guards both.
	mute, ended bool
	sent        int
	closed      bool // ch is; only pump and what runs after it use it

	mu   sync.Mutex
	todo []frame
	wake chan struct{}
}

func newStream(req int) *stream {
	return &stream{req: req, ch: make(chan watch.Event), stop: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// ResultChan implements watch.Interface.
func (s *stream) ResultChan() <-chan watch.Event { return s.ch }

// Stop implements watch.Interface.
func (s *stream) Stop() { s.once.Do(func() { close(s.stop) }) }

func (s *stream) isStopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// copyOf returns the copy of an object that this stream sends.
func (s *stream) copyOf(o *object) *object {
	marked := o.Annotations[metav1.InitialEventsAnnotationKey]
	o = o.DeepCopy()
	o.Annotations = map[string]string{via: fmt.Sprintf("W%d.%d", s.req, s.sent)}
	if marked != "" {
		o.Annotations[metav1.InitialEventsAnnotationKey] = marked
	}
	s.sent++
	return o
}

// finish ends the stream, after an ERROR frame if err is not nil. It sets mute, because nothing may follow.
func (s *stream) finish(err *apierrors.StatusError) {
	s.mute, s.ended = true, true
	if err != nil {
		s.push(frame{event: errorFrame(err)})
	}
	s.push(frame{close: true})
}

func (s *stream) push(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todo = append(s.todo, f)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) next() (frame, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.todo) == 0 {
		return frame{}, false
	}
	f := s.todo[0]
	s.todo = s.todo[1:]
	return f, true
}

// pump sends the frames until the client stops the stream or the server ends it.
func (s *stream) pump(pace time.Duration) {
	wait := func(d time.Duration) bool {
		if d <= 0 {
			return true
		}
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return true
		case <-s.stop:
			return false
		}
	}
	first := true
	for {
		f, ok := s.next()
		if !ok {
			select {
			case <-s.wake:
				continue
			case <-s.stop:
				return
			}
		}
		if first && !f.close && !wait(framePause) {
			return
		}
		first = false
		if !wait(max(f.pause, pace)) {
			return
		}
		if f.event.Type != "" {
			select {
			case s.ch <- f.event:
			case <-s.stop:
				return
			}
		}
		if f.close {
			close(s.ch)
			s.closed = true
			<-s.stop
			return
		}
	}
}
