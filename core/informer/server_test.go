package informer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/event"
)

type object = metav1.PartialObjectMetadata

func obj(name, rv string) *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: rv}}
}

func objWithApp(name, rv, app string) *object {
	o := obj(name, rv)
	o.Labels = map[string]string{"app": app}
	return o
}

func list(rv string, objs ...*object) *metav1.PartialObjectMetadataList {
	l := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: rv}}
	for _, o := range objs {
		l.Items = append(l.Items, *o)
	}
	return l
}

func page(rv, next string, objs ...*object) *metav1.PartialObjectMetadataList {
	l := list(rv, objs...)
	l.Continue = next
	return l
}

func addedEvent(o *object) watch.Event    { return watch.Event{Type: watch.Added, Object: o} }
func modifiedEvent(o *object) watch.Event { return watch.Event{Type: watch.Modified, Object: o} }
func deletedEvent(o *object) watch.Event  { return watch.Event{Type: watch.Deleted, Object: o} }
func bookmark(rv string) watch.Event {
	return watch.Event{Type: watch.Bookmark, Object: &object{ObjectMeta: metav1.ObjectMeta{ResourceVersion: rv}}}
}
func endMark(rv string) watch.Event {
	e := bookmark(rv)
	e.Object.(*object).Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	return e
}
func errorEvent(err *apierrors.StatusError) watch.Event {
	s := err.Status()
	return watch.Event{Type: watch.Error, Object: &s}
}

func errExpired() *apierrors.StatusError  { return apierrors.NewResourceExpired("too old") }
func errInternal() *apierrors.StatusError { return apierrors.NewInternalError(errors.New("boom")) }
func err429() *apierrors.StatusError      { return apierrors.NewTooManyRequests("slow down", 7) }
func errForbidden() *apierrors.StatusError {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
}
func errInvalid() *apierrors.StatusError {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "watch", schema.GroupResource{Resource: "pods"}, "",
		"sendInitialEvents is forbidden", 0, true)
}
func errTooLarge() *apierrors.StatusError {
	err := apierrors.NewTimeoutError("Too large resource version: 99, current: 5", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}
func errRefused() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// reply is a server's answer to one request. The zero reply is, for a WATCH, an open stream without events, and for a LIST an empty list.
type reply struct {
	list   *metav1.PartialObjectMetadataList
	err    error
	events []watch.Event
	close  bool
	panic  bool
	// late is how long the answer to a WATCH takes.
	late time.Duration
}

// server is a scripted API server. It answers LIST and WATCH with the next reply of each script, and repeats the last one at the end of a script.
type server struct {
	lock    sync.Mutex
	t0      time.Time
	lists   []reply
	watches []reply
	log     []string
	times   []time.Duration
	streams []*fakeStream
	// streamAdded wakes open when a stream was added.
	streamAdded sync.Cond
}

func newServer(lists, watches []reply) *server {
	s := &server{t0: time.Now(), lists: lists, watches: watches}
	s.streamAdded.L = &s.lock
	return s
}

func next(script *[]reply) reply {
	if len(*script) == 0 {
		return reply{}
	}
	r := (*script)[0]
	if len(*script) > 1 {
		*script = (*script)[1:]
	}
	return r
}

func describe(verb string, o metav1.ListOptions) string {
	s := fmt.Sprintf("%s rv=%q", verb, o.ResourceVersion)
	if o.Limit != 0 {
		s += fmt.Sprint(" limit=", o.Limit)
	}
	if o.Continue != "" {
		s += " continue=" + o.Continue
	}
	if o.ResourceVersionMatch != "" {
		s += " match=" + string(o.ResourceVersionMatch)
	}
	if o.SendInitialEvents != nil {
		s += fmt.Sprint(" initial=", *o.SendInitialEvents)
	}
	if o.AllowWatchBookmarks {
		s += " bookmarks"
	}
	if o.TimeoutSeconds != nil {
		switch n := *o.TimeoutSeconds; {
		case n >= 300 && n < 600:
			s += " timeout=[300,600)"
		default:
			s += fmt.Sprint(" timeout=", n)
		}
	}
	return s
}

func (s *server) record(verb string, o metav1.ListOptions) {
	s.log = append(s.log, describe(verb, o))
	s.times = append(s.times, time.Since(s.t0))
}

func (s *server) listWithContext(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.record("LIST", o)
	r := next(&s.lists)
	if r.panic {
		panic("list exploded")
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.list == nil {
		return list("1"), nil
	}
	return r.list, nil
}

func (s *server) watchWithContext(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
	s.lock.Lock()
	s.record("WATCH", o)
	r := next(&s.watches)
	s.lock.Unlock()
	if r.late > 0 {
		<-time.After(r.late)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if r.err != nil {
		return nil, r.err
	}
	w := &fakeStream{ch: make(chan watch.Event, 10_000)}
	for _, e := range r.events {
		w.ch <- e
	}
	if r.close {
		w.end()
	}
	s.streams = append(s.streams, w)
	s.streamAdded.Broadcast()
	return w, nil
}

// open waits for an open stream and returns the newest. The wait is needed because a LIST alone can sync an informer, before it opens its watch. If the
// watch is never opened, the synctest bubble reports a deadlock at once.
func (s *server) open() *fakeStream {
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		if n := len(s.streams); n > 0 && s.streams[n-1].live() {
			return s.streams[n-1]
		}
		s.streamAdded.Wait()
	}
}

// send sends events on the newest stream, once one is open.
func (s *server) send(events ...watch.Event) {
	w := s.open()
	for _, e := range events {
		w.ch <- e
	}
}

// end closes the newest stream, once one is open.
func (s *server) end() { s.open().end() }

func (s *server) requests() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.log)
}

func (s *server) requestTimes() []time.Duration {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.times)
}

func (s *server) openStreams() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	n := 0
	for _, w := range s.streams {
		if !w.stopped() {
			n++
		}
	}
	return n
}

func (s *server) lw() *ListWatch {
	return &ListWatch{ListWithContextFunc: s.listWithContext, WatchFuncWithContext: s.watchWithContext}
}

type fakeStream struct {
	ch    chan watch.Event
	lock  sync.Mutex
	ended bool // by the server
	stop  bool // by the client
}

func (w *fakeStream) ResultChan() <-chan watch.Event { return w.ch }
func (w *fakeStream) end() {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.ended {
		w.ended = true
		close(w.ch)
	}
}
func (w *fakeStream) live() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return !w.ended && !w.stop
}
func (w *fakeStream) Stop() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.stop = true
}
func (w *fakeStream) stopped() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.stop
}

// calls records the calls of a handler. An update whose two objects are the same pointer is recorded as a resync; tombstones are marked.
type calls struct {
	lock sync.Mutex
	log  []string
	hook func(string)
}

func (c *calls) add(format string, args ...any) {
	c.lock.Lock()
	line := fmt.Sprintf(format, args...)
	c.log = append(c.log, line)
	hook := c.hook
	c.lock.Unlock()
	if hook != nil {
		hook(line)
	}
}

func (c *calls) lines() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Clone(c.log)
}

func name(o any) string {
	m := o.(metav1.Object)
	return m.GetName() + "@" + m.GetResourceVersion()
}

func (c *calls) OnAdd(o any, initial bool) { c.add("add %s %v", name(o), initial) }
func (c *calls) OnUpdate(old, o any) {
	if old == o {
		c.add("resync %s", name(o))
		return
	}
	c.add("update %s -> %s", name(old), name(o))
}
func (c *calls) addDelete(o any, tombstoneKey string) {
	switch {
	case tombstoneKey == "":
		c.add("delete %s", name(o))
	case o == nil:
		c.add("tombstone %s without object", tombstoneKey)
	default:
		if d, ok := o.(DeletedFinalStateUnknown); ok { // a queue's tombstone of a tombstone
			o = d.Obj
		}
		c.add("tombstone %s of %s", tombstoneKey, name(o))
	}
}
func (c *calls) OnDelete(o any) {
	if d, ok := o.(DeletedFinalStateUnknown); ok {
		c.addDelete(d.Obj, d.Key)
		return
	}
	c.addDelete(o, "")
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got: %s\nwant: %s", what, strings.Join(got, "\n      "), strings.Join(want, "\n      "))
	}
}

// running is an informer under test, with its server, a recorder and one handler.
type running struct {
	*sharedIndexInformer
	t      *testing.T
	srv    *server
	rec    *recorder
	calls  *calls
	reg    ResourceEventHandlerRegistration
	cancel context.CancelFunc
	done   chan struct{}
}

// start runs an informer; it must be stopped before the synctest bubble ends.
func start(t *testing.T, srv *server, options SharedIndexInformerOptions) *running {
	t.Helper()
	r := build(t, srv, options)
	r.run()
	return r
}

func build(t *testing.T, srv *server, options SharedIndexInformerOptions) *running {
	t.Helper()
	r := &running{t: t, srv: srv, rec: &recorder{}, calls: &calls{}, done: make(chan struct{})}
	options.Observer = r.rec
	if options.Indexers == nil {
		options.Indexers = Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "app": appIndex}
	}
	r.sharedIndexInformer = NewSharedIndexInformerWithOptions(srv.lw(), &object{}, options).(*sharedIndexInformer)
	var err error
	if r.reg, err = r.AddEventHandler(r.calls); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *running) run() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.done)
		r.RunWithContext(ctx)
	}()
}

// stop ends the informer and checks that the fold of all events equals the informer's state.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	<-r.done
	r.check()
	if n := r.srv.openStreams(); n != 0 {
		r.t.Errorf("%d streams were left open", n)
	}
	if last := r.rec.events[len(r.rec.events)-1].Kind; last != event.KindInformerStopped {
		r.t.Errorf("the last event is of kind %d, want KindInformerStopped", last)
	}
}

func appIndex(o any) ([]string, error) {
	app := o.(metav1.Object).GetLabels()["app"]
	if app == "" {
		return nil, nil
	}
	return []string{app}, nil
}
