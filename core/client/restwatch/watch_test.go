package restwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"informerscope/core/words/object"
	"informerscope/core/words/object/objecttest"
)

const expiredEvent = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (5)","reason":"Expired","code":410}}`

// TestWatchStreams serves various streams to our client and to client-go's dynamic client, and expects the same events from both.
func TestWatchStreams(t *testing.T) {
	a, b := frame("ADDED", "ns", "a", "1"), frame("MODIFIED", "ns", "a", "2")
	bookmark := `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9","creationTimestamp":null},"spec":{"containers":null},"status":{}}}`
	const decoding = "ERROR Status 500 InternalError UnexpectedServerResponse ClientWatchDecoding"
	for _, tc := range []struct {
		name, stream string
		abort        bool // cut the connection instead of ending the body
		want         []string
		alone        bool // client-go differs, see the comment at the case
	}{
		{name: "events", stream: a + "\n" + b + "\n" + frame("DELETED", "ns", "a", "3") + "\n", want: []string{"ADDED ns/a@1", "MODIFIED ns/a@2", "DELETED ns/a@3"}},
		{name: "pretty", stream: pretty(a, b), want: []string{"ADDED ns/a@1", "MODIFIED ns/a@2"}},
		{name: "bookmark", stream: bookmark, want: []string{"BOOKMARK /@9"}},
		{name: "nothing", stream: "", want: nil},
		{name: "error", stream: a + expiredEvent, want: []string{"ADDED ns/a@1", "ERROR Status 410 Expired"}},
		{name: "error, then more", stream: expiredEvent + b, want: []string{"ERROR Status 410 Expired", "MODIFIED ns/a@2"}},
		{name: "ends inside a frame", stream: a + b[:40], want: []string{"ADDED ns/a@1"}},
		{name: "cut between frames", stream: a + "\n", abort: true, want: []string{"ADDED ns/a@1"}},
		{name: "cut inside a frame", stream: a + b[:40], abort: true, want: []string{"ADDED ns/a@1"}},
		{name: "not JSON", stream: a + "<html>", want: []string{"ADDED ns/a@1", decoding}},
		{name: "broken frame", stream: a + `{"type":"ADDED",,}` + b, want: []string{"ADDED ns/a@1", decoding}},
		{name: "unknown type", stream: a + `{"type":"RENAMED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}`,
			want: []string{"ADDED ns/a@1", decoding}},
		{name: "no type", stream: `{"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}`, want: []string{decoding}},
		{name: "no object", stream: `{"type":"ADDED"}`, want: []string{decoding}},
		{name: "object of another type", stream: `{"type":"ADDED","object":[1]}`, want: []string{decoding}},
		{name: "no kind", stream: `{"type":"ADDED","object":{"metadata":{"name":"a"}}}`, want: []string{decoding}},
		{name: "error that is no Status", stream: `{"type":"ERROR","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}`, want: []string{"ERROR /a@"}},
		// unstructured.Unstructured does not check metadata when it decodes, so client-go delivers these two, and informers fail on them later.
		{name: "no name", stream: `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}`, want: []string{decoding}, alone: true},
		{name: "name of another type", stream: `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":1}}}`, want: []string{decoding},
			alone: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(200)
				io.WriteString(w, tc.stream)
				w.(http.Flusher).Flush()
				if tc.abort {
					panic(http.ErrAbortHandler)
				}
			})
			w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := collect(w); strings.Join(got, "; ") != strings.Join(tc.want, "; ") {
				t.Errorf("\n got %q\nwant %q", got, tc.want)
			}
			if tc.alone {
				return
			}
			theirs, err := dynamic.NewForConfig(&rest.Config{Host: c.Base.String(), QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			tw, err := theirs.Resource(pods).Watch(context.Background(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := collect(tw); strings.Join(got, "; ") != strings.Join(tc.want, "; ") {
				t.Errorf("client-go: %q, want %q", got, tc.want)
			}
		})
	}
}

// TestWatchReadErrors ends the stream with every class of error.
func TestWatchReadErrors(t *testing.T) {
	for _, tc := range []struct {
		err   error
		event bool
	}{
		{io.EOF, false},
		{io.ErrUnexpectedEOF, false},
		{syscall.ECONNRESET, false},
		{errors.New("http2: server sent GOAWAY and closed the connection"), false},
		{errors.New("use of closed network connection"), false},
		{context.DeadlineExceeded, false},
		{errBroken, true},
	} {
		j := &journal{}
		c := streaming(t, body(tc.err, frame("ADDED", "ns", "a", "1")))
		c.Hooks = j.hooks()
		w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := collect(w)
		if want := map[bool]int{false: 1, true: 2}[tc.event]; len(got) != want {
			t.Errorf("%v: %q", tc.err, got)
		}
		want := fmt.Sprintf("1 done %v", tc.err)
		if tc.err == io.EOF {
			want = "1 done <nil>"
		}
		if log := j.String(); !strings.HasSuffix(log, want) || strings.Count(log, "done") != 1 {
			t.Errorf("%v: the hooks reported\n%s", tc.err, log)
		}
	}
}

func TestWatchObjects(t *testing.T) {
	pod := objecttest.Pod(5)
	c := streaming(t, body(io.EOF, string(objecttest.WatchEvent("ADDED", pod)), string(objecttest.WatchEvent("MODIFIED", objecttest.Pod(6)))))
	w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := (<-w.ResultChan()).Object.(*object.Object)
	<-w.ResultChan()
	if string(first.Raw()) != string(pod) {
		t.Errorf("the first object changed with the second: %s", first.Raw())
	}
}

func TestWatchFrameLimit(t *testing.T) {
	c := streaming(t, body(io.EOF, frame("ADDED", "ns", "a", "1"), frame("ADDED", "ns", strings.Repeat("a", 500), "1")))
	c.MaxFrame = 400
	w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	e := <-w.ResultChan()
	if s, ok := e.Object.(*metav1.Status); !ok || e.Type != watch.Error || !strings.Contains(s.Message, "longer than 400 bytes") {
		t.Errorf("%s %v", e.Type, e.Object)
	}
}

func TestWatchOpenErrors(t *testing.T) {
	for _, tc := range []struct {
		name  string
		h     http.HandlerFunc
		check func(error) bool
		want  string
	}{
		{"410", answer(410, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410}`),
			apierrors.IsResourceExpired, "too old"},
		{"429", answer(429, "text/plain", "Too many requests, please try again later.\n", "Retry-After", "1"), apierrors.IsTooManyRequests, "asked us to try again"},
		{"403", answer(403, "application/json",
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"pods is forbidden","code":403}`), apierrors.IsForbidden,
			"pods is forbidden"},
		{"204", answer(204, "", ""), nil, "204"},
		{"html", answer(200, "text/html; charset=utf-8", "<html><title>Sign in</title></html>"), nil, "Sign in"},
		{"protobuf", answer(200, "application/vnd.kubernetes.protobuf;stream=watch", "k8s\x00"), nil, "application/vnd.kubernetes.protobuf"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := &journal{}
			c := serve(t, tc.h)
			c.Hooks = j.hooks()
			_, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
			if err == nil || tc.check != nil && !tc.check(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
			if !strings.Contains(j.String(), "1 done") {
				t.Errorf("the hooks reported\n%s", j)
			}
		})
	}
}

// TestWatchEnds checks that a watch's goroutine ends, however the watch ends and with or without a reader: synctest fails if one is left.
func TestWatchEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		send bool // an event is on its way when it ends
		end  func(w watch.Interface, cancel context.CancelCauseFunc)
		done string
	}{
		{"stop while reading", false, func(w watch.Interface, _ context.CancelCauseFunc) { w.Stop(); w.Stop() }, ErrStopped.Error()},
		{"stop while delivering", true, func(w watch.Interface, _ context.CancelCauseFunc) { w.Stop() }, ErrStopped.Error()},
		{"cancel while reading", false, func(_ watch.Interface, cancel context.CancelCauseFunc) { cancel(errBroken) }, errBroken.Error()},
		{"cancel while delivering", true, func(_ watch.Interface, cancel context.CancelCauseFunc) { cancel(nil) }, context.Canceled.Error()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				j := &journal{}
				c := &Client{Base: mustURL(t, "http://cluster"), Hooks: j.hooks(),
					HTTP: &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
						context.AfterFunc(req.Context(), func() { r.CloseWithError(req.Context().Err()) })
						return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: r}, nil
					})}}
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				stream, err := c.Watch(ctx, pods, "", metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if tc.send {
					io.WriteString(w, frame("ADDED", "ns", "a", "1"))
				}
				synctest.Wait()
				tc.end(stream, cancel)
				synctest.Wait()
				if !strings.HasSuffix(j.String(), "1 done "+tc.done) {
					t.Errorf("the hooks reported\n%s", j)
				}
				if got := collect(stream); len(got) != 0 {
					t.Errorf("events after the end: %q", got)
				}
			})
		})
	}
}

// TestWatchDeadline lets the context of a watch expire: the watch must end without an event.
func TestWatchDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := io.Pipe()
		c := streaming(t, r)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		context.AfterFunc(ctx, func() { r.CloseWithError(ctx.Err()) })
		w, err := c.Watch(ctx, pods, "", metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := collect(w); len(got) != 0 {
			t.Errorf("%q", got)
		}
	})
}

func TestWatchThatNeverOpens(t *testing.T) {
	for _, tc := range []struct {
		err   error
		empty bool
	}{
		{io.EOF, true},
		{syscall.ECONNRESET, true},
		{context.DeadlineExceeded, true},
		{syscall.ECONNREFUSED, false},
		{errBroken, false},
	} {
		j := &journal{}
		c := &Client{Base: mustURL(t, "http://cluster"), Hooks: j.hooks(), HTTP: &http.Client{Transport: roundTripper(
			func(*http.Request) (*http.Response, error) { return nil, tc.err })}}
		w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
		if tc.empty != (err == nil) || err != nil && !errors.Is(err, tc.err) {
			t.Errorf("%v: %v", tc.err, err)
		}
		if err == nil && len(collect(w)) != 0 {
			t.Errorf("%v: events", tc.err)
		}
		if log := j.String(); !strings.Contains(log, "1 response 0") || !strings.Contains(log, tc.err.Error()) || strings.Contains(log, "done") {
			t.Errorf("the hooks reported\n%s", log)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := serve(t, answer(200, "", "")).Watch(ctx, pods, "", metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}
