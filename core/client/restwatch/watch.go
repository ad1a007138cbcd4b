package restwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/object"
)

// ErrStopped is the error in Hooks.Done when a watch ended because Stop was called.
var ErrStopped = errors.New("the watch was stopped by its reader")

// Watch opens a watch on a resource in one namespace. With namespace "" it watches all namespaces, or a cluster-scoped resource. It sends opts with
// Watch true and returns when the head of the response has arrived.
//
// Events arrive on an unbuffered channel. It is closed when the stream ends, ctx is done, or Stop is called; the goroutine behind it ends then, even
// without a reader. Objects are *object.Object, or *metav1.Status in an ERROR event. A frame that cannot be decoded becomes an Error event and ends the
// watch, as in client-go. A broken connection ends it without one.
//
// Its errors are those of List. As in client-go, an end of file, a reset connection or a timeout before the response is not an error: the watch is
// empty.
func (c *Client) Watch(ctx context.Context, gvr schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (watch.Interface, error) {
	return c.watch(ctx, gvr, namespace, opts, false)
}

// WatchAhead is Watch, but reads and decodes the frames of a WatchList before their events are asked for, up to a bound, as client-go does since 0.38.
func (c *Client) WatchAhead(ctx context.Context, gvr schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (watch.Interface, error) {
	return c.watch(ctx, gvr, namespace, opts, opts.SendInitialEvents != nil && *opts.SendInitialEvents)
}

func (c *Client) watch(ctx context.Context, gvr schema.GroupVersionResource, namespace string, opts metav1.ListOptions,
	decodesAhead bool) (watch.Interface, error) {
	u, err := c.resourceURL(gvr, namespace, "")
	if err != nil {
		return nil, err
	}
	opts.Watch = true
	u.RawQuery = listQuery(opts).Encode()
	r := &request{method: http.MethodGet, url: u, accept: "application/json", resource: gvr.GroupResource()}

	streamCtx, cancel := context.WithCancel(ctx)
	resp, err := c.sendUntil(streamCtx, r, isCut)
	if err != nil {
		cancel()
		// Mirrors client-go rest.(*Request).Watch (v0.37.2).
		if ctx.Err() == nil && isCut(err) {
			return watch.NewEmptyWatch(), nil
		}
		return nil, err
	}
	fail := func(err, done error) (watch.Interface, error) {
		resp.Body.Close()
		cancel()
		c.reportDone(r, done)
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		err, readErr := responseError(r, resp)
		return fail(r.addPrevious(err), readErr)
	}
	if err := checkJSON(r, resp.Header, nil); err != nil {
		head, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		err = checkJSON(r, resp.Header, head)
		return fail(err, err)
	}
	s := &stream{
		client: c,
		req:    r,
		ctx:    ctx,
		cancel: cancel,
		body:   resp.Body,
		frames: newFrameReader(resp.Body, c.maxFrame()),
		result: make(chan watch.Event),
		done:   make(chan struct{}),
	}
	if decodesAhead {
		s.ahead = newAhead(s.done, func(waiting int) {
			if c.Hooks.Ahead != nil {
				c.Hooks.Ahead(r.id, waiting)
			}
		})
		go s.ahead.fill(s.read)
	}
	go s.receive()
	return s, nil
}

// stream is a watch.Interface that reads a response's body.
//
// Mirrors apimachinery watch.StreamWatcher (v0.37.2), except that it also ends when ctx is done.
type stream struct {
	client *Client
	req    *request
	ctx    context.Context
	cancel context.CancelFunc // cancels the request
	body   io.Closer
	frames *frameReader
	ahead  *ahead // nil if frames are read when they are needed

	result chan watch.Event // closed by receive
	done   chan struct{}    // closed by Stop
	stop   sync.Once
}

// ResultChan returns the channel of the events.
func (s *stream) ResultChan() <-chan watch.Event { return s.result }

// Stop ends the watch. It may be called more than once, and from any goroutine.
func (s *stream) Stop() {
	s.stop.Do(func() {
		close(s.done)
		s.cancel()
		s.body.Close()
	})
}

// receive reads the stream until it ends. It owns the result channel.
func (s *stream) receive() {
	defer close(s.result)
	err := s.pump()
	select {
	case <-s.done:
		err = ErrStopped
	default:
		if s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
	}
	s.Stop()
	if s.ahead != nil {
		s.ahead.drop()
	}
	s.client.reportDone(s.req, err)
}

// read returns the next event of the stream.
func (s *stream) read() (watch.Event, error) {
	if line, ok := s.frames.guess(); ok {
		if event, err := s.decode(line); err == nil {
			s.frames.takeGuess()
			return event, nil
		}
	}
	frame, err := s.frames.next()
	if err != nil {
		return watch.Event{}, err
	}
	return s.decode(frame)
}

// next returns the next event of the stream, which may have been read before. At the end of the context or of the reader it returns io.EOF.
func (s *stream) next() (watch.Event, error) {
	if s.ahead == nil {
		return s.read()
	}
	select {
	case got := <-s.ahead.events:
		if got.err == nil {
			s.ahead.add(-1)
		}
		return got.event, got.err
	case <-s.done:
	case <-s.ctx.Done():
	}
	return watch.Event{}, io.EOF
}

// pump delivers events until the stream ends, and returns the reason: nil for a clean end.
func (s *stream) pump() error {
	for {
		event, err := s.next()
		if err == nil {
			if !s.deliver(event) {
				return nil
			}
			continue
		}
		switch {
		case err == io.EOF:
			return nil
		case isCut(err), s.ctx.Err() != nil:
			return err
		}
		reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, s.req.method, "ClientWatchDecoding")
		s.deliver(watch.Event{
			Type:   watch.Error,
			Object: reporter.AsObject(fmt.Errorf("unable to decode an event from the watch stream: %w", err)),
		})
		return err
	}
}

// deliver sends an event to the reader. It returns false if there is no reader any more.
func (s *stream) deliver(event watch.Event) bool {
	select {
	case <-s.done:
		return false
	default:
	}
	select {
	case s.result <- event:
		return true
	case <-s.done:
	case <-s.ctx.Done():
	}
	return false
}

// decode decodes a frame into an event, and calls Hooks.Frame.
func (s *stream) decode(frame []byte) (watch.Event, error) {
	typ, o, err := object.DecodeWatchEvent(frame)
	if err != nil {
		return watch.Event{}, err
	}
	var obj runtime.Object = o
	switch t := watch.EventType(typ); t {
	case watch.Added, watch.Modified, watch.Deleted:
		if o.GetName() == "" {
			return watch.Event{}, fmt.Errorf("the object of the %s event has no metadata.name", typ)
		}
		fallthrough
	case watch.Bookmark:
		if o.GetKind() == "" {
			return watch.Event{}, fmt.Errorf("the object of the %s event has no kind", typ)
		}
	case watch.Error:
		if o.GetKind() == "Status" {
			status := &metav1.Status{}
			if err := utiljson.Unmarshal(o.Raw(), status); err != nil {
				return watch.Event{}, fmt.Errorf("the Status of the ERROR event: %w", err)
			}
			obj = status
		}
	default:
		return watch.Event{}, fmt.Errorf("the watch event has the unknown type %q", typ)
	}
	if s.client.Hooks.Frame != nil {
		s.client.Hooks.Frame(s.req.id, typ, o.GetNamespace(), o.GetName(), o.GetResourceVersion(), len(frame))
	}
	return watch.Event{Type: watch.EventType(typ), Object: obj}, nil
}
