package feed

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"informerscope/core/words/object/objecttest"
)

// A Mode is the way in which an informer gets its first objects.
type Mode string

// The modes.
const (
	// List refuses WatchList, so that the informer falls back to LIST.
	List Mode = "list"
	// WatchList serves the first objects as a watch with initial events.
	WatchList Mode = "watchlist"
)

// Feed holds all bytes that are ever served, made once.
type Feed struct {
	pods    int
	updates int
	list    []byte
	initial []byte // ADDED frames and the end mark
	later   []byte // MODIFIED frames
}

// New makes a feed of pods pods, and updates later updates of them in turn.
func New(pods, updates int) *Feed {
	f := &Feed{pods: pods, updates: updates}
	var list, initial, later bytes.Buffer
	last := strconv.Itoa(1000 + pods)
	fmt.Fprintf(&list, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":%q},"items":[`, last)
	for i := range pods {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(objecttest.Pod(i, objecttest.WithoutType()))
		frame(&initial, "ADDED", objecttest.Pod(i))
	}
	list.WriteString("]}\n")
	frame(&initial, "BOOKMARK", fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":%q,"creationTimestamp":null,`+
		`"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}`, last))
	for i := range updates {
		frame(&later, "MODIFIED", objecttest.Pod(i%pods, objecttest.ResourceVersion(f.lastVersion(i))))
	}
	f.list, f.initial, f.later = list.Bytes(), initial.Bytes(), later.Bytes()
	return f
}

func (f *Feed) lastVersion(update int) string { return strconv.Itoa(1001 + f.pods + update) }

func frame(b *bytes.Buffer, typ string, object []byte) {
	fmt.Fprintf(b, `{"type":%q,"object":%s}`+"\n", typ, object)
}

// Pods returns how many pods there are.
func (f *Feed) Pods() int { return f.pods }

// Updates returns how many updates are released at once.
func (f *Feed) Updates() int { return f.updates }

// Bytes returns how many bytes the first objects take in mode, and the updates.
func (f *Feed) Bytes(mode Mode) (initial, updates int) {
	if mode == List {
		return len(f.list), len(f.later)
	}
	return len(f.initial), len(f.later)
}

// Server is one API server with the feed's objects. It is an http.RoundTripper.
type Server struct {
	feed    *Feed
	mode    Mode
	release chan struct{}
	once    sync.Once
}

// Serve returns a new server in mode, whose updates wait for Release.
func (f *Feed) Serve(mode Mode) *Server {
	return &Server{feed: f, mode: mode, release: make(chan struct{})}
}

// Release lets the open watch send all updates.
func (s *Server) Release() { s.once.Do(func() { close(s.release) }) }

// RoundTrip answers LIST and WATCH of pods in all namespaces.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.URL.Path != "/api/v1/pods" {
		return s.answer(req, http.StatusNotFound, status(404, "NotFound", "only pods are here")), nil
	}
	q := req.URL.Query()
	if watch, _ := strconv.ParseBool(q.Get("watch")); !watch {
		return s.answer(req, http.StatusOK, io.NopCloser(bytes.NewReader(s.feed.list))), nil
	}
	stream := &stream{done: req.Context().Done(), err: req.Context().Err, release: s.release, later: s.feed.later, closed: make(chan struct{})}
	if initial, _ := strconv.ParseBool(q.Get("sendInitialEvents")); initial {
		if s.mode == List {
			return s.answer(req, http.StatusUnprocessableEntity, status(422, "Invalid", "sendInitialEvents is forbidden for watch")), nil
		}
		stream.now = s.feed.initial
	}
	return s.answer(req, http.StatusOK, stream), nil
}

func (s *Server) answer(req *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), Request: req,
		Proto: "HTTP/2.0", ProtoMajor: 2, Header: http.Header{"Content-Type": {"application/json"}},
		Body: body, ContentLength: -1,
	}
}

func status(code int, reason, message string) io.ReadCloser {
	return io.NopCloser(bytes.NewReader(fmt.Appendf(nil,
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)))
}

// stream is the body of a watch: the initial events, a wait for the release,
// the updates, and then nothing until the request ends.
type stream struct {
	now      []byte
	later    []byte
	release  <-chan struct{}
	done     <-chan struct{}
	err      func() error
	closed   chan struct{}
	once     sync.Once
	released bool
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.now) == 0 {
		release := s.release
		if s.released {
			release = nil
		}
		select {
		case <-release:
			s.released = true
			s.now = s.later
		case <-s.done:
			return 0, s.err()
		case <-s.closed:
			return 0, http.ErrBodyReadAfterClose
		}
	}
	n := copy(p, s.now)
	s.now = s.now[n:]
	return n, nil
}

func (s *stream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}
